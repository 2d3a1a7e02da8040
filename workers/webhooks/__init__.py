"""Delivery of webhook messages: the retry schedule, the HTTP client, the pool of threads.

Imports games' webhooks and the context of jobs.
"""
