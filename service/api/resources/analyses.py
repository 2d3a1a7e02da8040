"""Analyses: a bot's advice for a seat."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from flask import Response

from schemas import responses
from schemas.requests import analyses as analyses_requests

from ...games import analyses
from ...games.analyses import Analysis, Question
from ...rules.plain import Plain
from ...rules.ruleset import AnyRuleset, rulesets
from ..http import (
    authentication,
    descriptions,
    documented_headers,
    game_access,
    idempotency_key,
    languages,
    metrics,
    request_parsing,
)
from ..http.blueprint import Blueprint
from ..http.links import game_links
from ..http.responses import json_response
from ..http.services import services

blp = Blueprint("analyses", __name__, description="Analyses: a bot's advice for a seat.")

BODY: Final = analyses_requests.AskAnalysis()
RETRY_AFTER: Final = "1"
SCORE_DECIMALS: Final = 2
CHANCE_DECIMALS: Final = 3


@blp.route("/games/<game_id:game_id>/analyses", methods=["POST"])
@blp.operation(
    "askAnalysis",
    {
        202: (
            "The analysis is accepted; Location is where its result can be read.",
            responses.Analysis,
        )
    },
    security="required token",
    body=BODY,
    parameters=[
        documented_headers.IF_MATCH,
        documented_headers.IDEMPOTENCY_KEY,
        *documented_headers.LANGUAGES,
    ],
    headers={
        "Location": documented_headers.LOCATION,
        "Retry-After": documented_headers.RETRY_AFTER,
        "Idempotent-Replayed": documented_headers.IDEMPOTENT_REPLAYED,
        "Content-Language": documented_headers.LANGUAGE,
    },
    codes=[
        "not_found",
        "gone",
        "forbidden",
        "misshapen",
        "illegal",
        "stale",
        "key_reused",
        "too_many",
    ],
)
def ask_analysis(game_id: str) -> Response:
    """Request an analysis

    A bot of a level that searches ranks what the caller's seat may do now, or could do at an
    earlier `version` at which it had to act. It knows what everyone may see, and nothing of the
    game's seed. Equal requests for the same version get the same analysis, at no cost. Refused
    (`no_advice`) at tables created with `advice: false`. The holder of the seat can read the result
    for an hour.
    """
    services().rate_limiter.check("analyses")
    caller = authentication.required_client_token()
    body = request_parsing.json_body()
    parameters = request_parsing.load_body(BODY, body)
    question = Question(
        parameters["level"], parameters["top"], parameters["seat"], parameters["version"]
    )
    analysis, repeated = analyses.request_analysis(
        services().command_handler, game_id, question, idempotency_key.request_context(caller, body)
    )
    if not repeated:
        metrics.ANALYSES.inc()
    headers = {
        "Location": _location(analysis),
        "Retry-After": RETRY_AFTER,
        "Cache-Control": "no-store",
        **idempotency_key.replay_headers(repeated),
    }
    body = _serialize(analysis, game_access.readable_ruleset_id(game_id, caller))
    return languages.with_content_language(json_response(body, 202, headers))


@blp.route("/games/<game_id:game_id>/analyses/<game_id:analysis>", methods=["GET"])
@blp.operation(
    "getAnalysis",
    {200: ("The analysis, finished or not.", responses.Analysis)},
    security="required token",
    parameters=documented_headers.LANGUAGES,
    headers={
        "Retry-After": documented_headers.RETRY_AFTER,
        "Content-Language": documented_headers.LANGUAGE,
    },
    codes=["not_found", "gone"],
)
def get_analysis(game_id: str, analysis: str) -> Response:
    """Return an analysis

    For the holder of the seat. `waiting` (with `Retry-After`) until a worker has finished it, then
    `done`. `seat` and `command` of a ranked command are the body of the request that sends it.
    """
    caller = authentication.required_bearer_token()
    result = analyses.get_analysis(services().command_handler, game_id, analysis, caller.hash)
    headers = {"Cache-Control": "no-store"}
    if result.status == "waiting":
        headers["Retry-After"] = RETRY_AFTER
    body = _serialize(result, game_access.readable_ruleset_id(game_id, caller))
    return languages.with_content_language(json_response(body, headers=headers))


def _location(analysis: Analysis) -> str:
    return f"{game_links(analysis.game)['analyses']}/{analysis.id}"


def _serialize(analysis: Analysis, ruleset_id: str) -> dict[str, Any]:
    ruleset = rulesets()[ruleset_id]
    links = game_links(analysis.game)
    return {
        "id": analysis.id,
        "game": analysis.game,
        "status": analysis.status,
        "version": analysis.version,
        "seat": analysis.seat,
        "level": analysis.level,
        "top": analysis.top,
        "simulations": analysis.simulations,
        "ranked": [
            {
                "rank": rank,
                **_serialize_move(analysis.seat, choice.command, ruleset),
                "expected_scores": [round(points, SCORE_DECIMALS) for points in choice.points],
                "win_chance": round(choice.win, CHANCE_DECIMALS),
                "visits": choice.visits,
            }
            for rank, choice in enumerate(analysis.ranked, 1)
        ],
        "line": [_serialize_move(analysis.seat, command, ruleset) for command in analysis.line],
        "expires_at": analysis.until,
        "links": {
            "self": _location(analysis),
            "game": links["self"],
            "moves": links["moves"],
            "commands": links["commands"],
        },
    }


def _serialize_move(seat: int, command: Mapping[str, Plain], ruleset: AnyRuleset) -> dict[str, Any]:
    """Returns a command, ready to be sent, with its text."""
    cls = ruleset.commands[str(command["type"])]
    return {
        "seat": seat,
        "command": command,
        "text": descriptions.describe_value(cls, command, ruleset),
    }
