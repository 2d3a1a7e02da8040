"""Judged positions."""

from __future__ import annotations

from marshmallow import Schema, fields

from service.rules.kinds import Maybe, OneOf, Whole

from ..described_fields import Described
from ..fields import SEAT
from .commands import Move
from .fields import FLAG, VERSION, described_field, list_field, raw_field


class DrawDue(Schema):
    """A draw that is due: its possible outcomes and their counts; empty for a plain number."""

    bound = described_field(Whole(1, 2**53), "the number of equally likely outcomes")
    ids = fields.List(
        fields.String(), required=True, metadata={"description": "the possible outcomes"}
    )
    counts = fields.List(
        fields.Integer(), required=True, metadata={"description": "how many there are of each"}
    )


class JudgedPosition(Schema):
    """A position with what is legal in it."""

    board = raw_field("the position, in the ruleset's own form", {"type": "object"})
    to_act = fields.List(
        Described(SEAT),
        required=True,
        metadata={"description": "the seats that the game waits for"},
    )
    moves = list_field(Move, "all legal commands of all seats")
    score = raw_field("the score as if play ended now", {"type": "object"})
    over = described_field(FLAG, "whether play has ended")
    draws = described_field(VERSION, "the number of draws made")
    stopped = described_field(
        Maybe(OneOf(("chance",))), "chance: a draw is due and no outcome is given"
    )
    due = fields.Nested(DrawDue, required=True, allow_none=True)
