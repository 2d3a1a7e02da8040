"""Commands: the one way in which anything happens in a game."""

from __future__ import annotations

from typing import Any, Final

from flask import Response, request

from schemas import judged, queries, responses

from ..games.access import Token
from ..rules.ruleset import rulesets
from . import asking, blueprint, presenting, reaching
from .blueprint import Blueprint
from .presenting import answer
from .problems import Problem
from .services import services

blp = Blueprint("commands", __name__, description="Making moves.")

HOW: Final = queries.CommandQuery()


@blp.route("/games/<game_id:game_id>/commands", methods=["POST"])
@blp.operation(
    "sendCommands",
    {
        201: ("Carried out.", responses.Written),
        200: ("What would happen (`dry_run`).", responses.Tried),
    },
    needs="required token",
    query=HOW,
    body=judged.SentCommands(None),
    parameters=[blueprint.IF_MATCH, blueprint.IDEMPOTENCY_KEY],
    headers={"ETag": blueprint.ETAG, "Idempotent-Replayed": blueprint.REPLAYED},
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
    caller = asking.required_token()
    dry = request.query_string and asking.query(HOW)["dry_run"]
    ruleset = reaching.ruleset_of(game_id, caller)
    body = asking.plain_body()
    sent = _sent(ruleset, body)
    if dry:
        return _tried(game_id, sent, caller, body)
    written = services().handling.send(
        game_id, sent.seat, sent.commands, asking.asked(caller, body)
    )
    version = written.events[-1].version
    shown = {
        "version": version,
        "events": [presenting.event(told) for told in written.events],
        "claim_codes": presenting.codes(written),
        **presenting.durable(written),
    }
    return answer(shown, 201, presenting.replayed(written), game=written.game)


def _tried(game_id: str, sent: judged.Sent, caller: Token, body: Any) -> Response:
    asked = asking.asked(caller, body)
    tried = services().handling.try_out(game_id, sent.seat, sent.commands, asked)
    return answer(
        {
            "version": tried.events[0].version - 1,
            "events": [presenting.event(told) for told in tried.events],
            "stopped": "chance" if tried.stopped else None,
        }
    )


def _sent(ruleset: str, body: Any) -> judged.Sent:
    """Returns the commands. One that only another ruleset knows is well-shaped, but not legal."""
    try:
        found: judged.Sent = asking.shaped(judged.sent_commands(ruleset), body)
    except Problem:
        for other in rulesets():
            if other != ruleset and _fits(other, body):
                raise Problem("other_ruleset") from None
        raise
    return found


def _fits(ruleset: str, body: Any) -> bool:
    try:
        asking.shaped(judged.sent_commands(ruleset), body)
    except Problem:
        return False
    return True
