"""What clients ask for besides the path: parameters of queries."""

from __future__ import annotations

from typing import Final

from marshmallow import Schema

from service.games.events import VISIBILITIES
from service.games.table import STATUSES
from service.rules.plain import (
    OneOf,
    Whole,
)

from .basics import CURSOR, RULESET, STATE, patterned, switch, told
from .described import Described

MOST_LISTED: Final = 100
MOST_EVENTS: Final = 500
MOST_DELIVERIES: Final = 100


class DeliveriesQuery(Schema):
    """Which deliveries."""

    before = Described(Whole(1, 10**9), metadata=told("only deliveries with a lower number"))
    limit = Described(
        Whole(1, MOST_DELIVERIES), load_default=20, metadata=told("deliveries a page")
    )


class GameQuery(Schema):
    """Which version of a game."""

    version = Described(Whole(1, 10**9), metadata=told("an earlier version, as it was then"))


class ScoreQuery(GameQuery):
    """Which version's score."""


class RecordQuery(Schema):
    """What becomes of a record."""

    visibility = Described(
        OneOf(VISIBILITIES),
        load_default="public",
        metadata=told("who may read the game: anyone, or who sent the record"),
    )


class PictureQuery(GameQuery):
    """Which version of a game, and what is shown of it."""

    moves = switch("marks what the seats that are to act may do there")


class ListQuery(Schema):
    """Which games are listed."""

    ruleset = patterned(RULESET, metadata=told("only games of this ruleset"))
    status = Described(OneOf(STATUSES), metadata=told("only in this state"))
    mine = switch("only games that the token hosts or plays")
    limit = Described(Whole(1, MOST_LISTED), load_default=20, metadata=told("games a page"))
    cursor = patterned(CURSOR, metadata=told("`next` of the page before"))


class TurnsQuery(Schema):
    """Which part of what waits for the caller."""

    limit = Described(Whole(1, MOST_LISTED), load_default=20, metadata=told("games a page"))
    cursor = patterned(CURSOR, metadata=told("`next` of the page before"))
    after = patterned(STATE, metadata=told("`state` of the answer before: wait for another"))


class EventsQuery(Schema):
    """Which events."""

    after = Described(
        Whole(0, 10**9), load_default=0, metadata=told("only events after this version")
    )
    limit = Described(Whole(1, MOST_EVENTS), load_default=100, metadata=told("events a page"))


class MovesQuery(Schema):
    """How moves are listed."""

    version = Described(
        Whole(1, 10**9), metadata=told("what could be sent right after an earlier version")
    )
    ranges = switch("adds a short form: commands that differ in one number, folded")


class CommandQuery(Schema):
    """How commands are carried out."""

    dry_run = switch("judge only, up to the first draw; write nothing")
