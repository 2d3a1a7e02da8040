"""Counters for Prometheus, shared between the processes through a folder if there is one."""

from __future__ import annotations

import time
from typing import Final

from flask import Flask, Response, g, request
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    REGISTRY,
    CollectorRegistry,
    Counter,
    Histogram,
    generate_latest,
)
from prometheus_client.multiprocess import MultiProcessCollector

from .services import services

REQUESTS: Final = Counter(
    "bailli_requests_total", "Requests answered.", ("operation", "method", "status")
)
SECONDS: Final = Histogram(
    "bailli_request_seconds",
    "Time until the answer was ready.",
    ("operation",),
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0),
)


def measure(app: Flask) -> None:
    """Counts every request of the application."""

    @app.before_request
    def begin() -> None:
        g.began = time.perf_counter()

    @app.after_request
    def count(response: Response) -> Response:
        operation = request.endpoint or "none"
        REQUESTS.labels(operation, request.method, str(response.status_code)).inc()
        SECONDS.labels(operation).observe(time.perf_counter() - g.began)
        return response


def written() -> Response:
    """Returns all counters in Prometheus' text form."""
    registry = REGISTRY
    if services().settings.metrics is not None:
        registry = CollectorRegistry()
        MultiProcessCollector(registry, str(services().settings.metrics))  # type: ignore[no-untyped-call]
    return Response(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)
