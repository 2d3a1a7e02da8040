"""Prometheus metrics, shared between processes through a folder if one is configured."""

from __future__ import annotations

import functools
import logging
from collections.abc import Iterator
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
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector

from ...games.webhooks import counters as webhook_counters
from ...store import Store, StoreError
from .services import services

log = logging.getLogger(__name__)

REQUESTS: Final = Counter(
    "bailli_requests_total", "Requests served.", ("operation", "method", "status")
)
GAMES_CREATED: Final = Counter(
    "bailli_games_laid_total", "Games created from other games.", ("kind",)
)
IMPORTS: Final = Counter("bailli_records_taken_total", "Records accepted for import.")
ANALYSES: Final = Counter("bailli_analyses_asked_total", "Analyses requested.")
REQUEST_SECONDS: Final = Histogram(
    "bailli_request_seconds",
    "Time until the response was ready.",
    ("operation",),
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0),
)
OPEN_STREAMS: Final = Gauge(
    "bailli_streams_open",
    "Open event streams and held requests.",
    ("kind",),
    multiprocess_mode="livesum",
)
DELIVERED_EVENTS: Final = Counter(
    "bailli_stream_events_total", "Events sent on streams.", ("kind",)
)
CLOSED_SLOW_STREAMS: Final = Counter(
    "bailli_streams_cut_off_total",
    "Streams closed because their clients read too slowly.",
    ("kind",),
)
STREAM_LAG: Final = Histogram(
    "bailli_stream_lag_seconds",
    "Time from the notification of an event until it was sent to a client.",
    ("kind",),
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0),
)

OTHER_METHOD: Final = "OTHER"
_KNOWN_METHODS: Final = frozenset({"GET", "HEAD", "POST", "DELETE", "OPTIONS"})


def count_request(operation: str | None, method: str, status: str, seconds: float) -> None:
    """Counts a served request and its duration (s)."""
    counter, histogram = _request_metrics(
        operation or "none", method if method in _KNOWN_METHODS else OTHER_METHOD, status
    )
    counter.inc()
    histogram.observe(seconds)


def count_delivered(kind: str, events: int, lag: float | None) -> None:
    """Counts events sent on streams, and their lag (s) unless it is None (events of the past)."""
    counter, histogram = _stream_metrics(kind)
    counter.inc(events)
    if lag is not None:
        histogram.observe(lag)


@functools.cache
def _stream_metrics(kind: str) -> tuple[Counter, Histogram]:
    return DELIVERED_EVENTS.labels(kind), STREAM_LAG.labels(kind)


@functools.lru_cache(maxsize=1_000)
def _request_metrics(operation: str, method: str, status: str) -> tuple[Counter, Histogram]:
    return REQUESTS.labels(operation, method, status), REQUEST_SECONDS.labels(operation)


def render_metrics() -> Response:
    """Returns all metrics in the Prometheus text format."""
    registry = REGISTRY
    if services().settings.metrics is not None:
        registry = CollectorRegistry()
        MultiProcessCollector(registry, str(services().settings.metrics))  # type: ignore[no-untyped-call]
    shared = CollectorRegistry()
    shared.register(StoreCounters(services().store))
    text = generate_latest(registry) + generate_latest(shared)
    return Response(text, content_type=CONTENT_TYPE_LATEST)


class StoreCounters:
    """Collector of the counters that workers keep in the store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def collect(self) -> Iterator[Metric]:
        """Yields the counters; none while the store is unavailable."""
        try:
            counters = webhook_counters.read_counters(self._store.get_counts())
        except StoreError as error:
            log.warning("the workers' counters cannot be read: %s", error)
            return
        deliveries = CounterMetricFamily(
            "bailli_hook_deliveries", "Attempts to deliver webhook messages.", labels=("outcome",)
        )
        for outcome, count in counters.deliveries.items():
            deliveries.add_metric([outcome], count)
        yield deliveries
        yield CounterMetricFamily(
            "bailli_hook_retries", "Attempts that were not the first.", value=counters.retries
        )
        disabled = CounterMetricFamily(
            "bailli_hooks_disabled", "Disabled webhooks.", labels=("reason",)
        )
        for reason, count in counters.disabled.items():
            disabled.add_metric([reason], count)
        yield disabled
        bounds = [*(str(bound / 1000) for bound in webhook_counters.LAGS), "+Inf"]
        cumulative = [sum(counters.lags[: place + 1]) for place in range(len(bounds))]
        lag = HistogramMetricFamily(
            "bailli_hook_lag_seconds", "Time from an event to its delivery."
        )
        lag.add_metric([], list(zip(bounds, cumulative, strict=True)), counters.lag_sum / 1000)
        yield lag
