"""Creation of games, tournaments, branches and rematches, with a schema for each ruleset."""

from __future__ import annotations

from typing import Any, Final

from marshmallow import Schema, ValidationError, fields

from service.bot_levels import DEFAULT, LEVELS
from service.games.table.clocks import EXPIRY_ACTIONS, MAX_SECONDS, PASSING, RESIGN, Deadline
from service.games.table.events import MAX_BOT_DELAY, MAX_TABLES, NAME, START_MODES, VISIBILITIES
from service.rules.described import Structure
from service.rules.kinds import Flag, Maybe, OneOf, Whole
from service.rules.plain import Detail
from service.rules.ruleset import MAX_SEATS, AnyRuleset, rulesets

from ..described_fields import Described
from ..fields import OUTCOMES, Choice, Strict, documentation, options_field
from ..json_schema import Json, class_schema, component_name, kind_schema

ORDERS: Final = ("rotated", "same")


class HumanSeat(Strict):
    """A seat that a person claims with its code."""

    kind = Described(OneOf(("human",)), required=True)
    name = Described(
        Maybe(NAME),
        load_default=None,
        metadata=documentation("the name shown until the seat is claimed"),
    )


class BotSeat(Strict):
    """A seat that a bot plays."""

    kind = Described(OneOf(("bot",)), required=True)
    name = Described(Maybe(NAME), load_default=None, metadata=documentation("the name shown"))
    level = Described(
        OneOf(LEVELS), load_default=DEFAULT, metadata=documentation("how well the bot plays")
    )


class SeatChoice(Choice):
    """A seat of the new table."""

    def __init__(self) -> None:
        super().__init__("kind", {"human": HumanSeat(), "bot": BotSeat()})


class ArrangedChance(Strict):
    """Chance given as a list, for puzzles and lessons. The game is marked as arranged."""

    outcomes = Described(
        OUTCOMES,
        required=True,
        metadata=documentation(
            "the outcomes in the order of the draws: ids of components, or numbers"
        ),
    )


class ForkGame(Strict):
    """The branch to create."""

    version = Described(
        Maybe(Whole(1, 10**9)),
        load_default=None,
        metadata=documentation("the version to branch off at; null: the newest"),
    )
    seats = fields.List(
        fields.Nested(SeatChoice()),
        load_default=None,
        allow_none=True,
        metadata={
            "description": "new seats, as many as the game has, people's seats to be claimed; "
            "null: bots stay bots, and the caller holds all other seats",
            "maxItems": MAX_SEATS,
        },
    )
    visibility = Described(
        Maybe(OneOf(VISIBILITIES)),
        load_default=None,
        metadata=documentation(
            "who may read the branch; null: as for the game. Branches of private games are private"
        ),
    )
    start = Described(
        OneOf(START_MODES),
        load_default="full",
        metadata=documentation("what starts the branch: the last claim, or the host's command"),
    )


class AskRematch(Strict):
    """How a rematch is created."""

    seats = Described(
        OneOf(ORDERS),
        load_default="rotated",
        metadata=documentation(
            "the order of the seats: rotated by one, so that another seat begins, or the same"
        ),
    )


class CreateGame(Choice):
    """The game to create."""

    def __init__(self) -> None:
        branches = {name: _creation(ruleset)() for name, ruleset in rulesets().items()}
        super().__init__("ruleset", branches)


class CreateTournament(Choice):
    """The tournament to create."""

    def __init__(self) -> None:
        branches = {name: _tournament(ruleset)() for name, ruleset in rulesets().items()}
        super().__init__("ruleset", branches)


def _tournament(ruleset: AnyRuleset) -> type[Schema]:
    return Strict.from_dict(
        {
            **_creation_fields(ruleset),
            "tables": Described(
                Whole(1, MAX_TABLES),
                required=True,
                metadata=documentation("the number of tables"),
            ),
            "advice": Described(
                Flag(),
                load_default=False,
                metadata=documentation(
                    "whether seats may request a bot's advice (T-9); by default not in tournaments"
                ),
            ),
            "visibility": Described(
                OneOf(VISIBILITIES),
                load_default="private",
                metadata=documentation(
                    "who may read the tables; whoever sees one knows the chance of the others"
                ),
            ),
        },
        name=component_name("create", ruleset.id, "tournament"),
    )


def _creation(ruleset: AnyRuleset) -> type[Schema]:
    return Strict.from_dict(_creation_fields(ruleset), name=component_name("create", ruleset.id))


def _creation_fields(ruleset: AnyRuleset) -> dict[str, fields.Field[Any]]:
    """Returns the fields that create a game of a ruleset."""
    return {
        "ruleset": Described(OneOf((ruleset.id,)), required=True),
        "options": options_field(ruleset),
        "seats": fields.List(
            fields.Nested(SeatChoice()),
            required=True,
            validate=_SeatCount(ruleset.seats),
            metadata={
                "description": "the seats in the order of play",
                "minItems": min(ruleset.seats),
                "maxItems": max(ruleset.seats),
            },
        ),
        "deadline": Described(
            Maybe(Structure(Deadline)),
            load_default=None,
            documented=deadline_schema(ruleset),
            metadata=documentation("how long people may take (T-8); null: no limit"),
        ),
        "bot_delay": Described(
            Whole(0, MAX_BOT_DELAY),
            load_default=0,
            metadata=documentation("minimum ms between a bot's move and the event before it (T-4)"),
        ),
        "advice": Described(
            Flag(),
            load_default=True,
            metadata=documentation("whether seats may request a bot's advice (T-9)"),
        ),
        "visibility": Described(
            OneOf(VISIBILITIES),
            load_default="public",
            metadata=documentation(
                "who may read the game: anyone, or the table and holders of the watch code"
            ),
        ),
        "start": Described(
            OneOf(START_MODES),
            load_default="full",
            metadata=documentation("what starts the game: the last claim, or the host's command"),
        ),
        "chance": fields.Nested(
            ArrangedChance(),
            load_default=None,
            metadata=documentation("arranged chance; null: sealed chance"),
        ),
    }


def deadline_schema(ruleset: AnyRuleset) -> Json:
    """Returns the JSON Schema of a ruleset's deadlines: one form for each kind of time and of

    consequence, since their members depend on each other.
    """
    properties = class_schema(Deadline)["properties"]
    following = [each for each in EXPIRY_ACTIONS if each != PASSING or ruleset.passes]
    null, zero = {"type": "null"}, {"type": "integer", "enum": [0]}
    seconds = kind_schema(Whole(1, MAX_SECONDS))
    times: tuple[Json, ...] = (
        {"per_move_seconds": seconds, "total_seconds": null, "increment_seconds": zero},
        {"total_seconds": seconds, "per_move_seconds": null},
    )
    levels: dict[tuple[str, ...], Json] = {
        tuple(each for each in following if each != RESIGN): {},
        (RESIGN,): {"level": null},
    }
    forms = [
        {
            "type": "object",
            "title": component_name(next(iter(time)).removesuffix("_seconds"), "then", names[0]),
            "properties": {
                **properties,
                **{
                    name: {**schema, "description": properties[name]["description"]}
                    for name, schema in {**time, **level}.items()
                },
                "on_expiry": {**properties["on_expiry"], "enum": list(names)},
            },
            "required": ["on_expiry", next(iter(time))],
            "additionalProperties": False,
        }
        for time in times
        for names, level in levels.items()
    ]
    return {"anyOf": [*forms, null]}


class _SeatCount:
    def __init__(self, counts: tuple[int, ...]) -> None:
        self.counts = counts

    def __call__(self, seats: list[Any]) -> None:
        if len(seats) not in self.counts:
            counts = ", ".join(map(str, self.counts))
            raise ValidationError(
                [Detail("must have one of these numbers of seats: {counts}", counts=counts)]
            )
