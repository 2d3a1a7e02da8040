"""What a command at the table states: T-1 … T-11. Changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from hmac import compare_digest
from typing import Any, Final

from ...levels import LEVELS
from ...rules.plain import Command, Event
from ...rules.ruleset import RuleViolation
from . import clocks as table_clocks
from .checks import (
    all_seats_filled,
    check_host,
    check_not_over,
    check_own_seat,
    check_playing,
    check_started,
)
from .commands import (
    Abandon,
    AcceptUndo,
    GiveToBot,
    HandOver,
    Leave,
    RefuseUndo,
    Resign,
    Start,
    Undo,
)
from .events import (
    Abandoned,
    Expired,
    GameStarted,
    SeatClaimed,
    SeatGivenToBot,
    SeatHandedOver,
    SeatLeft,
)
from .seat_clocks import deadline_of
from .state import MAX_HAND_OVERS, OPEN, Actor, DecisionContext, Table
from .take_back import (
    agreed_without,
    decide_accept_undo,
    decide_refuse_undo,
    decide_undo,
    resign_seat,
)


def decide(table: Table, party: Actor, command: Command, moment: DecisionContext) -> list[Event]:
    """Returns what the command states. Raises `RuleViolation` with a T-… rule; changes nothing."""
    check_not_over(table)
    judge = _DECIDERS.get(type(command))
    if judge is None:
        raise RuleViolation("not_a_table_command", "T-11", "That is no command of the table.")
    return judge(table, party, command, moment)


def decide_claim(
    table: Table, seat: int, claim: str, name: str, entropy: str, token: str
) -> list[Event]:
    """Returns what claiming a seat states. `claim` and `token` are hashes.

    Raises `RuleViolation`: "seat_taken" (T-1) where the seat is not open, "wrong_claim_code"
    (T-1) for another code, "too_late_for_entropy" (T-5) once the chance is settled, "no_entropy"
    (T-14) in a tournament.
    """
    check_not_over(table)
    held = table.seats[seat]
    if held.claim is None:
        raise RuleViolation("seat_taken", "T-1", "Seat {seat} is not open.", seat=seat)
    if not compare_digest(held.claim, claim):
        raise RuleViolation("wrong_claim_code", "T-1", "This code does not open the seat.")
    if entropy and table.status != OPEN:
        raise RuleViolation(
            "too_late_for_entropy", "T-5", "A seat handed over in play has no say in chance."
        )
    if entropy and table.created.tournament is not None:
        raise RuleViolation(
            "no_entropy", "T-14", "The tables of a tournament have one chance; no seat adds to it."
        )
    return [SeatClaimed(seat, name, entropy, token)]


def decide_expiry(table: Table, seat: int, now: int, *, passing: bool) -> list[Event]:
    """Returns what it states that a seat's time has run out (T-8), before a pass, if one follows.

    `passing` says that the seat could pass; where it can't, a bot plays on. Raises `RuleViolation`
    ("in_time", T-8) where the seat's clock stands or its time has not come.
    """
    check_playing(table)
    until = table.clocks[seat].until if table.clocks else None
    if until is None or now < until:
        raise RuleViolation("in_time", "T-8", "The seat's time has not run out.")
    deadline = deadline_of(table)
    if deadline.on_expiry == table_clocks.RESIGN:
        return [Expired(seat, table_clocks.RESIGN), *resign_seat(table, seat)]
    if deadline.on_expiry == table_clocks.PASSING and passing:
        return [Expired(seat, table_clocks.PASSING)]
    level = deadline.level or LEVELS[0]
    given = SeatGivenToBot(seat, level)
    return [Expired(seat, table_clocks.BOT), given, *agreed_without(table, seat)]


def proceed(table: Table) -> list[Event]:
    """Returns what the table does by itself: it starts once all seats are filled (T-1)."""
    if table.status == OPEN and table.created.start == "full" and all_seats_filled(table):
        return [GameStarted()]
    return []


def check_may_play(table: Table, party: Actor) -> int:
    """Returns the seat that may send game commands. Raises `RuleViolation` with a T-… rule."""
    check_playing(table)
    return check_own_seat(table, party, "T-11")


def check_bot(table: Table, seat: int) -> None:
    """Raises `RuleViolation` (T-4) unless the game is played and a bot plays the seat."""
    check_playing(table)
    if not table.seats[seat].bot:
        raise RuleViolation("not_a_bot", "T-4", "No bot plays this seat.")


def legal(table: Table, party: Actor, moment: DecisionContext) -> list[Command]:
    """Returns exactly the commands that `decide` accepts from the party, in the book's order."""
    return [
        command
        for command in _ALL_COMMANDS
        if _is_accepted(lambda command=command: decide(table, party, command, moment))  # type: ignore[misc]
    ]


def _start(table: Table, party: Actor, command: Start, moment: DecisionContext) -> list[Event]:
    check_host(party, "T-1")  # T-1
    if table.status != OPEN:
        raise RuleViolation("already_started", "T-1", "The game has started.")
    if not all_seats_filled(table):
        raise RuleViolation("seats_open", "T-1", "Not every seat is filled yet.")
    return [GameStarted()]


def _resign(table: Table, party: Actor, command: Resign, moment: DecisionContext) -> list[Event]:
    check_started(table, "T-2")
    return resign_seat(table, check_own_seat(table, party, "T-2"))  # T-2


def _abandon(table: Table, party: Actor, command: Abandon, moment: DecisionContext) -> list[Event]:
    check_host(party, "T-3")  # T-3
    return [Abandoned("host", table.shown)]


def _give_to_bot(
    table: Table, party: Actor, command: GiveToBot, moment: DecisionContext
) -> list[Event]:
    check_started(table, "T-4")  # T-4
    if party.seat is None:
        raise RuleViolation("not_a_seat", "T-4", "It takes a seat to give to a bot.")
    seat = table.seats[party.seat]
    if party.host:
        idle = (
            not seat.bot
            and party.seat in moment.waiting
            and moment.now - table.moved >= table.created.patience
        )
        if not seat.resigned and not idle:
            raise RuleViolation(
                "seat_not_idle", "T-4", "The seat has neither resigned nor kept the game waiting."
            )
    else:
        check_own_seat(table, party, "T-4")
    if seat.bot and seat.level == command.level:
        raise RuleViolation("same_level", "T-4", "A bot of this level plays the seat.")
    return [SeatGivenToBot(party.seat, command.level), *agreed_without(table, party.seat)]


def _hand_over(
    table: Table, party: Actor, command: HandOver, moment: DecisionContext
) -> list[Event]:
    seat = check_own_seat(table, party, "T-5")  # T-5
    if not table.seats[seat].filled:
        raise RuleViolation("seat_open", "T-5", "Nobody has the seat.")
    if table.hand_overs >= MAX_HAND_OVERS:
        raise RuleViolation("too_often", "T-5", "Seats of this table were handed over too often.")
    return [SeatHandedOver(seat, table.hand_overs + 1, moment.code)]


def _leave(table: Table, party: Actor, command: Leave, moment: DecisionContext) -> list[Event]:
    seat = check_own_seat(table, party, "T-6")  # T-6
    if table.status != OPEN:
        raise RuleViolation("already_started", "T-6", "The game has started.")
    if not table.seats[seat].filled:
        raise RuleViolation("seat_open", "T-6", "Nobody has the seat.")
    return [SeatLeft(seat)]


_DECIDERS: Final[dict[type, Callable[[Table, Actor, Any, DecisionContext], list[Event]]]] = {
    Start: _start,
    Resign: _resign,
    Abandon: _abandon,
    GiveToBot: _give_to_bot,
    HandOver: _hand_over,
    Leave: _leave,
    Undo: decide_undo,
    AcceptUndo: decide_accept_undo,
    RefuseUndo: decide_refuse_undo,
}

_ALL_COMMANDS: Final[tuple[Command, ...]] = (
    Start(),
    Resign(),
    Abandon(),
    *(GiveToBot(level) for level in LEVELS),
    HandOver(),
    Leave(),
    Undo(),
    AcceptUndo(),
    RefuseUndo(),
)


def _is_accepted(judge: Callable[[], object]) -> bool:
    try:
        judge()
    except RuleViolation:
        return False
    return True
