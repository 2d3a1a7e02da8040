"""Commands: `POST …/commands`, the only way to change a game in play."""

from __future__ import annotations

from typing import Any, Final

from flask import Response, request

from schemas import responses
from schemas.requests import commands as commands_requests
from schemas.requests import queries

from ...games.tokens import Token
from ...rules.ruleset import rulesets
from .. import representations
from ..http import authentication, documented_headers, game_access, idempotency_key, request_parsing
from ..http.blueprint import Blueprint
from ..http.problems import Problem
from ..http.responses import json_response
from ..http.services import services

blp = Blueprint("commands", __name__, description="Commands: moves of the game, and of the table.")

QUERY: Final = queries.CommandQuery()


@blp.route("/games/<game_id:game_id>/commands", methods=["POST"])
@blp.operation(
    "sendCommands",
    {
        201: ("The commands are carried out.", responses.Committed),
        200: ("With `dry_run`: what would happen.", responses.DryRun),
    },
    security="required token",
    query=QUERY,
    body=commands_requests.SentCommands(None),
    parameters=[documented_headers.IF_MATCH, documented_headers.IDEMPOTENCY_KEY],
    headers={
        "ETag": documented_headers.ETAG,
        "Idempotent-Replayed": documented_headers.IDEMPOTENT_REPLAYED,
    },
    codes=[
        "not_found",
        "gone",
        "forbidden",
        "misshapen",
        "illegal",
        "other_ruleset",
        "stale",
        "key_reused",
        "busy",
    ],
)
def send_commands(game_id: str) -> Response:
    """Send commands

    One command of the game or of the table, as `moves` lists them; or up to 32 of the game's own
    commands of one seat, which are carried out all or not at all. The response contains everything
    that followed automatically, draws included. Without If-Match a command is judged on the newest
    state.
    """
    caller = authentication.required_bearer_token()
    dry = request.query_string and request_parsing.query_parameters(QUERY)["dry_run"]
    ruleset = game_access.readable_ruleset_id(game_id, caller)
    body = request_parsing.json_body()
    sent = _load_commands(ruleset, body)
    if dry:
        return _dry_run(game_id, sent, caller, body)
    committed = services().command_handler.send(
        game_id, sent.seat, sent.commands, idempotency_key.request_context(caller, body)
    )
    version = committed.events[-1].version
    response = {
        "version": version,
        "events": [representations.serialize_event(event) for event in committed.events],
        "claim_codes": representations.serialize_claim_codes(committed),
        **representations.durability_member(committed),
    }
    headers = idempotency_key.replay_headers(committed.replayed)
    return json_response(response, 201, headers, game=committed.game)


def _dry_run(game_id: str, sent: commands_requests.Sent, caller: Token, body: Any) -> Response:
    context = idempotency_key.request_context(caller, body)
    result = services().command_handler.dry_run(game_id, sent.seat, sent.commands, context)
    return json_response(
        {
            "version": result.events[0].version - 1,
            "events": [representations.serialize_event(event) for event in result.events],
            "stopped": "chance" if result.stopped else None,
        }
    )


def _load_commands(ruleset: str, body: Any) -> commands_requests.Sent:
    """Returns the commands of a body. Raises `Problem` "misshapen", or "other_ruleset" if they are

    valid in another ruleset only.
    """
    try:
        sent: commands_requests.Sent = request_parsing.load_body(
            commands_requests.commands_schema(ruleset), body
        )
    except Problem:
        for other in rulesets():
            if other != ruleset and _is_valid(other, body):
                raise Problem("other_ruleset") from None
        raise
    return sent


def _is_valid(ruleset: str, body: Any) -> bool:
    try:
        request_parsing.load_body(commands_requests.commands_schema(ruleset), body)
    except Problem:
        return False
    return True
