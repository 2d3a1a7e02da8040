"""What a caller may send now."""

from __future__ import annotations

from typing import Final

from flask import Response

from schemas import responses
from schemas.requests import queries

from ...games import authorization, legal_moves, views
from .. import representations
from ..http import (
    authentication,
    blueprint,
    conditional_requests,
    game_access,
    languages,
    request_parsing,
)
from ..http.blueprint import Blueprint
from ..http.responses import json_response

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
    caller = authentication.bearer_token()
    wanted = request_parsing.query_parameters(MOVES)
    folded = wanted["ranges"]
    seen = game_access.load_version(game_id, caller, wanted["version"])
    game = seen.game
    client = None if caller is None else caller.hash
    found = legal_moves.legal_moves(game, client, seen.now)
    shown = {
        "version": game.version,
        "seats": list(authorization.seats_of(game.table, client)),
        "to_act": list(game.to_act()),
        "clocks": views.clocks_view(game),
        "moves": representations.serialize_moves(found.game, game.ruleset),
        "table": representations.serialize_moves(found.table, game.ruleset),
        "reason": found.reason,
    }
    if folded:
        shown["ranges"] = representations.serialize_move_ranges(found.game, game.ruleset)
    response = languages.with_content_language(json_response(shown))
    response.headers["ETag"] = conditional_requests.localized_etag(game)
    response.vary.add("Authorization")
    return seen.keep(response, shared=False)
