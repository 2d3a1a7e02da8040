"""Response headers of every response: request id, CORS, security headers, Cache-Control.

A WSGI middleware, which is the cheapest place; it also counts, times and logs requests.
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
CONTENT_SECURITY_POLICY: Final = "default-src 'none'; frame-ancestors 'none'"

_CORS_AND_SECURITY: Final = (
    ("Access-Control-Allow-Origin", "*"),
    (
        "Access-Control-Expose-Headers",
        "ETag, Location, Link, Retry-After, Allow, Idempotent-Replayed, "
        "Preference-Applied, X-Request-Id, Content-Language, WWW-Authenticate",
    ),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
)
_DEFAULTS: Final = (
    ("Content-Security-Policy", CONTENT_SECURITY_POLICY),
    ("Cache-Control", "no-cache"),
)
_PREFLIGHT: Final = (
    (
        "Access-Control-Allow-Headers",
        "Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, Accept-Language, "
        "Last-Event-ID, Prefer, X-Request-Id, Traceparent",
    ),
    ("Access-Control-Max-Age", "86400"),
)

UNLOGGED: Final = frozenset({"service.get_live", "service.get_ready", "service.get_metrics"})
"""Endpoints that machines poll; their requests are logged at level DEBUG only."""

Environment = dict[str, Any]
Application = Callable[[Environment, Callable[..., Any]], Iterable[bytes]]


class ResponseHeaders:
    """The middleware: adds the headers to every response, measures and logs it."""

    def __init__(self, application: Application) -> None:
        self._application = application

    def __call__(
        self, environment: Environment, start_response: Callable[..., Any]
    ) -> Iterable[bytes]:
        """Handles a WSGI request."""
        sent_id = environment.get("HTTP_X_REQUEST_ID", "")
        parent = environment.get("HTTP_TRACEPARENT", "")
        request_id = tracing.request_id_from(sent_id, parent) or secrets.token_hex(16)
        environment[REQUEST_ID] = request_id
        method = environment["REQUEST_METHOD"]
        started = time.perf_counter()

        def start_with_headers(status: str, headers: list[tuple[str, str]], *exc_info: Any) -> Any:
            names = {name for name, _ in headers}
            headers += _CORS_AND_SECURITY
            headers += [header for header in _DEFAULTS if header[0] not in names]
            headers.append(("X-Request-Id", request_id))
            if method == "OPTIONS":
                allowed = next((value for name, value in headers if name == "Allow"), "")
                headers += (*_PREFLIGHT, ("Access-Control-Allow-Methods", allowed))
            seconds = time.perf_counter() - started
            metrics.count_request(request.endpoint, method, status[:3], seconds)
            _log_response(method, int(status[:3]), seconds)
            return start_response(status, headers, *exc_info)

        with tracing.traced(request=request_id):
            body = self._application(environment, start_with_headers)
            return TracedBody(body, tracing.current_facts())


class TracedBody(Iterator[bytes]):
    """A response body whose parts are made with the tracing facts of its request."""

    def __init__(self, body: Iterable[bytes], facts: Mapping[str, tracing.Fact]) -> None:
        self._body = body
        self._parts = iter(body)
        self._facts = facts

    def __next__(self) -> bytes:
        with tracing.restored(self._facts):
            return next(self._parts)

    def close(self) -> None:
        """Closes the body, as WSGI asks of whoever iterates."""
        close = getattr(self._body, "close", None)
        if close is not None:
            with tracing.restored(self._facts):
                close()


def _log_response(method: str, status: int, seconds: float) -> None:
    """Logs a response. Without path and query, which may contain anything a client sends."""
    level = logging.DEBUG if request.endpoint in UNLOGGED else logging.INFO
    if not log.isEnabledFor(level):
        return
    arguments = request.view_args or {}
    tracing.note(game=arguments.get("game_id"), seat=arguments.get("seat"))
    route = None if request.url_rule is None else request.url_rule.rule
    facts = {"method": method, "route": route, "status": status, "ms": round(seconds * 1000, 2)}
    log.log(level, "answered", extra=facts)
