"""The job queues: RQ is the doorbell, never the record of work. It has its own Redis database.

There is a fast and a slow one, so that long work never delays short work; and behind each one for
games of bots alone, which its workers turn to when the first is empty. Analyses come between: games
that wait for a bot go first.
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
ANALYSES: Final = "bailli-advice"
BOTS_ONLY: Final = {FAST: "bailli-fast-crowd", SLOW: "bailli-slow-crowd"}
"""The queues of games of bots alone."""
NEXT_QUEUES: Final = {FAST: (BOTS_ONLY[FAST],), SLOW: (ANALYSES, BOTS_ONLY[SLOW])}
"""The queues that a queue's workers turn to, in this order, when all before are empty."""
QUEUES: Final = (*NEXT_QUEUES, ANALYSES, *BOTS_ONLY.values())

QUEUE_OF: Final = {
    due_work.BOT_SEARCH: SLOW,
    due_work.IMPORT: SLOW,
    due_work.ANALYSIS: ANALYSES,
    due_work.BOTS_ONLY_MOVE: BOTS_ONLY[FAST],
    due_work.BOTS_ONLY_SEARCH: BOTS_ONLY[SLOW],
}
"""The queue of each kind of work; other kinds go to the fast one."""

MAX_BOTS_ONLY: Final = 50
"""How many jobs of games of bots alone wait in a queue; more stay on the due list."""

WORK: Final = "workers.jobs.work"

TIMEOUTS: Final = {FAST: 30, SLOW: 120, ANALYSES: 120, BOTS_ONLY[FAST]: 30, BOTS_ONLY[SLOW]: 120}
"""Seconds after which a job is stopped."""

FAILURE_TTL: Final = 3600
"""How long (s) a failed job can be inspected."""


class QueueDoorbell:
    """Enqueues jobs for leased work. Remembers at most `limit` of them, so as not to ring twice."""

    def __init__(self, connection: Redis, limit: int = 10_000) -> None:
        self._queues = {
            name: Queue(name, connection=connection, serializer=JSONSerializer) for name in QUEUES
        }
        self._connection = connection
        self._rung: dict[tuple[str, str], str] = {}
        self._limit = limit

    def ring(self, lease: DueWork) -> bool:
        """Enqueues the work, unless its job still waits in the queue or too many of bots alone do.

        Returns whether it did. Work whose earlier job is gone while it is still due is marked: a
        worker was lost with it. Raises redis' errors.
        """
        queue = self._queues[QUEUE_OF.get(lease.kind, FAST)]
        work = (lease.game, lease.kind)
        earlier_job = self._rung.get(work)
        if earlier_job is not None and self._is_waiting(queue, earlier_job):
            return False
        if queue.name in BOTS_ONLY.values() and queue.count >= MAX_BOTS_ONLY:
            self._rung.pop(work, None)
            return False
        job_id = f"{lease.game}-{lease.kind}-{lease.due_at}-{lease.attempts}"
        queue.enqueue_call(
            WORK,
            args=(lease.kind, lease.game, earlier_job is not None and lease.attempts > 1),
            job_id=job_id,
            timeout=TIMEOUTS[queue.name],
            result_ttl=0,
            failure_ttl=FAILURE_TTL,
            description=job_id,
        )
        facts = {"game": lease.game, "kind": lease.kind, "job": job_id, "queue": queue.name}
        log.info("rang", extra={**facts, "due": lease.due_at, "lease": lease.attempts})
        self._rung.pop(work, None)
        self._rung[work] = job_id
        if len(self._rung) > self._limit:
            del self._rung[next(iter(self._rung))]
        return True

    def _is_waiting(self, queue: Queue, job_id: str) -> bool:
        """Returns whether a job waits in the queue: one that a killed worker had does not."""
        position: Any = self._connection.lpos(queue.key, job_id)
        return position is not None

    def depth(self, name: str) -> int:
        """Returns how many jobs wait in a queue."""
        return int(self._queues[name].count)
