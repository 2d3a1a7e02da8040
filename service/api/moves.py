"""What a caller may send now."""

from __future__ import annotations

from typing import Final

from flask import Response

from schemas import requests, responses

from ..games import access, reading
from . import asking, blueprint, presenting, reaching
from .blueprint import Blueprint
from .presenting import answer

blp = Blueprint("moves", __name__, description="Legal commands, ready to be sent.")

MOVES: Final = requests.MovesQuery()


@blp.route("/games/<game_id:game_id>/moves", methods=["GET"])
@blp.operation(
    "listMoves",
    {200: ("Everything that the caller may send now.", responses.Moves)},
    needs="optional token",
    query=MOVES,
    headers={"ETag": blueprint.ETAG},
    codes=["not_found", "gone", "misshapen"],
)
def list_moves(game_id: str) -> Response:
    """List legal moves

    All commands, and no others, that would be accepted from the caller now: the game's own for
    each seat that the token holds, and the table's. `seat` and `command` of a move are the body
    of the request that makes it.
    """
    caller = asking.token()
    folded = asking.query(MOVES)["ranges"]
    loaded = reaching.loaded(game_id, caller)
    game = loaded.game
    client = None if caller is None else caller.hash
    found = reading.moves(game, client, loaded.now)
    shown = {
        "version": game.version,
        "seats": list(access.seats_of(game.table, client)),
        "to_act": list(game.to_act()),
        "clocks": reading.clocks(game),
        "moves": presenting.moves(found.game),
        "table": presenting.moves(found.table),
        "reason": found.reason,
    }
    if folded:
        shown["ranges"] = presenting.ranges(found.game)
    response = answer(shown, game=game)
    response.vary.update(("Authorization", "Accept-Language"))
    return response
