"""How events change the table (`evolve`). Total: never raises."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from hmac import compare_digest
from typing import Any, Final

from ...rules.described import Event
from ...rules.ruleset import PlayEnded
from . import clocks as table_clocks
from .events import (
    Abandoned,
    Expired,
    FinalScored,
    GameStarted,
    LawChanged,
    SeatClaimed,
    SeatGivenToBot,
    SeatHandedOver,
    SeatLeft,
    SeatResigned,
    SeedRevealed,
    TokenReplaced,
    UndoAccepted,
    UndoAsked,
    Undone,
    UndoRefused,
)
from .seat_clocks import deadline_of, set_clock
from .state import ABANDONED, FINISHED, OPEN, PLAYING, SCORING, Table
from .take_back import clear_take_back_request, withdraw_decisions


def evolve(table: Table, event: Event) -> None:
    """Applies an event in place; events of the game played change nothing. Never raises."""
    apply = _APPLIERS.get(type(event))
    if apply is not None:
        apply(table, event)


def _change_seat(table: Table, seat: int, **changes: Any) -> None:
    table.seats[seat] = replace(table.seats[seat], **changes)


def _claimed(table: Table, event: SeatClaimed) -> None:
    entropy = event.entropy if table.status == OPEN else table.seats[event.seat].entropy
    _change_seat(
        table,
        event.seat,
        kind="human",
        name=event.name,
        token=event.token,
        claim=None,
        entropy=entropy,
    )


def _left(table: Table, event: SeatLeft) -> None:
    _change_seat(
        table,
        event.seat,
        name=table.created.seats[event.seat].name,
        token=None,
        claim=table.created.claims[event.seat],
        entropy="",
    )


def _handed_over(table: Table, event: SeatHandedOver) -> None:
    _change_seat(table, event.seat, claim=event.claim)
    table.hand_over_count = event.number


def _started(table: Table, event: GameStarted) -> None:
    table.status = PLAYING


def _resigned(table: Table, event: SeatResigned) -> None:
    kind = "human" if event.level is None else "bot"
    _change_seat(table, event.seat, resigned=True, claim=None, kind=kind, level=event.level)


def _given_to_bot(table: Table, event: SeatGivenToBot) -> None:
    _change_seat(table, event.seat, kind="bot", level=event.level, claim=None)


def _play_ended(table: Table, event: PlayEnded) -> None:
    table.status = SCORING
    table.ended_by_rules = event.resigned is None


def _undo_asked(table: Table, event: UndoAsked) -> None:
    table.take_back_request = event
    table.take_back_agreed = frozenset()


def _undo_accepted(table: Table, event: UndoAccepted) -> None:
    table.take_back_agreed |= {event.seat}


def _undo_refused(table: Table, event: UndoRefused) -> None:
    clear_take_back_request(table)


def _undone(table: Table, event: Undone) -> None:
    clear_take_back_request(table)
    withdraw_decisions(table, event.to_version)


def _expired(table: Table, event: Expired) -> None:
    set_clock(table, event.seat, table_clocks.expired_clock(deadline_of(table)))


def _token_replaced(table: Table, event: TokenReplaced) -> None:
    if compare_digest(table.host, event.old):
        table.host = event.new
    for number, seat in enumerate(table.seats):
        if seat.token is not None and compare_digest(seat.token, event.old):
            _change_seat(table, number, token=event.new)


def _law_changed(table: Table, event: LawChanged) -> None:
    table.ruleset_version = event.law


def _abandoned(table: Table, event: Abandoned) -> None:
    table.status = ABANDONED
    table.reason = event.reason


def _final_scored(table: Table, event: FinalScored) -> None:
    table.status = FINISHED
    table.result = event


def _seed_revealed(table: Table, event: SeedRevealed) -> None:
    table.chance_revealed = True


_APPLIERS: Final[dict[type, Callable[[Table, Any], None]]] = {
    SeatClaimed: _claimed,
    SeatLeft: _left,
    SeatHandedOver: _handed_over,
    GameStarted: _started,
    SeatResigned: _resigned,
    SeatGivenToBot: _given_to_bot,
    Expired: _expired,
    PlayEnded: _play_ended,
    UndoAsked: _undo_asked,
    UndoAccepted: _undo_accepted,
    UndoRefused: _undo_refused,
    Undone: _undone,
    TokenReplaced: _token_replaced,
    LawChanged: _law_changed,
    Abandoned: _abandoned,
    FinalScored: _final_scored,
    SeedRevealed: _seed_revealed,
}
