"""How connections to Redis are made, and a class of them that cheaply checks that one is usable.

Each time a connection is taken from its pool it is checked for unread data and for its end.
redis-py polls for that, and under gevent a poll goes once around the event loop, which takes longer
than the server does; peeking at the socket does not.
"""

from __future__ import annotations

import socket
from typing import Any, Final

import redis
from redis.connection import AbstractConnection
from redis.maint_notifications import MaintNotificationsConfig


class _CheaplyChecked(AbstractConnection):
    """A connection with a cheaper check for something to read."""

    def can_read(self, timeout: float = 0) -> bool:
        """Returns whether there is something to read, or the end. Raises OSError where it broke."""
        reader = getattr(self._parser, "_reader", None)
        if timeout or reader is None:
            return bool(super().can_read(timeout))
        return _can_read(reader, self._sock)


class Connection(_CheaplyChecked, redis.Connection):
    """A connection over TCP."""


class UnixConnection(_CheaplyChecked, redis.UnixDomainSocketConnection):
    """A connection through a unix socket."""


CONNECTION_CLASSES: Final[dict[str, Any]] = {"redis": Connection, "unix": UnixConnection}
"""By a URL's scheme. Not for TLS: there, received data is not always readable data."""


def connection_options(timeout: float, connections: int) -> dict[str, Any]:
    """Returns the options of all connections: they never send anything twice by themselves.

    `timeout` (seconds) bounds connecting, each response, and waiting for one of `connections`.
    """
    return {
        "max_connections": connections,
        "timeout": timeout,
        "socket_timeout": timeout,
        "socket_connect_timeout": timeout,
        # With these on, the pool would hand out connections that still hold unread data.
        "maint_notifications_config": MaintNotificationsConfig(enabled=False),
    }


def _can_read(reader: Any, own: Any) -> bool:
    """Checks what hiredis has received and nobody has taken, then the socket."""
    if reader.has_data():
        return True
    timeout = own.gettimeout()
    own.settimeout(0)
    try:
        own.recv(1, socket.MSG_PEEK)
    except BlockingIOError:
        return False
    finally:
        own.settimeout(timeout)
    return True
