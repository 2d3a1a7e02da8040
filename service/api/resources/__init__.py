"""The resources of the API, one module each: parse the request, call the service, serialize.

May import everything of the API but `docs`; resources share code through `game_creation` only.
"""
