"""Counters for Prometheus, shared between the processes through a folder if there is one."""

from __future__ import annotations

import functools
from typing import Final

from flask import Response
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
LAID: Final = Counter("bailli_games_laid_total", "Games laid from other games.", ("kind",))
IMPORTS: Final = Counter("bailli_records_taken_total", "Records taken in to be judged.")
SECONDS: Final = Histogram(
    "bailli_request_seconds",
    "Time until the answer was ready.",
    ("operation",),
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0),
)


OTHER: Final = "OTHER"
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "DELETE", "OPTIONS"})


def count(operation: str | None, method: str, status: str, seconds: float) -> None:
    """Counts a request that was answered."""
    counter, histogram = _kept(operation or "none", method if method in _METHODS else OTHER, status)
    counter.inc()
    histogram.observe(seconds)


@functools.lru_cache(maxsize=1_000)
def _kept(operation: str, method: str, status: str) -> tuple[Counter, Histogram]:
    return REQUESTS.labels(operation, method, status), SECONDS.labels(operation)


def written() -> Response:
    """Returns all counters in Prometheus' text form."""
    registry = REGISTRY
    if services().settings.metrics is not None:
        registry = CollectorRegistry()
        MultiProcessCollector(registry, str(services().settings.metrics))  # type: ignore[no-untyped-call]
    return Response(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)
