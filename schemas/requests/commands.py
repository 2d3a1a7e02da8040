"""Commands of a game or its table: one, or a batch of one seat."""

from __future__ import annotations

import functools
from typing import Any, Final, NamedTuple

from service.games.table.commands import COMMANDS
from service.rules.described import Command
from service.rules.kinds import Many
from service.rules.plain import Misshapen, Plain, escape
from service.rules.ruleset import AnyRuleset, rulesets

from ..described_fields import CommandKind, parse_checked
from ..fields import MAYBE_SEAT
from ..json_schema import DocumentedSchema, Json, kind_schema

MAX_BATCH: Final = 32
MAX_STEPS: Final = 1_000


class Sent(NamedTuple):
    """Commands of one seat (None: the only one that the token holds, or the host)."""

    seat: int | None
    commands: tuple[Command, ...]


class SentCommands(DocumentedSchema):
    """One command, or several of one seat, carried out all or not at all."""

    def __init__(self, ruleset: AnyRuleset | None) -> None:
        super().__init__()
        commands = all_commands() if ruleset is None else {**ruleset.commands, **COMMANDS}
        self._command = CommandKind(commands)
        self._commands = Many(self._command, MAX_BATCH, 1)

    def load(self, data: Any, **kwargs: Any) -> Sent:
        """Returns what was sent. Raises ValidationError."""
        sent: Sent = parse_checked(self._parse, data)
        return sent

    def _parse(self, data: Plain, pointer: str) -> Sent:
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
            "description": "the seat that acts; optional if the token holds only one",
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
                            "maxItems": MAX_BATCH,
                        },
                    },
                    "required": ["commands"],
                    "additionalProperties": False,
                },
            ]
        }


def all_commands() -> dict[str, type[Command]]:
    """Returns the commands of all rulesets and of the table by type; equal types: the last."""
    commands: dict[str, type[Command]] = {}
    for ruleset in rulesets().values():
        commands.update(ruleset.commands)
    return {**commands, **COMMANDS}


@functools.cache
def commands_schema(ruleset: str) -> SentCommands:
    """Returns the schema of commands to a game of a ruleset."""
    return SentCommands(rulesets()[ruleset])
