"""The relay: takes what is due from the store and rings for the workers.

It holds nothing of its own: any number of relays may run, and one that dies is replaced. What it
leased and could not ring for comes again when the lease ends.
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

POLL: Final = 1.0
"""Seconds between two looks at every partition."""

SHORTEST: Final = 0.005
"""Seconds to wait for what is about to come due."""

MOST: Final = 100
"""How much is leased of a partition at a time."""

PATIENCE: Final = 2
"""After so many leases that led to nothing the relay does the work itself, if it is one of `ALONE`:

what needs no thinking and must not wait for workers.
"""

ALONE: Final = (due_work.SCORE, due_work.DEADLINE)

CROWDS: Final = (due_work.BOTS_ONLY_MOVE, due_work.BOTS_ONLY_SEARCH)


class Doorbell(Protocol):
    """Whatever calls workers to work."""

    def ring(self, lease: DueWork) -> bool:
        """Calls for a piece of work. Returns whether it had to."""
        ...


class Relay:
    """Leases what is due and rings. `house` is for what no worker takes."""

    def __init__(self, context: WorkerContext, bells: Doorbell) -> None:
        self._house = context
        self._store = context.command_handler.store
        self._bells = bells
        self._woken: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._away: set[str] = set()
        self._soon: dict[str, float] = {}

    def look(self, partitions: str = PARTITIONS) -> int:
        """Takes all that is due in the partitions and rings for it. Returns how much there was.

        Raises the store's errors, but looks first at all partitions that can be reached: of a
        cluster, one master may be away. Those that could not be reached come last the next time, up
        to the first that still can't. Raises redis' errors where the queues can't be reached.
        """
        found = 0
        fault: StoreError | None = None
        away = [letter for letter in partitions if letter in self._away]
        random.shuffle(away)  # they may be of several masters
        for letter in (*(one for one in partitions if one not in away), *away):
            if letter in away and fault is not None:
                break
            try:
                found += self._take(letter)
                self._away.discard(letter)
            except StoreError as wrong:
                self._away.add(letter)
                fault = wrong
        if fault is not None:
            raise fault
        return found

    def run(self, stop: threading.Event) -> None:
        """Works until it is told to stop. Outlives times in which the store can't be reached."""
        threading.Thread(target=self._listen, args=(stop,), daemon=True).start()
        next_poll = time.monotonic()
        while not stop.is_set():
            wait = min((next_poll, *self._soon.values()))
            try:
                letters = self._awaited(wait - time.monotonic())
                now = time.monotonic()
                letters.update(letter for letter, moment in self._soon.items() if moment <= now)
                if now >= next_poll:
                    letters.update(PARTITIONS)
                    next_poll = now + POLL
                self.look("".join(sorted(letters)))
            except (StoreError, RedisError, OSError) as fault:
                log.warning("the relay waits: %s", fault)
                stop.wait(POLL)

    def _take(self, letter: str) -> int:
        """Rings for what is due in a partition, and notes when more is before the next poll."""
        found = 0
        while True:
            leased = self._store.lease_due(letter, LEASES, MOST)
            # Games that somebody may wait for first
            for lease in sorted(leased.work, key=lambda lease: lease.kind in CROWDS):
                self._pass_on(lease)
            found += len(leased.work)
            if len(leased.work) < MOST:
                break
        wait = POLL if leased.next_due_in is None else max(SHORTEST, leased.next_due_in / 1000)
        if wait < POLL:
            self._soon[letter] = time.monotonic() + wait
        else:
            self._soon.pop(letter, None)
        return found

    def _awaited(self, wait: float) -> set[str]:
        """Returns the partitions that something was written to, after `wait` seconds at most."""
        letters: set[str] = set()
        try:
            if wait > 0:
                letters.add(self._woken.get(timeout=wait))
            while True:
                letters.add(self._woken.get_nowait())
        except queue.Empty:
            return letters

    def _listen(self, stop: threading.Event) -> None:
        while not stop.is_set():
            try:
                for message in self._store.listen():
                    if message not in (None, LISTENING):
                        self._woken.put(partition(message[0]))
                    if stop.is_set():
                        return
            except (StoreError, RedisError, OSError) as fault:
                log.info("the relay listens again: %s", fault)
            stop.wait(POLL)

    def _pass_on(self, lease: DueWork) -> None:
        if lease.kind in ALONE and lease.attempts > PATIENCE:
            do_work(self._house, lease.kind, lease.game, "relay")
        else:
            self._bells.ring(lease)
