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
    """Returns an answer of plain data (or JSON bytes), with the game's ETag where there is one."""
    written = body if isinstance(body, bytes) else orjson.dumps(body)
    response = Response(written, status, mimetype="application/json")
    if game is not None:
        response.headers["ETag"] = conditional_requests.etag(game)
    if headers:
        response.headers.update(headers)
    return response


def empty_response(status: int = 204) -> Response:
    """Returns an answer without a body, and so without a type."""
    response = Response(status=status)
    del response.headers["Content-Type"]
    return response
