"""Imports of records."""

from __future__ import annotations

from marshmallow import Schema, fields

from service.rules.kinds import OneOf, Text

from .fields import described_field, game_id_field


class Fault(Schema):
    """Why a record is refused."""

    pointer = described_field(
        Text(4000), "the place of the first error, a JSON Pointer into the record"
    )
    detail = described_field(Text(4000), "what is wrong there; a rule is named by its id")


class Import(Schema):
    """The import of a record."""

    id = game_id_field()
    status = described_field(OneOf(("waiting", "done", "refused")), "the stage of the import")
    fault = fields.Nested(
        Fault, required=True, allow_none=True, metadata={"description": "why the record is refused"}
    )
    links = fields.Dict(
        keys=fields.String(),
        values=fields.String(),
        required=True,
        metadata={"description": "`self`, and `game` once the import is done"},
    )
