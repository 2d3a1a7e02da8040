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
    Gauge,
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
OPEN: Final = Gauge(
    "bailli_streams_open",
    "Event streams, and requests held, that are open now.",
    ("kind",),
    multiprocess_mode="livesum",
)
DELIVERED: Final = Counter("bailli_stream_events_total", "Events sent on streams.", ("kind",))
CUT_OFF: Final = Counter(
    "bailli_streams_cut_off_total", "Streams cut off as their clients read too slowly.", ("kind",)
)
LAG: Final = Histogram(
    "bailli_stream_lag_seconds",
    "Time from the news of an event until it was sent to a client.",
    ("kind",),
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0),
)

OTHER: Final = "OTHER"
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "DELETE", "OPTIONS"})


def count(operation: str | None, method: str, status: str, seconds: float) -> None:
    """Counts a request that was answered."""
    counter, histogram = _kept(operation or "none", method if method in _METHODS else OTHER, status)
    counter.inc()
    histogram.observe(seconds)


def delivered(kind: str, events: int, lag: float | None) -> None:
    """Counts events that a stream has sent, and their lag (s) where they are news."""
    counter, histogram = _kept_stream(kind)
    counter.inc(events)
    if lag is not None:
        histogram.observe(lag)


@functools.cache
def _kept_stream(kind: str) -> tuple[Counter, Histogram]:
    return DELIVERED.labels(kind), LAG.labels(kind)


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
