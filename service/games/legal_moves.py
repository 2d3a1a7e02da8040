"""Legal moves: the commands that a caller may send now, each of which is accepted as listed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..rules.described import Command
from . import authorization
from .game import Game
from .table import decide as table_decide
from .table import state as table_state
from .table.state import DecisionContext


@dataclass(frozen=True, slots=True)
class Move:
    """A command that can be sent as it is, for a seat, or (None) as the host for no seat."""

    seat: int | None
    command: Command


@dataclass(frozen=True, slots=True)
class LegalMoves:
    """All commands that a caller may send now. `reason` says why no game command is listed:

    "not_started", "game_over", "in_progress" (inside an append), "no_seat", "not_your_turn".
    """

    game: tuple[Move, ...]
    table: tuple[Move, ...]
    reason: str | None


def legal_moves(game: Game, caller: str | None, now: int) -> LegalMoves:
    """Returns all commands that a caller (a token's hash) may send, seat by seat."""
    playing = [
        seat
        for seat in authorization.seats_of(game.table, caller)
        if not game.table.seats[seat].bot
    ]
    game_moves = [
        Move(seat, command)
        for seat in playing
        if game.at_append_end and game.table.status == table_state.PLAYING
        for command in game.ruleset.legal(game.state, seat)
    ]
    context = DecisionContext(now, game.to_act())
    table_moves = [
        Move(actor.seat, command)
        for actor in authorization.actors(game.table, caller)
        if game.at_append_end
        for command in table_decide.legal(game.table, actor, context)
    ]
    return LegalMoves(
        tuple(game_moves), tuple(table_moves), None if game_moves else _reason(game, playing)
    )


def _reason(game: Game, playing: Sequence[int]) -> str:
    if not game.at_append_end:
        return "in_progress"
    if game.table.status == table_state.OPEN:
        return "not_started"
    if game.table.status != table_state.PLAYING:
        return "game_over"
    return "not_your_turn" if playing else "no_seat"
