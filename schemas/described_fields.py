"""marshmallow fields that are parsed by the kinds of described classes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from marshmallow import ValidationError, fields

from service.rules import described, plain
from service.rules.described import Command
from service.rules.kinds import Kind
from service.rules.plain import Misshapen, Plain

from .json_schema import Json, kind_schema

MARSHMALLOW_MESSAGES: Final = (
    "Missing data for required field.",
    "Field may not be null.",
    "Unknown field.",
    "Invalid input type.",
    "Not a valid list.",
    "Not a valid boolean.",
)
"""Messages of marshmallow's own fields, which the catalogs translate."""


class SubPointer(str):
    """A key of error messages that is a JSON Pointer inside the field's value, not a name."""

    __slots__ = ()


class Described(fields.Field[Any]):
    """A field whose value is parsed by a kind, its only validator."""

    def __init__(self, kind: Kind, *, documented: Json | None = None, **options: Any) -> None:
        super().__init__(allow_none=True, **options)
        self.parse: Callable[[Plain, str], Any] = kind.parse
        self.kind = kind
        self.documented = kind_schema(kind) if documented is None else documented

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        return parse_checked(self.parse, value)

    def deserialize(self, value: Any, attr: Any = None, data: Any = None, **kwargs: Any) -> Any:
        """Parses null like any other value; the kind decides whether it is valid."""
        if value is None:
            return parse_checked(self.parse, value)
        return super().deserialize(value, attr, data, **kwargs)

    def _serialize(self, value: Any, attr: Any, obj: Any, **kwargs: Any) -> Any:
        return self.kind.dump(value)


class CommandKind(Kind):
    """A command, one of a mapping from type names to classes."""

    def __init__(self, commands: Mapping[str, type[Command]]) -> None:
        self.commands = commands

    def parse(self, value: Plain, pointer: str) -> Command:
        return described.parse_command(self.commands, value, pointer)

    def dump(self, value: Any) -> Plain:
        return described.dump_command(value)


class StepKind(Kind):
    """A pair of a seat and a command."""

    def __init__(self, seat: Kind, command: CommandKind) -> None:
        self.seat = seat
        self.command = command

    def parse(self, value: Plain, pointer: str) -> tuple[int, Command]:
        if not isinstance(value, list) or len(value) != 2:
            raise Misshapen(pointer, "must be a pair of a seat and a command")
        return (
            self.seat.parse(value[0], f"{pointer}/0"),
            self.command.parse(value[1], f"{pointer}/1"),
        )


def parse_checked(parse: Callable[[Plain, str], Any], value: Plain) -> Any:
    """Returns what a kind parses; `Misshapen` becomes a ValidationError that keeps its pointer."""
    try:
        return parse(value, "")
    except Misshapen as error:
        raise ValidationError({SubPointer(error.pointer): [error.detail]}) from None


def validation_errors(messages: Any, pointer: str = "") -> list[dict[str, str]]:
    """Returns marshmallow's messages as a list of errors, each with `pointer` and `detail`."""
    if isinstance(messages, dict):
        errors = []
        for key, inner in messages.items():
            if isinstance(key, SubPointer):
                place = pointer + key
            elif key == "_schema":
                place = pointer
            else:
                place = f"{pointer}/{plain.escape(str(key))}"
            errors += validation_errors(inner, place)
        return errors
    return [{"pointer": pointer, "detail": text} for text in messages]
