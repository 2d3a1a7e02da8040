"""Threads that wait for receivers, so that a slow one keeps no bot from moving."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Final

from service.store import Store, StoreError, webhook_work_kind

log = logging.getLogger(__name__)

THREADS: Final = 32
SOON: Final = 1_000
"""After so long (ms) work that no thread is free for is due again."""


class DeliveryPool:
    """Carries for at most `most` webhooks at once, for each by one thread.

    The threads end with the process: what one of them had under way is still on the due list.
    """

    def __init__(self, most: int = THREADS) -> None:
        self._most = most
        self._busy: set[tuple[str, str]] = set()
        self._changed = threading.Condition()

    def take(self, game: str, own: str, store: Store, carry: Callable[[], object]) -> bool:
        """Lets a thread carry for a webhook of a game. Returns False where one does already, or

        where none is free: then it is due again soon.
        """
        what = (game, own)
        with self._changed:
            if what in self._busy:
                return False
            full = len(self._busy) >= self._most
            if not full:
                self._busy.add(what)
        if full:
            store.extend_lease(game, webhook_work_kind(own), store.now() + SOON)
            return False
        threading.Thread(target=self._carry, args=(what, carry), daemon=True).start()
        return True

    def wait(self, seconds: float) -> bool:
        """Waits until nothing is under way. Returns False where that takes longer."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._busy, seconds)

    def _carry(self, what: tuple[str, str], carry: Callable[[], object]) -> None:
        try:
            carry()
        except StoreError as fault:
            log.warning("webhook %s of game %s waits: %s", what[1], what[0], fault)
        except Exception:  # the next one must have its turn
            log.exception("webhook %s of game %s failed", what[1], what[0])
        finally:
            with self._changed:
                self._busy.discard(what)
                self._changed.notify_all()
