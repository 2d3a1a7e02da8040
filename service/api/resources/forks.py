"""Games that come from other games: branches and rematches."""

from __future__ import annotations

from typing import Final

from flask import Response

from schemas import responses
from schemas.requests import creation as creation_requests

from ...games.commands import branching
from ..http import authentication, blueprint, idempotency, quotas, request_parsing
from ..http.blueprint import Blueprint
from ..http.services import services
from .game_creation import branch_response, parse_seats

blp = Blueprint("branches", __name__, description="What if, and once more.")

FORK: Final = creation_requests.ForkGame()
REMATCH: Final = creation_requests.AskRematch()
CODES: Final = [
    "not_found",
    "gone",
    "misshapen",
    "illegal",
    "key_reused",
    "too_many",
    "too_many_bots",
    "too_many_games",
]
HEADERS: Final = {
    "ETag": blueprint.ETAG,
    "Location": blueprint.LOCATION,
    "Idempotent-Replayed": blueprint.IDEMPOTENT_REPLAYED,
}


@blp.route("/games/<game_id:game_id>/forks", methods=["POST"])
@blp.operation(
    "forkGame",
    {201: ("A branch is laid; the caller is its host.", responses.CreatedGame)},
    needs="required token",
    body=FORK,
    parameters=[blueprint.IDEMPOTENCY_KEY],
    headers=HEADERS,
    codes=CODES,
)
def fork_game(game_id: str) -> Response:
    """Branch off

    A game of its own that goes on from exactly the position after `version`, with chance of its
    own: what is drawn from there on says nothing of the game branched off from. From a version
    inside a request's events it first goes on by itself until a seat must act. Whoever may read
    the game may do this; deleting the game leaves its branches alone.
    """
    services().limits.check("create")
    caller = authentication.required_client_token()
    body = request_parsing.json_body()
    wanted = request_parsing.load_body(FORK, body)
    fork = branching.ForkRequest(
        wanted["version"],
        None if wanted["seats"] is None else parse_seats(wanted["seats"]),
        wanted["visibility"],
        wanted["start"],
    )
    asked = idempotency.request_context(caller, body, conditional=False)
    quotas.check_game_quota(caller, asked.game_id)
    return branch_response(
        "fork", branching.create_fork(services().command_handler, game_id, fork, caller, asked)
    )


@blp.route("/games/<game_id:game_id>/rematch", methods=["POST"])
@blp.operation(
    "askRematch",
    {201: ("The rematch, whoever asked for it first.", responses.CreatedGame)},
    needs="required token",
    body=REMATCH,
    parameters=[blueprint.IDEMPOTENCY_KEY],
    headers=HEADERS,
    codes=[*CODES, "forbidden"],
)
def ask_rematch(game_id: str) -> Response:
    """Ask for a rematch

    The same table again, once play has ended; for its host and its seats. Who asks first is the
    new host. Whoever had a seat holds one at once, with the token that held it last; seats that
    nobody had are open. There is one rematch of a game: who asks later gets the same, marked by
    `Idempotent-Replayed`.
    """
    services().limits.check("create")
    caller = authentication.required_client_token()
    body = request_parsing.json_body()
    wanted = request_parsing.load_body(REMATCH, body)
    asked = idempotency.request_context(caller, body, conditional=False)
    quotas.check_game_quota(caller, branching.rematch_id(game_id))
    order = wanted["seats"]
    return branch_response(
        "rematch",
        branching.create_rematch(services().command_handler, game_id, order, caller, asked),
    )
