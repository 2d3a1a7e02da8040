"""Subscribing the client of a request to the broker."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, cast

from flask import request

from ...games.table import state as table_state
from ...games.tokens import Token
from ..http import rate_limits
from .broker import Broker, broker
from .subscriber import Kind, Subscriber

OVER: Final = (table_state.FINISHED, table_state.ABANDONED)


def new_subscriber(kind: Kind, caller: Token | None) -> Subscriber:
    environment = request.environ
    found = environment.get("gunicorn.socket") or environment.get("werkzeug.socket")
    connection = cast(socket.socket | None, found)
    client = None if caller is None else caller.hash
    return Subscriber(kind, client, connection, rate_limits.client_address())


@contextmanager
def subscribed(reader: Subscriber, *, leave: bool = False) -> Iterator[Broker]:
    """Lets a reader in; it leaves again where anything goes wrong, and with `leave` in any case."""
    here = broker()
    here.enter(reader)
    try:
        yield here
    except BaseException:
        here.leave(reader)
        raise
    if leave:
        here.leave(reader)
