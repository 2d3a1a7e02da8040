"""Games: create, list, return, delete."""

from __future__ import annotations

from typing import Final

from flask import Response, request

from schemas import responses
from schemas.requests import creation as creation_requests
from schemas.requests import queries

from ...games import tokens, views
from ...games.game import Game
from ...games.table.state import STATUSES
from ...store import ListedGame
from ..http import (
    authentication,
    conditional_requests,
    documented_headers,
    game_access,
    idempotency_key,
    quotas,
    request_parsing,
)
from ..http import responses as http_responses
from ..http.blueprint import Blueprint
from ..http.pagination import MAX_PAGE_SIZE, merge_newest, next_link_header, paginate
from ..http.responses import json_response
from ..http.services import services
from ..representations import serialize_game
from .game_creation import created_response, parse_creation

blp = Blueprint("games", __name__, description="Games: create, list, return and delete them.")

CREATE_BODY: Final = creation_requests.CreateGame()
LIST_QUERY: Final = queries.ListQuery()
GAME_QUERY: Final = queries.GameQuery()


@blp.route("/games", methods=["POST"])
@blp.operation(
    "createGame",
    {201: ("The game is created; the caller is its host.", responses.CreatedGame)},
    security="optional token",
    body=CREATE_BODY,
    parameters=[documented_headers.IDEMPOTENCY_KEY],
    headers={"ETag": documented_headers.ETAG, "Location": documented_headers.LOCATION},
    codes=["misshapen", "key_reused", "too_many", "too_many_bots", "too_many_games", "gone"],
)
def create_game() -> Response:
    """Create a game

    Seats of kind `human` are open: anyone with a seat's claim code may claim it. The game starts
    with the last claim, or at once if all seats are bots.
    """
    services().rate_limiter.check("create")
    caller = authentication.client_token()
    body = request_parsing.json_body()
    parameters = request_parsing.load_body(CREATE_BODY, body)
    token = tokens.new_token() if caller is None else caller
    context = idempotency_key.request_context(token, body, conditional=False)
    if caller is not None:
        quotas.check_game_quota(caller, context.game_id)
    committed = services().command_handler.create(parse_creation(parameters), token, context)
    return created_response(committed, token if caller is None else None)


@blp.route("/games", methods=["GET"])
@blp.operation(
    "listGames",
    {200: ("A page of games.", responses.Games)},
    security="optional token",
    query=LIST_QUERY,
    codes=["misshapen", "token_required"],
)
def list_games() -> Response:
    """List games

    Public games, or with `mine` the games that the token hosts or plays. A page may be short; only
    `next` says whether there are more.
    """
    caller = authentication.bearer_token()
    parameters = request_parsing.query_parameters(LIST_QUERY)
    if parameters["mine"]:
        caller = authentication.required_bearer_token()
        client = caller.hash

        def list_page(before: ListedGame | None) -> list[ListedGame]:
            return services().store.list_by_client(client, MAX_PAGE_SIZE, before)

    else:
        statuses = [parameters["status"]] if parameters["status"] else list(STATUSES)

        def list_page(before: ListedGame | None) -> list[ListedGame]:
            return merge_newest(
                [
                    services().store.list_by_status(status, MAX_PAGE_SIZE, before)
                    for status in statuses
                ]
            )

    def matches(game: Game) -> bool:
        return (parameters["ruleset"] in (None, game.ruleset.id)) and (
            parameters["status"] in (None, game.table.status)
        )

    page, cursor = paginate(
        list_page,
        parameters["cursor"],
        parameters["limit"],
        lambda game: views.summary(game) if matches(game) else None,
    )
    return json_response({"games": page, "next": cursor}, headers=next_link_header(cursor))


@blp.route("/games/<game_id:game_id>", methods=["GET"])
@blp.operation(
    "getGame",
    {200: ("The game.", responses.Game), 304: "The game is still at that version."},
    security="optional token",
    query=GAME_QUERY,
    parameters=[documented_headers.IF_NONE_MATCH],
    headers={"ETag": documented_headers.ETAG},
    codes=["not_found", "gone", "misshapen"],
)
def get_game(game_id: str) -> Response:
    """Return a game

    Everything that the caller may see; with `version`, as it was right after that event. Responses
    about earlier versions may be cached for ever.
    """
    caller = authentication.bearer_token()
    version = (
        request_parsing.query_parameters(GAME_QUERY)["version"] if request.query_string else None
    )
    requested = game_access.load_version(game_id, caller, version)
    game = requested.game
    if conditional_requests.not_modified(conditional_requests.etag(game)):
        response = http_responses.empty_response(304)
        response.headers["ETag"] = conditional_requests.etag(game)
    else:
        response = json_response(services().game_cache.get(game, serialize_game), game=game)
    response.vary.add("Authorization")
    return requested.with_cache_control(response)


@blp.route("/games/<game_id:game_id>", methods=["DELETE"])
@blp.operation(
    "deleteGame",
    {204: "The game is deleted."},
    security="required token",
    parameters=[documented_headers.IF_MATCH],
    codes=["not_found", "gone", "forbidden", "stale", "busy"],
)
def delete_game(game_id: str) -> Response:
    """Delete a game

    For good, with its whole record. Only the host may do this.
    """
    caller = authentication.required_bearer_token()
    services().command_handler.delete(game_id, idempotency_key.request_context(caller, None))
    return http_responses.empty_response()
