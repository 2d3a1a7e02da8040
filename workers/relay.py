"""The relay: leases due work from the store and rings for the workers.

It has no state of its own: any number of relays may run, and one that dies is replaced. Work that
it leased and could not ring for is due again when the lease ends.
"""

from __future__ import annotations

import logging
import queue
import random
import threading
import time
from typing import Final, Protocol

from redis.exceptions import RedisError

from service.games import due_work
from service.store import LISTENING, PARTITIONS, DueWork, StoreError, partition

from .context import WorkerContext
from .jobs import LEASES, do_work

log = logging.getLogger(__name__)

POLL_INTERVAL: Final = 1.0
"""Seconds between two polls of every partition."""

MIN_WAIT: Final = 0.005
"""Seconds to wait at least for work that is about to be due."""

MAX_LEASES: Final = 100
"""How much work of a partition is leased at a time."""

MAX_FRUITLESS_LEASES: Final = 2
"""After so many leases in vain the relay itself does work of `DONE_BY_RELAY`, which needs no search

and must not wait for workers.
"""

DONE_BY_RELAY: Final = (due_work.SCORE, due_work.DEADLINE)

BOTS_ONLY: Final = (due_work.BOTS_ONLY_MOVE, due_work.BOTS_ONLY_SEARCH)


class Doorbell(Protocol):
    """What calls workers to work."""

    def ring(self, lease: DueWork) -> bool:
        """Calls for a piece of work. Returns whether it had to."""
        ...


class Relay:
    """Leases due work and rings for it. `context` is for work that no worker takes."""

    def __init__(self, context: WorkerContext, doorbell: Doorbell) -> None:
        self._context = context
        self._store = context.command_handler.store
        self._doorbell = doorbell
        self._changed: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._unreachable: set[str] = set()
        self._next_due: dict[str, float] = {}

    def poll(self, partitions: str = PARTITIONS) -> int:
        """Leases all work that is due in the partitions and rings for it. Returns how much it was.

        Raises the store's errors, but only after polling all partitions that can be reached: of a
        cluster, one master may be down. Those that could not be reached come last the next time, up
        to the first that still can't. Raises redis' errors where the queues can't be reached.
        """
        found = 0
        error: StoreError | None = None
        unreachable = [letter for letter in partitions if letter in self._unreachable]
        random.shuffle(unreachable)  # they may be of several masters
        for letter in (*(one for one in partitions if one not in unreachable), *unreachable):
            if letter in unreachable and error is not None:
                break
            try:
                found += self._lease_partition(letter)
                self._unreachable.discard(letter)
            except StoreError as store_error:
                self._unreachable.add(letter)
                error = store_error
        if error is not None:
            raise error
        return found

    def run(self, stop: threading.Event) -> None:
        """Works until `stop` is set; waits while the store can't be reached."""
        threading.Thread(target=self._listen, args=(stop,), daemon=True).start()
        next_poll = time.monotonic()
        while not stop.is_set():
            wait = min((next_poll, *self._next_due.values()))
            try:
                letters = self._changed_partitions(wait - time.monotonic())
                now = time.monotonic()
                letters.update(letter for letter, due in self._next_due.items() if due <= now)
                if now >= next_poll:
                    letters.update(PARTITIONS)
                    next_poll = now + POLL_INTERVAL
                self.poll("".join(sorted(letters)))
            except (StoreError, RedisError, OSError) as error:
                log.warning("the relay waits: %s", error)
                stop.wait(POLL_INTERVAL)

    def _lease_partition(self, letter: str) -> int:
        """Rings for what is due in a partition; notes when more will be before the next poll."""
        found = 0
        while True:
            leased = self._store.lease_due(letter, LEASES, MAX_LEASES)
            # Games that somebody may wait for first
            for lease in sorted(leased.work, key=lambda lease: lease.kind in BOTS_ONLY):
                self._ring_or_do(lease)
            found += len(leased.work)
            if len(leased.work) < MAX_LEASES:
                break
        wait = (
            POLL_INTERVAL
            if leased.next_due_in is None
            else max(MIN_WAIT, leased.next_due_in / 1000)
        )
        if wait < POLL_INTERVAL:
            self._next_due[letter] = time.monotonic() + wait
        else:
            self._next_due.pop(letter, None)
        return found

    def _changed_partitions(self, wait: float) -> set[str]:
        """Returns the partitions that were written to, after `wait` seconds at most."""
        letters: set[str] = set()
        try:
            if wait > 0:
                letters.add(self._changed.get(timeout=wait))
            while True:
                letters.add(self._changed.get_nowait())
        except queue.Empty:
            return letters

    def _listen(self, stop: threading.Event) -> None:
        while not stop.is_set():
            try:
                for message in self._store.listen():
                    if message not in (None, LISTENING):
                        self._changed.put(partition(message[0]))
                    if stop.is_set():
                        return
            except (StoreError, RedisError, OSError) as error:
                log.info("the relay listens again: %s", error)
            stop.wait(POLL_INTERVAL)

    def _ring_or_do(self, lease: DueWork) -> None:
        if lease.kind in DONE_BY_RELAY and lease.attempts > MAX_FRUITLESS_LEASES:
            do_work(self._context, lease.kind, lease.game, "relay")
        else:
            self._doorbell.ring(lease)
