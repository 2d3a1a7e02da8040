"""What every answer has, whoever made it: an id, CORS, security headers, how long it keeps.

A WSGI layer around the application, as this is the cheapest place; it counts and times as well.
"""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from flask import request

from ...games import tracing
from . import metrics

log = logging.getLogger(__name__)

REQUEST_ID: Final = "bailli.request_id"
STRICT_POLICY: Final = "default-src 'none'; frame-ancestors 'none'"

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
_UNLESS_SET: Final = (("Content-Security-Policy", STRICT_POLICY), ("Cache-Control", "no-cache"))
_PREFLIGHT: Final = (
    (
        "Access-Control-Allow-Headers",
        "Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, Accept-Language, "
        "Last-Event-ID, Prefer, X-Request-Id, Traceparent",
    ),
    ("Access-Control-Max-Age", "86400"),
)

QUIET: Final = frozenset({"service.get_live", "service.get_ready", "service.get_metrics"})
"""What machines ask again and again: nobody wants to read of it."""

Environment = dict[str, Any]
Application = Callable[[Environment, Callable[..., Any]], Iterable[bytes]]


class ResponseHeaders:
    """The application with the headers added to every answer, and each answer in the log."""

    def __init__(self, application: Application) -> None:
        self._application = application

    def __call__(
        self, environment: Environment, start_response: Callable[..., Any]
    ) -> Iterable[bytes]:
        """Answers a request."""
        given = environment.get("HTTP_X_REQUEST_ID", "")
        parent = environment.get("HTTP_TRACEPARENT", "")
        named = tracing.request_id_from(given, parent) or secrets.token_hex(16)
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
            seconds = time.perf_counter() - began
            metrics.count_request(request.endpoint, method, status[:3], seconds)
            _log_response(method, int(status[:3]), seconds)
            return start_response(status, headers, *more)

        with tracing.traced(request=named):
            body = self._application(environment, dressed)
            return TracedBody(body, tracing.current_facts())


class TracedBody(Iterator[bytes]):
    """An answer's body, which is still part of the request: of a stream, by far the longest."""

    def __init__(self, body: Iterable[bytes], known: Mapping[str, tracing.Fact]) -> None:
        self._body = body
        self._parts = iter(body)
        self._known = known

    def __next__(self) -> bytes:
        with tracing.restored(self._known):
            return next(self._parts)

    def close(self) -> None:
        """Ends the answer, as whoever iterates must."""
        close = getattr(self._body, "close", None)
        if close is not None:
            with tracing.restored(self._known):
                close()


def _log_response(method: str, status: int, seconds: float) -> None:
    """Writes down what was answered to what. No path and no query: clients put anything there."""
    level = logging.DEBUG if request.endpoint in QUIET else logging.INFO
    if not log.isEnabledFor(level):
        return
    asked = request.view_args or {}
    tracing.note(game=asked.get("game_id"), seat=asked.get("seat"))
    route = None if request.url_rule is None else request.url_rule.rule
    told = {"method": method, "route": route, "status": status, "ms": round(seconds * 1000, 2)}
    log.log(level, "answered", extra=told)
