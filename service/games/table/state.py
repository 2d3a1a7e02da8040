"""The table's state: seats, status, clocks, decisions, the result. Rules T-1 … T-14.

The table has the same form as a ruleset: `decide` judges a command and changes nothing, `proceed`
returns what happens by itself, `evolve` applies an event in place, `legal` lists exactly what
`decide` accepts. Of the game played on it the table knows only its seats and whether play has
ended.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

from ...rules.plain import Plain
from . import clocks as table_clocks
from .clocks import Clock
from .commands import Abandon, Start
from .events import FinalScored, GameCreated, UndoAsked

OPEN: Final = "open"
PLAYING: Final = "playing"
SCORING: Final = "scoring"
FINISHED: Final = "finished"
ABANDONED: Final = "abandoned"
STATUSES: Final = (OPEN, PLAYING, SCORING, FINISHED, ABANDONED)
HOST_COMMANDS: Final = (Start, Abandon)
"""The commands that only the host sends, for no seat."""
MAX_HAND_OVERS: Final = 10_000
"""How often the seats of a table may be handed over, all together (T-5)."""
NO_HASH: Final = "0" * 64
"""Stands where a hash is needed and no token or code has it."""


@dataclass(frozen=True, slots=True)
class Seat:
    """A seat. `token` is the hash of its holder's token, None while nobody holds it; `claim` the

    hash of the code that opens it, None while it is closed.
    """

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


class SentCommand(NamedTuple):
    """A game command as plain data, and the seat that sent it; None where time ran out (T-8)."""

    seat: int | None
    command: dict[str, Plain]


class Decision(NamedTuple):
    """An append that holds game commands: the version before it, the seats that sent them, whether

    it drew, what it added to the seats' clocks (ms), its commands in order, and whether several
    seats could act when it was made. A command sent because time ran out belongs to no seat.
    """

    version_before: int
    seats: frozenset[int]
    drew: bool
    gained: tuple[tuple[int, int], ...] = ()
    commands: tuple[SentCommand, ...] = ()
    simultaneous: bool = False

    @property
    def move(self) -> Plain:
        """The last command (`seat`, `command`)."""
        return self.commands[-1]._asdict() if self.commands else None


class Actor(NamedTuple):
    """Who sends a command: a seat, the host for no seat (`seat` None), or the host for a seat that

    is not its own.
    """

    seat: int | None
    host: bool = False


class DecisionContext(NamedTuple):
    """What a decision depends on beside the table: the time (ms since 1970), the seats that the

    game waits for, and the hash of the claim code under which a seat would be handed over.
    """

    now: int
    to_act: tuple[int, ...] = ()
    claim_code_hash: str = NO_HASH


@dataclass(slots=True)
class Table:
    """A table's state. Times are ms since 1970; `host`, `watch` are hashes of token and code.

    `clocks` has one clock for each seat, or none at all where the table has no deadline.
    `decisions` is a linked list, newest first: (the older ones, a `Decision`). `replays` are the
    commands that the take-back of the present append leaves standing, each with the version before
    it; empty once it is applied.
    """

    created: GameCreated
    seats: list[Seat]
    host: str
    watch: str | None
    ruleset_version: int
    status: str = OPEN
    next_draw: int = 0
    hand_over_count: int = 0
    created_at: int = 0
    changed_at: int = 0
    decisions: tuple[Any, ...] | None = None
    replays: tuple[tuple[int, SentCommand], ...] = ()
    take_back_request: UndoAsked | None = None
    take_back_agreed: frozenset[int] = frozenset()
    ended_by_rules: bool = False
    result: FinalScored | None = None
    reason: str | None = None
    clocks: tuple[Clock, ...] = ()
    chance_revealed: bool = False

    @property
    def chance_to_reveal(self) -> Any:
        """What an ending reveals of the chance: all that is sealed; None while other tables of a

        tournament still need it sealed (T-14).
        """
        return None if self.created.tournament is not None else self.created.sealed_chance

    @property
    def over(self) -> bool:
        """Whether the game is finished or abandoned."""
        return self.status in (FINISHED, ABANDONED)

    @property
    def recordable(self) -> bool:
        """Whether the game is over and its chance has been revealed."""
        return self.over and (self.chance_revealed or self.created.tournament is None)

    @property
    def id(self) -> str:
        return self.created.game

    @property
    def public(self) -> bool:
        return self.created.visibility == "public"

    @property
    def human_seats(self) -> frozenset[int]:
        """The seats that people play."""
        return frozenset(i for i, seat in enumerate(self.seats) if not seat.bot)

    @property
    def resigned(self) -> tuple[int, ...]:
        """The seats that resigned, ascending."""
        return tuple(i for i, seat in enumerate(self.seats) if seat.resigned)

    def clone(self) -> Table:
        """Returns an independent copy."""
        return replace(self, seats=list(self.seats))


def create_table(created: GameCreated, now: int) -> Table:
    """Returns the table that a creation makes at a time (ms since 1970)."""
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
        created_at=now,
        changed_at=now,
        clocks=table_clocks.new_clocks(created.deadline, len(seats)),
    )
