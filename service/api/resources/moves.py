"""Moves: the legal commands of the caller."""

from __future__ import annotations

from typing import Final

from flask import Response

from schemas import responses
from schemas.requests import queries

from ...games import authorization, legal_moves, views
from .. import representations
from ..http import (
    authentication,
    conditional_requests,
    documented_headers,
    game_access,
    languages,
    request_parsing,
)
from ..http.blueprint import Blueprint
from ..http.responses import json_response

blp = Blueprint("moves", __name__, description="Legal moves: commands that are ready to be sent.")

QUERY: Final = queries.MovesQuery()


@blp.route("/games/<game_id:game_id>/moves", methods=["GET"])
@blp.operation(
    "listMoves",
    {200: ("All commands that the caller may send now.", responses.Moves)},
    security="optional token",
    query=QUERY,
    parameters=documented_headers.LANGUAGES,
    headers={"ETag": documented_headers.TEXT_ETAG, "Content-Language": documented_headers.LANGUAGE},
    codes=["not_found", "gone", "misshapen"],
)
def list_moves(game_id: str) -> Response:
    """Return the legal moves

    Exactly the commands that would be accepted from the caller now: the game's own for each seat
    that the token holds, and the table's. `seat` and `command` of a move are the body of the
    request that makes it.

    With `version`, the commands that could be sent right after that event by the seats that the
    token held then: what a branch could try. There are none inside a request's events
    (`in_progress`).
    """
    caller = authentication.bearer_token()
    parameters = request_parsing.query_parameters(QUERY)
    ranges = parameters["ranges"]
    requested = game_access.load_version(game_id, caller, parameters["version"])
    game = requested.game
    client = None if caller is None else caller.hash
    legal = legal_moves.legal_moves(game, client, requested.now)
    body = {
        "version": game.version,
        "seats": list(authorization.seats_of(game.table, client)),
        "to_act": list(game.to_act()),
        "clocks": views.clocks_view(game),
        "moves": representations.serialize_moves(legal.game, game.ruleset, game.state),
        "table": representations.serialize_moves(legal.table, game.ruleset),
        "reason": legal.reason,
    }
    if ranges:
        body["ranges"] = representations.serialize_move_ranges(legal.game, game.ruleset, game.state)
    response = languages.with_content_language(json_response(body))
    response.headers["ETag"] = conditional_requests.localized_etag(game)
    response.vary.add("Authorization")
    return requested.with_cache_control(response, shared=False)
