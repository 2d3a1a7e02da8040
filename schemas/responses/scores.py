"""Scores."""

from __future__ import annotations

from marshmallow import Schema, fields

from service.rules.kinds import Whole

from ..described_fields import Described
from ..fields import SEAT
from .fields import FLAG, VERSION, described_field, list_field, raw_field


class SeatScore(Schema):
    """A seat's score."""

    seat = described_field(SEAT, "the seat")
    total = described_field(Whole(-(10**6), 10**6), "points")
    rank = described_field(Whole(1, 8), "1 is best; ties share the better rank")
    tie_breaks = fields.List(
        fields.Integer(),
        required=True,
        metadata={"description": "values that are compared after the total"},
    )
    items = raw_field(
        "the items of the score: name, points and how they were earned",
        {"type": "array", "items": {"type": "object", "required": ["name", "points"]}},
    )


class Score(Schema):
    """The score as if play ended now, or the result."""

    version = described_field(VERSION, "the game's version")
    final = described_field(FLAG, "whether play has ended")
    recorded = described_field(FLAG, "whether the result is in the record")
    resigned = fields.List(
        Described(SEAT), required=True, metadata={"description": "seats that resigned"}
    )
    seats = list_field(SeatScore, "scores by seat; empty before the start")
