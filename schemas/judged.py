"""What clients send for the law to judge: commands, positions, records."""

from __future__ import annotations

import functools
from typing import Any, Final, NamedTuple

from marshmallow import Schema, ValidationError

from service.games.commands import COMMANDS
from service.rules.plain import (
    Command,
    Kind,
    Many,
    Misshapen,
    OneOf,
    Plain,
    escape,
)
from service.rules.ruleset import AnyRuleset, rulesets

from .basics import MAYBE_SEAT, OUTCOMES, SEAT, SEED, Strict, options_of, told
from .described import CommandKind, Described, StepKind, checked
from .openapi import DocumentedSchema, Json, component_name, kind_schema

MOST_BATCH: Final = 32
MOST_STEPS: Final = 1_000


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
            "options": options_of(law),
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
