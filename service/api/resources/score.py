"""Score of a game, at any time."""

from __future__ import annotations

from typing import Any, Final

from flask import Response

from schemas import responses
from schemas.requests import queries

from ...games import views
from ...games.game import Game
from ..http import authentication, documented_headers, game_access, request_parsing
from ..http.blueprint import Blueprint
from ..http.responses import json_response

blp = Blueprint("score", __name__, description="Scores, item by item.")

QUERY: Final = queries.ScoreQuery()


@blp.route("/games/<game_id:game_id>/score", methods=["GET"])
@blp.operation(
    "getScore",
    {200: ("The score.", responses.Score)},
    security="optional token",
    query=QUERY,
    headers={"ETag": documented_headers.ETAG},
    codes=["not_found", "gone", "misshapen"],
)
def get_score(game_id: str) -> Response:
    """Return the score

    As if play ended now, until it has ended. Never waits: `recorded` is whether the result is in
    the record yet. With `version`, as if play had ended right after that event.
    """
    caller = authentication.bearer_token()
    version = request_parsing.query_parameters(QUERY)["version"]
    requested = game_access.load_version(game_id, caller, version)
    response = json_response(serialize_score(requested.game), game=requested.game)
    response.vary.add("Authorization")
    return requested.with_cache_control(response)


def serialize_score(game: Game) -> dict[str, Any]:
    """Returns the score of a game as plain data."""
    final = game.table.result
    if final is not None:
        result: dict[str, Any] | None = final.score
    else:
        current = views.current_score(game)
        result = None if current is None else current.plain()
    return {
        "version": game.version,
        "final": game.table.status in ("scoring", "finished"),
        "recorded": final is not None,
        "resigned": list(game.table.resigned),
        "seats": [] if result is None else result["seats"],
    }
