"""The whole record of a finished game."""

from __future__ import annotations

from flask import Response

from ..games import record
from . import asking, blueprint, reaching
from .blueprint import Blueprint
from .presenting import answer
from .problems import Problem
from .services import services

blp = Blueprint("record", __name__, description="Records that anyone can check.")


@blp.route("/games/<game_id:game_id>/record", methods=["GET"])
@blp.operation(
    "getRecord",
    {200: ("The record, in record format 1.", {"type": "object"})},
    needs="optional token",
    headers={"ETag": blueprint.ETAG},
    codes=["not_found", "gone", "not_finished"],
)
def get_record(game_id: str) -> Response:
    """Take the record of a finished game

    Self-contained: ruleset, options, seats, revealed chance, every step with its draws, every
    event, the result. `bailli verify` and the verifier in `examples/` check it.
    """
    caller = asking.token()
    game = reaching.loaded(game_id, caller).game
    try:
        return answer(record.of_game(services().repository, game), game=game)
    except record.Unfinished:
        raise Problem("not_finished") from None
