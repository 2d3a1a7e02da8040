"""What commands that work on the store are given, or one line that says what is not set."""

from __future__ import annotations

from typing import NamedTuple

import click
from redis import Redis

from workers.context import WorkerContext, build_context

from .. import logs
from ..config import Settings, SettingsError
from ..store.redis_store import open_store

UNSET = "REDIS_URL is not set; `bailli up` starts a server of its own"


class WorkerSetup(NamedTuple):
    """What a worker or the relay works with."""

    context: WorkerContext
    queues: Redis


def load_settings() -> Settings:
    """Returns the settings. Raises a click error of one line where one is invalid."""
    try:
        return Settings.from_environment()
    except SettingsError as fault:
        raise click.ClickException(str(fault)) from None


def set_up_worker() -> WorkerSetup:
    """Configures the log; returns the context of jobs and the queues' Redis.

    Raises a click error of one line.
    """
    settings = load_settings()
    logs.configure(settings.log)
    if settings.redis_url is None:
        raise click.ClickException(UNSET)
    queues = Redis.from_url(settings.resolve_queue_url(settings.redis_url))
    store = open_store(settings.redis_url, acks=settings.acks)
    return WorkerSetup(build_context(store, settings), queues)
