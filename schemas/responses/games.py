"""Games: views, lists, creation, claims."""

from __future__ import annotations

from marshmallow import Schema, fields

from service.games.table.clocks import Deadline
from service.games.table.events import MAX_BOT_DELAY, START_MODES, VISIBILITIES
from service.games.table.state import STATUSES
from service.levels import LEVELS
from service.rules.plain import Maybe, OneOf, Structure, Text, Whole

from ..described_fields import Described
from ..fields import SEAT
from .fields import (
    FLAG,
    GAME_ID_PATTERN,
    TIME,
    VERSION,
    described_field,
    durable_field,
    game_id_field,
    list_field,
    next_cursor_field,
    raw_field,
)


class Seat(Schema):
    """A seat."""

    seat = described_field(SEAT, "its number")
    name = described_field(Maybe(Text(80)), "the name shown")
    kind = described_field(OneOf(("human", "bot")), "who plays")
    level = described_field(Maybe(OneOf(LEVELS)), "the bot's level")
    open = described_field(FLAG, "whether it may be claimed")
    resigned = described_field(FLAG, "whether it resigned")


class RulesetVersion(Schema):
    """A ruleset with the version of its rules."""

    id = described_field(Text(64), "the ruleset's id")
    version = described_field(VERSION, "the version of the rules")


class Clock(Schema):
    """A seat's time: as it was at the last append, never what is left of it now."""

    seat = described_field(SEAT, "the seat")
    bank = described_field(TIME, "what it had left, ms")
    deadline = described_field(
        Maybe(TIME), "by when it must act, ms since 1970; null: the game does not wait for it"
    )


class GameSummary(Schema):
    """A game in a list."""

    id = game_id_field()
    ruleset = fields.Nested(RulesetVersion, required=True)
    version = described_field(VERSION, "how many events there are")
    status = described_field(OneOf(STATUSES), "how far it is")
    visibility = described_field(OneOf(VISIBILITIES), "who may read it")
    seats = list_field(Seat, "in the order of play")
    to_act = fields.List(
        Described(SEAT), required=True, metadata={"description": "the seats it waits for"}
    )
    clocks = list_field(Clock, "of the seats that people play; empty without a deadline")
    created_at = described_field(TIME, "ms since 1970")
    changed_at = described_field(TIME, "ms since 1970")


class ChanceView(Schema):
    """What may be known of the chance before it is revealed."""

    kind = described_field(OneOf(("sealed", "arranged")), "where draws come from")
    id = described_field(Text(64), "the id in the draws' derivation")
    commitment = described_field(Text(64), "SHA-256 of what is sealed, hexadecimal")
    entropies = fields.List(
        Described(Text(64)), required=True, metadata={"description": "what the seats added"}
    )
    draws = described_field(VERSION, "how many draws were made")


class UndoRequest(Schema):
    """A question whether moves are taken back."""

    seat = described_field(SEAT, "who asks")
    to_version = described_field(VERSION, "what would be the last version that counts")
    agreed = fields.List(Described(SEAT), required=True, metadata={"description": "who has agreed"})


class Place(Schema):
    """A position of another game."""

    game = game_id_field()
    version = described_field(VERSION, "the version")


class Imported(Schema):
    """A record that a game was taken from."""

    game = described_field(Text(64), "the game's id in the record")
    digest = described_field(Text(64), "SHA-256 of the record as it was sent, hexadecimal")


class Duplicate(Schema):
    """A table of a duplicate tournament."""

    id = described_field(Text(26), "the tournament's id", pattern=GAME_ID_PATTERN, maxLength=26)
    table = described_field(Whole(0, 99), "the table's number")
    tables = described_field(Whole(1, 100), "how many tables there are")


class Game(GameSummary):
    """A game: everything that may be seen of it."""

    in_progress = described_field(FLAG, "whether the version lies inside an append")
    start = described_field(OneOf(START_MODES), "what starts it")
    forked_from = fields.Nested(
        Place,
        required=True,
        allow_none=True,
        metadata={"description": "the position that the game branches off from"},
    )
    rematch_of = described_field(Maybe(Text(26)), "the game that it is the rematch of")
    tournament = fields.Nested(
        Duplicate,
        required=True,
        allow_none=True,
        metadata={"description": "the tournament that the game is a table of"},
    )
    imported = fields.Nested(
        Imported,
        required=True,
        allow_none=True,
        metadata={"description": "the record that the game was taken from"},
    )
    options = raw_field("the options, every one named", {"type": "object"})
    deadline = described_field(
        Maybe(Structure(Deadline)), "how long people may take; null: no deadline"
    )
    bot_delay = described_field(
        Whole(0, MAX_BOT_DELAY), "ms at least between a bot's move and the event before it"
    )
    advice = described_field(FLAG, "whether seats may ask for a bot's advice")
    chance = fields.Nested(ChanceView, required=True)
    undo = fields.Nested(UndoRequest, required=True, allow_none=True)
    board = raw_field(
        "the position, in the ruleset's own form; null before the start",
        {"type": ["object", "null"]},
    )
    links = fields.Dict(keys=fields.String(), values=fields.String(), required=True)


class Games(Schema):
    """A page of games, newest first."""

    games = list_field(GameSummary, "newest first")
    next = next_cursor_field()


class SeatCode(Schema):
    """The code that opens a seat. Whoever has it may claim the seat."""

    seat = described_field(SEAT, "the seat")
    claim_code = described_field(Text(46), "its code")


class CreatedGame(Schema):
    """A table was laid."""

    game = fields.Nested(Game, required=True)
    claim_codes = list_field(SeatCode, "one for each open seat")
    watch_code = described_field(
        Maybe(Text(46)), "with which a private game may be read, sent as the Bearer token"
    )
    token = described_field(
        Maybe(Text(46)), "the token made for a client that sent none; shown once"
    )
    durable = durable_field()


class ClaimedSeat(Schema):
    """A seat was taken."""

    seat = described_field(SEAT, "the seat")
    version = described_field(VERSION, "the game's version after that")
    events = raw_field(
        "what happened", {"type": "array", "items": {"$ref": "#/components/schemas/Event"}}
    )
    token = described_field(
        Maybe(Text(46)), "the token made for a client that sent none; shown once"
    )
    durable = durable_field()
