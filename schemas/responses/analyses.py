"""Analyses."""

from __future__ import annotations

from marshmallow import Schema, fields

from service.bot_levels import SEARCHING
from service.rules.kinds import Maybe, OneOf, Text, Whole

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
    """A command with its expected result. `seat` and `command` can be sent unchanged."""

    rank = described_field(Whole(1, MAX_TOP), "1 is best")
    seat = described_field(SEAT, "the seat")
    command = raw_field("the command, as `moves` lists it", component_reference("Command"))
    text = described_field(Text(400), "what it does")
    expected_scores = fields.List(
        fields.Float(),
        required=True,
        metadata={"description": "the expected points at the end, by seat"},
    )
    win_chance = fields.Float(
        required=True,
        metadata={
            "description": "the probability that the seat wins, 0 to 1; ties count partially"
        },
    )
    visits = described_field(Whole(0, 1_000_000), "how often the search tried it")


class Analysis(Schema):
    """A bot's advice for a seat."""

    id = described_field(Text(26), "its id", pattern=GAME_ID_PATTERN, maxLength=26)
    game = game_id_field()
    status = described_field(
        OneOf(("waiting", "done", "failed")), "whether it is finished; failed: request it again"
    )
    version = described_field(VERSION, "the version of the game that is analysed")
    seat = described_field(SEAT, "the seat that is advised")
    level = described_field(OneOf(SEARCHING), "the level of the bot")
    top = described_field(Whole(1, MAX_TOP), "how many commands are ranked at most")
    simulations = described_field(
        Maybe(Whole(1, 1_000_000)), "how many continuations were played; null: not finished"
    )
    ranked = list_field(
        RankedCommand, "best first, each command once; only the best few are searched"
    )
    line = list_field(Move, "the best command and the seat's further commands of that move")
    expires_at = described_field(TIME, "when it is deleted, ms since 1970")
    links = fields.Dict(keys=fields.String(), values=fields.String(), required=True)
