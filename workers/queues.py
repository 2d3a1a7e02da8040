"""The queues: RQ is the doorbell, never the record of work. It has its own Redis database.

There is a fast and a slow one, so that work that takes long never delays work that doesn't; and
behind each one for games of bots alone, which its workers come to when the first is empty. Advice
waits between: a game that waits for a bot goes before it.
"""

from __future__ import annotations

import logging
from typing import Any, Final

from redis import Redis
from rq import Queue
from rq.serializers import JSONSerializer

from service.games import due_work
from service.store import DueWork

log = logging.getLogger(__name__)

FAST: Final = "bailli-fast"
SLOW: Final = "bailli-slow"
ADVICE: Final = "bailli-advice"
BEHIND: Final = {FAST: "bailli-fast-crowd", SLOW: "bailli-slow-crowd"}
"""Where games of bots alone wait."""
AFTER: Final = {FAST: (BEHIND[FAST],), SLOW: (ADVICE, BEHIND[SLOW])}
"""What the workers of a queue come to, in this order, when nothing waits before it."""
QUEUES: Final = (*AFTER, ADVICE, *BEHIND.values())

PLACES: Final = {
    due_work.BOT_SEARCH: SLOW,
    due_work.IMPORT: SLOW,
    due_work.ANALYSIS: ADVICE,
    due_work.BOTS_ONLY_MOVE: BEHIND[FAST],
    due_work.BOTS_ONLY_SEARCH: BEHIND[SLOW],
}
"""Where work waits; the other kinds in the fast queue."""

MAX_BEHIND: Final = 50
"""So many jobs of games of bots alone wait in a queue; more are left on the due list."""

WORK: Final = "workers.jobs.work"

TIMEOUTS: Final = {FAST: 30, SLOW: 120, ADVICE: 120, BEHIND[FAST]: 30, BEHIND[SLOW]: 120}
"""Seconds after which a job is cut off."""

FAILURE_KEPT: Final = 3600
"""How long (s) a failed job can be looked at."""


class QueueDoorbell:
    """Rings for workers. Remembers what it rang, so as not to ring twice for queued work."""

    def __init__(self, connection: Redis, most: int = 10_000) -> None:
        self._queues = {
            name: Queue(name, connection=connection, serializer=JSONSerializer) for name in QUEUES
        }
        self._connection = connection
        self._rung: dict[tuple[str, str], str] = {}
        self._most = most

    def ring(self, lease: DueWork) -> bool:
        """Enqueues the work, unless a job for it still waits in its queue, or too many others of

        bots alone do. Returns whether it did. Work that was rung for before, and whose job is gone
        while the work is still owed, is marked: a worker was lost with it. Raises redis' errors.
        """
        queue = self._queues[PLACES.get(lease.kind, FAST)]
        what = (lease.game, lease.kind)
        before = self._rung.get(what)
        if before is not None and self._waits(queue, before):
            return False
        if queue.name in BEHIND.values() and queue.count >= MAX_BEHIND:
            self._rung.pop(what, None)
            return False
        job_id = f"{lease.game}-{lease.kind}-{lease.due_at}-{lease.attempts}"
        queue.enqueue_call(
            WORK,
            args=(lease.kind, lease.game, before is not None and lease.attempts > 1),
            job_id=job_id,
            timeout=TIMEOUTS[queue.name],
            result_ttl=0,
            failure_ttl=FAILURE_KEPT,
            description=job_id,
        )
        told = {"game": lease.game, "kind": lease.kind, "job": job_id, "queue": queue.name}
        log.info("rang", extra={**told, "due": lease.due_at, "lease": lease.attempts})
        self._rung.pop(what, None)
        self._rung[what] = job_id
        if len(self._rung) > self._most:
            del self._rung[next(iter(self._rung))]
        return True

    def _waits(self, queue: Queue, job_id: str) -> bool:
        """Whether the job stands in the queue: one that a killed worker held does not."""
        position: Any = self._connection.lpos(queue.key, job_id)
        return position is not None

    def depth(self, name: str) -> int:
        """Returns how many jobs wait in a queue."""
        return int(self._queues[name].count)
