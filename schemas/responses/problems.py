"""Problem details (RFC 9457)."""

from __future__ import annotations

from marshmallow import Schema, fields

from service.rules.kinds import OneOf, Text, Whole

from ..described_fields import Described
from .fields import VERSION, described_field


class Problem(Schema):
    """An error (RFC 9457). `code` is stable; `detail` is for people."""

    type = described_field(Text(200), "the explanation of this type of problem (URI reference)")
    title = described_field(Text(200), "the type of problem, for people")
    status = described_field(Whole(400, 599), "the status code")
    code = described_field(Text(64), "the type of problem, for programs")
    detail = described_field(Text(4000), "what is wrong with this request, for people")
    instance = Described(Text(4000), metadata={"description": "the path of the request"})
    request_id = described_field(Text(64), "identifies this request in the service's log")
    rule = Described(Text(16), metadata={"description": "the rule that forbids the command"})
    index = Described(
        Whole(0, 1_000),
        metadata={"description": "the index of the command or step that is refused, from 0"},
    )
    version = Described(VERSION, metadata={"description": "the game's current version"})
    scope = Described(
        OneOf(("client", "all")), metadata={"description": "whose maximum was reached"}
    )
    limit = Described(Whole(0, 1_000_000), metadata={"description": "the maximum"})
    errors = fields.List(
        fields.Dict(keys=fields.String(), values=fields.String()),
        metadata={"description": "each error with its place, a JSON Pointer"},
    )
    links = fields.Dict(
        keys=fields.String(), values=fields.String(), metadata={"description": "related resources"}
    )
