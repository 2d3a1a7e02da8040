"""What time it is on the servers, as far as their recent responses show."""

from __future__ import annotations

import math
import time
from typing import Final

from .values import partition

VALID_SECONDS: Final = 60.0
"""For so long a server's time can be told from an old response: clocks drift apart."""


class ServerClocks:
    """The clocks of the servers that keep the partitions."""

    def __init__(self) -> None:
        # By partition, as each has its server: how far its time (ms) is ahead of this process's
        # own, and when (s) that was noted.
        self._offsets: dict[str, tuple[int, float]] = {}

    def note(self, game: str, now: int) -> None:
        """Notes a server's time (ms), which is at most as old as the response was on its way."""
        own = time.monotonic()
        self._offsets[partition(game)] = (now - math.ceil(1000 * own), own)

    def estimate(self, game: str) -> int | None:
        """Returns the time (ms) by now at the game's server, or None where it is not known."""
        known, own = self._offsets.get(partition(game)), time.monotonic()
        if known is None or own - known[1] >= VALID_SECONDS:
            return None
        return known[0] + int(1000 * own)
