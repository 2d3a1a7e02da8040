"""Query parameters."""

from __future__ import annotations

from typing import Final

from marshmallow import Schema

from service.games.table.events import VISIBILITIES
from service.games.table.state import STATUSES
from service.rules.kinds import OneOf, Whole

from ..described_fields import Described
from ..fields import CURSOR, RULESET, STATE, documentation, flag_field, pattern_field

MAX_LISTED: Final = 100
MAX_EVENTS: Final = 500
MAX_DELIVERIES: Final = 100


class DeliveriesQuery(Schema):
    """Which deliveries are listed."""

    before = Described(
        Whole(1, 10**9), metadata=documentation("only deliveries with a lower number")
    )
    limit = Described(
        Whole(1, MAX_DELIVERIES), load_default=20, metadata=documentation("deliveries per page")
    )


class GameQuery(Schema):
    """Which version of a game."""

    version = Described(Whole(1, 10**9), metadata=documentation("an earlier version"))


class ScoreQuery(GameQuery):
    """Which version's score."""


class RecordQuery(Schema):
    """How a record is imported."""

    visibility = Described(
        OneOf(VISIBILITIES),
        load_default="public",
        metadata=documentation("who may read the game: anyone, or only the sender of the record"),
    )


class PictureQuery(GameQuery):
    """Which version of a game, and what is drawn."""

    moves = flag_field("highlights the legal moves of the seats to act")


class ListQuery(Schema):
    """Which games are listed."""

    ruleset = pattern_field(RULESET, metadata=documentation("only games of this ruleset"))
    status = Described(OneOf(STATUSES), metadata=documentation("only games with this status"))
    mine = flag_field("only games that the token hosts or plays")
    limit = Described(
        Whole(1, MAX_LISTED), load_default=20, metadata=documentation("games per page")
    )
    cursor = pattern_field(CURSOR, metadata=documentation("`next` of the previous page"))


class TurnsQuery(Schema):
    """Which turns are listed."""

    limit = Described(
        Whole(1, MAX_LISTED), load_default=20, metadata=documentation("games per page")
    )
    cursor = pattern_field(CURSOR, metadata=documentation("`next` of the previous page"))
    after = pattern_field(
        STATE, metadata=documentation("`state` of the previous response: wait until it changes")
    )


class EventsQuery(Schema):
    """Which events are listed."""

    after = Described(
        Whole(0, 10**9), load_default=0, metadata=documentation("only events after this version")
    )
    limit = Described(
        Whole(1, MAX_EVENTS), load_default=100, metadata=documentation("events per page")
    )


class MovesQuery(Schema):
    """How moves are listed."""

    version = Described(
        Whole(1, 10**9), metadata=documentation("the moves right after this earlier version")
    )
    ranges = flag_field("adds `ranges`: commands that differ in one number, folded into one")


class CommandQuery(Schema):
    """How commands are carried out."""

    dry_run = flag_field("judge only, up to the first draw, and write nothing")
