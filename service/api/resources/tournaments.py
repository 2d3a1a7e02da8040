"""Duplicate tournaments: many tables, one chance."""

from __future__ import annotations

from typing import Any, Final

from flask import Response

from schemas import responses
from schemas.requests import creation as creation_requests

from ...games.commands import tournaments
from ...games.commands.tournaments import Standings
from .. import representations
from ..http import authentication, blueprint, idempotency, metrics, quotas, request_parsing
from ..http.blueprint import Blueprint
from ..http.links import game_links
from ..http.responses import json_response
from ..http.services import services
from .game_creation import parse_creation

blp = Blueprint("tournaments", __name__, description="The same chance at many tables.")

CREATE: Final = creation_requests.CreateTournament()


@blp.route("/tournaments", methods=["POST"])
@blp.operation(
    "createTournament",
    {201: ("The tables are laid; the caller is their host.", responses.CreatedTournament)},
    needs="required token",
    body=CREATE,
    parameters=[blueprint.IDEMPOTENCY_KEY],
    headers={"Location": blueprint.LOCATION, "Idempotent-Replayed": blueprint.IDEMPOTENT_REPLAYED},
    codes=["misshapen", "key_reused", "too_many", "too_many_bots", "too_many_games", "gone"],
)
def create_tournament() -> Response:
    """Lay a tournament

    Up to 100 tables at once, all alike and all with the same chance, sealed or arranged: the same
    draws in the same order. Seats add no entropy. The chance is shown once the last table is over,
    and only then the tables have records. Should the answer not come, repeat the request with its
    key: tables that are missing are laid then.
    """
    services().limits.check("tournament")
    caller = authentication.required_client_token()
    body = request_parsing.json_body()
    wanted = request_parsing.load_body(CREATE, body)
    asked = idempotency.request_context(caller, body, conditional=False)
    first = None if asked.game_id is None else tournaments.table_id(asked.game_id, 0)
    quotas.check_game_quota(caller, first, wanted["tables"])
    tournament, laid = tournaments.create_tournament(
        services().command_handler, parse_creation(wanted), wanted["tables"], caller, asked
    )
    metrics.GAMES_CREATED.labels("tournament").inc(sum(not each.replayed for each in laid))
    found = tournaments.standings(services().repository, tournament, caller.hash)
    shown = {
        "tournament": _serialize(found),
        "tables": [
            {
                "table": mark.table,
                "game": each.game.id,
                "claim_codes": representations.serialize_claim_codes(each),
                "watch_code": each.watch,
            }
            for each in laid
            if (mark := each.game.table.created.tournament) is not None
        ],
        **representations.durability_member(*laid),
    }
    headers = {"Location": _location(tournament), "Cache-Control": "no-store"}
    if all(each.replayed for each in laid):
        headers["Idempotent-Replayed"] = "true"
    return json_response(shown, 201, headers)


@blp.route("/tournaments/<game_id:game_id>", methods=["GET"])
@blp.operation(
    "getTournament",
    {200: ("The tables and how they stand.", responses.Tournament)},
    needs="optional token",
    codes=["not_found", "gone"],
)
def get_tournament(game_id: str) -> Response:
    """Look at a tournament

    Its tables with their status and scores; of tables that the caller may not read, the scores once
    they are finished. For whoever may read one of the tables.
    """
    caller = authentication.bearer_token()
    client = None if caller is None else caller.hash
    response = json_response(
        _serialize(tournaments.standings(services().repository, game_id, client))
    )
    response.vary.add("Authorization")
    return response


def _location(tournament: str) -> str:
    return f"/v1/tournaments/{tournament}"


def _serialize(found: Standings) -> dict[str, Any]:
    game = found.first
    created = game.table.created
    return {
        "id": found.id,
        "ruleset": {"id": game.ruleset.id, "version": game.table.ruleset_version},
        "options": created.options,
        "chance": created.chance,
        "commitment": created.commitment,
        "revealed": found.revealed,
        "tables": [
            {
                "table": each.table,
                "game": each.game,
                "status": each.status,
                "version": each.version,
                "seats": each.seats,
                "links": {"game": game_links(each.game)["self"]},
            }
            for each in found.tables
        ],
        "links": {"self": _location(found.id)},
    }
