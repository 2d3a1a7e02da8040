"""Taking moves back (T-7), and resigning (T-2), which may settle a pending request."""

from __future__ import annotations

from collections.abc import Iterable

from ...levels import LEVELS
from ...rules.plain import Event, Plain
from ...rules.ruleset import PlayEnded, RuleViolation
from .checks import check_own_seat, check_started
from .commands import (
    AcceptUndo,
    RefuseUndo,
    Undo,
)
from .events import (
    SeatResigned,
    UndoAccepted,
    UndoAsked,
    Undone,
    UndoRefused,
)
from .seat_clocks import stop_clock
from .state import Actor, Decision, DecisionContext, Table


def note_decision(
    table: Table, before: int, seats: Iterable[int], drew: bool, move: Plain = None
) -> None:
    """Notes that an append with game commands (the last of them `move`) came after version

    `before`; voids an open question about taking back (T-7). The clocks of the seats stand from
    `moved` on (T-8).
    """
    seats = frozenset(seats)
    gained = tuple((seat, stop_clock(table, seat)) for seat in sorted(seats) if table.clocks)
    table.decisions = (table.decisions, Decision(before, seats, drew, gained, move))
    table.asked = None
    table.agreed = frozenset()


def take_back_range(table: Table) -> tuple[int, tuple[Decision, ...]] | None:
    """Returns what `undo` takes back (T-7): the version before the last append in which a person

    decided, and the decisions from there on; None when there is none.
    """
    taken: list[Decision] = []
    link = table.decisions
    while link is not None:
        link, decision = link
        taken.append(decision)
        if decision.seats & table.people:
            return decision.before, tuple(taken)
    return None


def resign_seat(table: Table, seat: int) -> list[Event]:
    if len(table.seats) == 2:
        return [SeatResigned(seat, None), PlayEnded("T-2", seat)]
    return [SeatResigned(seat, LEVELS[0]), *agreed_without(table, seat)]


def decide_undo(table: Table, party: Actor, command: Undo, moment: DecisionContext) -> list[Event]:
    check_started(table, "T-7")
    seat = check_own_seat(table, party, "T-7")  # T-7
    if table.asked is not None:
        raise RuleViolation("undo_asked", "T-7", "Taking back has been asked for already.")
    found = take_back_range(table)
    if found is None:
        raise RuleViolation("nothing_to_undo", "T-7", "No person's move can be taken back.")
    to_version, taken = found
    own = taken[-1].seats == {seat} and not any(decision.drew for decision in taken)
    if own or table.people == {seat}:
        return [Undone(to_version)]
    return [UndoAsked(seat, to_version)]


def agreed_without(table: Table, seat: int) -> list[Event]:
    """Returns the taking back that was asked for, if every person but this seat has agreed."""
    asked = table.asked
    if asked is None or not table.people <= table.agreed | {seat, asked.seat}:  # T-7
        return []
    return [Undone(asked.to_version)]


def _check_answering(table: Table, party: Actor) -> int:
    check_started(table, "T-7")
    seat = check_own_seat(table, party, "T-7")  # T-7
    if table.asked is None:
        raise RuleViolation("undo_not_asked", "T-7", "Nobody has asked to take anything back.")
    if seat == table.asked.seat or seat in table.agreed:
        raise RuleViolation("undo_answered", "T-7", "The seat has given its answer.")
    return seat


def decide_accept_undo(
    table: Table, party: Actor, command: AcceptUndo, moment: DecisionContext
) -> list[Event]:
    seat = _check_answering(table, party)
    return [UndoAccepted(seat), *agreed_without(table, seat)]


def decide_refuse_undo(
    table: Table, party: Actor, command: RefuseUndo, moment: DecisionContext
) -> list[Event]:
    seat = _check_answering(table, party)
    return [UndoRefused(seat)]
