"""Turns: what a game waits for a client to do, as JSON."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

from ...games import authorization
from ...games.game import Game
from ...games.table import state as table_state
from ..http.links import game_links

Turn = dict[str, Any]
"""An entry of the inbox, as clients get it (`responses.Turn`)."""


def serialize_turn(game: Game, client: str) -> Turn | None:
    """Returns what a game waits for a client (a token's hash) to do, None for nothing."""
    why, seats = _find_turn(game, client)
    if why is None:
        return None
    clocks = game.table.clocks
    deadlines = [until for seat in seats if clocks and (until := clocks[seat].until) is not None]
    return {
        "game": game.id,
        "ruleset": game.ruleset.id,
        "version": game.version,
        "seats": seats,
        "why": why,
        "since": game.table.changed_at,
        "deadline": min(deadlines, default=None),
        "links": game_links(game.id),
    }


def turns_state(turns: Iterable[Turn]) -> str:
    """Returns the id (32 hexadecimal digits) of a set of turns; equal sets have equal ids."""
    lines = [f"{turn['game']} {turn['version']} {turn['why']} {turn['seats']}" for turn in turns]
    return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()[:32]


def _find_turn(game: Game, client: str) -> tuple[str | None, list[int]]:
    """Returns why a game waits for a client ("start", "undo", "move"; None: it does not), and for

    which of its seats.
    """
    table = game.table
    own = [seat for seat in authorization.seats_of(table, client) if not table.seats[seat].bot]
    if table.status == table_state.OPEN:
        must_start = (
            table.created.start == "host"
            and authorization.is_host(table, client)
            and all(seat.filled for seat in table.seats)
        )
        return ("start" if must_start else None), []
    if table.take_back_request is not None:
        undecided = [
            seat
            for seat in own
            if seat != table.take_back_request.seat and seat not in table.take_back_agreed
        ]
        if undecided and table.status == table_state.PLAYING:
            return "undo", undecided
    acting = [seat for seat in own if seat in game.to_act()]
    return ("move" if acting else None), acting
