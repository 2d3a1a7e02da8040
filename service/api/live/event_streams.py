"""Event streams (SSE): responses that go on with the events of a game or the turns of a client."""

from __future__ import annotations

import contextlib
import logging
import socket
from collections.abc import Generator, Iterator
from typing import Any, Final

from flask import Response, request

from ...games.game import Game
from ...games.history import load_events
from ...games.repository import Repository, UnknownGame
from ...games.tokens import Token
from ...store import StoreError
from .. import representations
from ..http import game_access, metrics
from ..http import responses as http_responses
from ..http.services import services
from .broker import Broker
from .game_channels import end_message
from .subscriber import HEARTBEAT, SEND_BUFFER_BYTES, Subscriber, format_event, monotonic
from .subscriptions import OVER_STATUSES, new_subscriber, subscribed

log = logging.getLogger(__name__)

MEDIA_TYPE: Final = "text/event-stream"
RETRY: Final = b"retry: 2000\n"
PAGE_SIZE: Final = 500
HEADERS: Final = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
VARY: Final = ("Authorization", "Accept", "Prefer")

Parts = Generator[bytes, None, None]


class EventStream(Iterator[bytes]):
    """The body of an event stream. Ends when the client has disconnected, the subscriber is closed,

    or the last message is sent.
    """

    def __init__(self, broker: Broker, subscriber: Subscriber, parts: Parts) -> None:
        self._broker = broker
        self._subscriber = subscriber
        self._parts = parts
        if subscriber.connection is not None:
            subscriber.connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)

    def __next__(self) -> bytes:
        self._subscriber.writing_since = None
        try:
            part = next(self._parts)
        except (StoreError, UnknownGame) as error:  # the client's next request returns it
            log.info("a stream ends: %s", error)
            raise StopIteration from error
        self._subscriber.writing_since = monotonic()
        return part

    def close(self) -> None:
        """Removes the subscriber. Its connection ends too: left open, it would keep a process that

        is about to end waiting for another request.
        """
        self._broker.remove(self._subscriber)
        if self._subscriber.connection is not None:
            with contextlib.suppress(OSError):  # the client has closed it already
                self._subscriber.connection.shutdown(socket.SHUT_RD)


def stream_events(game_id: str, caller: Token | None, after: int) -> Response:
    """Returns the stream of a game's events after a version; 204 if there will be none.

    Raises as `game_access.load_readable` and `Broker.add` do.
    """
    if request.method == "HEAD":
        game_access.load_readable(game_id, caller)
        return _stream_response(())
    subscriber = new_subscriber("events", caller)
    with subscribed(subscriber) as broker:
        broker.follow_game(game_id, subscriber)
        game = game_access.load_readable(game_id, caller).game
        after = min(after, game.version)  # a client may know events that a failover has lost
        if game.table.status not in OVER_STATUSES:
            parts = _live_parts(subscriber, game, after, broker.published_version(game))
        elif after < game.version:
            parts = _finished_parts(services().repository, game, after)
        else:
            broker.remove(subscriber)
            return _with_vary(http_responses.empty_response())
        return _stream_response(EventStream(broker, subscriber, parts))


def stream_turns(caller: Token, known_state: str | None) -> Response:
    """Returns the stream of a client's turns as they begin and end.

    It begins with all current turns, unless `known_state` is the id of that state. Raises as
    `Broker.add` does.
    """
    if request.method == "HEAD":
        return _stream_response(())
    subscriber = new_subscriber("turns", caller)
    with subscribed(subscriber) as broker:
        inbox = broker.follow_inbox(caller.hash, subscriber)
        opening = RETRY + b"id: %b\n\n" % inbox.state.encode()
        if inbox.state != known_state:
            opening = RETRY + format_event(inbox.state, {"turns": inbox.turns}, "turns")
        parts = _subscriber_parts(subscriber, opening, 0)
        return _stream_response(EventStream(broker, subscriber, parts))


def _live_parts(subscriber: Subscriber, game: Game, after: int, published: int) -> Parts:
    """Yields the events after a version: those up to `published` from the store, then those that

    the subscriber receives. These may include events up to `after`, if the channel is behind what
    the client has read elsewhere; they are left out.
    """
    history = _history_parts(services().repository, game, after, published)
    opening = RETRY + b"id: %d\n\n" % after
    return _subscriber_parts(subscriber, opening, max(after, published), history)


def _finished_parts(repository: Repository, game: Game, after: int) -> Parts:
    """Yields the events after a version of a game that is over, and the end."""
    yield RETRY + b"id: %d\n\n" % after
    yield from _history_parts(repository, game, after, game.version)
    yield end_message(game.version, game.table.status, monotonic()).data


def _subscriber_parts(
    subscriber: Subscriber, opening: bytes, after: int, history: Parts | None = None
) -> Parts:
    """Yields the opening, the history, and the messages received about versions after `after`."""
    yield opening
    if history is not None:
        yield from history
    while (received := subscriber.receive()) is not None:
        messages = [each for each in received if each.last or not 0 < each.version <= after]
        if messages:
            yield b"".join(message.data for message in messages)
        events = [message for message in messages if message is not HEARTBEAT]
        if events:
            lag = monotonic() - events[0].notified_at
            metrics.count_delivered(subscriber.kind, len(events), lag)
            if events[-1].last:
                return


def _history_parts(repository: Repository, game: Game, after: int, last: int) -> Parts:
    """Yields the events after a version up to `last`, a page at a time."""
    while after < last:
        page_end = min(last, after + PAGE_SIZE)
        events = load_events(repository, game, after + 1, page_end)
        yield b"".join(
            format_event(each.version, representations.serialize_event(each)) for each in events
        )
        metrics.count_delivered("events", len(events), None)
        after = page_end


def _stream_response(body: Any) -> Response:
    response = Response(body, mimetype=MEDIA_TYPE)
    response.headers.update(HEADERS)
    return _with_vary(response)


def _with_vary(response: Response) -> Response:
    response.vary.update(VARY)
    return response
