"""Turns: the caller's inbox."""

from __future__ import annotations

from marshmallow import Schema, fields

from service.rules.kinds import Maybe, OneOf, Text

from ..described_fields import Described
from ..fields import SEAT
from .fields import TIME, VERSION, described_field, game_id_field, list_field, next_cursor_field


class Turn(Schema):
    """A game that waits for the caller."""

    game = game_id_field()
    ruleset = described_field(Text(64), "the ruleset's id")
    version = described_field(VERSION, "the game's version")
    seats = fields.List(
        Described(SEAT), required=True, metadata={"description": "the caller's seats that must act"}
    )
    why = described_field(
        OneOf(("move", "undo", "start")), "a move, a response to undo, or the host's start"
    )
    since = described_field(TIME, "since when the game waits, ms since 1970")
    deadline = described_field(
        Maybe(TIME), "when the first of these seats must have acted, ms since 1970; null: never"
    )
    links = fields.Dict(keys=fields.String(), values=fields.String(), required=True)


class Turns(Schema):
    """The games that wait for the caller."""

    turns = list_field(Turn, "newest first")
    next = next_cursor_field()
    state = described_field(
        Maybe(Text(32)), "identifies the set of all turns, for `after`; null without Prefer: wait"
    )
