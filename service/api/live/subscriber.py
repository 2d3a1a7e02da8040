"""A client that listens: what it is still to be told, and the connection it is told on.

What is told is bytes of the event-stream format, made once for all who hear it.
"""

from __future__ import annotations

import contextlib
import queue
import select
import socket
import threading
import time
from collections.abc import Iterable
from typing import Any, Final, Literal, NamedTuple

import orjson

MOST: Final = 256
"""How many pieces may wait for a client that does not read; with one more it is cut off."""

STUCK: Final = 20.0
"""Seconds that a client may take to read what it is being sent."""

SEND_BUFFER: Final = 128 * 1024
"""Bytes that the system keeps of what a client has not read yet."""

Kind = Literal["events", "turns", "wait"]
KINDS: Final[tuple[Kind, ...]] = ("events", "turns", "wait")


class Message(NamedTuple):
    """Something to tell: the version it brings a reader to (0 where there is none), its bytes,

    when it was heard of (monotonic seconds), and whether it is the last of all.
    """

    version: int
    data: bytes
    heard: float
    last: bool = False


def monotonic() -> float:
    """Returns the time that pieces are dated by."""
    return time.monotonic()


HEARTBEAT: Final = Message(-1, b":\n\n", 0.0)
"""A comment: who stands between client and service may forget connections that are silent."""


def format_event(id: str | int, data: Any, event: str | None = None) -> bytes:
    """Returns an event in the event-stream format."""
    name = f"event: {event}\n" if event else ""
    return b"id: %b\n%bdata: %b\n\n" % (str(id).encode(), name.encode(), orjson.dumps(data))


class Subscriber:
    """A queue of pieces for one client. `caller` is a token's hash; `connection` its socket;

    `address` where it comes from.

    One thread takes; any may offer, let go or cut off.
    """

    def __init__(
        self,
        kind: Kind,
        caller: str | None,
        connection: socket.socket | None,
        address: str = "",
    ) -> None:
        self.kind = kind
        self.caller = caller
        self.connection = connection
        self.address = address
        self.writing: float | None = None
        """Since when (monotonic) its last piece is being written; None: it waits for one."""
        self.closed = False
        self.heard = monotonic()
        """When it was last told something (monotonic)."""
        self._queue: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        self._lock = threading.Lock()

    def offer(self, pieces: Iterable[Message]) -> bool:
        """Queues pieces. Returns False, and queues nothing, where too much waits already."""
        found = list(pieces)
        if self._queue.qsize() + len(found) > MOST:
            return False
        for piece in found:
            self._queue.put(piece)
        self.heard = monotonic()
        return True

    def take(self, timeout: float | None = None) -> list[Message] | None:
        """Returns what waits, as soon as there is something; None once it is let go.

        After `timeout` seconds, if they are limited, there may be nothing.
        """
        found: list[Message] = []
        try:
            piece = self._queue.get(timeout=timeout)
            while piece is not None and not self.closed:
                found.append(piece)
                piece = self._queue.get_nowait()
        except queue.Empty:
            return found
        return None

    def let_go(self) -> None:
        """Ends it, without anything more being told."""
        self.closed = True
        self._queue.put(None)

    def cut_off(self) -> bool:
        """Ends it in the middle of whatever is being sent. Returns whether it had not ended."""
        with self._lock:
            if self.closed:
                return False
            self.let_go()
        if self.connection is not None:
            with contextlib.suppress(OSError):  # it has gone by itself
                self.connection.shutdown(socket.SHUT_RDWR)
        return True

    def stuck(self, now: float) -> bool:
        """Returns whether what is being sent has not been read for too long."""
        since = self.writing
        return since is not None and now - since > STUCK


def disconnected(readers: Iterable[Subscriber]) -> list[Subscriber]:
    """Returns those of the readers waiting for something whose clients have gone."""
    poller = select.poll()
    waiting: dict[int, tuple[Subscriber, socket.socket]] = {}
    for reader in readers:
        connection = reader.connection
        if connection is not None and reader.writing is None and connection.fileno() >= 0:
            waiting[connection.fileno()] = reader, connection
            poller.register(connection.fileno(), select.POLLIN)
    return [waiting[fd][0] for fd, _ in poller.poll(0) if _is_closed(waiting[fd][1])]


def _is_closed(connection: socket.socket) -> bool:
    """Returns whether a connection that can be read is at its end."""
    try:
        return not connection.recv(1, socket.MSG_PEEK)
    except OSError:
        return True
