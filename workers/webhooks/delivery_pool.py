"""The pool of delivery threads: they wait for receivers, so that no bot has to."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Final

from service.store import Store, StoreError, webhook_work_kind

log = logging.getLogger(__name__)

MAX_THREADS: Final = 32
RETRY_DELAY: Final = 1_000
"""After how long (ms) a delivery is due again for which no thread was free."""


class DeliveryPool:
    """Delivers for at most `limit` webhooks at once, each in one thread.

    The threads end with the process: a delivery under way is still on the due list.
    """

    def __init__(self, limit: int = MAX_THREADS) -> None:
        self._limit = limit
        self._busy: set[tuple[str, str]] = set()
        self._changed = threading.Condition()

    def start(
        self, game: str, webhook_id: str, store: Store, deliver: Callable[[], object]
    ) -> bool:
        """Delivers for a webhook of a game in a thread.

        Returns False where a thread does so already, or where none is free: then the delivery is
        due again soon.
        """
        webhook = (game, webhook_id)
        with self._changed:
            if webhook in self._busy:
                return False
            full = len(self._busy) >= self._limit
            if not full:
                self._busy.add(webhook)
        if full:
            store.extend_lease(game, webhook_work_kind(webhook_id), store.now() + RETRY_DELAY)
            return False
        threading.Thread(target=self._run, args=(webhook, deliver), daemon=True).start()
        return True

    def wait(self, seconds: float) -> bool:
        """Waits until no delivery is under way. Returns False where that takes longer."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._busy, seconds)

    def _run(self, webhook: tuple[str, str], deliver: Callable[[], object]) -> None:
        try:
            deliver()
        except StoreError as error:
            log.warning("webhook %s of game %s waits: %s", webhook[1], webhook[0], error)
        except Exception:  # the thread's place must be freed
            log.exception("webhook %s of game %s failed", webhook[1], webhook[0])
        finally:
            with self._changed:
                self._busy.discard(webhook)
                self._changed.notify_all()
