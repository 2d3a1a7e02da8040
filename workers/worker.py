"""Worker processes: RQ's, set up so that a lost worker is noticed soon."""

from __future__ import annotations

import contextlib
import logging
from typing import Any, Final

from redis import Redis
from redis.exceptions import RedisError
from rq.job import Job
from rq.serializers import JSONSerializer
from rq.worker import SimpleWorker

from .context import WorkerContext
from .jobs import set_context
from .queues import NEXT_QUEUES

WORKER_TTL: Final = 30
MAINTENANCE: Final = 10
MONITORING: Final = 5
"""Seconds: how long a silent worker counts as alive, between two cleanings, between heartbeats."""

DELIVERY_GRACE: Final = 5.0
"""Seconds that deliveries under way have when the worker ends; the rest is due again."""


class LongLived(SimpleWorker):
    """Does its jobs in its own process, without a fork for each."""

    max_connection_wait_time = 1.0  # a server that is started again is found at once
    log_job_description = False
    log_result_lifespan = False

    def get_heartbeat_ttl(self, job: Job, working_time: float = 0.0) -> int:
        """Returns for how long (s) a job's execution counts as alive."""
        return int(job.timeout or WORKER_TTL) + MONITORING

    def set_shutdown_requested_date(self) -> None:
        """Records when the worker was told to end, if redis can be reached.

        A signal calls this in the middle of a job: an error here would be taken for one of the
        job's, and make a bot's move fail.
        """
        with contextlib.suppress(RedisError, OSError):
            super().set_shutdown_requested_date()  # type: ignore[no-untyped-call]


def build_worker(queue: str, context: WorkerContext, connection: Redis) -> LongLived:
    """Returns a worker of the fast or the slow queue and those behind it, not started yet.

    Its jobs get the context. Raises ValueError for other queues.
    """
    if queue not in NEXT_QUEUES:
        raise ValueError(f"no queue is called {queue}")
    set_context(context)
    return LongLived(
        [queue, *NEXT_QUEUES[queue]],
        connection=connection,
        serializer=JSONSerializer,
        worker_ttl=WORKER_TTL,
        maintenance_interval=MAINTENANCE,
        job_monitoring_interval=MONITORING,
    )


def run(queue: str, context: WorkerContext, connection: Redis, **options: Any) -> None:
    """Works until a signal stops it; the present job is finished first."""
    logging.getLogger("rq.worker").setLevel(logging.WARNING)
    build_worker(queue, context, connection).work(logging_level="WARNING", **options)
    context.delivery_pool.wait(DELIVERY_GRACE)
