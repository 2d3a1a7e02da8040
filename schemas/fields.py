"""Fields that schemas of requests share: tokens, codes, cursors, choices of schemas."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from marshmallow import RAISE, Schema, ValidationError, fields

from service.rules.described import Structure
from service.rules.kinds import Either, Kind, Many, Maybe, Text, Whole
from service.rules.plain import Detail, Misshapen, Plain
from service.rules.ruleset import MAX_SEATS, AnyRuleset

from .described_fields import Described
from .json_schema import DocumentedSchema, Json, component_name

MAX_OUTCOMES: Final = 10_000
SEAT: Final = Whole(0, MAX_SEATS - 1)
MAYBE_SEAT: Final = Maybe(SEAT)
OUTCOMES: Final = Many(Either((Whole(0, 2**53), Text(64))), MAX_OUTCOMES)


class Pattern(Kind):
    """Text that matches a regular expression completely: a token, a code, a seed."""

    def __init__(self, expression: str, detail: str) -> None:
        self.pattern = f"^{expression}$"
        self.detail = detail
        self._compiled = re.compile(expression)

    def parse(self, value: Plain, pointer: str) -> str:
        if isinstance(value, str) and self._compiled.fullmatch(value):
            return value
        raise Misshapen(pointer, self.detail)


TOKEN: Final = Pattern("bl_[A-Za-z0-9_-]{43}", "must be bl_ followed by 43 base64url characters")
CLAIM_CODE: Final = Pattern(
    "bc_[A-Za-z0-9_-]{43}", "must be bc_ followed by 43 base64url characters"
)
SEED: Final = Pattern("[0-9a-f]{64}", "must be 64 lowercase hexadecimal digits")
CURSOR: Final = Pattern("[0-9]{1,15}-[a-z2-7]{26}", "must be the `next` of a page")
STATE: Final = Pattern("[0-9a-f]{32}", "must be the `state` of a response")
RULESET: Final = Pattern("[a-z_]{1,64}", "must be the id of a ruleset")


def pattern_field(kind: Pattern, **options: Any) -> Described:
    """Returns the field of a text with a pattern."""
    return Described(kind, documented={"type": "string", "pattern": kind.pattern}, **options)


def documentation(meaning: str) -> dict[str, Any]:
    """Returns the metadata that describes a field in OpenAPI."""
    return {"description": meaning}


class Strict(Schema):
    """A schema that refuses unknown members."""

    class Meta:
        unknown = RAISE


class Choice(DocumentedSchema):
    """One of several schemas, discriminated by a member that each of them declares."""

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
        value = data[self.member]
        branch = self.branches.get(value) if isinstance(value, str) else None
        if branch is None:
            known = ", ".join(self.branches)
            detail = Detail("must be one of: {known}", known=known)
            raise ValidationError({self.member: [detail]})
        return branch.load(data)

    def documented(self, reference: Any) -> Json:
        references = {name: reference(branch) for name, branch in self.branches.items()}
        return {
            "oneOf": list(references.values()),
            "discriminator": {
                "propertyName": self.member,
                "mapping": {name: ref["$ref"] for name, ref in references.items()},
            },
        }


def flag_field(meaning: str) -> fields.Boolean:
    """Returns the field of a query parameter that is true or false."""
    field = fields.Boolean(load_default=False, metadata=documentation(meaning))
    field.truthy, field.falsy = {"true"}, {"false"}
    return field


def options_field(ruleset: AnyRuleset) -> Described:
    """Returns the field of a ruleset's options."""
    reference = {"$ref": f"#/components/schemas/{component_name(ruleset.id, 'options')}"}
    return Described(
        Structure(ruleset.options),
        load_default=ruleset.options,  # a factory: client generators cannot handle a default object
        documented={"allOf": [reference]},
        metadata=documentation("the game's options; those left out have their defaults"),
    )
