"""A game just big enough to try the protocol, its helpers and its law checks on.

*Pebbles.* A bag holds red and blue pebbles. One lies in the middle; the seat whose turn it is
takes it into a hole or, once, throws it away; then the next one is drawn. A hole holds one colour
only. Play ends when the bag is empty and the middle too. A pebble scores 1, a hole of three 2 more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, ClassVar

from service.rules.chance import Chance
from service.rules.described import Command, Component, Event
from service.rules.kinds import Counts, Flag, Many, Maybe, OneOf, Whole
from service.rules.plain import Misshapen, Plain
from service.rules.ruleset import Item, PlayEnded, Rule, Ruleset, RuleViolation, Scoring, ranked

COLOURS = ("red", "blue")
HOLES = 3


@dataclass(frozen=True, slots=True)
class Options:
    """How many pebbles there are; whether one may be thrown away."""

    pebbles: Annotated[tuple[tuple[str, int], ...], Counts(COLOURS, 0, 20), "pebbles by colour"] = (
        ("red", 4),
        ("blue", 3),
    )
    throwing: Annotated[bool, Flag(), "whether a seat may throw a pebble away once"] = True


@dataclass(frozen=True, slots=True)
class Take(Command):
    """Take the pebble of the middle into a hole."""

    type: ClassVar[str] = "take"
    rule: ClassVar[str] = "P-2"
    text: ClassVar[str] = "Take {colour} into hole {hole}."
    colour: Annotated[str, OneOf(COLOURS), "the pebble's colour"]
    hole: Annotated[int | None, Maybe(Whole(0, 9)), "the hole; null: the first that fits"] = None


@dataclass(frozen=True, slots=True)
class Throw(Command):
    """Throw the pebble of the middle away."""

    type: ClassVar[str] = "throw"
    rule: ClassVar[str] = "P-3"
    text: ClassVar[str] = "Throw the pebble away."


@dataclass(frozen=True, slots=True)
class Drawn(Event):
    """A pebble came out of the bag."""

    type: ClassVar[str] = "drawn"
    colour: Annotated[str, OneOf(COLOURS), "what came"]


@dataclass(frozen=True, slots=True)
class Taken(Event):
    """A seat took the pebble; `held` is the hole's content after that, by colour."""

    type: ClassVar[str] = "taken"
    seat: Annotated[int, Whole(0, 7), "the seat"]
    hole: Annotated[int, Whole(0, HOLES - 1), "the hole"]
    held: Annotated[tuple[str, ...], Many(OneOf(COLOURS), 40), "what the hole holds now"]


@dataclass(frozen=True, slots=True)
class Thrown(Event):
    """A seat threw the pebble away."""

    type: ClassVar[str] = "thrown"
    seat: Annotated[int, Whole(0, 7), "the seat"]


@dataclass(slots=True)
class State:
    """Pebbles in the bag by colour, the one in the middle, each seat's holes, who has thrown."""

    bag: list[int]
    holes: list[list[list[str]]]
    thrown: list[bool] = field(default_factory=list)
    middle: str | None = None
    turn: int = 0
    throwing: bool = True
    ended: bool = False


class Pebbles(Ruleset[State]):
    """The ruleset."""

    id = "pebbles"
    title = "Pebbles"
    version = 1
    seats: tuple[int, ...] = (2, 3)
    options: type = Options
    commands: Mapping[str, type[Command]] = {"take": Take, "throw": Throw}
    events: Mapping[str, type[Event]] = {
        "drawn": Drawn,
        "taken": Taken,
        "thrown": Thrown,
        "play_ended": PlayEnded,
    }
    components: tuple[Component, ...] = tuple(
        Component("pebble", colour, {"en": colour, "pt": colour, "fr": colour}, {})
        for colour in COLOURS
    )
    rules: tuple[Rule, ...] = (
        Rule("P-1", "A pebble is drawn whenever the middle is empty."),
        Rule("P-2", "A hole holds **one** colour."),
        Rule("P-2.1", "Without a hole, the first that fits."),
        Rule("P-3", "A seat may throw one pebble away, and any that fits nowhere."),
        Rule("P-4", "Play ends with the last pebble."),
    )
    passes: tuple[str, ...] = ("throw",)

    def initial(self, seats: int, options: Options) -> State:
        pebbles = dict(options.pebbles)
        if seats not in self.seats:
            raise Misshapen("/seats", "must be 2 or 3")
        return State(
            [pebbles.get(colour, 0) for colour in COLOURS],
            [[[] for _ in range(HOLES)] for _ in range(seats)],
            [False] * seats,
            throwing=options.throwing,
        )

    def decide(self, state: State, seat: int, command: Command) -> list[Event]:
        if state.ended or state.middle is None:
            raise RuleViolation("game_over", "P-4", "Play has ended.")
        if seat != state.turn:
            raise RuleViolation(
                "not_your_turn", "P-2", "It is seat {seat}'s turn.", seat=state.turn
            )
        if isinstance(command, Throw):
            if not self._may_throw(state):
                raise RuleViolation("no_throw", "P-3", "The seat may not throw a pebble away.")
            return [Thrown(seat)]
        assert isinstance(command, Take)
        fitting = self._fitting(state)
        if command.colour != state.middle:
            raise RuleViolation("other_colour", "P-2", "A {c} pebble lies there.", c=state.middle)
        if not fitting or (command.hole is not None and command.hole not in fitting):
            raise RuleViolation("hole_unfit", "P-2", "The pebble fits into no such hole.")
        hole = fitting[0] if command.hole is None else command.hole
        return [Taken(seat, hole, (*state.holes[seat][hole], command.colour))]

    def proceed(self, state: State, chance: Chance) -> list[Event]:
        if state.ended or state.middle is not None:
            return []
        if not any(state.bag):
            return [PlayEnded("P-4")]
        return [Drawn(COLOURS[chance.pick(COLOURS, state.bag)])]

    def evolve(self, state: State, event: Event) -> None:
        match event:
            case Drawn(colour):
                state.middle = colour
                state.bag[COLOURS.index(colour)] -= 1
            case Taken(seat, hole, held):
                state.holes[seat][hole] = list(held)
                self._next(state)
            case Thrown(seat):
                state.thrown[seat] = True
                self._next(state)
            case _:
                state.ended = True

    def to_act(self, state: State) -> tuple[int, ...]:
        return () if state.ended or state.middle is None else (state.turn,)

    def legal(self, state: State, seat: int) -> list[Command]:
        if seat not in self.to_act(state) or state.middle is None:
            return []
        fitting = self._fitting(state)
        takes: list[Command] = [
            Take(state.middle, hole) for hole in ([None, *fitting] if fitting else [])
        ]
        return takes + [Throw()] * self._may_throw(state)

    def over(self, state: State) -> bool:
        return state.ended

    def view(self, state: State) -> dict[str, Plain]:
        return {
            "bag": dict(zip(COLOURS, state.bag, strict=True)),
            "middle": state.middle,
            "turn": state.turn,
            "seats": [
                {"holes": [list(hole) for hole in holes], "thrown": thrown}
                for holes, thrown in zip(state.holes, state.thrown, strict=True)
            ],
        }

    def score(self, state: State) -> Scoring:
        return ranked(
            state.ended,
            [
                [
                    Item("pebbles", sum(map(len, holes)), {"held": [len(hole) for hole in holes]}),
                    Item("threes", 2 * sum(len(hole) >= 3 for hole in holes), {}),
                ]
                for holes in state.holes
            ],
            [[-int(thrown)] for thrown in state.thrown],
        )

    def clone(self, state: State) -> State:
        return State(
            list(state.bag),
            [[list(hole) for hole in holes] for holes in state.holes],
            list(state.thrown),
            state.middle,
            state.turn,
            state.throwing,
            state.ended,
        )

    def _next(self, state: State) -> None:
        state.middle = None
        state.turn = (state.turn + 1) % len(state.holes)

    def _may_throw(self, state: State) -> bool:
        unused = state.throwing and not state.thrown[state.turn]
        return unused or not self._fitting(state)

    def _fitting(self, state: State) -> list[int]:
        holes = state.holes[state.turn]
        return [i for i, hole in enumerate(holes) if not hole or hole[0] == state.middle]


PEBBLES = Pebbles()
