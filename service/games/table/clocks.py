"""Deadlines and clocks (T-8): a table's time limits, and how a seat's clock runs. Pure.

A clock runs from the end of an append on, for each person that the game waits for then. Times are
those in the record, so the clocks follow from the stream alone; rulesets never see them. Banks and
times are ms, times since 1970.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Final, NamedTuple

from ...bot_levels import DEFAULT, LEVELS
from ...rules.kinds import Maybe, OneOf, Whole
from ...rules.plain import Misshapen

BOT: Final = "bot"
RESIGN: Final = "resign"
PASSING: Final = "pass"
EXPIRY_ACTIONS: Final = (BOT, RESIGN, PASSING)
"""What may follow when a seat's time has run out: chosen at creation."""

MAX_SECONDS: Final = 30 * 24 * 3600
MAX_INCREMENT: Final = 24 * 3600
SECOND: Final = 1_000


@dataclass(frozen=True, slots=True)
class Deadline:
    """How long people may take, and what follows when one takes longer (T-8)."""

    on_expiry: Annotated[
        str, OneOf(EXPIRY_ACTIONS), "what follows: a bot plays on, the seat resigns, or passes"
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
    def initial_bank(self) -> int:
        """The time (ms) a seat begins with."""
        return (self.per_move_seconds or self.total_seconds or 0) * SECOND


class Clock(NamedTuple):
    """A seat's clock: the time (ms) left at the last append, and when it runs out (ms since 1970);

    `until` is None while the clock stands.
    """

    bank: int
    until: int | None = None


def validate_deadline(deadline: Deadline, passes: tuple[str, ...]) -> Deadline:
    """Returns the deadline with its level named. `passes` are the ruleset's commands that pass.

    Raises `Misshapen` ("/deadline…") where its members contradict each other or the game has no
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
        raise Misshapen("/deadline/on_expiry", "must be bot or resign: this game has no pass")
    return replace(deadline, level=deadline.level or DEFAULT)


def new_clocks(deadline: Deadline | None, seats: int) -> tuple[Clock, ...]:
    """Returns the clocks of a new table: none without a deadline."""
    return () if deadline is None else (Clock(deadline.initial_bank),) * seats


def time_left(clock: Clock, at: int) -> int:
    """Returns the time (ms) a clock has left at a time."""
    return clock.bank if clock.until is None else max(0, clock.until - at)


def clock_after_move(deadline: Deadline, clock: Clock, at: int) -> tuple[Clock, int]:
    """Returns the stopped clock of a seat that sent game commands, and the time (ms) it gained:

    the increment, or what was used of a move's time.
    """
    rest = time_left(clock, at)
    is_per_move = deadline.per_move_seconds is not None
    bank = deadline.initial_bank if is_per_move else rest + deadline.increment_seconds * SECOND
    return Clock(bank), bank - rest


def clock_at_append_end(deadline: Deadline, clock: Clock, at: int, is_to_act: bool) -> Clock:
    """Returns a clock at an append's end: it keeps running, starts, or stands."""
    rest = time_left(clock, at)
    if is_to_act:
        return Clock(rest, at + rest if clock.until is None else clock.until)
    if clock.until is not None and deadline.per_move_seconds is not None:
        return Clock(deadline.initial_bank)
    return Clock(rest)


def expired_clock(deadline: Deadline) -> Clock:
    """Returns the clock of a seat whose time has run out: of a total nothing is left."""
    return Clock(0 if deadline.per_move_seconds is None else deadline.initial_bank)


def clock_after_take_back(clock: Clock, gained: int) -> Clock:
    """Returns a clock after a move was taken back (T-7): it loses the time (ms) that the move

    gained; time spent thinking is not restored.
    """
    until = None if clock.until is None else clock.until - gained
    return Clock(max(0, clock.bank - gained), until)
