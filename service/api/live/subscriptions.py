"""Subscriptions: the client of the current request as a subscriber of the broker."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, cast

from flask import current_app, request

from ...games.table import state as table_state
from ...games.tokens import Token
from ..http import rate_limits
from .broker import EXTENSION, Broker
from .subscriber import Kind, Subscriber

OVER_STATUSES: Final = (table_state.FINISHED, table_state.ABANDONED)


def current_broker() -> Broker:
    """Returns the broker of the current application."""
    return cast(Broker, current_app.extensions[EXTENSION])


def new_subscriber(kind: Kind, caller: Token | None) -> Subscriber:
    """Returns a subscriber on the connection of the current request."""
    environment = request.environ
    connection = environment.get("gunicorn.socket") or environment.get("werkzeug.socket")
    return Subscriber(
        kind,
        None if caller is None else caller.hash,
        cast(socket.socket | None, connection),
        rate_limits.client_address(),
    )


@contextmanager
def subscribed(subscriber: Subscriber, *, remove: bool = False) -> Iterator[Broker]:
    """Adds a subscriber to the broker, and removes it after an exception or, with `remove`, always.

    Raises `Problem` as `Broker.add` does.
    """
    broker = current_broker()
    broker.add(subscriber)
    try:
        yield broker
    except BaseException:
        broker.remove(subscriber)
        raise
    if remove:
        broker.remove(subscriber)
