"""Games that come from other games: branches (T-12) and rematches (T-13)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import orjson

from ...rules import described
from ...rules.plain import Misshapen
from ...rules.ruleset import RuleViolation
from ...store import Gone
from .. import authorization, ids
from ..game import Game, counted_events
from ..table import state as table_state
from ..table.events import Forked, Place, SeatClaimed, SeatPlan
from ..tokens import Token
from .errors import Forbidden, NotVisible
from .handler import CommandHandler
from .requests import Creation, RequestContext
from .results import Committed

MAX_PAST_BYTES: Final = 900_000
"""How many bytes the past of a branch may have: it is in one append with the creation."""

MAX_REMATCHES: Final = 16
"""How often a rematch that was deleted can be created again."""

NAMELESS: Final = "player {seat}"


@dataclass(frozen=True, slots=True)
class ForkRequest:
    """A request for a branch. `version` None: the newest; `seats` None: as the game has them, with

    people's seats held by the caller; `visibility` None: as the game's. `bits` as in `Creation`.
    """

    version: int | None = None
    seats: tuple[SeatPlan, ...] | None = None
    visibility: str | None = None
    start: str = "full"
    bits: bytes | None = None


def create_fork(
    command_handler: CommandHandler,
    game_id: str,
    wanted: ForkRequest,
    token: Token,
    request: RequestContext,
) -> Committed:
    """Creates a branch, whose host is the caller.

    Raises `NotVisible` for who may not read the game, `UnknownGame` for a version that does not
    exist, `RuleViolation` (T-12) where the game was not in play, `Misshapen` for another number of
    seats or a public branch of a private game, and as `CommandHandler.create` does.
    """
    repository = command_handler.repository
    newest = repository.load(game_id).game
    if not authorization.may_read(newest.table, token.hash):
        raise NotVisible(game_id)
    version = newest.version if wanted.version is None else wanted.version
    game = repository.load_version(game_id, version)
    if game.table.status != table_state.PLAYING:  # T-12
        raise RuleViolation(
            "not_in_play", "T-12", "The game was not in play at version {version}.", version=version
        )
    private = game.table.created.visibility == "private"
    if private and wanted.visibility == "public":
        raise Misshapen("/visibility", "must be private, as the game is")
    seats, claims = _seats_with_claims(game, wanted.seats, token)
    past = counted_events(repository.read_entries(game_id, 1, version), game.ruleset)
    if len(orjson.dumps([described.dump(event) for event in past])) > MAX_PAST_BYTES:
        raise RuleViolation("past_too_long", "T-12", "Too much has happened to branch off here.")
    place = Place(game_id, version)
    creation = Creation(
        game.ruleset,
        game.options,
        seats,
        wanted.visibility or game.table.created.visibility,
        wanted.start,
        bits=wanted.bits,
        opening=(Forked(place.game, place.version, past), *claims),
        forked_from=place,
        advice=game.table.created.advice,
    )
    return command_handler.create(creation, token, request)


def _seats_with_claims(
    game: Game, wanted: Sequence[SeatPlan] | None, token: Token
) -> tuple[tuple[SeatPlan, ...], tuple[SeatClaimed, ...]]:
    """Returns a branch's seats, and the claims of those that are taken from the beginning."""
    present = game.table.seats
    if wanted is not None:
        if len(wanted) != len(present):
            raise Misshapen("/seats", "must be {count} seats, as the game has", count=len(present))
        return tuple(wanted), ()
    seats = tuple(
        SeatPlan("bot", seat.name, seat.level) if seat.bot else SeatPlan("human", seat.name)
        for seat in present
    )
    claims = tuple(
        SeatClaimed(number, seat.name or NAMELESS.format(seat=number), "", token.hash)
        for number, seat in enumerate(seats)
        if seat.kind == "human"
    )
    return seats, claims


def create_rematch(
    command_handler: CommandHandler, game_id: str, order: str, token: Token, request: RequestContext
) -> Committed:
    """Creates the rematch of a game, or returns the one that was created already.

    `order` is "rotated" or "same". Raises `NotVisible` for who may not read the game, `Forbidden`
    for who neither hosts it nor has a seat, `RuleViolation` (T-13) before play has ended, and as
    `CommandHandler.create` does.
    """
    game = command_handler.repository.load(game_id).game
    table = game.table
    if not authorization.may_read(table, token.hash):
        raise NotVisible(game_id)
    if not authorization.is_host(table, token.hash) and not authorization.seats_of(
        table, token.hash
    ):
        raise Forbidden("only the host and the seats may ask for a rematch")
    if table.status in (table_state.OPEN, table_state.PLAYING):  # T-13
        raise RuleViolation("not_over", "T-13", "Play has not ended yet.")
    for number in range(MAX_REMATCHES):
        try:
            creation = _repeat_creation(game, order, rematch_id(game_id, number))
            return command_handler.create(creation, token, request)
        except Gone as gone:
            if gone.reason != "deleted":
                raise
    raise Gone(game_id, "deleted")


def _repeat_creation(game: Game, order: str, new_id: str) -> Creation:
    """Returns the creation of the same table under another id. Who had a seat has one (T-13)."""
    created, seats = game.table.created, game.table.seats
    count = len(seats)
    places = [(number + (order == "rotated")) % count for number in range(count)]
    plans = [created.seats[place] for place in places]
    claims = tuple(
        SeatClaimed(number, seats[place].name or NAMELESS.format(seat=number), "", token)
        for number, place in enumerate(places)
        if created.seats[place].kind == "human" and (token := seats[place].token) is not None
    )
    return Creation(
        game.ruleset,
        game.options,
        tuple(plans),
        created.visibility,
        created.start,
        # A tournament's outcomes are still sealed for its other tables (T-14).
        None if created.tournament is not None else created.sealed_chance.get("outcomes"),
        deadline=created.deadline,
        bot_delay=created.bot_delay,
        opening=claims,
        rematch_of=game.id,
        advice=created.advice,
        id=new_id,
    )


def rematch_id(game_id: str, number: int = 0) -> str:
    """Returns the id of a game's rematch; `number` counts those that were deleted before it."""
    return ids.derive_id(f"rematch\0{game_id}\0{number}")
