"""The counters of webhooks, which workers add to and the API shows: their names in the store."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

LAGS: Final = (100, 500, 1_000, 5_000, 30_000, 300_000, 3_600_000, 86_400_000)
"""Upper bounds (ms) of the lag's buckets; what is later counts as beyond."""

BEYOND: Final = "beyond"
_DELIVERIES: Final = "hook_deliveries:"
_DISABLED: Final = "hooks_disabled:"
_LAG: Final = "hook_lag:"
_LAG_SUM: Final = "hook_lag_ms"
_RETRIES: Final = "hook_retries"


class Counters(NamedTuple):
    """The counters: attempts by outcome, how many of them were retries, webhooks disabled by

    reason, and by bucket of `LAGS` (the last: beyond them) how long after it happened something
    was told, with the sum (ms).
    """

    deliveries: dict[str, int]
    retries: int
    disabled: dict[str, int]
    lags: tuple[int, ...]
    lag_sum: int


def attempt_counts(outcome: str, retry: bool, lag: int | None) -> dict[str, int]:
    """Returns what an attempt adds; `lag` (ms) where something was told by it."""
    counts = {_DELIVERIES + outcome: 1}
    if retry:
        counts[_RETRIES] = 1
    if lag is not None:
        bucket = next((str(bound) for bound in LAGS if lag <= bound), BEYOND)
        counts |= {_LAG + bucket: 1, _LAG_SUM: max(0, lag)}
    return counts


def disabling_counts(why: str) -> dict[str, int]:
    """Returns what it adds that a webhook is disabled."""
    return {_DISABLED + why: 1}


def read_counters(counts: Mapping[str, int]) -> Counters:
    """Returns the store's counters in order."""

    def named(prefix: str) -> dict[str, int]:
        return {
            name.removeprefix(prefix): count
            for name, count in sorted(counts.items())
            if name.startswith(prefix)
        }

    lags = named(_LAG)
    return Counters(
        named(_DELIVERIES),
        counts.get(_RETRIES, 0),
        named(_DISABLED),
        tuple(lags.get(str(bound), 0) for bound in (*LAGS, BEYOND)),
        counts.get(_LAG_SUM, 0),
    )
