"""What a game wants of a client."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

from ..games import access
from ..games import table as tables
from ..games.game import Game
from .services import links

Turn = dict[str, Any]
"""A game that waits for a client, as it is told (`responses.Turn`)."""


def turn(game: Game, client: str) -> Turn | None:
    """Returns what the game wants of a client (a token's hash), None for nothing."""
    why, seats = _waiting(game, client)
    if why is None:
        return None
    clocks = game.table.clocks
    ends = [until for seat in seats if clocks and (until := clocks[seat].until) is not None]
    return {
        "game": game.id,
        "ruleset": game.ruleset.id,
        "version": game.version,
        "seats": seats,
        "why": why,
        "since": game.table.moved,
        "deadline": min(ends, default=None),
        "links": links(game.id),
    }


def state(turns: Iterable[Turn]) -> str:
    """Returns a name (32 hexadecimal digits) for all that waits: the same, the same name."""
    lines = [f"{each['game']} {each['version']} {each['why']} {each['seats']}" for each in turns]
    return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()[:32]


def _waiting(game: Game, client: str) -> tuple[str | None, list[int]]:
    """Returns what the game wants of a client, None for nothing, and of which seats."""
    table = game.table
    own = [seat for seat in access.seats_of(table, client) if not table.seats[seat].bot]
    if table.status == tables.OPEN:
        waits = (
            table.created.start == "host"
            and access.is_host(table, client)
            and all(seat.filled for seat in table.seats)
        )
        return ("start" if waits else None), []
    if table.asked is not None:
        asked = [seat for seat in own if seat != table.asked.seat and seat not in table.agreed]
        if asked and table.status == tables.PLAYING:
            return "undo", asked
    acting = [seat for seat in own if seat in game.to_act()]
    return ("move" if acting else None), acting
