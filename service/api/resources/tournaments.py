"""Duplicate tournaments: several tables with the same chance."""

from __future__ import annotations

from typing import Any, Final

from flask import Response

from schemas import responses
from schemas.requests import creation as creation_requests

from ...games.commands import tournaments
from ...games.commands.tournaments import Standings
from .. import representations
from ..http import (
    authentication,
    documented_headers,
    idempotency_key,
    metrics,
    quotas,
    request_parsing,
)
from ..http.blueprint import Blueprint
from ..http.links import game_links
from ..http.responses import json_response
from ..http.services import services
from .game_creation import parse_creation

blp = Blueprint(
    "tournaments", __name__, description="Duplicate tournaments: the same chance at several tables."
)

BODY: Final = creation_requests.CreateTournament()


@blp.route("/tournaments", methods=["POST"])
@blp.operation(
    "createTournament",
    {201: ("The tables are created; the caller is their host.", responses.CreatedTournament)},
    security="required token",
    body=BODY,
    parameters=[documented_headers.IDEMPOTENCY_KEY],
    headers={
        "Location": documented_headers.LOCATION,
        "Idempotent-Replayed": documented_headers.IDEMPOTENT_REPLAYED,
    },
    codes=["misshapen", "key_reused", "too_many", "too_many_bots", "too_many_games", "gone"],
)
def create_tournament() -> Response:
    """Create a tournament

    Up to 100 equal tables at once, all with the same chance, sealed or arranged: the same draws in
    the same order. Seats add no entropy. The chance is revealed once the last table is over; only
    then do the tables have records. If no response arrives, repeat the request with its key: tables
    that are missing are then created.
    """
    services().rate_limiter.check("tournament")
    caller = authentication.required_client_token()
    body = request_parsing.json_body()
    parameters = request_parsing.load_body(BODY, body)
    context = idempotency_key.request_context(caller, body, conditional=False)
    first = None if context.game_id is None else tournaments.table_id(context.game_id, 0)
    quotas.check_game_quota(caller, first, parameters["tables"])
    tournament_id, created = tournaments.create_tournament(
        services().command_handler,
        parse_creation(parameters),
        parameters["tables"],
        caller,
        context,
    )
    metrics.GAMES_CREATED.labels("tournament").inc(sum(not each.replayed for each in created))
    standings = tournaments.standings(services().repository, tournament_id, caller.hash)
    body = {
        "tournament": _serialize(standings),
        "tables": [
            {
                "table": duplicate.table,
                "game": each.game.id,
                "claim_codes": representations.serialize_claim_codes(each),
                "watch_code": each.watch,
            }
            for each in created
            if (duplicate := each.game.table.created.tournament) is not None
        ],
        **representations.durability_member(*created),
    }
    headers = {
        "Location": _location(tournament_id),
        "Cache-Control": "no-store",
        **idempotency_key.replay_headers(all(each.replayed for each in created)),
    }
    return json_response(body, 201, headers)


@blp.route("/tournaments/<game_id:game_id>", methods=["GET"])
@blp.operation(
    "getTournament",
    {200: ("The tables with their status and scores.", responses.Tournament)},
    security="optional token",
    codes=["not_found", "gone"],
)
def get_tournament(game_id: str) -> Response:
    """Return a tournament

    Its tables with their status and scores; for tables that the caller may not read, the scores
    once they are finished. For everyone who may read one of the tables.
    """
    caller = authentication.bearer_token()
    client = None if caller is None else caller.hash
    response = json_response(
        _serialize(tournaments.standings(services().repository, game_id, client))
    )
    response.vary.add("Authorization")
    return response


def _location(tournament_id: str) -> str:
    return f"/v1/tournaments/{tournament_id}"


def _serialize(standings: Standings) -> dict[str, Any]:
    game = standings.first
    creation = game.table.created
    return {
        "id": standings.id,
        "ruleset": {"id": game.ruleset.id, "version": game.table.ruleset_version},
        "options": creation.options,
        "chance": creation.chance,
        "commitment": creation.commitment,
        "revealed": standings.revealed,
        "tables": [
            {
                "table": each.table,
                "game": each.game,
                "status": each.status,
                "version": each.version,
                "seats": each.seats,
                "links": {"game": game_links(each.game)["self"]},
            }
            for each in standings.tables
        ],
        "links": {"self": _location(standings.id)},
    }
