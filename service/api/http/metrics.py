"""Counters for Prometheus, shared between the processes through a folder if there is one."""

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
    "bailli_requests_total", "Requests answered.", ("operation", "method", "status")
)
GAMES_CREATED: Final = Counter("bailli_games_laid_total", "Games laid from other games.", ("kind",))
IMPORTS: Final = Counter("bailli_records_taken_total", "Records taken in to be judged.")
ANALYSES: Final = Counter("bailli_analyses_asked_total", "Questions for a bot's advice taken.")
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


def count_request(operation: str | None, method: str, status: str, seconds: float) -> None:
    """Counts a request that was answered."""
    counter, histogram = _kept(operation or "none", method if method in _METHODS else OTHER, status)
    counter.inc()
    histogram.observe(seconds)


def count_delivered(kind: str, events: int, lag: float | None) -> None:
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


def render_metrics() -> Response:
    """Returns all counters in Prometheus' text form."""
    registry = REGISTRY
    if services().settings.metrics is not None:
        registry = CollectorRegistry()
        MultiProcessCollector(registry, str(services().settings.metrics))  # type: ignore[no-untyped-call]
    shared = CollectorRegistry()
    shared.register(StoreCounters(services().store))
    text = generate_latest(registry) + generate_latest(shared)
    return Response(text, content_type=CONTENT_TYPE_LATEST)


class StoreCounters:
    """What the workers count, wherever they run: the counters that lie in the store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def collect(self) -> Iterator[Metric]:
        """Yields the counters; nothing where the store can't be asked: the others still count."""
        try:
            found = webhook_counters.read_counters(self._store.get_counts())
        except StoreError as fault:
            log.warning("the workers' counters can't be read: %s", fault)
            return
        deliveries = CounterMetricFamily(
            "bailli_hook_deliveries", "Attempts to tell webhooks something.", labels=("outcome",)
        )
        for outcome, count in found.deliveries.items():
            deliveries.add_metric([outcome], count)
        yield deliveries
        yield CounterMetricFamily(
            "bailli_hook_retries", "Those that were not the first.", value=found.retries
        )
        disabled = CounterMetricFamily(
            "bailli_hooks_disabled", "Webhooks disabled.", labels=("reason",)
        )
        for why, count in found.disabled.items():
            disabled.add_metric([why], count)
        yield disabled
        bounds = [*(str(bound / 1000) for bound in webhook_counters.LAGS), "+Inf"]
        sums = [sum(found.lags[: place + 1]) for place in range(len(bounds))]
        lag = HistogramMetricFamily("bailli_hook_lag_seconds", "From what happened to its telling.")
        lag.add_metric([], list(zip(bounds, sums, strict=True)), found.lag_sum / 1000)
        yield lag
