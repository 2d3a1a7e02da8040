"""Deadlines (T-8): what a table was laid with, and how its seats' clocks run. Pure.

A clock runs from the end of an append on, for each person that the game waits for then. Times are
those in the record, so the clocks follow from the stream alone; rulesets never see them. Banks and
times are ms, times since 1970.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Final, NamedTuple

from ...levels import DEFAULT, LEVELS
from ...rules.plain import Maybe, Misshapen, OneOf, Whole

BOT: Final = "bot"
RESIGN: Final = "resign"
PASSING: Final = "pass"
FOLLOWING: Final = (BOT, RESIGN, PASSING)
"""What may follow when a seat's time has run out."""

MAX_SECONDS: Final = 30 * 24 * 3600
MAX_INCREMENT: Final = 24 * 3600
SECOND: Final = 1_000


@dataclass(frozen=True, slots=True)
class Deadline:
    """How long people may take, and what follows when one takes longer (T-8)."""

    on_expiry: Annotated[
        str, OneOf(FOLLOWING), "what follows: a bot plays on, the seat resigns, or passes"
    ]
    per_move_seconds: Annotated[
        int | None, Maybe(Whole(1, MAX_SECONDS)), "for each command of the game"
    ] = None
    total_seconds: Annotated[
        int | None, Maybe(Whole(1, MAX_SECONDS)), "for the whole game, instead"
    ] = None
    increment_seconds: Annotated[
        int, Whole(0, MAX_INCREMENT), "added to a total with each command of the game"
    ] = 0
    level: Annotated[
        str | None,
        Maybe(OneOf(LEVELS)),
        "the level of the bot that plays on: at once, or where a seat can't pass",
    ] = None

    @property
    def full(self) -> int:
        """What a seat has at first (ms)."""
        return (self.per_move_seconds or self.total_seconds or 0) * SECOND


class Clock(NamedTuple):
    """A seat's time: what was left of it at the last event, and when that is used up; `until` is

    None while the clock stands.
    """

    bank: int
    until: int | None = None


def validate_deadline(deadline: Deadline, passes: tuple[str, ...]) -> Deadline:
    """Returns the deadline with its level named. `passes` are the ruleset's commands that pass.

    Raises `Misshapen` ("/deadline…") where its members do not fit together or the game knows no
    pass.
    """
    if (deadline.per_move_seconds is None) == (deadline.total_seconds is None):
        raise Misshapen("/deadline", "must have either per_move_seconds or total_seconds")
    if deadline.total_seconds is None and deadline.increment_seconds:
        raise Misshapen("/deadline/increment_seconds", "goes with total_seconds only")
    if deadline.on_expiry == RESIGN:
        if deadline.level is not None:
            raise Misshapen("/deadline/level", "does not go with resign")
        return deadline
    if deadline.on_expiry == PASSING and not passes:
        raise Misshapen("/deadline/on_expiry", "must be bot or resign: this game knows no pass")
    return replace(deadline, level=deadline.level or DEFAULT)


def new_clocks(deadline: Deadline | None, seats: int) -> tuple[Clock, ...]:
    """Returns the clocks of a new table: none without a deadline."""
    return () if deadline is None else (Clock(deadline.full),) * seats


def time_left(clock: Clock, at: int) -> int:
    """Returns what is left of a clock's bank at a time."""
    return clock.bank if clock.until is None else max(0, clock.until - at)


def after_move(deadline: Deadline, clock: Clock, at: int) -> tuple[Clock, int]:
    """Returns the clock, standing, of a seat that sent commands of the game, and what it gained:

    the increment, or what was missing of a move's time.
    """
    rest = time_left(clock, at)
    by_move = deadline.per_move_seconds is not None
    bank = deadline.full if by_move else rest + deadline.increment_seconds * SECOND
    return Clock(bank), bank - rest


def at_append_end(deadline: Deadline, clock: Clock, at: int, waited_for: bool) -> Clock:
    """Returns a clock at an append's end: it runs on, begins to run, or stands."""
    rest = time_left(clock, at)
    if waited_for:
        return Clock(rest, at + rest if clock.until is None else clock.until)
    if clock.until is not None and deadline.per_move_seconds is not None:
        return Clock(deadline.full)
    return Clock(rest)


def expired_clock(deadline: Deadline) -> Clock:
    """Returns the clock of a seat whose time has run out: nothing is left of a total."""
    return Clock(0 if deadline.per_move_seconds is None else deadline.full)


def after_take_back(clock: Clock, gained: int) -> Clock:
    """Returns a clock after a move was taken back (T-7): what the move gained goes, and what was

    thought does not come back.
    """
    until = None if clock.until is None else clock.until - gained
    return Clock(max(0, clock.bank - gained), until)
