"""Service information and health."""

from __future__ import annotations

from marshmallow import Schema, fields

from service.rules.kinds import OneOf, Text

from .fields import described_field


class Service(Schema):
    """The service and links to its resources."""

    name = described_field(Text(64), "the name of the service")
    version = described_field(Text(64), "its version")
    links = fields.Dict(keys=fields.String(), values=fields.String(), required=True)


class Health(Schema):
    """Whether the service works."""

    status = described_field(
        OneOf(("ok",)), "always ok: a service that is not healthy returns an error"
    )
