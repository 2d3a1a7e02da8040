"""What every answer has: an id, CORS, security headers, how long it keeps."""

from __future__ import annotations

import re
import secrets
from typing import Final

from flask import Flask, Response, g, request

_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
_ALWAYS: Final = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "ETag, Location, Link, Retry-After, Allow, "
    "Idempotent-Replayed, X-Request-Id, Content-Language, WWW-Authenticate",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}
_PREFLIGHT: Final = {
    "Access-Control-Allow-Headers": "Authorization, Content-Type, If-Match, If-None-Match, "
    "Idempotency-Key, Accept-Language, Last-Event-ID, Prefer, X-Request-Id",
    "Access-Control-Max-Age": "86400",
}
NOTHING: Final = "default-src 'none'; frame-ancestors 'none'"


def mind(app: Flask) -> None:
    """Adds the headers to every answer of the application."""

    @app.before_request
    def name() -> None:
        given = request.headers.get("X-Request-Id", "")
        g.request_id = given if _ID.fullmatch(given) else secrets.token_hex(8)

    @app.after_request
    def dress(response: Response) -> Response:
        headers = response.headers
        headers.update(_ALWAYS)
        headers["X-Request-Id"] = g.get("request_id", "")
        if "Content-Security-Policy" not in headers:
            headers["Content-Security-Policy"] = NOTHING
        if "Cache-Control" not in headers:
            headers["Cache-Control"] = "no-cache"
        if request.method == "OPTIONS" and response.status_code == 200:
            headers.update(_PREFLIGHT)
            headers["Access-Control-Allow-Methods"] = headers.get("Allow", "")
        return response
