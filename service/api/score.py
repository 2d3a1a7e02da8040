"""The score, at any time."""

from __future__ import annotations

from typing import Any

from flask import Response

from schemas import responses

from ..games import reading
from ..games.game import Game
from . import asking, blueprint, reaching
from .blueprint import Blueprint
from .presenting import answer

blp = Blueprint("score", __name__, description="Points, line by line.")


@blp.route("/games/<game_id:game_id>/score", methods=["GET"])
@blp.operation(
    "getScore",
    {200: ("The score.", responses.Score)},
    needs="optional token",
    headers={"ETag": blueprint.ETAG},
    codes=["not_found", "gone"],
)
def get_score(game_id: str) -> Response:
    """Read the score

    As if play ended now, until it has. Never waits: `recorded` tells whether the result stands
    in the record yet.
    """
    caller = asking.token()
    game = reaching.loaded(game_id, caller).game
    return answer(shown(game), game=game)


def shown(game: Game) -> dict[str, Any]:
    """Returns the score of a game as plain data."""
    final = game.table.final
    if final is not None:
        scoring: dict[str, Any] | None = final.score
    else:
        found = reading.score(game)
        scoring = None if found is None else found.plain()
    return {
        "version": game.version,
        "final": game.table.status in ("scoring", "finished"),
        "recorded": final is not None,
        "resigned": list(game.table.resigned),
        "seats": [] if scoring is None else scoring["seats"],
    }
