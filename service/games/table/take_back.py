"""Taking moves back (T-7): what a take-back undoes, its request, and the answers to it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...rules.described import Event
from ...rules.ruleset import RuleViolation
from . import clocks as table_clocks
from .checks import check_own_seat, check_started
from .commands import AcceptUndo, RefuseUndo, Undo
from .events import UndoAccepted, UndoAsked, Undone, UndoRefused
from .seat_clocks import set_clock, stop_clock
from .state import Actor, Decision, DecisionContext, SentCommand, Table


def record_decision(
    table: Table,
    version_before: int,
    seats: Iterable[int],
    drew: bool,
    commands: Sequence[SentCommand] = (),
    *,
    simultaneous: bool = False,
) -> None:
    """Records an append that follows `version_before` and holds game commands of these seats.

    `drew` says whether it drew, `commands` are what was sent, `simultaneous` whether several seats
    could act before it. A pending take-back request lapses (T-7), and the seats' clocks stand from
    the append's time on (T-8).
    """
    seats = frozenset(seats)
    gained = tuple((seat, stop_clock(table, seat)) for seat in sorted(seats) if table.clocks)
    decision = Decision(version_before, seats, drew, gained, tuple(commands), simultaneous)
    table.decisions = (table.decisions, decision)
    clear_take_back_request(table)


def withdraw_decisions(table: Table, to_version: int) -> None:
    """Removes the decisions after a version, but for those that the append replays (T-7).

    What is removed loses the time that it gained (T-8). What is replayed, and was sent in one
    append, remains one decision; it is taken back to the version before its replay. Never raises.
    """
    withdrawn: list[Decision] = []
    while table.decisions is not None and table.decisions[1].version_before >= to_version:
        table.decisions, decision = table.decisions
        withdrawn.append(decision)
    replays, table.replays = table.replays, ()
    for decision in reversed(withdrawn):
        count = len(decision.commands)
        if count and decision.commands == tuple(sent for _, sent in replays[:count]):
            replayed = decision._replace(version_before=replays[0][0])
            table.decisions, replays = (table.decisions, replayed), replays[count:]
            continue
        for seat, gained in decision.gained:
            set_clock(table, seat, table_clocks.clock_after_take_back(table.clocks[seat], gained))


def clear_take_back_request(table: Table) -> None:
    """Removes the pending take-back request with its acceptances, if there is one."""
    table.take_back_request = None
    table.take_back_agreed = frozenset()


def take_back_range(table: Table) -> tuple[int, tuple[Decision, ...]] | None:
    """Returns what `undo` would take back (T-7); None where there is nothing.

    That is the version before the last append in which a person decided, and the decisions from
    there on, newest first.
    """
    taken: list[Decision] = []
    link = table.decisions
    while link is not None:
        link, decision = link
        taken.append(decision)
        if decision.seats & table.human_seats:
            return decision.version_before, tuple(taken)
    return None


def own_decision(table: Table, seat: int) -> tuple[Decision, tuple[Decision, ...]] | None:
    """Returns the last decision of a seat, if several seats could act when it was made, and what

    has been decided since, oldest first (T-7); else None.
    """
    since: list[Decision] = []
    link = table.decisions
    while link is not None:
        link, decision = link
        if decision.seats == {seat}:
            return (decision, tuple(reversed(since))) if decision.simultaneous else None
        since.append(decision)
    return None


def decide_undo(table: Table, actor: Actor, command: Undo, context: DecisionContext) -> list[Event]:
    """Returns the take-back, or the request for it. Raises `RuleViolation` (T-7).

    The request is for the seat's own last decision where others could decide at the same time.
    What others have decided since may stand without it, and then there is nothing to ask for: that
    is for whoever knows the game's rules to judge.
    """
    check_started(table, "T-7")
    seat = check_own_seat(table, actor, "T-7")  # T-7
    if table.take_back_request is not None:
        raise RuleViolation("undo_asked", "T-7", "A take-back has already been requested.")
    found = take_back_range(table)
    if found is None:
        raise RuleViolation("nothing_to_undo", "T-7", "There is no person's move to take back.")
    to_version, taken = found
    is_own_move = taken[-1].seats == {seat} and not any(decision.drew for decision in taken)
    if is_own_move or table.human_seats == {seat}:
        return [Undone(to_version)]
    own = own_decision(table, seat)
    return [UndoAsked(seat, to_version if own is None else own[0].version_before)]


def decide_accept_undo(
    table: Table, actor: Actor, command: AcceptUndo, context: DecisionContext
) -> list[Event]:
    """Returns the acceptance, and the take-back if it was the last one missing.

    Raises `RuleViolation` (T-7).
    """
    seat = _check_may_answer(table, actor)
    return [UndoAccepted(seat), *agreed_take_back(table, seat)]


def decide_refuse_undo(
    table: Table, actor: Actor, command: RefuseUndo, context: DecisionContext
) -> list[Event]:
    """Returns the refusal. Raises `RuleViolation` (T-7)."""
    seat = _check_may_answer(table, actor)
    return [UndoRefused(seat)]


def agreed_take_back(table: Table, seat: int) -> list[Event]:
    """Returns the requested take-back if every person but this seat has agreed, else nothing."""
    request = table.take_back_request
    if request is None or not table.human_seats <= table.take_back_agreed | {seat, request.seat}:
        return []  # T-7
    return [Undone(request.to_version)]


def _check_may_answer(table: Table, actor: Actor) -> int:
    """Returns the seat that answers a take-back request. Raises `RuleViolation` (T-7)."""
    check_started(table, "T-7")
    seat = check_own_seat(table, actor, "T-7")  # T-7
    if table.take_back_request is None:
        raise RuleViolation("undo_not_asked", "T-7", "Nobody has requested a take-back.")
    if seat == table.take_back_request.seat or seat in table.take_back_agreed:
        raise RuleViolation("undo_answered", "T-7", "The seat has already answered.")
    return seat
