"""Counters of webhooks, which workers add to and the API's metrics read; their stored names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

LAGS: Final = (100, 500, 1_000, 5_000, 30_000, 300_000, 3_600_000, 86_400_000)
"""Upper bounds (ms) of the lag's buckets; anything later counts as beyond."""

BEYOND: Final = "beyond"
_DELIVERIES: Final = "hook_deliveries:"
_DISABLED: Final = "hooks_disabled:"
_LAG: Final = "hook_lag:"
_LAG_SUM: Final = "hook_lag_ms"
_RETRIES: Final = "hook_retries"


class Counters(NamedTuple):
    """The counters: attempts by outcome, how many of them were retries, webhooks disabled by

    reason, deliveries by bucket of `LAGS` (the last: beyond them) of the time since the append,
    and the sum of those times (ms).
    """

    deliveries: dict[str, int]
    retries: int
    disabled: dict[str, int]
    lags: tuple[int, ...]
    lag_sum: int


def attempt_counts(outcome: str, retry: bool, lag: int | None) -> dict[str, int]:
    """Returns the counts of an attempt; `lag` (ms) where it delivered something."""
    counts = {_DELIVERIES + outcome: 1}
    if retry:
        counts[_RETRIES] = 1
    if lag is not None:
        bucket = next((str(bound) for bound in LAGS if lag <= bound), BEYOND)
        counts |= {_LAG + bucket: 1, _LAG_SUM: max(0, lag)}
    return counts


def disabling_counts(reason: str) -> dict[str, int]:
    """Returns the counts of a webhook being disabled."""
    return {_DISABLED + reason: 1}


def read_counters(counts: Mapping[str, int]) -> Counters:
    """Returns the counters that the store has."""

    def with_prefix(prefix: str) -> dict[str, int]:
        return {
            name.removeprefix(prefix): count
            for name, count in sorted(counts.items())
            if name.startswith(prefix)
        }

    lags = with_prefix(_LAG)
    return Counters(
        with_prefix(_DELIVERIES),
        counts.get(_RETRIES, 0),
        with_prefix(_DISABLED),
        tuple(lags.get(str(bound), 0) for bound in (*LAGS, BEYOND)),
        counts.get(_LAG_SUM, 0),
    )
