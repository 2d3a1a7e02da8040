"""Seats: claim one."""

from __future__ import annotations

from typing import Final

from flask import Response

from schemas import responses
from schemas.requests import seats as seats_requests

from ...games import tokens
from .. import representations
from ..http import authentication, blueprint, idempotency, request_parsing
from ..http.blueprint import Blueprint
from ..http.links import game_links
from ..http.responses import json_response
from ..http.services import services

blp = Blueprint("seats", __name__, description="Taking a seat.")

CLAIM: Final = seats_requests.ClaimSeat()


@blp.route("/games/<game_id:game_id>/seats/<seat_number:seat>", methods=["POST"])
@blp.operation(
    "claimSeat",
    {201: ("The seat is the caller's.", responses.ClaimedSeat)},
    needs="optional token",
    body=CLAIM,
    parameters=[blueprint.IF_MATCH, blueprint.IDEMPOTENCY_KEY],
    headers={"ETag": blueprint.ETAG, "Location": blueprint.LOCATION},
    codes=[
        "not_found",
        "gone",
        "misshapen",
        "illegal",
        "wrong_claim_code",
        "stale",
        "key_reused",
        "too_many",
        "busy",
    ],
)
def claim_seat(game_id: str, seat: int) -> Response:
    """Claim a seat

    The claim code opens it. From then on the caller's token holds the seat; one token may hold
    several. The last claim starts the game.
    """
    services().limits.check("claim")
    caller = authentication.client_token()
    body = request_parsing.json_body()
    wanted = request_parsing.load_body(CLAIM, body)
    made = caller is None
    token = tokens.new_token() if caller is None else caller
    written = services().command_handler.claim(
        game_id,
        seat,
        wanted["claim_code"],
        wanted["name"],
        wanted["entropy"],
        idempotency.request_context(token, body),
    )
    shown = {
        "seat": seat,
        "version": written.game.version,
        "events": [representations.serialize_event(told) for told in written.events],
        "token": token.text if made else None,
        **representations.durability_member(written),
    }
    headers = {
        "Location": game_links(game_id)["self"],
        "Cache-Control": "no-store",
        **representations.replay_header(written),
    }
    return json_response(shown, 201, headers, game=written.game)
