"""Long poll (Prefer: wait): requests held until there is something to return, or time is up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...games.tokens import Token
from ..http import game_access
from .subscriber import Subscriber, monotonic
from .subscriptions import OVER, new_subscriber, subscribed


def wait_for_event(game_id: str, caller: Token | None, after: int, seconds: int) -> None:
    """Waits until a game has events after a version, is over or gone, or the time is up.

    Raises as `events` does.
    """
    reader = new_subscriber("wait", caller)
    with subscribed(reader, leave=True) as here:
        here.follow(game_id, reader)
        game = game_access.load_readable(game_id, caller).game
        if game.version <= after and game.table.status not in OVER:
            here.told_to(game)
            _wait_until(reader, seconds, lambda version, last: version > after or last)


def wait_for_turns(caller: Token, known: str | None, seconds: int) -> tuple[list[Any], str]:
    """Returns what waits for a client and the name of that state, once it is another than is

    known, or (with None) once anything waits, or when the time is up.
    """
    reader = new_subscriber("wait", caller)
    with subscribed(reader, leave=True) as here:
        waits = here.attend(caller.hash, reader)

        def told(version: int, last: bool) -> bool:
            nonlocal waits
            waits = here.waiting(caller.hash)
            return waits.state != known if known is not None else bool(waits.turns)

        if not told(0, False):
            _wait_until(reader, seconds, told)
        return waits.turns, waits.state


def _wait_until(reader: Subscriber, seconds: int, enough: Callable[[int, bool], bool]) -> None:
    until = monotonic() + seconds
    while (left := until - monotonic()) > 0:
        pieces = reader.take(left)
        if pieces is None or any(enough(piece.version, piece.last) for piece in pieces):
            return
