"""How often a client may do what is dear: token buckets by address.

Of an IPv6 address the first 64 bits count: who has one of a network has all of them.

All processes share them, by the queues' server. Where that can't be asked each process counts for
itself for a while: a limit is then as many times as high as there are processes, and is never a
reason not to serve.
"""

from __future__ import annotations

import functools
import ipaddress
import logging
import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Final, Protocol

from flask import request

from ...store import StoreError
from .problems import Problem

log = logging.getLogger(__name__)

MINUTE: Final = 60.0
MAX_BUCKETS: Final = 10_000
ALONE: Final = 10.0
"""Seconds for which a process counts for itself before it asks the others' counts again."""


def client_address() -> str:
    """Returns what the client of this request is counted by."""
    return rate_limit_key(request.remote_addr or "")


@functools.lru_cache(4_096)
def rate_limit_key(address: str) -> str:
    """Returns what an address is counted by; one of no known form by itself."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((int(found) >> 64 << 64, 64)))


class TokenBuckets(Protocol):
    """Buckets that others take from as well."""

    def take(self, name: str, most: int, period: int) -> int:
        """Takes one; see `store.rate`."""
        ...


class RateLimiter:
    """`rate` returns how many of a thing a minute are allowed; 0: without limit."""

    def __init__(
        self,
        rate: Callable[[str], int],
        clock: Callable[[], float] = time.monotonic,
        shared: TokenBuckets | None = None,
    ) -> None:
        self._rate = rate
        self._clock = clock
        self._shared = shared
        self._alone_until = -math.inf
        self._buckets: OrderedDict[tuple[str, str], tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, what: str, address: str) -> float | None:
        """Takes one. Returns None, or the seconds to wait where nothing is left."""
        rate = self._rate(what)
        if not rate:
            return None
        if self._shared is not None and self._clock() >= self._alone_until:
            try:
                wait = self._shared.take(f"{what} {address}", rate, int(MINUTE * 1000))
            except StoreError as fault:
                log.warning("limits are counted by each process alone: %s", fault)
                self._alone_until = self._clock() + ALONE
            else:
                return wait / 1000 if wait else None
        return self._take(what, address, rate)

    def _take(self, what: str, address: str, rate: int) -> float | None:
        now = self._clock()
        with self._lock:
            left, then = self._buckets.pop((what, address), (float(rate), now))
            left = min(float(rate), left + (now - then) * rate / MINUTE)
            wait = None if left >= 1 else (1 - left) * MINUTE / rate
            self._buckets[what, address] = (left - 1 if wait is None else left, now)
            while len(self._buckets) > MAX_BUCKETS:
                self._buckets.popitem(last=False)
        return wait

    def check(self, what: str) -> None:
        """Takes one for the client of this request. Raises `Problem` "too_many"."""
        wait = self.take(what, client_address())
        if wait is not None:
            raise Problem("too_many", headers={"Retry-After": str(math.ceil(wait))})
