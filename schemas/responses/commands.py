"""Results of commands, events, legal moves."""

from __future__ import annotations

from marshmallow import Schema, fields

from service.bot_levels import LEVELS
from service.games.table.events import REPLACEMENT_REASONS
from service.rules.kinds import Maybe, OneOf, Text

from ..described_fields import Described
from ..fields import SEAT
from .fields import (
    VERSION,
    component_reference,
    described_field,
    durable_field,
    list_field,
    raw_field,
)
from .games import Clock, SeatCode


class Replaced(Schema):
    """Present if a bot of a lower level moved in place of the seat's own."""

    level = described_field(OneOf(LEVELS), "the seat's own level")
    by = described_field(OneOf(LEVELS), "the level that moved")
    reason = described_field(
        OneOf(REPLACEMENT_REASONS),
        "why: the own level failed, took too long, or took too many simulations",
    )


class Committed(Schema):
    """Commands were carried out."""

    version = described_field(VERSION, "the version after the last of these events")
    events = raw_field(
        "what happened", {"type": "array", "items": {"$ref": "#/components/schemas/Event"}}
    )
    claim_codes = list_field(SeatCode, "new codes of seats that were handed over")
    durable = durable_field()


class DryRun(Schema):
    """What would happen, up to the first draw."""

    version = described_field(VERSION, "the version that the commands were judged on")
    events = raw_field(
        "what would happen", {"type": "array", "items": {"$ref": "#/components/schemas/Event"}}
    )
    stopped = described_field(
        Maybe(OneOf(("chance",))), "chance: a draw comes next; null: not stopped"
    )


class Move(Schema):
    """A command that can be sent unchanged: `seat` and `command` are the body."""

    seat = described_field(Maybe(SEAT), "the seat; null: the host, without a seat")
    command = raw_field("the command", component_reference("Command"))
    text = described_field(Text(400), "what it does")


class RangedMove(Schema):
    """Commands that differ in one number, given as `{"min": …, "max": …}`."""

    seat = described_field(Maybe(SEAT), "the seat")
    command = raw_field("the command; one number may be a range", {"type": "object"})
    text = described_field(Text(400), "what it does")


class Moves(Schema):
    """All commands that the caller may send now."""

    version = described_field(VERSION, "the game's version")
    seats = fields.List(
        Described(SEAT), required=True, metadata={"description": "the seats that the token holds"}
    )
    to_act = fields.List(
        Described(SEAT), required=True, metadata={"description": "the seats the game waits for"}
    )
    clocks = list_field(Clock, "clocks of the seats that people play; empty without a deadline")
    moves = list_field(Move, "the game's own commands")
    table = list_field(Move, "the table's commands")
    reason = described_field(
        Maybe(OneOf(("not_started", "game_over", "in_progress", "no_seat", "not_your_turn"))),
        "why no command of the game is listed",
    )
    ranges = fields.List(
        fields.Nested(RangedMove), metadata={"description": "the same as `moves`, with ranges"}
    )


class Events(Schema):
    """A page of events."""

    version = described_field(VERSION, "the game's current version")
    events = raw_field(
        "the events in order", {"type": "array", "items": {"$ref": "#/components/schemas/Event"}}
    )
    next = described_field(Maybe(VERSION), "`after` of the next page; null: there are no more yet")
