"""The two queues: RQ is the doorbell, never the record of work. It has its own Redis database."""

from __future__ import annotations

from typing import Any, Final

from redis import Redis
from rq import Queue
from rq.serializers import JSONSerializer

from service.games import owed
from service.store.protocol import Lease

FAST: Final = "bailli-fast"
SLOW: Final = "bailli-slow"
QUEUES: Final = (FAST, SLOW)

LONG: Final = (owed.THINK, owed.IMPORT, owed.ANALYSIS)
"""The kinds of work that take their time."""

WORK: Final = "workers.jobs.work"

TIMEOUTS: Final = {FAST: 30, SLOW: 120}
"""Seconds after which a job is cut off."""

FAILURE_KEPT: Final = 3600
"""How long (s) a failed job can be looked at."""


class Bells:
    """Rings for workers. Remembers what it rang, so as not to ring twice for queued work."""

    def __init__(self, connection: Redis, most: int = 10_000) -> None:
        self._queues = {
            name: Queue(name, connection=connection, serializer=JSONSerializer) for name in QUEUES
        }
        self._connection = connection
        self._rung: dict[tuple[str, str], str] = {}
        self._most = most

    def ring(self, lease: Lease) -> bool:
        """Enqueues the work, unless a job for it still waits in its queue. Returns whether it did.

        Raises redis' errors.
        """
        queue = self._queues[SLOW if lease.kind in LONG else FAST]
        what = (lease.game, lease.kind)
        before = self._rung.get(what)
        if before is not None and self._waits(queue, before):
            return False
        job_id = f"{lease.game}-{lease.kind}-{lease.due}-{lease.count}"
        queue.enqueue_call(
            WORK,
            args=(lease.kind, lease.game),
            job_id=job_id,
            timeout=TIMEOUTS[queue.name],
            result_ttl=0,
            failure_ttl=FAILURE_KEPT,
            description=job_id,
        )
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
