"""Rate limits: token buckets by client address for costly requests.

Of an IPv6 address the first 64 bits count, as one client has a whole network of them.

All processes share the buckets through the queues' Redis server. While that server is unavailable
each process counts alone: limits are then multiplied by the number of processes, but requests are
still served.
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
FALLBACK_SECONDS: Final = 10.0
"""How long a process counts alone before it tries the shared buckets again."""


def client_address() -> str:
    """Returns the rate limit key of this request's client."""
    return rate_limit_key(request.remote_addr or "")


@functools.lru_cache(4_096)
def rate_limit_key(address: str) -> str:
    """Returns the key that an address is counted under: the IPv4 address, the IPv6 /64 network, or

    any other text itself.
    """
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv4Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.ip_network((int(parsed) >> 64 << 64, 64)))


class TokenBuckets(Protocol):
    """Token buckets shared with other processes."""

    def take(self, name: str, capacity: int, period: int, /) -> int:
        """Takes a token from a bucket that refills in `period` ms. Returns 0, or the ms to wait."""
        ...


class RateLimiter:
    """Limits how often each address may do an action; thread-safe.

    `rate` returns how many requests a minute an action allows; 0: no limit. `clock` returns
    seconds.
    """

    def __init__(
        self,
        rate: Callable[[str], int],
        clock: Callable[[], float] = time.monotonic,
        shared: TokenBuckets | None = None,
    ) -> None:
        self._rate = rate
        self._clock = clock
        self._shared = shared
        self._fallback_until = -math.inf
        self._buckets: OrderedDict[tuple[str, str], tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, action: str, address: str) -> float | None:
        """Takes a token for an action. Returns None, or the seconds to wait if none is left."""
        rate = self._rate(action)
        if not rate:
            return None
        if self._shared is not None and self._clock() >= self._fallback_until:
            try:
                wait = self._shared.take(f"{action} {address}", rate, int(MINUTE * 1000))
            except StoreError as error:
                log.warning("rate limits are counted by each process alone: %s", error)
                self._fallback_until = self._clock() + FALLBACK_SECONDS
            else:
                return wait / 1000 if wait else None
        return self._take_locally(action, address, rate)

    def _take_locally(self, action: str, address: str, rate: int) -> float | None:
        now = self._clock()
        with self._lock:
            tokens, then = self._buckets.pop((action, address), (float(rate), now))
            tokens = min(float(rate), tokens + (now - then) * rate / MINUTE)
            wait = None if tokens >= 1 else (1 - tokens) * MINUTE / rate
            self._buckets[action, address] = (tokens - 1 if wait is None else tokens, now)
            while len(self._buckets) > MAX_BUCKETS:
                self._buckets.popitem(last=False)
        return wait

    def check(self, action: str) -> None:
        """Takes a token for this request's client. Raises `Problem` "too_many" if none is left."""
        wait = self.take(action, client_address())
        if wait is not None:
            raise Problem("too_many", headers={"Retry-After": str(math.ceil(wait))})
