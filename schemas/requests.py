"""What clients send. The schemas of a ruleset are built from its descriptions when first asked."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from marshmallow import RAISE, Schema, ValidationError, fields

from service.games.addresses import URL, target
from service.games.commands import COMMANDS
from service.games.deadlines import FOLLOWING, MOST_SECONDS, PASSING, RESIGN, Deadline
from service.games.events import MOST_BOT_DELAY, MOST_TABLES, NAME, STARTS, VISIBILITIES
from service.games.table import STATUSES
from service.games.telling import TYPES, secret_bytes
from service.levels import DEFAULT, LEVELS, SEARCHING
from service.rules.plain import (
    Command,
    Detail,
    Either,
    Flag,
    Kind,
    Many,
    Maybe,
    Misshapen,
    OneOf,
    Plain,
    Structure,
    Text,
    Whole,
    escape,
)
from service.rules.ruleset import MOST_SEATS, AnyRuleset, rulesets

from .described import CommandKind, Described, StepKind, checked
from .openapi import DocumentedSchema, Json, class_schema, component_name, kind_schema

MOST_BATCH: Final = 32
MOST_STEPS: Final = 1_000
MOST_OUTCOMES: Final = 10_000
MOST_LISTED: Final = 100
MOST_EVENTS: Final = 500
MOST_DELIVERIES: Final = 100
DAY: Final = 86_400
MOST_TOP: Final = 20
MOST_OVERLAP: Final = 30 * DAY
SEAT: Final = Whole(0, MOST_SEATS - 1)
MAYBE_SEAT: Final = Maybe(SEAT)
ORDERS: Final = ("rotated", "same")
OUTCOMES: Final = Many(Either((Whole(0, 2**53), Text(64))), MOST_OUTCOMES)


class Pattern(Kind):
    """Text of exactly a given form (a regular expression): a token, a code, a seed."""

    def __init__(self, form: str, detail: str) -> None:
        self.pattern = f"^{form}$"
        self.detail = detail
        self._form = re.compile(form)

    def parse(self, value: Plain, pointer: str) -> str:
        if isinstance(value, str) and self._form.fullmatch(value):
            return value
        raise Misshapen(pointer, self.detail)


TOKEN: Final = Pattern("bl_[A-Za-z0-9_-]{43}", "must be bl_ and 43 base64url characters")
CLAIM_CODE: Final = Pattern("bc_[A-Za-z0-9_-]{43}", "must be bc_ and 43 base64url characters")
SEED: Final = Pattern("[0-9a-f]{64}", "must be 64 hexadecimal digits, small letters")
CURSOR: Final = Pattern("[0-9]{1,15}-[a-z2-7]{26}", "must be `next` of a page")
STATE: Final = Pattern("[0-9a-f]{32}", "must be `state` of an answer")
RULESET: Final = Pattern("[a-z_]{1,64}", "must be a ruleset's id")


def patterned(kind: Pattern, **options: Any) -> Described:
    """Returns the field of a text with a pattern."""
    return Described(kind, documented={"type": "string", "pattern": kind.pattern}, **options)


def told(meaning: str) -> dict[str, Any]:
    """Returns the metadata that documents a field."""
    return {"description": meaning}


class Strict(Schema):
    """A schema that refuses members it does not know."""

    class Meta:
        unknown = RAISE


class Choice(DocumentedSchema):
    """One of several schemas, told apart by a member that each of them declares and keeps."""

    def __init__(self, member: str, branches: Mapping[str, Schema]) -> None:
        super().__init__()
        self.member = member
        self.branches = branches

    def load(self, data: Any, **kwargs: Any) -> Any:
        """Returns what the branch loads. Raises ValidationError."""
        if not isinstance(data, dict):
            raise ValidationError({"_schema": ["must be an object"]})
        if self.member not in data:
            raise ValidationError({self.member: ["is missing"]})
        named = data[self.member]
        branch = self.branches.get(named) if isinstance(named, str) else None
        if branch is None:
            known = ", ".join(self.branches)
            fault = Detail("must be one of: {known}", known=known)
            raise ValidationError({self.member: [fault]})
        return branch.load(data)

    def documented(self, reference: Any) -> Json:
        found = {name: reference(branch) for name, branch in self.branches.items()}
        return {
            "oneOf": list(found.values()),
            "discriminator": {
                "propertyName": self.member,
                "mapping": {name: ref["$ref"] for name, ref in found.items()},
            },
        }


class HumanSeat(Strict):
    """A seat that somebody claims with its code."""

    kind = Described(OneOf(("human",)), required=True)
    name = Described(Maybe(NAME), load_default=None, metadata=told("shown until it is claimed"))


class BotSeat(Strict):
    """A seat that a bot plays."""

    kind = Described(OneOf(("bot",)), required=True)
    name = Described(Maybe(NAME), load_default=None, metadata=told("the name shown"))
    level = Described(OneOf(LEVELS), load_default=DEFAULT, metadata=told("how well the bot plays"))


class SeatChoice(Choice):
    """A seat as its host plans it."""

    def __init__(self) -> None:
        super().__init__("kind", {"human": HumanSeat(), "bot": BotSeat()})


class ArrangedChance(Strict):
    """Chance given as a list, for puzzles and lessons. The game is marked as arranged."""

    outcomes = Described(
        OUTCOMES,
        required=True,
        metadata=told("what comes, in the order of the draws: ids of things, or numbers"),
    )


class ForkGame(Strict):
    """A branch to be laid."""

    version = Described(
        Maybe(Whole(1, 10**9)),
        load_default=None,
        metadata=told("the version to branch off at; null: the newest"),
    )
    seats = fields.List(
        fields.Nested(SeatChoice()),
        load_default=None,
        allow_none=True,
        metadata={
            "description": "other seats, as many as the game has, people's to be claimed; null: "
            "bots stay bots, and the caller holds all other seats",
            "maxItems": MOST_SEATS,
        },
    )
    visibility = Described(
        Maybe(OneOf(VISIBILITIES)),
        load_default=None,
        metadata=told("who may read; null: as the game. A private game's branch is private"),
    )
    start = Described(
        OneOf(STARTS),
        load_default="full",
        metadata=told("what starts the branch: the last claim, or the host's command"),
    )


class AskAnalysis(Strict):
    """A question for a bot's advice."""

    level = Described(
        OneOf(SEARCHING),
        load_default=SEARCHING[0],
        metadata=told("how well the bot thinks: one of the levels that search"),
    )
    top = Described(
        Whole(1, MOST_TOP), load_default=5, metadata=told("the most commands that are ranked")
    )
    seat = Described(
        MAYBE_SEAT,
        load_default=None,
        metadata=told("the seat that is advised; null: the first of the caller's that must act"),
    )
    version = Described(
        Maybe(Whole(1, 10**9)),
        load_default=None,
        metadata=told("an earlier version at which the seat had to act; null: the newest"),
    )


class AskRematch(Strict):
    """The same table again."""

    seats = Described(
        OneOf(ORDERS),
        load_default="rotated",
        metadata=told("the order of the seats: moved up by one, so that another begins; or same"),
    )


class ClaimSeat(Strict):
    """Takes an open seat."""

    claim_code = patterned(CLAIM_CODE, required=True, metadata=told("the code that opens the seat"))
    name = Described(NAME, required=True, metadata=told("the name shown"))
    entropy = Described(
        Text(64), load_default="", metadata=told("what the seat adds to the chance")
    )


class HookUrl(Kind):
    """Where a webhook leads. Which addresses may be called is the service's to say."""

    pattern = f"^{URL}$"

    def parse(self, value: Plain, pointer: str) -> str:
        try:
            target(value if isinstance(value, str) else "", local=True)
        except ValueError as fault:
            raise Misshapen(pointer, str(fault)) from None
        return str(value)


class HookSecret(Kind):
    """A webhook's secret, or null."""

    pattern = "^whsec_[A-Za-z0-9+/]{32,86}={0,2}$"

    def parse(self, value: Plain, pointer: str) -> str | None:
        if value is None:
            return None
        try:
            secret_bytes(value if isinstance(value, str) else "")
        except ValueError as fault:
            raise Misshapen(pointer, str(fault)) from None
        return str(value)


def _secret() -> Described:
    return Described(
        HookSecret(),
        load_default=None,
        documented={
            "anyOf": [{"type": "string", "pattern": HookSecret.pattern}, {"type": "null"}],
            "writeOnly": True,
        },
        metadata=told("whsec_ and 24 to 64 bytes in base64; without one the service makes it"),
    )


class CreateWebhook(Strict):
    """A webhook to be called when something happens in a game."""

    url = Described(
        HookUrl(),
        required=True,
        documented={"type": "string", "pattern": HookUrl.pattern, "maxLength": 2_100},
        metadata=told("where it leads: http or https, port 80, 443 or from 1024 on, no user"),
    )
    events = Described(
        Many(OneOf(TYPES), len(TYPES), 1),
        load_default=TYPES,
        metadata=told("what is told; everything, if left out"),
    )
    secret = _secret()


class RotateWebhook(Strict):
    """A new secret for a webhook."""

    secret = _secret()
    overlap_s = Described(
        Whole(0, MOST_OVERLAP),
        load_default=DAY,
        metadata=told("for so many seconds the present secret signs too"),
    )


class DeliveriesQuery(Schema):
    """Which deliveries."""

    before = Described(Whole(1, 10**9), metadata=told("only deliveries with a lower number"))
    limit = Described(
        Whole(1, MOST_DELIVERIES), load_default=20, metadata=told("deliveries a page")
    )


class RotateToken(Strict):
    """Replaces the caller's token in all its games."""

    token = patterned(TOKEN, required=True, metadata=told("the new token, made by the client"))


def switch(meaning: str) -> fields.Boolean:
    """Returns the field of a query parameter that is true or false."""
    field = fields.Boolean(load_default=False, metadata=told(meaning))
    field.truthy, field.falsy = {"true"}, {"false"}
    return field


class GameQuery(Schema):
    """Which version of a game."""

    version = Described(Whole(1, 10**9), metadata=told("an earlier version, as it was then"))


class ScoreQuery(GameQuery):
    """Which version's score."""


class RecordQuery(Schema):
    """What becomes of a record."""

    visibility = Described(
        OneOf(VISIBILITIES),
        load_default="public",
        metadata=told("who may read the game: anyone, or who sent the record"),
    )


class SentRecord(DocumentedSchema):
    """A record in format 1, as `getRecord` gives it out. It is judged later."""

    MEMBERS: Final = ("format", "ruleset", "chance", "steps", "final")

    def load(self, data: Any, **kwargs: Any) -> Any:
        """Returns what looks like a record. Raises ValidationError."""
        if not isinstance(data, dict):
            raise ValidationError({"_schema": ["must be an object"]})
        for name in self.MEMBERS:
            if name not in data:
                raise ValidationError({name: ["is missing"]})
        return data

    def documented(self, reference: Any) -> Json:
        return {
            "type": "object",
            "description": "record format 1",
            "required": list(self.MEMBERS),
        }


class PictureQuery(GameQuery):
    """Which version of a game, and what is shown of it."""

    moves = switch("marks what the seats that are to act may do there")


class ListQuery(Schema):
    """Which games are listed."""

    ruleset = patterned(RULESET, metadata=told("only games of this ruleset"))
    status = Described(OneOf(STATUSES), metadata=told("only in this state"))
    mine = switch("only games that the token hosts or plays")
    limit = Described(Whole(1, MOST_LISTED), load_default=20, metadata=told("games a page"))
    cursor = patterned(CURSOR, metadata=told("`next` of the page before"))


class TurnsQuery(Schema):
    """Which part of what waits for the caller."""

    limit = Described(Whole(1, MOST_LISTED), load_default=20, metadata=told("games a page"))
    cursor = patterned(CURSOR, metadata=told("`next` of the page before"))
    after = patterned(STATE, metadata=told("`state` of the answer before: wait for another"))


class EventsQuery(Schema):
    """Which events."""

    after = Described(
        Whole(0, 10**9), load_default=0, metadata=told("only events after this version")
    )
    limit = Described(Whole(1, MOST_EVENTS), load_default=100, metadata=told("events a page"))


class MovesQuery(Schema):
    """How moves are listed."""

    version = Described(
        Whole(1, 10**9), metadata=told("what could be sent right after an earlier version")
    )
    ranges = switch("adds a short form: commands that differ in one number, folded")


class CommandQuery(Schema):
    """How commands are carried out."""

    dry_run = switch("judge only, up to the first draw; write nothing")


class Sent(NamedTuple):
    """Commands of one seat (None: the only one the token holds, or the host)."""

    seat: int | None
    commands: tuple[Command, ...]


class SentCommands(DocumentedSchema):
    """One command, or several of one seat that are carried out all or not at all."""

    def __init__(self, ruleset: AnyRuleset | None) -> None:
        super().__init__()
        known = every_command() if ruleset is None else {**ruleset.commands, **COMMANDS}
        self._command = CommandKind(known)
        self._commands = Many(self._command, MOST_BATCH, 1)

    def load(self, data: Any, **kwargs: Any) -> Sent:
        """Returns what was sent. Raises ValidationError."""
        sent: Sent = checked(self._parsed, data)
        return sent

    def _parsed(self, data: Plain, pointer: str) -> Sent:
        if not isinstance(data, dict):
            raise Misshapen(pointer, "must be an object")
        name = "commands" if "commands" in data else "command"
        for member in data:
            if member not in ("seat", name):
                raise Misshapen(f"{pointer}/{escape(member)}", "is not known here")
        if name not in data:
            raise Misshapen(f"{pointer}/{name}", "is missing")
        seat = MAYBE_SEAT.parse(data.get("seat"), f"{pointer}/seat")
        if name == "commands":
            commands = self._commands.parse(data[name], f"{pointer}/{name}")
            return Sent(seat, commands)
        return Sent(seat, (self._command.parse(data[name], f"{pointer}/{name}"),))

    def documented(self, reference: Any) -> Json:
        seat = {
            **kind_schema(MAYBE_SEAT),
            "description": "the seat that acts; may be left out where the token holds one",
        }
        command = {"$ref": "#/components/schemas/Command"}
        return {
            "oneOf": [
                {
                    "type": "object",
                    "title": "OneCommand",
                    "properties": {"seat": seat, "command": command},
                    "required": ["command"],
                    "additionalProperties": False,
                },
                {
                    "type": "object",
                    "title": "CommandBatch",
                    "properties": {
                        "seat": seat,
                        "commands": {
                            "type": "array",
                            "items": command,
                            "minItems": 1,
                            "maxItems": MOST_BATCH,
                        },
                    },
                    "required": ["commands"],
                    "additionalProperties": False,
                },
            ]
        }


def every_command() -> dict[str, type[Command]]:
    """Returns commands of all rulesets and of the table; of equal type names the last."""
    found: dict[str, type[Command]] = {}
    for ruleset in rulesets().values():
        found.update(ruleset.commands)
    return {**found, **COMMANDS}


@functools.cache
def sent_commands(ruleset: str) -> SentCommands:
    """Returns the schema of what is sent to a game of a ruleset."""
    return SentCommands(rulesets()[ruleset])


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
            **_laying(ruleset),
            "tables": Described(
                Whole(1, MOST_TABLES), required=True, metadata=told("how many tables there are")
            ),
            "advice": Described(
                Flag(),
                load_default=False,
                metadata=told("whether seats may ask for a bot's advice (T-9); here they may not"),
            ),
            "visibility": Described(
                OneOf(VISIBILITIES),
                load_default="private",
                metadata=told("who may read; who sees one table knows what may come at another"),
            ),
        },
        name=component_name("create", ruleset.id, "tournament"),
    )


def _creation(ruleset: AnyRuleset) -> type[Schema]:
    return Strict.from_dict(_laying(ruleset), name=component_name("create", ruleset.id))


def _laying(ruleset: AnyRuleset) -> dict[str, fields.Field[Any]]:
    """Returns the fields with which a table is laid."""
    return {
        "ruleset": Described(OneOf((ruleset.id,)), required=True),
        "options": _options(ruleset),
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
            metadata=told("how long people may take (T-8); without it, as long as they like"),
        ),
        "bot_delay": Described(
            Whole(0, MOST_BOT_DELAY),
            load_default=0,
            metadata=told("ms at least between a bot's move and the event before it (T-4)"),
        ),
        "advice": Described(
            Flag(),
            load_default=True,
            metadata=told("whether seats may ask for a bot's advice (T-9)"),
        ),
        "visibility": Described(
            OneOf(VISIBILITIES),
            load_default="public",
            metadata=told("who may read: anyone, or the table and who has the watch code"),
        ),
        "start": Described(
            OneOf(STARTS),
            load_default="full",
            metadata=told("what starts the game: the last claim, or the host's command"),
        ),
        "chance": fields.Nested(
            ArrangedChance(), load_default=None, metadata=told("arranged chance; else sealed")
        ),
    }


def _options(ruleset: AnyRuleset) -> Described:
    reference = {"$ref": f"#/components/schemas/{component_name(ruleset.id, 'options')}"}
    return Described(
        Structure(ruleset.options),
        load_default=ruleset.options,  # called: a default object is beyond most generators
        documented={"allOf": [reference]},
        metadata=told("what is played otherwise; left out, all options have their defaults"),
    )


def deadline_schema(ruleset: AnyRuleset) -> Json:
    """Returns the JSON Schema of a deadline that fits a ruleset: one form for each sort of time

    and for what may follow, since their members depend on each other.
    """
    known = class_schema(Deadline)["properties"]
    following = [each for each in FOLLOWING if each != PASSING or ruleset.passes]
    null, zero = {"type": "null"}, {"type": "integer", "enum": [0]}
    seconds = kind_schema(Whole(1, MOST_SECONDS))
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


class Position(DocumentedSchema):
    """A position to be judged: how it came about from the start, move by move."""

    def __init__(self, ruleset: AnyRuleset | None) -> None:
        super().__init__()
        self._schemas: dict[str, Schema] = {}

    def documented(self, reference: Any) -> Json:
        return {"anyOf": [reference(position(name)) for name in rulesets()]}


@functools.cache
def position(ruleset: str) -> Schema:
    """Returns the schema of a position of a ruleset."""
    law = rulesets()[ruleset]
    seats = OneOf(law.seats)
    command = CommandKind(law.commands)
    step = {
        "type": "array",
        "prefixItems": [
            kind_schema(SEAT),
            {"$ref": f"#/components/schemas/{component_name(ruleset, 'command')}"},
        ],
        "minItems": 2,
        "maxItems": 2,
    }
    return Strict.from_dict(
        {
            "seats": Described(seats, required=True, metadata=told("how many seats there are")),
            "options": _options(law),
            "steps": Described(
                Many(StepKind(SEAT, command), MOST_STEPS),
                load_default=(),
                documented={"type": "array", "items": step, "maxItems": MOST_STEPS},
                metadata=told("who did what, in order"),
            ),
            "chance": Described(
                ChanceKind(),
                load_default=None,
                documented=ChanceKind.DOCUMENTED,
                metadata=told("what comes; without it everything stops at the first draw"),
            ),
        },
        name=component_name(ruleset, "position"),
    )()


class ChanceKind(Kind):
    """null, or an object with either a list of outcomes or a seed."""

    DOCUMENTED: Final = {
        "anyOf": [
            {
                "type": "object",
                "title": "Outcomes",
                "properties": {"outcomes": kind_schema(OUTCOMES)},
                "required": ["outcomes"],
                "additionalProperties": False,
            },
            {
                "type": "object",
                "title": "Seed",
                "properties": {"seed": {"type": "string", "pattern": SEED.pattern}},
                "required": ["seed"],
                "additionalProperties": False,
            },
            {"type": "null"},
        ]
    }

    def parse(self, value: Plain, pointer: str) -> dict[str, Any] | None:
        if value is None:
            return None
        if not isinstance(value, dict) or len(value) != 1:
            raise Misshapen(pointer, "must be an object with either outcomes or a seed")
        (name,) = value
        if name == "outcomes":
            return {name: OUTCOMES.parse(value[name], f"{pointer}/outcomes")}
        if name == "seed":
            return {name: SEED.parse(value[name], f"{pointer}/seed")}
        raise Misshapen(pointer, "must be an object with either outcomes or a seed")
