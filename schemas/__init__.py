"""Schemas of request and response bodies (marshmallow), and JSON Schema of described classes.

May import descriptions of `service.rules` and `service.games`, not the API, the store or workers.
Shapes of commands, options and events follow from their descriptions.
"""
