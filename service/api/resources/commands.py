"""Commands: the one way in which anything happens in a game."""

from __future__ import annotations

from typing import Any, Final

from flask import Response, request

from schemas import responses
from schemas.requests import commands as commands_requests
from schemas.requests import queries

from ...games.tokens import Token
from ...rules.ruleset import rulesets
from .. import representations
from ..http import authentication, blueprint, game_access, idempotency, request_parsing
from ..http.blueprint import Blueprint
from ..http.problems import Problem
from ..http.responses import json_response
from ..http.services import services

blp = Blueprint("commands", __name__, description="Making moves.")

HOW: Final = queries.CommandQuery()


@blp.route("/games/<game_id:game_id>/commands", methods=["POST"])
@blp.operation(
    "sendCommands",
    {
        201: ("Carried out.", responses.Committed),
        200: ("What would happen (`dry_run`).", responses.DryRun),
    },
    needs="required token",
    query=HOW,
    body=commands_requests.SentCommands(None),
    parameters=[blueprint.IF_MATCH, blueprint.IDEMPOTENCY_KEY],
    headers={"ETag": blueprint.ETAG, "Idempotent-Replayed": blueprint.IDEMPOTENT_REPLAYED},
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
    """Send a command, or several

    One command of the game or of the table, as `moves` lists them; or up to 32 of the game's own
    commands of one seat, all carried out or none. The answer holds all that followed by itself,
    draws included. Without If-Match a command is judged on the newest state.
    """
    caller = authentication.required_bearer_token()
    dry = request.query_string and request_parsing.query_parameters(HOW)["dry_run"]
    ruleset = game_access.readable_ruleset_id(game_id, caller)
    body = request_parsing.json_body()
    sent = _load_commands(ruleset, body)
    if dry:
        return _dry_run(game_id, sent, caller, body)
    written = services().command_handler.send(
        game_id, sent.seat, sent.commands, idempotency.request_context(caller, body)
    )
    version = written.events[-1].version
    shown = {
        "version": version,
        "events": [representations.serialize_event(told) for told in written.events],
        "claim_codes": representations.serialize_claim_codes(written),
        **representations.durability_member(written),
    }
    return json_response(shown, 201, representations.replay_header(written), game=written.game)


def _dry_run(game_id: str, sent: commands_requests.Sent, caller: Token, body: Any) -> Response:
    asked = idempotency.request_context(caller, body)
    tried = services().command_handler.dry_run(game_id, sent.seat, sent.commands, asked)
    return json_response(
        {
            "version": tried.events[0].version - 1,
            "events": [representations.serialize_event(told) for told in tried.events],
            "stopped": "chance" if tried.stopped else None,
        }
    )


def _load_commands(ruleset: str, body: Any) -> commands_requests.Sent:
    """Returns the commands. One that only another ruleset knows is well-shaped, but not legal."""
    try:
        found: commands_requests.Sent = request_parsing.load_body(
            commands_requests.commands_schema(ruleset), body
        )
    except Problem:
        for other in rulesets():
            if other != ruleset and _is_well_formed(other, body):
                raise Problem("other_ruleset") from None
        raise
    return found


def _is_well_formed(ruleset: str, body: Any) -> bool:
    try:
        request_parsing.load_body(commands_requests.commands_schema(ruleset), body)
    except Problem:
        return False
    return True
