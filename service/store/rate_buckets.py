"""Token buckets for rate limits, shared by all processes of a service.

They are in the queues' Redis, never in the event store's: they are worth nothing a minute later,
and may be lost.
"""

from __future__ import annotations

import hashlib
from typing import Final

from .redis_calls import Script, script_call
from .servers import SingleServer
from .values import OutcomeUnknown

TIMEOUT: Final = 0.25
"""Seconds that a request waits for a bucket at most."""

CONNECTIONS: Final = 8
PREFIX: Final = "bailli-rate:"

_RATE_LIMIT: Final = Script("rate_limit")


class SharedBuckets:
    """Buckets shared by all who use the same server. Safe to share between threads."""

    def __init__(self, url: str, timeout: float = TIMEOUT) -> None:
        self._server = SingleServer(url, timeout, CONNECTIONS)

    def take(self, name: str, limit: int, period: int) -> int:
        """Takes a token from a bucket of `limit` tokens that refills in `period` (ms).

        Returns 0, or the time (ms) until there is a token. Raises as the store does where the
        server can't be reached; then nobody knows whether one was taken.
        """
        key = PREFIX + hashlib.sha256(name.encode()).hexdigest()[:32]
        call = script_call(_RATE_LIMIT, [key], [limit, period])
        return int(self._server.execute(key, call, OutcomeUnknown))

    def close(self) -> None:
        """Closes all connections."""
        self._server.close()
