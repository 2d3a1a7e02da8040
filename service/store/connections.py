"""Connections that look cheaply whether they are still good.

Each time one is taken from its pool it is asked whether anything lies unread in it, or its end.
redis-py polls for that, and under gevent a poll goes once around the event loop, which takes longer
than the server does; a peek does not.
"""

from __future__ import annotations

import socket
from typing import Any, Final

import redis
from redis.connection import AbstractConnection


class _Looking(AbstractConnection):
    """A connection with a cheaper look."""

    def can_read(self, timeout: float = 0) -> bool:
        """Returns whether something can be read, or the end is. Raises OSError where it broke."""
        reader = getattr(self._parser, "_reader", None)
        if timeout or reader is None:
            return bool(super().can_read(timeout))
        return _can_read(reader, self._sock)


class Connection(_Looking, redis.Connection):
    """A connection over TCP."""


class UnixConnection(_Looking, redis.UnixDomainSocketConnection):
    """A connection by a file of the same machine."""


KINDS: Final[dict[str, Any]] = {"redis": Connection, "unix": UnixConnection}
"""By what an address begins with. Under TLS what was received is not yet what can be read."""


def _can_read(reader: Any, own: Any) -> bool:
    """Looks at what hiredis has received and nobody has taken, then at the socket."""
    if reader.has_data():
        return True
    patience = own.gettimeout()
    own.settimeout(0)
    try:
        own.recv(1, socket.MSG_PEEK)
    except BlockingIOError:
        return False
    finally:
        own.settimeout(patience)
    return True
