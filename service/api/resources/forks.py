"""Forks and rematches: games created from other games."""

from __future__ import annotations

from typing import Final

from flask import Response

from schemas import responses
from schemas.requests import creation as creation_requests

from ...games.commands import branching
from ..http import authentication, documented_headers, idempotency_key, quotas, request_parsing
from ..http.blueprint import Blueprint
from ..http.services import services
from .game_creation import branch_response, parse_seats

blp = Blueprint(
    "branches", __name__, description="Branches and rematches: games created from other games."
)

FORK_BODY: Final = creation_requests.ForkGame()
REMATCH_BODY: Final = creation_requests.AskRematch()
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
    "ETag": documented_headers.ETAG,
    "Location": documented_headers.LOCATION,
    "Idempotent-Replayed": documented_headers.IDEMPOTENT_REPLAYED,
}


@blp.route("/games/<game_id:game_id>/forks", methods=["POST"])
@blp.operation(
    "forkGame",
    {201: ("The branch is created; the caller is its host.", responses.CreatedGame)},
    security="required token",
    body=FORK_BODY,
    parameters=[documented_headers.IDEMPOTENCY_KEY],
    headers=HEADERS,
    codes=CODES,
)
def fork_game(game_id: str) -> Response:
    """Create a branch of a game

    A new game that continues from exactly the position after `version`, with chance of its own:
    its draws reveal nothing about the original game. From a version inside a request's events it
    first continues automatically until a seat must act. Everyone who may read the game may do
    this; deleting the game does not affect its branches.
    """
    services().rate_limiter.check("create")
    caller = authentication.required_client_token()
    body = request_parsing.json_body()
    parameters = request_parsing.load_body(FORK_BODY, body)
    fork = branching.ForkRequest(
        parameters["version"],
        None if parameters["seats"] is None else parse_seats(parameters["seats"]),
        parameters["visibility"],
        parameters["start"],
    )
    context = idempotency_key.request_context(caller, body, conditional=False)
    quotas.check_game_quota(caller, context.game_id)
    return branch_response(
        "fork", branching.create_fork(services().command_handler, game_id, fork, caller, context)
    )


@blp.route("/games/<game_id:game_id>/rematch", methods=["POST"])
@blp.operation(
    "askRematch",
    {201: ("The rematch, whoever requested it first.", responses.CreatedGame)},
    security="required token",
    body=REMATCH_BODY,
    parameters=[documented_headers.IDEMPOTENCY_KEY],
    headers=HEADERS,
    codes=[*CODES, "forbidden"],
)
def ask_rematch(game_id: str) -> Response:
    """Create a rematch

    The same table again, once play has ended; for its host and its seats. The first to request it
    is the new host. Everyone who had a seat has one at once, with the token that held it last;
    seats that nobody held are open. A game has one rematch: later requests return the same game,
    marked with `Idempotent-Replayed`.
    """
    services().rate_limiter.check("create")
    caller = authentication.required_client_token()
    body = request_parsing.json_body()
    parameters = request_parsing.load_body(REMATCH_BODY, body)
    context = idempotency_key.request_context(caller, body, conditional=False)
    quotas.check_game_quota(caller, branching.rematch_id(game_id))
    order = parameters["seats"]
    return branch_response(
        "rematch",
        branching.create_rematch(services().command_handler, game_id, order, caller, context),
    )
