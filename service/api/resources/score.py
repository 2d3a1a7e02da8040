"""The score, at any time."""

from __future__ import annotations

from typing import Any, Final

from flask import Response

from schemas import responses
from schemas.requests import queries

from ...games import views
from ...games.game import Game
from ..http import authentication, blueprint, game_access, request_parsing
from ..http.blueprint import Blueprint
from ..http.responses import json_response

blp = Blueprint("score", __name__, description="Points, line by line.")

QUERY: Final = queries.ScoreQuery()


@blp.route("/games/<game_id:game_id>/score", methods=["GET"])
@blp.operation(
    "getScore",
    {200: ("The score.", responses.Score)},
    needs="optional token",
    query=QUERY,
    headers={"ETag": blueprint.ETAG},
    codes=["not_found", "gone", "misshapen"],
)
def get_score(game_id: str) -> Response:
    """Read the score

    As if play ended now, until it has. Never waits: `recorded` tells whether the result stands
    in the record yet. With `version`, as if play had ended right after that event.
    """
    caller = authentication.bearer_token()
    version = request_parsing.query_parameters(QUERY)["version"]
    seen = game_access.load_version(game_id, caller, version)
    response = json_response(serialize_score(seen.game), game=seen.game)
    response.vary.add("Authorization")
    return seen.keep(response)


def serialize_score(game: Game) -> dict[str, Any]:
    """Returns the score of a game as plain data."""
    final = game.table.result
    if final is not None:
        scoring: dict[str, Any] | None = final.score
    else:
        found = views.current_score(game)
        scoring = None if found is None else found.plain()
    return {
        "version": game.version,
        "final": game.table.status in ("scoring", "finished"),
        "recorded": final is not None,
        "resigned": list(game.table.resigned),
        "seats": [] if scoring is None else scoring["seats"],
    }
