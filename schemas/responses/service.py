"""Service information and health."""

from __future__ import annotations

from marshmallow import Schema, fields

from service.rules.plain import OneOf, Text

from .fields import described_field


class Service(Schema):
    """Where to begin."""

    name = described_field(Text(64), "the service")
    version = described_field(Text(64), "its version")
    links = fields.Dict(keys=fields.String(), values=fields.String(), required=True)


class Health(Schema):
    """Whether the service works."""

    status = described_field(OneOf(("ok",)), "it does")
