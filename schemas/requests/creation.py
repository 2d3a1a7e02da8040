"""What clients send to lay tables; of each ruleset when first asked, from its descriptions."""

from __future__ import annotations

from typing import Any, Final

from marshmallow import Schema, ValidationError, fields

from service.games.table.clocks import EXPIRY_ACTIONS, MAX_SECONDS, PASSING, RESIGN, Deadline
from service.games.table.events import MAX_BOT_DELAY, MAX_TABLES, NAME, START_MODES, VISIBILITIES
from service.levels import DEFAULT, LEVELS
from service.rules.plain import Detail, Flag, Maybe, OneOf, Structure, Whole
from service.rules.ruleset import MAX_SEATS, AnyRuleset, rulesets

from ..described_fields import Described
from ..fields import OUTCOMES, Choice, Strict, documentation, options_field
from ..json_schema import Json, class_schema, component_name, kind_schema

ORDERS: Final = ("rotated", "same")


class HumanSeat(Strict):
    """A seat that somebody claims with its code."""

    kind = Described(OneOf(("human",)), required=True)
    name = Described(
        Maybe(NAME), load_default=None, metadata=documentation("shown until it is claimed")
    )


class BotSeat(Strict):
    """A seat that a bot plays."""

    kind = Described(OneOf(("bot",)), required=True)
    name = Described(Maybe(NAME), load_default=None, metadata=documentation("the name shown"))
    level = Described(
        OneOf(LEVELS), load_default=DEFAULT, metadata=documentation("how well the bot plays")
    )


class SeatChoice(Choice):
    """A seat as its host plans it."""

    def __init__(self) -> None:
        super().__init__("kind", {"human": HumanSeat(), "bot": BotSeat()})


class ArrangedChance(Strict):
    """Chance given as a list, for puzzles and lessons. The game is marked as arranged."""

    outcomes = Described(
        OUTCOMES,
        required=True,
        metadata=documentation("what comes, in the order of the draws: ids of things, or numbers"),
    )


class ForkGame(Strict):
    """A branch to be laid."""

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
            "description": "other seats, as many as the game has, people's to be claimed; null: "
            "bots stay bots, and the caller holds all other seats",
            "maxItems": MAX_SEATS,
        },
    )
    visibility = Described(
        Maybe(OneOf(VISIBILITIES)),
        load_default=None,
        metadata=documentation(
            "who may read; null: as the game. A private game's branch is private"
        ),
    )
    start = Described(
        OneOf(START_MODES),
        load_default="full",
        metadata=documentation("what starts the branch: the last claim, or the host's command"),
    )


class AskRematch(Strict):
    """The same table again."""

    seats = Described(
        OneOf(ORDERS),
        load_default="rotated",
        metadata=documentation(
            "the order of the seats: moved up by one, so that another begins; or same"
        ),
    )


class CreateGame(Choice):
    """A table to be laid."""

    def __init__(self) -> None:
        branches = {name: _creation(ruleset)() for name, ruleset in rulesets().items()}
        super().__init__("ruleset", branches)


class CreateTournament(Choice):
    """Tables of a tournament to be laid."""

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
                metadata=documentation("how many tables there are"),
            ),
            "advice": Described(
                Flag(),
                load_default=False,
                metadata=documentation(
                    "whether seats may ask for a bot's advice (T-9); here they may not"
                ),
            ),
            "visibility": Described(
                OneOf(VISIBILITIES),
                load_default="private",
                metadata=documentation(
                    "who may read; who sees one table knows what may come at another"
                ),
            ),
        },
        name=component_name("create", ruleset.id, "tournament"),
    )


def _creation(ruleset: AnyRuleset) -> type[Schema]:
    return Strict.from_dict(_creation_fields(ruleset), name=component_name("create", ruleset.id))


def _creation_fields(ruleset: AnyRuleset) -> dict[str, fields.Field[Any]]:
    """Returns the fields with which a table is laid."""
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
            metadata=documentation(
                "how long people may take (T-8); without it, as long as they like"
            ),
        ),
        "bot_delay": Described(
            Whole(0, MAX_BOT_DELAY),
            load_default=0,
            metadata=documentation(
                "ms at least between a bot's move and the event before it (T-4)"
            ),
        ),
        "advice": Described(
            Flag(),
            load_default=True,
            metadata=documentation("whether seats may ask for a bot's advice (T-9)"),
        ),
        "visibility": Described(
            OneOf(VISIBILITIES),
            load_default="public",
            metadata=documentation("who may read: anyone, or the table and who has the watch code"),
        ),
        "start": Described(
            OneOf(START_MODES),
            load_default="full",
            metadata=documentation("what starts the game: the last claim, or the host's command"),
        ),
        "chance": fields.Nested(
            ArrangedChance(),
            load_default=None,
            metadata=documentation("arranged chance; else sealed"),
        ),
    }


def deadline_schema(ruleset: AnyRuleset) -> Json:
    """Returns the JSON Schema of a deadline that fits a ruleset: one form for each sort of time

    and for what may follow, since their members depend on each other.
    """
    known = class_schema(Deadline)["properties"]
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
                **known,
                **{
                    name: {**schema, "description": known[name]["description"]}
                    for name, schema in {**time, **level}.items()
                },
                "on_expiry": {**known["on_expiry"], "enum": list(names)},
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
            shown = ", ".join(map(str, self.counts))
            raise ValidationError([Detail("must be so many seats: {counts}", counts=shown)])
