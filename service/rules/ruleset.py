"""The protocol that every game fulfils, and the few lines that run one.

Errors, as a tree:

    Misshapen        the data has no such form (see `plain`); independent of any state
    RuleViolation    well-shaped, but the rules forbid it in this state
    Stopped          not an error: a draw is due and the chance gives none (see `chance`)

Nothing else is raised for any input.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Final, Protocol, TypeVar

from .chance import Chance, Draw, Stopped
from .data import read
from .described import Command, Component, Event, parse
from .kinds import Maybe, Text, Whole
from .plain import Plain

S = TypeVar("S")

MAX_SEATS = 8


class RuleViolation(Exception):
    """A command that the rules forbid in this state.

    `code` is a stable snake_case word, `rule` the id of the rule, `detail` an English sentence.
    `template` and `facts` are what `detail` was made of, for other languages.
    """

    def __init__(self, code: str, rule: str, template: str, **facts: str | int) -> None:
        self.code = code
        self.rule = rule
        self.template = template
        self.facts = facts
        self.detail = template.format(**facts)
        super().__init__(f"{rule} {code}: {self.detail}")


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of a rule book: its id (as in refusals) and its text in English Markdown."""

    id: str
    text: str


def rule_book(package: str, name: str = "rules.json") -> tuple[Rule, ...]:
    """Returns the rules in a data file of a package, in its order."""
    return tuple(Rule(rule["id"], rule["text"]) for rule in read(package, name))


FOLLOWED: Final = ("text", "published", "both", "book")
"""What a reading may follow: the text, the published game, both, or this book alone."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How a rule reads its sources, where they differ or leave something open.

    `text` is what the text says that the rule book was written after, `published` what the
    published game says, or games of its family; None for nothing. `option` names the option that
    chooses, if there is one; `follows` is what holds by default (one of `FOLLOWED`).
    """

    rule: str
    text: str
    published: str | None
    option: str | None
    follows: str


def readings_of(package: str, name: str = "readings.json") -> tuple[Reading, ...]:
    """Returns the readings in a data file of a package, in its order."""
    return tuple(Reading(**reading) for reading in read(package, name))


@dataclass(frozen=True, slots=True)
class PlayEnded(Event):
    """Play is over; what is left is `score`. Every ruleset's `evolve` takes it and ends.

    Emitted by a ruleset's `proceed` with the rule that ends the game, or by the table with the
    seat that resigned.
    """

    type: ClassVar[str] = "play_ended"
    rule: Annotated[str, Text(16), "the rule by which play ended"]
    resigned: Annotated[int | None, Maybe(Whole(0, MAX_SEATS - 1)), "the seat that resigned"] = None


@dataclass(frozen=True, slots=True)
class Item:
    """One line of a seat's score: what for, how much, and the computation as plain data."""

    name: str
    points: int
    facts: Mapping[str, Plain]


@dataclass(frozen=True, slots=True)
class SeatScore:
    """A seat's result: the sum of its items; `rank` 1 is best and ties share the better rank.

    `tie_breaks` are the numbers compared after the total, in order, higher being better.
    """

    total: int
    rank: int
    items: tuple[Item, ...]
    tie_breaks: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Scoring:
    """The score of a state, per seat. Provisional unless `final` (play has ended)."""

    final: bool
    seats: tuple[SeatScore, ...]

    def plain(self) -> dict[str, Plain]:
        """Returns the scoring as plain data."""
        return {
            "final": self.final,
            "seats": [
                {
                    "seat": number,
                    "total": seat.total,
                    "rank": seat.rank,
                    "tie_breaks": list(seat.tie_breaks),
                    "items": [
                        {"name": item.name, "points": item.points, **item.facts}
                        for item in seat.items
                    ],
                }
                for number, seat in enumerate(self.seats)
            ],
        }


def ranked(
    final: bool, items: Sequence[Sequence[Item]], tie_breaks: Sequence[Sequence[int]] | None = None
) -> Scoring:
    """Returns the scoring of itemised seats: totals added up, ranks by total, then tie-breaks."""
    breaks = tie_breaks if tie_breaks is not None else [()] * len(items)
    keys = [
        (sum(item.points for item in lines), *others)
        for lines, others in zip(items, breaks, strict=True)
    ]
    return Scoring(
        final,
        tuple(
            SeatScore(key[0], 1 + sum(other > key for other in keys), tuple(lines), tuple(key[1:]))
            for key, lines in zip(keys, items, strict=True)
        ),
    )


class Ruleset(Protocol[S]):
    """A game's rules. Stateless: everything that happens is in the state that is handed about.

    `seats` lists the seat counts that can be played; `options` is a described class whose fields
    all have defaults; `commands` and `events` map type names to described classes, commands in
    the rule book's order. `rules` is the rule book; `components` what it plays with. `passes`
    names the commands by which a seat does nothing, if the rules know such. `earlier` has each
    earlier version that games may still be played under: the options, by name and in plain form,
    with which this version plays exactly like that one (see `options_of`). `readings` tells how
    the rule book reads its sources.
    """

    id: str
    title: str
    version: int
    seats: tuple[int, ...]
    options: type
    commands: Mapping[str, type[Command]]
    events: Mapping[str, type[Event]]
    components: tuple[Component, ...]
    rules: tuple[Rule, ...]
    readings: tuple[Reading, ...] = ()
    passes: tuple[str, ...] = ()
    earlier: Mapping[int, Mapping[str, Plain]] = MappingProxyType({})

    def initial(self, seats: int, options: Any) -> S:
        """Returns the state before the set-up. Draws nothing.

        Raises `Misshapen` ("/seats" or "/options/…") where seats and options do not fit.
        """
        ...

    def decide(self, state: S, seat: int, command: Command) -> list[Event]:
        """Returns what the command itself states; changes and draws nothing.

        Raises `RuleViolation` for every command that `legal` does not list. Never anything else.
        """
        ...

    def proceed(self, state: S, chance: Chance) -> list[Event]:
        """Returns the next step that happens by itself, with at most one draw.

        [] when a seat must act or all is over. Raises `Stopped` when the chance gives no draw,
        the state being as it was.
        """
        ...

    def evolve(self, state: S, event: Event) -> None:
        """Applies the event in place. Total: never draws, never raises for an event that was."""
        ...

    def to_act(self, state: S) -> tuple[int, ...]:
        """Returns the seats that the game waits for, ascending; empty when a draw is due or all is

        over. Each of them has a legal command.
        """
        ...

    def legal(self, state: S, seat: int) -> list[Command]:
        """Returns exactly the commands that `decide` accepts, in canonical order, none twice.

        Canonical: by the rule book's command table, then field by field; numbers ascend, null
        first, ids in data order. While the game waits for other seats, a seat may have commands
        too, which nobody waits for; while it waits for no seat, none has any.
        """
        ...

    def over(self, state: S) -> bool:
        """Returns whether play has ended."""
        ...

    def view(self, state: S) -> dict[str, Plain]:
        """Returns all that may be seen, as plain data that shares nothing with the state."""
        ...

    def score(self, state: S) -> Scoring:
        """Returns the itemised score as if play ended now; `final` when it has. Never raises."""
        ...

    def clone(self, state: S) -> S:
        """Returns an independent copy, cheaply."""
        ...

    def describe_command(
        self, name: str, command: Mapping[str, Plain], state: S | None, seat: int | None
    ) -> Mapping[str, Plain]:
        """Returns the plain form of a command, by the name of its type, as its text is to say it.

        Words (`Detail`, or a list of them) may stand where a number or an id says little. `state`
        and `seat` are those of the command, None where they are not known; a range of numbers
        (`min`, `max`) may stand for a number.
        """
        return command


AnyRuleset = Ruleset[Any]


def options_of(ruleset: AnyRuleset, version: int, given: Plain, pointer: str = "") -> Any:
    """Returns the options of a game that was begun under a version of its ruleset.

    What an earlier version did not know is as that version played; a version that the ruleset does
    not know is read like the present one. Raises `Misshapen` as `plain.parse` does.
    """
    if isinstance(given, dict):
        given = {**ruleset.earlier.get(version, {}), **given}
    return parse(ruleset.options, given, pointer)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What running came to: the events in order, the draws made, and where it stopped, if so."""

    events: tuple[Event, ...]
    draws: tuple[Draw, ...]
    stopped: Stopped | None = None


def start(ruleset: Ruleset[S], seats: int, options: Any, chance: Chance) -> tuple[S, Outcome]:
    """Sets a game up: the initial state, advanced. Raises `Misshapen` as `initial` does."""
    state = ruleset.initial(seats, options)
    return state, advance(ruleset, state, chance)


def advance(ruleset: Ruleset[S], state: S, chance: Chance) -> Outcome:
    """Lets happen what happens by itself, in place, until a seat must act, all is over or the

    chance stops. A stopped state stands right before the draw and can be advanced later.
    """
    return _advanced(ruleset, state, chance, [])


def run(ruleset: Ruleset[S], state: S, seat: int, command: Command, chance: Chance) -> Outcome:
    """Judges a command and carries it out in place, with all that follows by itself.

    Raises `RuleViolation`, the state being as it was.
    """
    decided = ruleset.decide(state, seat, command)
    for event in decided:
        ruleset.evolve(state, event)
    return _advanced(ruleset, state, chance, decided)


def _advanced(ruleset: Ruleset[S], state: S, chance: Chance, happened: Iterable[Event]) -> Outcome:
    """Advances, and tells what happened before with what happens then."""
    first = len(chance.draws)
    events = [*happened]
    stopped = None
    try:
        while step := ruleset.proceed(state, chance):
            for event in step:
                ruleset.evolve(state, event)
            events += step
    except Stopped as stop:
        stopped = stop
    return Outcome(tuple(events), tuple(chance.draws[first:]), stopped)


@functools.cache
def rulesets() -> Mapping[str, AnyRuleset]:
    """Returns every ruleset by id, alphabetically: each package beside this module brings one

    as `RULESET`.
    """
    package = __package__ or ""
    found: dict[str, AnyRuleset] = {}
    for module in pkgutil.iter_modules(importlib.import_module(package).__path__):
        if module.ispkg:
            ruleset = importlib.import_module(f"{package}.{module.name}").RULESET
            found[ruleset.id] = ruleset
    return dict(sorted(found.items()))
