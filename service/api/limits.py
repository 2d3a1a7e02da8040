"""How often a client may do what is dear: token buckets by address, kept in the process.

Each API process counts for itself, so that a client that is spread over n processes may do up to n
times as much.
"""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from flask import request

from .problems import Problem

MINUTE: Final = 60.0
MOST_BUCKETS: Final = 10_000


class Limits:
    """`rate` returns how many of a thing a minute are allowed; 0: without limit."""

    def __init__(
        self, rate: Callable[[str], int], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rate = rate
        self._clock = clock
        self._buckets: OrderedDict[tuple[str, str], tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, what: str, address: str) -> float | None:
        """Takes one. Returns None, or the seconds to wait where nothing is left."""
        rate = self._rate(what)
        if not rate:
            return None
        now = self._clock()
        with self._lock:
            left, then = self._buckets.pop((what, address), (float(rate), now))
            left = min(float(rate), left + (now - then) * rate / MINUTE)
            wait = None if left >= 1 else (1 - left) * MINUTE / rate
            self._buckets[what, address] = (left - 1 if wait is None else left, now)
            while len(self._buckets) > MOST_BUCKETS:
                self._buckets.popitem(last=False)
        return wait

    def check(self, what: str) -> None:
        """Takes one for the client of this request. Raises `Problem` "too_many"."""
        wait = self.take(what, request.remote_addr or "")
        if wait is not None:
            raise Problem("too_many", headers={"Retry-After": str(math.ceil(wait))})
