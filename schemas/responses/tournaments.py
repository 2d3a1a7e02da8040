"""Duplicate tournaments."""

from __future__ import annotations

from marshmallow import Schema, fields

from service.games.table.state import STATUSES
from service.rules.kinds import Maybe, OneOf, Text, Whole

from ..fields import SEAT
from .fields import (
    FLAG,
    GAME_ID_PATTERN,
    VERSION,
    described_field,
    durable_field,
    game_id_field,
    list_field,
    raw_field,
)
from .games import RulesetVersion, SeatCode


class TableSeat(Schema):
    """A seat of a tournament's table."""

    seat = described_field(SEAT, "its number")
    name = described_field(Maybe(Text(80)), "the name shown")
    kind = described_field(OneOf(("human", "bot")), "who plays")
    total = described_field(Maybe(Whole(-(10**6), 10**6)), "points so far; null before the start")
    rank = described_field(Maybe(Whole(1, 8)), "its rank at the table so far")


class Standing(Schema):
    """A table of a tournament with its scores."""

    table = described_field(Whole(0, 99), "its number")
    game = game_id_field()
    status = described_field(
        Maybe(OneOf((*STATUSES, "deleted"))), "the stage of the game; null: it was never created"
    )
    version = described_field(Maybe(VERSION), "the number of events")
    seats = fields.List(
        fields.Nested(TableSeat),
        required=True,
        allow_none=True,
        metadata={"description": "null if the caller may not read the table and it is not over"},
    )
    links = fields.Dict(keys=fields.String(), values=fields.String(), required=True)


class Tournament(Schema):
    """A duplicate tournament: several tables with the same chance."""

    id = described_field(Text(26), "its id", pattern=GAME_ID_PATTERN, maxLength=26)
    ruleset = fields.Nested(RulesetVersion, required=True)
    options = raw_field("all options with their values", {"type": "object"})
    chance = described_field(OneOf(("sealed", "arranged")), "where draws come from")
    commitment = described_field(Text(64), "SHA-256 of the sealed chance, hexadecimal")
    revealed = described_field(FLAG, "whether all tables are over and their chance is revealed")
    tables = list_field(Standing, "by number")
    links = fields.Dict(keys=fields.String(), values=fields.String(), required=True)


class TableCodes(Schema):
    """The codes of a tournament's table."""

    table = described_field(Whole(0, 99), "its number")
    game = game_id_field()
    claim_codes = list_field(SeatCode, "one for each open seat")
    watch_code = described_field(Maybe(Text(46)), "gives read access to a private table")


class CreatedTournament(Schema):
    """The created tournament."""

    tournament = fields.Nested(Tournament, required=True)
    tables = list_field(TableCodes, "the codes of each table")
    durable = durable_field()
