"""Advice: what a bot would do in the caller's place."""

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
    blueprint,
    game_access,
    idempotency,
    languages,
    metrics,
    request_parsing,
)
from ..http.blueprint import Blueprint
from ..http.links import game_links
from ..http.responses import json_response
from ..http.services import services

blp = Blueprint("analyses", __name__, description="A bot's advice.")

ASK: Final = analyses_requests.AskAnalysis()
SOON: Final = "1"
POINTS: Final = 2
CHANCE: Final = 3
"""So many decimals of expectations are told."""


@blp.route("/games/<game_id:game_id>/analyses", methods=["POST"])
@blp.operation(
    "askAnalysis",
    {202: ("It will be thought about; the Location tells what comes of it.", responses.Analysis)},
    needs="required token",
    body=ASK,
    parameters=[blueprint.IF_MATCH, blueprint.IDEMPOTENCY_KEY, *blueprint.LANGUAGES],
    headers={
        "Location": blueprint.LOCATION,
        "Retry-After": blueprint.RETRY_AFTER,
        "Idempotent-Replayed": blueprint.IDEMPOTENT_REPLAYED,
        "Content-Language": blueprint.LANGUAGE,
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
    """Ask for advice

    A bot of a level that searches thinks about what the caller's seat may do now, or could do at
    an earlier `version` at which it had to act. It knows what all may see, and nothing of the
    game's seed. Whoever asks the same of the same version gets the same analysis, and it costs
    nothing. Refused (`no_advice`) at tables laid with `advice: false`. It is told for an hour, to
    whoever holds the seat.
    """
    services().limits.check("analyses")
    caller = authentication.required_client_token()
    body = request_parsing.json_body()
    wanted = request_parsing.load_body(ASK, body)
    question = Question(wanted["level"], wanted["top"], wanted["seat"], wanted["version"])
    found, again = analyses.request_analysis(
        services().command_handler, game_id, question, idempotency.request_context(caller, body)
    )
    if not again:
        metrics.ANALYSES.inc()
    headers = {"Location": _location(found), "Retry-After": SOON, "Cache-Control": "no-store"}
    if again:
        headers["Idempotent-Replayed"] = "true"
    shown = _serialize(found, game_access.readable_ruleset_id(game_id, caller))
    return languages.with_content_language(json_response(shown, 202, headers))


@blp.route("/games/<game_id:game_id>/analyses/<game_id:analysis>", methods=["GET"])
@blp.operation(
    "getAnalysis",
    {200: ("What came of it, so far.", responses.Analysis)},
    needs="required token",
    parameters=blueprint.LANGUAGES,
    headers={"Retry-After": blueprint.RETRY_AFTER, "Content-Language": blueprint.LANGUAGE},
    codes=["not_found", "gone"],
)
def get_analysis(game_id: str, analysis: str) -> Response:
    """Ask what came of an analysis

    For whoever holds the seat. `waiting` (with `Retry-After`) until a worker has thought about it,
    then `done`. `seat` and `command` of what is ranked are the body of the request that does it.
    """
    caller = authentication.required_bearer_token()
    found = analyses.get_analysis(services().command_handler, game_id, analysis, caller.hash)
    headers = {"Cache-Control": "no-store"}
    if found.status == "waiting":
        headers["Retry-After"] = SOON
    shown = _serialize(found, game_access.readable_ruleset_id(game_id, caller))
    return languages.with_content_language(json_response(shown, headers=headers))


def _location(found: Analysis) -> str:
    return f"{game_links(found.game)['analyses']}/{found.id}"


def _serialize(found: Analysis, ruleset: str) -> dict[str, Any]:
    law = rulesets()[ruleset]
    where = game_links(found.game)
    return {
        "id": found.id,
        "game": found.game,
        "status": found.status,
        "version": found.version,
        "seat": found.seat,
        "level": found.level,
        "top": found.top,
        "simulations": found.simulations,
        "ranked": [
            {
                "rank": rank,
                **_serialize_move(found.seat, choice.command, law),
                "expected_scores": [round(points, POINTS) for points in choice.points],
                "win_chance": round(choice.win, CHANCE),
                "visits": choice.visits,
            }
            for rank, choice in enumerate(found.ranked, 1)
        ],
        "line": [_serialize_move(found.seat, command, law) for command in found.line],
        "expires_at": found.until,
        "links": {
            "self": _location(found),
            "game": where["self"],
            "moves": where["moves"],
            "commands": where["commands"],
        },
    }


def _serialize_move(seat: int, command: Mapping[str, Plain], law: AnyRuleset) -> dict[str, Any]:
    """Returns a command as it can be sent, with its text."""
    cls = law.commands[str(command["type"])]
    return {"seat": seat, "command": command, "text": languages.describe_value(cls, command, law)}
