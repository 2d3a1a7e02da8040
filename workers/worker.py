"""The worker processes: RQ's, set so that a lost worker is noticed soon."""

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
from .queues import AFTER

WORKER_TTL: Final = 30
MAINTENANCE: Final = 10
MONITORING: Final = 5
"""Seconds: how long a silent worker counts as alive, between two cleanings, between heartbeats."""

FAREWELL: Final = 5.0
"""Seconds that deliveries under way have left when the worker ends; what isn't done comes again."""


class LongLived(SimpleWorker):
    """Does its jobs in its own process: no fork for each."""

    max_connection_wait_time = 1.0  # a server that is started again is found at once
    log_job_description = False
    log_result_lifespan = False

    def get_heartbeat_ttl(self, job: Job, working_time: float = 0.0) -> int:
        """Returns for how long (s) a job's execution counts as alive."""
        return int(job.timeout or WORKER_TTL) + MONITORING

    def set_shutdown_requested_date(self) -> None:
        """Notes when the worker was told to end, if that can be noted.

        A signal calls this in the middle of whatever is being done: a failure here would be taken
        for a failure there, and a bot's move be left to chance.
        """
        with contextlib.suppress(RedisError, OSError):
            super().set_shutdown_requested_date()  # type: ignore[no-untyped-call]


def worker(queue: str, context: WorkerContext, connection: Redis) -> LongLived:
    """Returns a worker on the fast or the slow queue and what is behind it, whose jobs work in the

    house. Not started yet.
    """
    if queue not in AFTER:
        raise ValueError(f"no queue is called {queue}")
    set_context(context)
    return LongLived(
        [queue, *AFTER[queue]],
        connection=connection,
        serializer=JSONSerializer,
        worker_ttl=WORKER_TTL,
        maintenance_interval=MAINTENANCE,
        job_monitoring_interval=MONITORING,
    )


def run(queue: str, context: WorkerContext, connection: Redis, **options: Any) -> None:
    """Works until it is told to stop by a signal; the job at hand is finished first."""
    logging.getLogger("rq.worker").setLevel(logging.WARNING)
    worker(queue, context, connection).work(logging_level="WARNING", **options)
    context.delivery_pool.wait(FAREWELL)
