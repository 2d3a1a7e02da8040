"""What waits for a client, over all its games."""

from __future__ import annotations

from typing import Any, Final

from flask import Response

from schemas import requests, responses

from ..games import access
from ..games import table as tables
from ..games.game import Game
from ..store.protocol import Listed
from . import asking
from .blueprint import Blueprint
from .games import MOST_PAGE, next_link, paged
from .presenting import answer
from .services import links, services

blp = Blueprint("turns", __name__, description="Whose turn it is.")

PAGE: Final = requests.TurnsQuery()


@blp.route("/turns", methods=["GET"])
@blp.operation(
    "listTurns",
    {200: ("The games that wait for the caller.", responses.Turns)},
    needs="required token",
    query=PAGE,
    codes=["misshapen"],
)
def list_turns() -> Response:
    """List what waits for the caller

    A move, an answer to `undo`, or the host's `start`, over all games of the token.
    """
    client = asking.required_token().hash
    wanted = asking.query(PAGE)

    def listing(before: Listed | None) -> list[Listed]:
        return services().store.list_client(client, MOST_PAGE, before)

    page, following = paged(
        listing, wanted["cursor"], wanted["limit"], lambda game: _turn(game, client)
    )
    return answer({"turns": page, "next": following}, headers=next_link(following))


def _turn(game: Game, client: str) -> dict[str, Any] | None:
    why, seats = _waiting(game, client)
    if why is None:
        return None
    clocks = game.table.clocks
    ends = [until for seat in seats if clocks and (until := clocks[seat].until) is not None]
    return {
        "game": game.id,
        "ruleset": game.ruleset.id,
        "version": game.version,
        "seats": seats,
        "why": why,
        "since": game.table.moved,
        "deadline": min(ends, default=None),
        "links": links(game.id),
    }


def _waiting(game: Game, client: str) -> tuple[str | None, list[int]]:
    """Returns what the game wants of a client, None for nothing, and of which seats."""
    table = game.table
    own = [seat for seat in access.seats_of(table, client) if not table.seats[seat].bot]
    if table.status == tables.OPEN:
        waits = (
            table.created.start == "host"
            and access.is_host(table, client)
            and all(seat.filled for seat in table.seats)
        )
        return ("start" if waits else None), []
    if table.asked is not None:
        asked = [seat for seat in own if seat != table.asked.seat and seat not in table.agreed]
        if asked and table.status == tables.PLAYING:
            return "undo", asked
    acting = [seat for seat in own if seat in game.to_act()]
    return ("move" if acting else None), acting
