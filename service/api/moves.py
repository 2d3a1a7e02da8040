"""What a caller may send now."""

from __future__ import annotations

from typing import Final

from flask import Response

from schemas import queries, responses

from ..games import access, reading
from . import asking, blueprint, presenting, reaching, texts
from .blueprint import Blueprint
from .presenting import answer

blp = Blueprint("moves", __name__, description="Legal commands, ready to be sent.")

MOVES: Final = queries.MovesQuery()


@blp.route("/games/<game_id:game_id>/moves", methods=["GET"])
@blp.operation(
    "listMoves",
    {200: ("Everything that the caller may send now.", responses.Moves)},
    needs="optional token",
    query=MOVES,
    parameters=blueprint.LANGUAGES,
    headers={"ETag": blueprint.TEXT_ETAG, "Content-Language": blueprint.LANGUAGE},
    codes=["not_found", "gone", "misshapen"],
)
def list_moves(game_id: str) -> Response:
    """List legal moves

    All commands, and no others, that would be accepted from the caller now: the game's own for
    each seat that the token holds, and the table's. `seat` and `command` of a move are the body
    of the request that makes it.

    With `version`, what could be sent right after that event, for the seats that the token held
    then: what a branch may try. Inside a request's events nothing could: `in_progress`.
    """
    caller = asking.token()
    wanted = asking.query(MOVES)
    folded = wanted["ranges"]
    seen = reaching.seen(game_id, caller, wanted["version"])
    game = seen.game
    client = None if caller is None else caller.hash
    found = reading.moves(game, client, seen.now)
    shown = {
        "version": game.version,
        "seats": list(access.seats_of(game.table, client)),
        "to_act": list(game.to_act()),
        "clocks": reading.clocks(game),
        "moves": presenting.moves(found.game, game.ruleset),
        "table": presenting.moves(found.table, game.ruleset),
        "reason": found.reason,
    }
    if folded:
        shown["ranges"] = presenting.ranges(found.game, game.ruleset)
    response = texts.marked(answer(shown))
    response.headers["ETag"] = asking.text_etag(game)
    response.vary.add("Authorization")
    return seen.keep(response, shared=False)
