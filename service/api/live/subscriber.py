"""Subscriber: a bounded queue of messages for one client, and the connection they are sent on.

Messages are bytes in the event-stream format, encoded once for all subscribers that get them.
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

from ..http import metrics

MAX_QUEUED: Final = 256
"""How many messages may wait for a client that does not read; with one more it is disconnected."""

STALLED_SECONDS: Final = 20.0
"""How long a client may take to read what it is being sent."""

SEND_BUFFER_BYTES: Final = 128 * 1024
"""How much the system buffers of what a client has not read yet."""

Kind = Literal["events", "turns", "wait"]
KINDS: Final[tuple[Kind, ...]] = ("events", "turns", "wait")


class Message(NamedTuple):
    """A message: the game's version after it (0: none), its bytes, when the service was notified

    of what it is about (monotonic seconds), and whether it is the last one of the stream.
    """

    version: int
    data: bytes
    notified_at: float
    last: bool = False


def monotonic() -> float:
    """Returns the time in the seconds that messages are dated in."""
    return time.monotonic()


HEARTBEAT: Final = Message(-1, b":\n\n", 0.0)
"""A comment: proxies between client and service may close connections that are silent."""


def format_event(id: str | int, data: Any, event: str | None = None) -> bytes:
    """Returns an event in the event-stream format; `data` becomes JSON."""
    name = f"event: {event}\n" if event else ""
    return b"id: %b\n%bdata: %b\n\n" % (str(id).encode(), name.encode(), orjson.dumps(data))


class Subscriber:
    """A queue of messages for one client. `caller` is a token's hash; `connection` its socket;

    `address` its rate limit key.

    One thread receives; any thread may enqueue, close or disconnect.
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
        self.writing_since: float | None = None
        """Since when (monotonic) a message is being written; None: it waits for one."""
        self.closed = False
        self.enqueued_at = monotonic()
        """When messages were last enqueued (monotonic)."""
        self._queue: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        self._lock = threading.Lock()

    def enqueue(self, messages: Iterable[Message]) -> bool:
        """Enqueues messages. Returns False, and enqueues nothing, if too many are queued."""
        batch = list(messages)
        if self._queue.qsize() + len(batch) > MAX_QUEUED:
            return False
        for message in batch:
            self._queue.put(message)
        self.enqueued_at = monotonic()
        return True

    def receive(self, timeout: float | None = None) -> list[Message] | None:
        """Waits for messages and returns all that are queued; None once it is closed.

        Returns an empty list after `timeout` seconds.
        """
        messages: list[Message] = []
        try:
            message = self._queue.get(timeout=timeout)
            while message is not None and not self.closed:
                messages.append(message)
                message = self._queue.get_nowait()
        except queue.Empty:
            return messages
        return None

    def close(self) -> None:
        """Ends the subscription; queued messages are dropped."""
        self.closed = True
        self._queue.put(None)

    def disconnect(self) -> bool:
        """Closes it and its connection, even while a message is being sent. Returns whether it was

        open.
        """
        with self._lock:
            if self.closed:
                return False
            self.close()
        if self.connection is not None:
            with contextlib.suppress(OSError):  # the client has closed it already
                self.connection.shutdown(socket.SHUT_RDWR)
        return True

    def is_stalled(self, now: float) -> bool:
        """Returns whether the client has not read what it is being sent for too long."""
        since = self.writing_since
        return since is not None and now - since > STALLED_SECONDS


def disconnect_slow(subscribers: Iterable[Subscriber]) -> None:
    """Disconnects subscribers that read too slowly, and counts them."""
    for subscriber in subscribers:
        if subscriber.disconnect():
            metrics.CLOSED_SLOW_STREAMS.labels(subscriber.kind).inc()


def disconnected(subscribers: Iterable[Subscriber]) -> list[Subscriber]:
    """Returns the subscribers that wait for a message and whose clients have disconnected."""
    poller = select.poll()
    waiting: dict[int, tuple[Subscriber, socket.socket]] = {}
    for subscriber in subscribers:
        connection = subscriber.connection
        if connection is not None and subscriber.writing_since is None and connection.fileno() >= 0:
            waiting[connection.fileno()] = subscriber, connection
            poller.register(connection.fileno(), select.POLLIN)
    return [waiting[fd][0] for fd, _ in poller.poll(0) if _is_closed(waiting[fd][1])]


def _is_closed(connection: socket.socket) -> bool:
    """Returns whether a readable connection is at its end."""
    try:
        return not connection.recv(1, socket.MSG_PEEK)
    except OSError:
        return True
