"""The table's decisions: which events a command at the table gives (T-1 … T-11), or why not.

Nothing here changes the table. Take-backs (T-7) are decided in `take_back`.
"""

from __future__ import annotations

from collections.abc import Callable
from hmac import compare_digest
from typing import Any, Final

from ...bot_levels import LEVELS
from ...rules.described import Command, Event
from ...rules.ruleset import PlayEnded, RuleViolation
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
    SeatResigned,
)
from .seat_clocks import deadline_of
from .state import MAX_HAND_OVERS, OPEN, Actor, DecisionContext, Table
from .take_back import (
    agreed_take_back,
    decide_accept_undo,
    decide_refuse_undo,
    decide_undo,
)


def decide(table: Table, actor: Actor, command: Command, context: DecisionContext) -> list[Event]:
    """Returns the events of a command. Raises `RuleViolation` with a T-… rule; changes nothing."""
    check_not_over(table)
    decider = _DECIDERS.get(type(command))
    if decider is None:
        raise RuleViolation("not_a_table_command", "T-11", "This is not a table command.")
    return decider(table, actor, command, context)


def decide_claim(
    table: Table, seat: int, claim: str, name: str, entropy: str, token: str
) -> list[Event]:
    """Returns the events of claiming a seat. `claim` and `token` are hashes.

    Raises `RuleViolation`: "seat_taken" (T-1) where the seat is not open, "wrong_claim_code"
    (T-1) for another code, "too_late_for_entropy" (T-5) once the chance is settled, "no_entropy"
    (T-14) in a tournament.
    """
    check_not_over(table)
    open_claim = table.seats[seat].claim
    if open_claim is None:
        raise RuleViolation("seat_taken", "T-1", "Seat {seat} is not open.", seat=seat)
    if not compare_digest(open_claim, claim):
        raise RuleViolation("wrong_claim_code", "T-1", "This code does not open the seat.")
    if entropy and table.status != OPEN:
        raise RuleViolation(
            "too_late_for_entropy",
            "T-5",
            "A seat handed over during play adds nothing to the chance.",
        )
    if entropy and table.created.tournament is not None:
        raise RuleViolation(
            "no_entropy", "T-14", "The tables of a tournament share one chance; no seat adds to it."
        )
    return [SeatClaimed(seat, name, entropy, token)]


def decide_expiry(table: Table, seat: int, now: int, *, can_pass: bool) -> list[Event]:
    """Returns the events when a seat's time has run out (T-8), up to the pass if one follows.

    `can_pass` says whether the seat has a legal pass; where it has none, a bot plays on. Raises
    `RuleViolation` ("in_time", T-8) where the seat's clock stands or has time left.
    """
    check_playing(table)
    until = table.clocks[seat].until if table.clocks else None
    if until is None or now < until:
        raise RuleViolation("in_time", "T-8", "The seat's time has not run out.")
    deadline = deadline_of(table)
    if deadline.on_expiry == table_clocks.RESIGN:
        return [Expired(seat, table_clocks.RESIGN), *_resign_seat(table, seat)]
    if deadline.on_expiry == table_clocks.PASSING and can_pass:
        return [Expired(seat, table_clocks.PASSING)]
    level = deadline.level or LEVELS[0]
    return [
        Expired(seat, table_clocks.BOT),
        SeatGivenToBot(seat, level),
        *agreed_take_back(table, seat),
    ]


def proceed(table: Table) -> list[Event]:
    """Returns the events that follow by themselves: the start once all seats are filled (T-1)."""
    if table.status == OPEN and table.created.start == "full" and all_seats_filled(table):
        return [GameStarted()]
    return []


def check_may_play(table: Table, actor: Actor) -> int:
    """Returns the seat that may send game commands. Raises `RuleViolation` with a T-… rule."""
    check_playing(table)
    return check_own_seat(table, actor, "T-11")


def check_bot(table: Table, seat: int) -> None:
    """Raises `RuleViolation` unless the game is in play and a bot plays the seat (T-4)."""
    check_playing(table)
    if not table.seats[seat].bot:
        raise RuleViolation("not_a_bot", "T-4", "No bot plays this seat.")


def legal(table: Table, actor: Actor, context: DecisionContext) -> list[Command]:
    """Returns exactly the commands that `decide` accepts from the actor, in rule book order."""
    return [
        command
        for command in _ALL_COMMANDS
        if _is_accepted(lambda command=command: decide(table, actor, command, context))  # type: ignore[misc]
    ]


def _start(table: Table, actor: Actor, command: Start, context: DecisionContext) -> list[Event]:
    check_host(actor, "T-1")  # T-1
    if table.status != OPEN:
        raise RuleViolation("already_started", "T-1", "The game has started.")
    if not all_seats_filled(table):
        raise RuleViolation("seats_open", "T-1", "Not every seat is filled yet.")
    return [GameStarted()]


def _resign(table: Table, actor: Actor, command: Resign, context: DecisionContext) -> list[Event]:
    check_started(table, "T-2")
    return _resign_seat(table, check_own_seat(table, actor, "T-2"))  # T-2


def _resign_seat(table: Table, seat: int) -> list[Event]:
    """Returns the events of a resignation: of two seats the other wins, else a bot plays on."""
    if len(table.seats) == 2:  # T-2
        return [SeatResigned(seat, None), PlayEnded("T-2", seat)]
    return [SeatResigned(seat, LEVELS[0]), *agreed_take_back(table, seat)]


def _abandon(table: Table, actor: Actor, command: Abandon, context: DecisionContext) -> list[Event]:
    check_host(actor, "T-3")  # T-3
    return [Abandoned("host", table.chance_to_reveal)]


def _give_to_bot(
    table: Table, actor: Actor, command: GiveToBot, context: DecisionContext
) -> list[Event]:
    check_started(table, "T-4")  # T-4
    if actor.seat is None:
        raise RuleViolation("not_a_seat", "T-4", "A seat must be named to be given to a bot.")
    seat = table.seats[actor.seat]
    if actor.host:
        idle = (
            not seat.bot
            and actor.seat in context.to_act
            and context.now - table.changed_at >= table.created.patience
        )
        if not seat.resigned and not idle:
            raise RuleViolation(
                "seat_not_idle", "T-4", "The seat has neither resigned nor kept the game waiting."
            )
    else:
        check_own_seat(table, actor, "T-4")
    if seat.bot and seat.level == command.level:
        raise RuleViolation("same_level", "T-4", "A bot of this level plays the seat.")
    return [SeatGivenToBot(actor.seat, command.level), *agreed_take_back(table, actor.seat)]


def _hand_over(
    table: Table, actor: Actor, command: HandOver, context: DecisionContext
) -> list[Event]:
    seat = check_own_seat(table, actor, "T-5")  # T-5
    if not table.seats[seat].filled:
        raise RuleViolation("seat_open", "T-5", "Nobody holds the seat.")
    if table.hand_over_count >= MAX_HAND_OVERS:
        raise RuleViolation(
            "too_often", "T-5", "Seats of this table have been handed over too often."
        )
    return [SeatHandedOver(seat, table.hand_over_count + 1, context.claim_code_hash)]


def _leave(table: Table, actor: Actor, command: Leave, context: DecisionContext) -> list[Event]:
    seat = check_own_seat(table, actor, "T-6")  # T-6
    if table.status != OPEN:
        raise RuleViolation("already_started", "T-6", "The game has started.")
    if not table.seats[seat].filled:
        raise RuleViolation("seat_open", "T-6", "Nobody holds the seat.")
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
    """Returns whether a decision is taken without a `RuleViolation`."""
    try:
        judge()
    except RuleViolation:
        return False
    return True
