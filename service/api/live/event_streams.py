"""Answers that go on: event streams, and requests held until there is something to tell."""

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
from .channel import end_message
from .subscriber import HEARTBEAT, SEND_BUFFER, Subscriber, format_event, monotonic
from .subscriptions import OVER, new_subscriber, subscribed

log = logging.getLogger(__name__)

MEDIA_TYPE: Final = "text/event-stream"
RETRY: Final = b"retry: 2000\n"
PAGE_SIZE: Final = 500
HEADERS: Final = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
VARY: Final = ("Authorization", "Accept", "Prefer")

Parts = Generator[bytes, None, None]


class EventStream(Iterator[bytes]):
    """The body of an event stream. Ends when the client has gone, is cut off, or all is told."""

    def __init__(self, broker: Broker, reader: Subscriber, parts: Parts) -> None:
        self._hub = broker
        self._reader = reader
        self._parts = parts
        if reader.connection is not None:
            reader.connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)

    def __next__(self) -> bytes:
        self._reader.writing = None
        try:
            part = next(self._parts)
        except (StoreError, UnknownGame) as fault:  # it is told with the next request
            log.info("a stream ends: %s", fault)
            raise StopIteration from fault
        self._reader.writing = monotonic()
        return part

    def close(self) -> None:
        """Forgets the reader. Its connection ends too: left open, it would keep a process that

        ends waiting for another request.
        """
        self._hub.leave(self._reader)
        if self._reader.connection is not None:
            with contextlib.suppress(OSError):  # it has gone already
                self._reader.connection.shutdown(socket.SHUT_RD)


def stream_events(game_id: str, caller: Token | None, after: int) -> Response:
    """Returns what happens in a game after a version, as it happens; 204 where nothing will.

    Raises as `reaching.loaded` does, and `Problem` "streams_full".
    """
    if request.method == "HEAD":
        game_access.load_readable(game_id, caller)
        return _stream_response(())
    reader = new_subscriber("events", caller)
    with subscribed(reader) as here:
        here.follow(game_id, reader)
        game = game_access.load_readable(game_id, caller).game
        after = min(after, game.version)  # a client may know what a failover has lost
        if game.table.status not in OVER:
            parts = _live_parts(reader, game, after, here.told_to(game))
        elif after < game.version:
            parts = _finished_parts(services().repository, game, after)
        else:
            here.leave(reader)
            return _varied(http_responses.empty_response())
        return _stream_response(EventStream(here, reader, parts))


def stream_turns(caller: Token, known: str | None) -> Response:
    """Returns what begins and ceases to wait for a client, as it happens.

    It begins with all that waits, unless the client knows it (`known`: the name of that state).
    """
    if request.method == "HEAD":
        return _stream_response(())
    reader = new_subscriber("turns", caller)
    with subscribed(reader) as here:
        waits = here.attend(caller.hash, reader)
        opening = RETRY + b"id: %b\n\n" % waits.state.encode()
        if waits.state != known:
            opening = RETRY + format_event(waits.state, {"turns": waits.turns}, "turns")
        return _stream_response(EventStream(here, reader, _followed_parts(reader, opening, 0)))


def _live_parts(reader: Subscriber, game: Game, after: int, last: int) -> Parts:
    """Yields the events after a version: those up to `last` from the stream, then what is told.

    The reader may be told of events up to `after` again, where the others were told less than it
    has seen elsewhere.
    """
    history = _history_parts(services().repository, game, after, last)
    return _followed_parts(reader, RETRY + b"id: %d\n\n" % after, max(after, last), history)


def _finished_parts(repository: Repository, game: Game, after: int) -> Parts:
    """Yields the events after a version of a game that is over, and the end."""
    yield RETRY + b"id: %d\n\n" % after
    yield from _history_parts(repository, game, after, game.version)
    yield end_message(game.version, game.table.status, monotonic()).data


def _followed_parts(
    reader: Subscriber, opening: bytes, told: int, before: Parts | None = None
) -> Parts:
    """Yields the opening, what comes before, and what the reader is told beyond version `told`."""
    yield opening
    if before is not None:
        yield from before
    while (pieces := reader.take()) is not None:
        fresh = [each for each in pieces if each.last or not 0 < each.version <= told]
        if fresh:
            yield b"".join(piece.data for piece in fresh)
        news = [piece for piece in fresh if piece is not HEARTBEAT]
        if news:
            metrics.count_delivered(reader.kind, len(news), monotonic() - news[0].heard)
            if news[-1].last:
                return


def _history_parts(repository: Repository, game: Game, after: int, last: int) -> Parts:
    while after < last:
        upto = min(last, after + PAGE_SIZE)
        told = load_events(repository, game, after + 1, upto)
        yield b"".join(
            format_event(each.version, representations.serialize_event(each)) for each in told
        )
        metrics.count_delivered("events", len(told), None)
        after = upto


def _stream_response(body: Any) -> Response:
    response = Response(body, mimetype=MEDIA_TYPE)
    response.headers.update(HEADERS)
    return _varied(response)


def _varied(response: Response) -> Response:
    response.vary.update(VARY)
    return response
