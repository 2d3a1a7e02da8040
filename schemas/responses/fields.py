"""Fields that responses are made of."""

from __future__ import annotations

from typing import Any, Final

from marshmallow import Schema, fields

from service.rules.plain import Flag, Kind, Maybe, Text, Whole

from ..described_fields import Described
from ..json_schema import Json

VERSION: Final = Whole(0, 10**9)


FLAG: Final = Flag()


TIME: Final = Whole(0, 2**53)


GAME_ID_PATTERN: Final = "^[a-z2-7]{26}$"


WEBHOOK_ID_PATTERN: Final = "^[a-z2-7]{16}$"


def described_field(kind: Kind, meaning: str, **documented: Any) -> Described:
    field = Described(kind, required=True, metadata={"description": meaning})
    field.documented = {**field.documented, **documented}
    return field


def raw_field(meaning: str, schema: Json) -> fields.Raw:
    field = fields.Raw(required=True, metadata={"description": meaning})
    field.documented = schema  # type: ignore[attr-defined]
    return field


def component_reference(name: str) -> Json:
    return {"allOf": [{"$ref": f"#/components/schemas/{name}"}]}


def list_field(schema: type[Schema], meaning: str) -> fields.List[Any]:
    return fields.List(fields.Nested(schema), required=True, metadata={"description": meaning})


def durable_field() -> fields.Boolean:
    return fields.Boolean(
        metadata={
            "description": "false: it stands, but the copies that the service waits for have not "
            "confirmed it in time; repeated with the same Idempotency-Key, it is asked for again. "
            "Left out where it is so"
        }
    )


def game_id_field() -> Described:
    return described_field(Text(26), "the game's id", pattern=GAME_ID_PATTERN, maxLength=26)


def next_cursor_field() -> Described:
    return described_field(Maybe(Text(200)), "the cursor of the next page; null: this is the last")
