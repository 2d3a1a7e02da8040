"""Positions to judge."""

from __future__ import annotations

import functools
from typing import Any, Final

from marshmallow import Schema

from service.rules.kinds import Kind, Many, OneOf
from service.rules.plain import Misshapen, Plain
from service.rules.ruleset import AnyRuleset, rulesets

from ..described_fields import CommandKind, Described, StepKind
from ..fields import OUTCOMES, SEAT, SEED, Strict, documentation, options_field
from ..json_schema import DocumentedSchema, Json, component_name, kind_schema
from .commands import MAX_STEPS


class Position(DocumentedSchema):
    """A position: the steps that lead to it from the start."""

    def __init__(self, ruleset: AnyRuleset | None) -> None:
        super().__init__()
        self._schemas: dict[str, Schema] = {}

    def documented(self, reference: Any) -> Json:
        return {"anyOf": [reference(position_schema(name)) for name in rulesets()]}


@functools.cache
def position_schema(ruleset: str) -> Schema:
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
            "seats": Described(seats, required=True, metadata=documentation("the number of seats")),
            "options": options_field(law),
            "steps": Described(
                Many(StepKind(SEAT, command), MAX_STEPS),
                load_default=(),
                documented={"type": "array", "items": step, "maxItems": MAX_STEPS},
                metadata=documentation("the steps in order, each a pair of seat and command"),
            ),
            "chance": Described(
                ChanceKind(),
                load_default=None,
                documented=ChanceKind.DOCUMENTED,
                metadata=documentation(
                    "the outcomes of draws; without it the position stops at the first draw"
                ),
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
