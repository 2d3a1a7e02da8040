"""How often something was done lately, counted for all processes of a service together.

The counts lie in the queues' Redis, never in the event store's: they are worth nothing a minute
later, and may be lost.
"""

from __future__ import annotations

import hashlib
from typing import Final

from .calls import Script, script_call
from .protocol import OutcomeUnknown
from .servers import OneServer

TIMEOUT: Final = 0.25
"""Seconds that a request waits for a count at most."""

CONNECTIONS: Final = 8
PREFIX: Final = "bailli-rate:"

_RATE: Final = Script("rate")


class SharedBuckets:
    """Buckets that all who use the same server share. Safe to share between threads."""

    def __init__(self, url: str, timeout: float = TIMEOUT) -> None:
        self._server = OneServer(url, timeout, CONNECTIONS)

    def take(self, name: str, most: int, period: int) -> int:
        """Takes one from a bucket of `most`, all of which come back in `period` (ms).

        Returns 0, or the time (ms) until there is one. Raises as the store does where the server
        can't be reached; then nobody knows whether it was taken.
        """
        key = PREFIX + hashlib.sha256(name.encode()).hexdigest()[:32]
        return int(self._server.ask(key, script_call(_RATE, [key], [most, period]), OutcomeUnknown))

    def close(self) -> None:
        """Closes all connections."""
        self._server.close()
