"""What a game wants of a client."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

from ...games import authorization
from ...games.game import Game
from ...games.table import state as table_state
from ..http.links import game_links

Turn = dict[str, Any]
"""A game that waits for a client, as it is told (`responses.Turn`)."""


def turn_for(game: Game, client: str) -> Turn | None:
    """Returns what the game wants of a client (a token's hash), None for nothing."""
    why, seats = _awaited(game, client)
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
        "since": game.table.changed_at,
        "deadline": min(ends, default=None),
        "links": game_links(game.id),
    }


def state_name(turns: Iterable[Turn]) -> str:
    """Returns a name (32 hexadecimal digits) for all that waits: the same, the same name."""
    lines = [f"{each['game']} {each['version']} {each['why']} {each['seats']}" for each in turns]
    return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()[:32]


def _awaited(game: Game, client: str) -> tuple[str | None, list[int]]:
    """Returns what the game wants of a client, None for nothing, and of which seats."""
    table = game.table
    own = [seat for seat in authorization.seats_of(table, client) if not table.seats[seat].bot]
    if table.status == table_state.OPEN:
        waits = (
            table.created.start == "host"
            and authorization.is_host(table, client)
            and all(seat.filled for seat in table.seats)
        )
        return ("start" if waits else None), []
    if table.take_back_request is not None:
        asked = [
            seat
            for seat in own
            if seat != table.take_back_request.seat and seat not in table.take_back_agreed
        ]
        if asked and table.status == table_state.PLAYING:
            return "undo", asked
    acting = [seat for seat in own if seat in game.to_act()]
    return ("move" if acting else None), acting
