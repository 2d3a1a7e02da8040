"""Advice."""

from __future__ import annotations

from marshmallow import Schema, fields

from service.levels import SEARCHING
from service.rules.plain import Maybe, OneOf, Text, Whole

from ..fields import SEAT
from ..requests.analyses import MAX_TOP
from .commands import Move
from .fields import (
    GAME_ID_PATTERN,
    TIME,
    VERSION,
    component_reference,
    described_field,
    game_id_field,
    list_field,
    raw_field,
)


class RankedCommand(Schema):
    """A command with what may be expected after it. `seat` and `command` can be sent as they

    stand.
    """

    rank = described_field(Whole(1, MAX_TOP), "1 is best")
    seat = described_field(SEAT, "the seat")
    command = raw_field("the command, as `moves` lists it", component_reference("Command"))
    text = described_field(Text(400), "what it does")
    expected_scores = fields.List(
        fields.Float(),
        required=True,
        metadata={"description": "the points each seat may expect at the end, by seat"},
    )
    win_chance = fields.Float(
        required=True,
        metadata={"description": "the chance that the seat wins, 0 to 1; ties count in parts"},
    )
    visits = described_field(Whole(0, 1_000_000), "how often the search tried it")


class Analysis(Schema):
    """A bot's advice for a seat."""

    id = described_field(Text(26), "its id", pattern=GAME_ID_PATTERN, maxLength=26)
    game = game_id_field()
    status = described_field(
        OneOf(("waiting", "done", "failed")), "whether it is thought out; failed: ask again"
    )
    version = described_field(VERSION, "the game's version that it is about")
    seat = described_field(SEAT, "the seat that is advised")
    level = described_field(OneOf(SEARCHING), "the level that thinks")
    top = described_field(Whole(1, MAX_TOP), "the most commands that are ranked")
    simulations = described_field(
        Maybe(Whole(1, 1_000_000)), "how often the game was played on; null: not thought out"
    )
    ranked = list_field(
        RankedCommand, "best first, each command once; a search looks at the best few"
    )
    line = list_field(Move, "the best command with those of the seat that go together with it")
    expires_at = described_field(TIME, "when it is forgotten, ms since 1970")
    links = fields.Dict(keys=fields.String(), values=fields.String(), required=True)
