"""The table: seats, start, resigning, handing over, taking back, the end. Rules T-1 … T-11.

In the same form as a ruleset: `decide` judges and changes nothing, `proceed` says what happens by
itself, `evolve` applies in place, `legal` lists exactly what `decide` accepts. The table knows
nothing of the game played on it but its seats and whether play has ended.

A command is sent by a *party*: a seat, or the host without a seat (seat None), or the host for a
seat that is not its own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

from ...rules.plain import Plain
from . import clocks as table_clocks
from .clocks import Clock
from .commands import (
    Abandon,
    Start,
)
from .events import (
    FinalScored,
    GameCreated,
    UndoAsked,
)

OPEN: Final = "open"
PLAYING: Final = "playing"
SCORING: Final = "scoring"
FINISHED: Final = "finished"
ABANDONED: Final = "abandoned"
STATUSES: Final = (OPEN, PLAYING, SCORING, FINISHED, ABANDONED)
HOSTS_OWN: Final = (Start, Abandon)
"""The commands that only the host sends, for no seat."""
MAX_HAND_OVERS: Final = 10_000
NO_CODE: Final = "0" * 64


@dataclass(frozen=True, slots=True)
class Seat:
    """A seat. `token` is None while nobody has it; `claim` is the code that opens it, if any."""

    kind: str
    name: str | None = None
    level: str | None = None
    token: str | None = None
    claim: str | None = None
    entropy: str = ""
    resigned: bool = False

    @property
    def bot(self) -> bool:
        return self.kind == "bot"

    @property
    def filled(self) -> bool:
        return self.bot or self.token is not None


class Decision(NamedTuple):
    """An append that holds game commands: from which version on, whose, whether it drew, what it

    gained for the clocks of seats (ms), and its last command as a move (`seat`, `command`). A
    command that time sent is nobody's.
    """

    before: int
    seats: frozenset[int]
    drew: bool
    gained: tuple[tuple[int, int], ...] = ()
    move: Plain = None


class Actor(NamedTuple):
    """Who sends a command: for which seat (None: for none), and whether as the host."""

    seat: int | None
    host: bool = False


class DecisionContext(NamedTuple):
    """When a command is judged (ms), which seats the game waits for, and the hash of the claim

    code that a seat would be handed over under.
    """

    now: int
    waiting: tuple[int, ...] = ()
    code: str = NO_CODE


@dataclass(slots=True)
class Table:
    """A table's state. Times are ms since 1970. `clocks` has one for each seat, or none at all

    where the table knows no deadline.
    """

    created: GameCreated
    seats: list[Seat]
    host: str
    watch: str | None
    law: int
    status: str = OPEN
    next_draw: int = 0
    hand_overs: int = 0
    since: int = 0
    moved: int = 0
    decisions: tuple[Any, ...] | None = None
    asked: UndoAsked | None = None
    agreed: frozenset[int] = frozenset()
    law_ended: bool = False
    final: FinalScored | None = None
    reason: str | None = None
    clocks: tuple[Clock, ...] = ()
    revealed: bool = False

    @property
    def shown(self) -> Any:
        """What an ending shows of the chance: all that is sealed; None while it is sealed for other

        tables too (T-14).
        """
        return None if self.created.tournament is not None else self.created.sealed_chance

    @property
    def over(self) -> bool:
        """Whether the game has its result, or never will."""
        return self.status in (FINISHED, ABANDONED)

    @property
    def recordable(self) -> bool:
        """Whether the game is over and its chance is shown."""
        return self.over and (self.revealed or self.created.tournament is None)

    @property
    def id(self) -> str:
        return self.created.game

    @property
    def public(self) -> bool:
        return self.created.visibility == "public"

    @property
    def people(self) -> frozenset[int]:
        """The seats that people play."""
        return frozenset(i for i, seat in enumerate(self.seats) if not seat.bot)

    @property
    def resigned(self) -> tuple[int, ...]:
        return tuple(i for i, seat in enumerate(self.seats) if seat.resigned)

    def clone(self) -> Table:
        """Returns an independent copy."""
        return replace(self, seats=list(self.seats))


def create_table(created: GameCreated, now: int) -> Table:
    """Returns the table that was laid at a time."""
    seats = [
        Seat(plan.kind, plan.name, plan.level, claim=claim)
        for plan, claim in zip(created.seats, created.claims, strict=True)
    ]
    return Table(
        created,
        seats,
        created.host,
        created.watch,
        created.law,
        since=now,
        moved=now,
        clocks=table_clocks.new_clocks(created.deadline, len(seats)),
    )
