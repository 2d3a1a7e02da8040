"""What the parts behind the API are given: settings, store and queues, or one line of refusal."""

from __future__ import annotations

from typing import NamedTuple

import click
from redis import Redis

from workers.context import WorkerContext, build_context

from .. import logs
from ..config import Settings, SettingsError
from ..store.redis_store import open_store

UNSET = "REDIS_URL is not set; `bailli up` brings a server of its own"


class Place(NamedTuple):
    """Where a part works."""

    context: WorkerContext
    queues: Redis


def settings() -> Settings:
    """Returns the settings. Raises a click error of one line where they do not fit."""
    try:
        return Settings.from_environment()
    except SettingsError as fault:
        raise click.ClickException(str(fault)) from None


def place() -> Place:
    """Returns the store's house and the queues' Redis. Raises a click error of one line."""
    chosen = settings()
    logs.configure(chosen.log)
    if chosen.redis_url is None:
        raise click.ClickException(UNSET)
    queues = Redis.from_url(chosen.queues(chosen.redis_url))
    store = open_store(chosen.redis_url, acks=chosen.acks)
    return Place(build_context(store, chosen), queues)
