"""Games: lay a table, list, look, remove."""

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
    blueprint,
    conditional_requests,
    game_access,
    idempotency,
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

blp = Blueprint("games", __name__, description="Tables, from laying them to removing them.")

CREATE: Final = creation_requests.CreateGame()
LIST: Final = queries.ListQuery()
LOOK: Final = queries.GameQuery()


@blp.route("/games", methods=["POST"])
@blp.operation(
    "createGame",
    {201: ("A table is laid; the creator is its host.", responses.CreatedGame)},
    needs="optional token",
    body=CREATE,
    parameters=[blueprint.IDEMPOTENCY_KEY],
    headers={"ETag": blueprint.ETAG, "Location": blueprint.LOCATION},
    codes=["misshapen", "key_reused", "too_many", "too_many_bots", "too_many_games", "gone"],
)
def create_game() -> Response:
    """Lay a table

    Seats of kind `human` are open: whoever has a seat's claim code may take it. With the last
    claim (or at once, if all seats are bots) the game starts.
    """
    services().limits.check("create")
    caller = authentication.client_token()
    body = request_parsing.json_body()
    wanted = request_parsing.load_body(CREATE, body)
    token = tokens.new_token() if caller is None else caller
    asked = idempotency.request_context(token, body, conditional=False)
    if caller is not None:
        quotas.check_game_quota(caller, asked.game_id)
    written = services().command_handler.create(parse_creation(wanted), token, asked)
    return created_response(written, token if caller is None else None)


@blp.route("/games", methods=["GET"])
@blp.operation(
    "listGames",
    {200: ("A page of games.", responses.Games)},
    needs="optional token",
    query=LIST,
    codes=["misshapen", "token_required"],
)
def list_games() -> Response:
    """List games

    Public games, or with `mine` those that the token hosts or plays. A page may be short; only
    `next` tells whether there are more.
    """
    caller = authentication.bearer_token()
    wanted = request_parsing.query_parameters(LIST)
    if wanted["mine"]:
        caller = authentication.required_bearer_token()
        client = caller.hash

        def listing(before: ListedGame | None) -> list[ListedGame]:
            return services().store.list_by_client(client, MAX_PAGE_SIZE, before)

    else:
        statuses = [wanted["status"]] if wanted["status"] else list(STATUSES)

        def listing(before: ListedGame | None) -> list[ListedGame]:
            return merge_newest(
                [services().store.list_by_status(each, MAX_PAGE_SIZE, before) for each in statuses]
            )

    def fits(game: Game) -> bool:
        return (wanted["ruleset"] in (None, game.ruleset.id)) and (
            wanted["status"] in (None, game.table.status)
        )

    page, following = paginate(
        listing,
        wanted["cursor"],
        wanted["limit"],
        lambda game: views.summary(game) if fits(game) else None,
    )
    return json_response({"games": page, "next": following}, headers=next_link_header(following))


@blp.route("/games/<game_id:game_id>", methods=["GET"])
@blp.operation(
    "getGame",
    {200: ("The game.", responses.Game), 304: "The game is still at the version named."},
    needs="optional token",
    query=LOOK,
    parameters=[blueprint.IF_NONE_MATCH],
    headers={"ETag": blueprint.ETAG},
    codes=["not_found", "gone", "misshapen"],
)
def get_game(game_id: str) -> Response:
    """Look at a game

    Everything that may be seen; with `version`, as it was right after that event. Answers on an
    earlier version than the newest may be kept for ever.
    """
    caller = authentication.bearer_token()
    version = request_parsing.query_parameters(LOOK)["version"] if request.query_string else None
    found = game_access.load_version(game_id, caller, version)
    game = found.game
    if conditional_requests.not_modified(conditional_requests.etag(game)):
        response = http_responses.empty_response(304)
        response.headers["ETag"] = conditional_requests.etag(game)
    else:
        response = json_response(services().views.of(game, serialize_game), game=game)
    response.vary.add("Authorization")
    return found.keep(response)


@blp.route("/games/<game_id:game_id>", methods=["DELETE"])
@blp.operation(
    "deleteGame",
    {204: "The game is removed."},
    needs="required token",
    parameters=[blueprint.IF_MATCH],
    codes=["not_found", "gone", "forbidden", "stale", "busy"],
)
def delete_game(game_id: str) -> Response:
    """Remove a game

    For good, with its whole record. Only the host may.
    """
    caller = authentication.required_bearer_token()
    services().command_handler.delete(game_id, idempotency.request_context(caller, None))
    return http_responses.empty_response()
