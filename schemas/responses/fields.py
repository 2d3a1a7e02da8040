"""Fields that schemas of responses share."""

from __future__ import annotations

from typing import Any, Final

from marshmallow import Schema, fields

from service.rules.kinds import Flag, Kind, Maybe, Text, Whole

from ..described_fields import Described
from ..json_schema import Json

VERSION: Final = Whole(0, 10**9)
FLAG: Final = Flag()
TIME: Final = Whole(0, 2**53)
"""Milliseconds."""
GAME_ID_PATTERN: Final = "^[a-z2-7]{26}$"
WEBHOOK_ID_PATTERN: Final = "^[a-z2-7]{16}$"


def described_field(kind: Kind, meaning: str, **documented: Any) -> Described:
    """Returns a field of a kind; `documented` overrides members of its JSON Schema."""
    field = Described(kind, required=True, metadata={"description": meaning})
    field.documented = {**field.documented, **documented}
    return field


def raw_field(meaning: str, schema: Json) -> fields.Raw:
    """Returns a field of plain data with a JSON Schema."""
    field = fields.Raw(required=True, metadata={"description": meaning})
    field.documented = schema  # type: ignore[attr-defined]
    return field


def component_reference(name: str) -> Json:
    """Returns the JSON Schema of a component."""
    return {"allOf": [{"$ref": f"#/components/schemas/{name}"}]}


def list_field(schema: type[Schema], meaning: str) -> fields.List[Any]:
    """Returns a field of a list of objects."""
    return fields.List(fields.Nested(schema), required=True, metadata={"description": meaning})


def durable_field() -> fields.Boolean:
    """Returns the field of a commit's durability."""
    return fields.Boolean(
        metadata={
            "description": "false: the change is stored, but the replicas that the service waits "
            "for have not acknowledged it in time; a repetition with the same Idempotency-Key "
            "waits again. Left out if it is durable"
        }
    )


def game_id_field() -> Described:
    """Returns the field of a game's id."""
    return described_field(Text(26), "the game's id", pattern=GAME_ID_PATTERN, maxLength=26)


def next_cursor_field() -> Described:
    """Returns the field of the next page's cursor."""
    return described_field(
        Maybe(Text(200)), "the cursor of the next page; null: this is the last page"
    )
