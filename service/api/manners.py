"""What every answer has, whoever made it: an id, CORS, security headers, how long it keeps.

A WSGI layer around the application, as this is the cheapest place; it counts and times as well.
"""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Callable, Iterable
from typing import Any, Final

from flask import request

from . import metrics

REQUEST_ID: Final = "bailli.request_id"
NOTHING: Final = "default-src 'none'; frame-ancestors 'none'"

_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
_ALWAYS: Final = (
    ("Access-Control-Allow-Origin", "*"),
    (
        "Access-Control-Expose-Headers",
        "ETag, Location, Link, Retry-After, Allow, Idempotent-Replayed, "
        "Preference-Applied, X-Request-Id, Content-Language, WWW-Authenticate",
    ),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
)
_UNLESS_SET: Final = (("Content-Security-Policy", NOTHING), ("Cache-Control", "no-cache"))
_PREFLIGHT: Final = (
    (
        "Access-Control-Allow-Headers",
        "Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, Accept-Language, "
        "Last-Event-ID, Prefer, X-Request-Id",
    ),
    ("Access-Control-Max-Age", "86400"),
)

Environment = dict[str, Any]
Application = Callable[[Environment, Callable[..., Any]], Iterable[bytes]]


class Manners:
    """The application with the headers added to every answer."""

    def __init__(self, application: Application) -> None:
        self._application = application

    def __call__(
        self, environment: Environment, start_response: Callable[..., Any]
    ) -> Iterable[bytes]:
        """Answers a request."""
        given = environment.get("HTTP_X_REQUEST_ID", "")
        named = given if _ID.fullmatch(given) else secrets.token_hex(8)
        environment[REQUEST_ID] = named
        method = environment["REQUEST_METHOD"]
        began = time.perf_counter()

        def dressed(status: str, headers: list[tuple[str, str]], *more: Any) -> Any:
            names = {name for name, _ in headers}
            headers += _ALWAYS
            headers += [each for each in _UNLESS_SET if each[0] not in names]
            headers.append(("X-Request-Id", named))
            if method == "OPTIONS":
                allowed = next((value for name, value in headers if name == "Allow"), "")
                headers += (*_PREFLIGHT, ("Access-Control-Allow-Methods", allowed))
            metrics.count(request.endpoint, method, status[:3], time.perf_counter() - began)
            return start_response(status, headers, *more)

        return self._application(environment, dressed)
