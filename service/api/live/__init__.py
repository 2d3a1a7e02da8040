"""Live delivery: the broker with its subscribers, event streams (SSE) and long poll.

May import `service.api.http` and `service.api.representations`, not resources or docs.
"""
