"""What clients ask for besides the path: parameters of queries."""

from __future__ import annotations

from typing import Final

from marshmallow import Schema

from service.games.table.events import VISIBILITIES
from service.games.table.state import STATUSES
from service.rules.plain import OneOf, Whole

from ..described_fields import Described
from ..fields import CURSOR, RULESET, STATE, documentation, flag_field, pattern_field

MAX_LISTED: Final = 100
MAX_EVENTS: Final = 500
MAX_DELIVERIES: Final = 100


class DeliveriesQuery(Schema):
    """Which deliveries."""

    before = Described(
        Whole(1, 10**9), metadata=documentation("only deliveries with a lower number")
    )
    limit = Described(
        Whole(1, MAX_DELIVERIES), load_default=20, metadata=documentation("deliveries a page")
    )


class GameQuery(Schema):
    """Which version of a game."""

    version = Described(
        Whole(1, 10**9), metadata=documentation("an earlier version, as it was then")
    )


class ScoreQuery(GameQuery):
    """Which version's score."""


class RecordQuery(Schema):
    """What becomes of a record."""

    visibility = Described(
        OneOf(VISIBILITIES),
        load_default="public",
        metadata=documentation("who may read the game: anyone, or who sent the record"),
    )


class PictureQuery(GameQuery):
    """Which version of a game, and what is shown of it."""

    moves = flag_field("marks what the seats that are to act may do there")


class ListQuery(Schema):
    """Which games are listed."""

    ruleset = pattern_field(RULESET, metadata=documentation("only games of this ruleset"))
    status = Described(OneOf(STATUSES), metadata=documentation("only in this state"))
    mine = flag_field("only games that the token hosts or plays")
    limit = Described(Whole(1, MAX_LISTED), load_default=20, metadata=documentation("games a page"))
    cursor = pattern_field(CURSOR, metadata=documentation("`next` of the page before"))


class TurnsQuery(Schema):
    """Which part of what waits for the caller."""

    limit = Described(Whole(1, MAX_LISTED), load_default=20, metadata=documentation("games a page"))
    cursor = pattern_field(CURSOR, metadata=documentation("`next` of the page before"))
    after = pattern_field(
        STATE, metadata=documentation("`state` of the answer before: wait for another")
    )


class EventsQuery(Schema):
    """Which events."""

    after = Described(
        Whole(0, 10**9), load_default=0, metadata=documentation("only events after this version")
    )
    limit = Described(
        Whole(1, MAX_EVENTS), load_default=100, metadata=documentation("events a page")
    )


class MovesQuery(Schema):
    """How moves are listed."""

    version = Described(
        Whole(1, 10**9), metadata=documentation("what could be sent right after an earlier version")
    )
    ranges = flag_field("adds a short form: commands that differ in one number, folded")


class CommandQuery(Schema):
    """How commands are carried out."""

    dry_run = flag_field("judge only, up to the first draw; write nothing")
