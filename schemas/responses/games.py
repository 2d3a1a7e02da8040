"""Games: views, lists, creation, claims."""

from __future__ import annotations

from marshmallow import Schema, fields

from service.bot_levels import LEVELS
from service.games.table.clocks import Deadline
from service.games.table.events import MAX_BOT_DELAY, START_MODES, VISIBILITIES
from service.games.table.state import STATUSES
from service.rules.described import Structure
from service.rules.kinds import Maybe, OneOf, Text, Whole

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
    open = described_field(FLAG, "whether it can be claimed")
    resigned = described_field(FLAG, "whether it resigned")


class RulesetVersion(Schema):
    """A ruleset with the version of its rules."""

    id = described_field(Text(64), "the ruleset's id")
    version = described_field(VERSION, "the version of the rules")


class Clock(Schema):
    """A seat's clock as of the last append, not as of now."""

    seat = described_field(SEAT, "the seat")
    bank = described_field(TIME, "the remaining time then, ms")
    deadline = described_field(
        Maybe(TIME), "when it must have acted, ms since 1970; null: the game does not wait for it"
    )


class GameSummary(Schema):
    """A game in a list."""

    id = game_id_field()
    ruleset = fields.Nested(RulesetVersion, required=True)
    version = described_field(VERSION, "the number of events")
    status = described_field(OneOf(STATUSES), "the stage of the game")
    visibility = described_field(OneOf(VISIBILITIES), "who may read it")
    seats = list_field(Seat, "in the order of play")
    to_act = fields.List(
        Described(SEAT),
        required=True,
        metadata={"description": "the seats that the game waits for"},
    )
    clocks = list_field(Clock, "clocks of the seats that people play; empty without a deadline")
    created_at = described_field(TIME, "ms since 1970")
    changed_at = described_field(TIME, "ms since 1970")


class ChanceView(Schema):
    """What is public about the chance before it is revealed."""

    kind = described_field(OneOf(("sealed", "arranged")), "where draws come from")
    id = described_field(Text(64), "the id in the draws' derivation")
    commitment = described_field(Text(64), "SHA-256 of the sealed chance, hexadecimal")
    entropies = fields.List(
        Described(Text(64)),
        required=True,
        metadata={"description": "the entropy that the seats added"},
    )
    draws = described_field(VERSION, "the number of draws made")


class UndoRequest(Schema):
    """A take-back request."""

    seat = described_field(SEAT, "the seat that requests it")
    to_version = described_field(VERSION, "the last version that would still count")
    agreed = fields.List(
        Described(SEAT), required=True, metadata={"description": "the seats that have agreed"}
    )


class Place(Schema):
    """A position of another game."""

    game = game_id_field()
    version = described_field(VERSION, "the version")


class Imported(Schema):
    """The record that a game was imported from."""

    game = described_field(Text(64), "the game's id in the record")
    digest = described_field(Text(64), "SHA-256 of the record as it was sent, hexadecimal")


class Duplicate(Schema):
    """A table of a duplicate tournament."""

    id = described_field(Text(26), "the tournament's id", pattern=GAME_ID_PATTERN, maxLength=26)
    table = described_field(Whole(0, 99), "the table's number")
    tables = described_field(Whole(1, 100), "the number of tables")


class Game(GameSummary):
    """A game: everything that the caller may see."""

    in_progress = described_field(FLAG, "whether the version is inside an append")
    start = described_field(OneOf(START_MODES), "what starts it")
    forked_from = fields.Nested(
        Place,
        required=True,
        allow_none=True,
        metadata={"description": "the position that the game branched off from"},
    )
    rematch_of = described_field(Maybe(Text(26)), "the game that this is the rematch of")
    tournament = fields.Nested(
        Duplicate,
        required=True,
        allow_none=True,
        metadata={"description": "the tournament that this game is a table of"},
    )
    imported = fields.Nested(
        Imported,
        required=True,
        allow_none=True,
        metadata={"description": "the record that the game was imported from"},
    )
    options = raw_field("all options with their values", {"type": "object"})
    deadline = described_field(
        Maybe(Structure(Deadline)), "how long people may take; null: no deadline"
    )
    bot_delay = described_field(
        Whole(0, MAX_BOT_DELAY), "minimum ms between a bot's move and the event before it"
    )
    advice = described_field(FLAG, "whether seats may request a bot's advice")
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
    """The claim code of a seat. Anyone who has it may claim the seat."""

    seat = described_field(SEAT, "the seat")
    claim_code = described_field(Text(46), "the claim code")


class CreatedGame(Schema):
    """The created game."""

    game = fields.Nested(Game, required=True)
    claim_codes = list_field(SeatCode, "one for each open seat")
    watch_code = described_field(
        Maybe(Text(46)), "gives read access to a private game, sent as the Bearer token"
    )
    token = described_field(
        Maybe(Text(46)), "the token generated for a client that sent none; returned only once"
    )
    durable = durable_field()


class ClaimedSeat(Schema):
    """The claimed seat."""

    seat = described_field(SEAT, "the seat")
    version = described_field(VERSION, "the game's version after the claim")
    events = raw_field(
        "what happened", {"type": "array", "items": {"$ref": "#/components/schemas/Event"}}
    )
    token = described_field(
        Maybe(Text(46)), "the token generated for a client that sent none; returned only once"
    )
    durable = durable_field()
