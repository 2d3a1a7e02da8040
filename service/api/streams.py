"""Answers that go on: event streams, and requests held until there is something to tell."""

from __future__ import annotations

import contextlib
import logging
import socket
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Any, Final, cast

from flask import Response, request

from ..games import table as tables
from ..games.access import Token
from ..games.game import Game
from ..games.reading import told_entries
from ..games.repository import Repository, UnknownGame
from ..store.protocol import StoreError
from . import limits, metrics, presenting, reaching
from .channel import end_of
from .hub import Hub, hub
from .reader import BEAT, SEND_BUFFER, Kind, Reader, message, monotonic
from .services import services

log = logging.getLogger(__name__)

MEDIA_TYPE: Final = "text/event-stream"
RETRY: Final = b"retry: 2000\n"
PAGE: Final = 500
HEADERS: Final = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
VARY: Final = ("Authorization", "Accept", "Prefer")
OVER: Final = (tables.FINISHED, tables.ABANDONED)

Parts = Generator[bytes, None, None]


class Stream(Iterator[bytes]):
    """The body of an event stream. Ends when the client has gone, is cut off, or all is told."""

    def __init__(self, hub: Hub, reader: Reader, parts: Parts) -> None:
        self._hub = hub
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


def events(game_id: str, caller: Token | None, after: int) -> Response:
    """Returns what happens in a game after a version, as it happens; 204 where nothing will.

    Raises as `reaching.loaded` does, and `Problem` "streams_full".
    """
    if request.method == "HEAD":
        reaching.loaded(game_id, caller)
        return _answer(())
    reader = _reader("events", caller)
    with _entered(reader) as here:
        here.follow(game_id, reader)
        game = reaching.loaded(game_id, caller).game
        after = min(after, game.version)  # a client may know what a failover has lost
        if game.table.status not in OVER:
            parts = _live(reader, game, after, here.told_to(game))
        elif after < game.version:
            parts = _whole(services().repository, game, after)
        else:
            here.leave(reader)
            return _varied(presenting.nothing())
        return _answer(Stream(here, reader, parts))


def turns(caller: Token, known: str | None) -> Response:
    """Returns what begins and ceases to wait for a client, as it happens.

    It begins with all that waits, unless the client knows it (`known`: the name of that state).
    """
    if request.method == "HEAD":
        return _answer(())
    reader = _reader("turns", caller)
    with _entered(reader) as here:
        waits = here.attend(caller.hash, reader)
        opening = RETRY + b"id: %b\n\n" % waits.state.encode()
        if waits.state != known:
            opening = RETRY + message(waits.state, {"turns": waits.turns}, "turns")
        return _answer(Stream(here, reader, _followed(reader, opening, 0)))


def await_event(game_id: str, caller: Token | None, after: int, seconds: int) -> None:
    """Waits until a game has events after a version, is over or gone, or the time is up.

    Raises as `events` does.
    """
    reader = _reader("wait", caller)
    with _entered(reader, leave=True) as here:
        here.follow(game_id, reader)
        game = reaching.loaded(game_id, caller).game
        if game.version <= after and game.table.status not in OVER:
            here.told_to(game)
            _await(reader, seconds, lambda version, last: version > after or last)


def await_turns(caller: Token, known: str | None, seconds: int) -> tuple[list[Any], str]:
    """Returns what waits for a client and the name of that state, once it is another than is

    known, or (with None) once anything waits, or when the time is up.
    """
    reader = _reader("wait", caller)
    with _entered(reader, leave=True) as here:
        waits = here.attend(caller.hash, reader)

        def told(version: int, last: bool) -> bool:
            nonlocal waits
            waits = here.waiting(caller.hash)
            return waits.state != known if known is not None else bool(waits.turns)

        if not told(0, False):
            _await(reader, seconds, told)
        return waits.turns, waits.state


def _await(reader: Reader, seconds: int, enough: Callable[[int, bool], bool]) -> None:
    until = monotonic() + seconds
    while (left := until - monotonic()) > 0:
        pieces = reader.take(left)
        if pieces is None or any(enough(piece.version, piece.last) for piece in pieces):
            return


def _reader(kind: Kind, caller: Token | None) -> Reader:
    environment = request.environ
    found = environment.get("gunicorn.socket") or environment.get("werkzeug.socket")
    connection = cast(socket.socket | None, found)
    client = None if caller is None else caller.hash
    return Reader(kind, client, connection, limits.client())


@contextmanager
def _entered(reader: Reader, *, leave: bool = False) -> Iterator[Hub]:
    """Lets a reader in; it leaves again where anything goes wrong, and with `leave` in any case."""
    here = hub()
    here.enter(reader)
    try:
        yield here
    except BaseException:
        here.leave(reader)
        raise
    if leave:
        here.leave(reader)


def _live(reader: Reader, game: Game, after: int, last: int) -> Parts:
    """Yields the events after a version: those up to `last` from the stream, then what is told.

    The reader may be told of events up to `after` again, where the others were told less than it
    has seen elsewhere.
    """
    history = _history(services().repository, game, after, last)
    return _followed(reader, RETRY + b"id: %d\n\n" % after, max(after, last), history)


def _whole(repository: Repository, game: Game, after: int) -> Parts:
    """Yields the events after a version of a game that is over, and the end."""
    yield RETRY + b"id: %d\n\n" % after
    yield from _history(repository, game, after, game.version)
    yield end_of(game.version, game.table.status, monotonic()).data


def _followed(reader: Reader, opening: bytes, told: int, before: Parts | None = None) -> Parts:
    """Yields the opening, what comes before, and what the reader is told beyond version `told`."""
    yield opening
    if before is not None:
        yield from before
    while (pieces := reader.take()) is not None:
        fresh = [each for each in pieces if each.last or not 0 < each.version <= told]
        if fresh:
            yield b"".join(piece.data for piece in fresh)
        news = [piece for piece in fresh if piece is not BEAT]
        if news:
            metrics.delivered(reader.kind, len(news), monotonic() - news[0].heard)
            if news[-1].last:
                return


def _history(repository: Repository, game: Game, after: int, last: int) -> Parts:
    while after < last:
        upto = min(last, after + PAGE)
        told = told_entries(repository, game, after + 1, upto)
        yield b"".join(message(each.version, presenting.event(each)) for each in told)
        metrics.delivered("events", len(told), None)
        after = upto


def _answer(body: Any) -> Response:
    response = Response(body, mimetype=MEDIA_TYPE)
    response.headers.update(HEADERS)
    return _varied(response)


def _varied(response: Response) -> Response:
    response.vary.update(VARY)
    return response
