"""Responses: JSON with the game's ETag, and empty ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson
from flask import Response

from ...games.game import Game
from . import conditional_requests


def json_response(
    body: Any,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    *,
    game: Game | None = None,
) -> Response:
    """Returns a response of plain data (or JSON bytes), with the ETag of `game` if there is one."""
    content = body if isinstance(body, bytes) else orjson.dumps(body)
    response = Response(content, status, mimetype="application/json")
    if game is not None:
        response.headers["ETag"] = conditional_requests.etag(game)
    if headers:
        response.headers.update(headers)
    return response


def empty_response(status: int = 204) -> Response:
    """Returns a response without a body and without a Content-Type."""
    response = Response(status=status)
    del response.headers["Content-Type"]
    return response
