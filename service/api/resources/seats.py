"""Seats: claim a seat with its code."""

from __future__ import annotations

from typing import Final

from flask import Response

from schemas import responses
from schemas.requests import seats as seats_requests

from ...games import tokens
from .. import representations
from ..http import authentication, documented_headers, idempotency_key, request_parsing
from ..http.blueprint import Blueprint
from ..http.links import game_links
from ..http.responses import json_response
from ..http.services import services

blp = Blueprint("seats", __name__, description="Seats: claim one.")

BODY: Final = seats_requests.ClaimSeat()


@blp.route("/games/<game_id:game_id>/seats/<seat_number:seat>", methods=["POST"])
@blp.operation(
    "claimSeat",
    {201: ("The seat is the caller's.", responses.ClaimedSeat)},
    security="optional token",
    body=BODY,
    parameters=[documented_headers.IF_MATCH, documented_headers.IDEMPOTENCY_KEY],
    headers={"ETag": documented_headers.ETAG, "Location": documented_headers.LOCATION},
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

    Requires its claim code. From then on the caller's token holds the seat; one token may hold
    several. The last claim starts the game.
    """
    services().rate_limiter.check("claim")
    caller = authentication.client_token()
    body = request_parsing.json_body()
    parameters = request_parsing.load_body(BODY, body)
    token = tokens.new_token() if caller is None else caller
    committed = services().command_handler.claim(
        game_id,
        seat,
        parameters["claim_code"],
        parameters["name"],
        parameters["entropy"],
        idempotency_key.request_context(token, body),
    )
    response = {
        "seat": seat,
        "version": committed.game.version,
        "events": [representations.serialize_event(event) for event in committed.events],
        "token": token.text if caller is None else None,
        **representations.durability_member(committed),
    }
    headers = {
        "Location": game_links(game_id)["self"],
        "Cache-Control": "no-store",
        **idempotency_key.replay_headers(committed.replayed),
    }
    return json_response(response, 201, headers, game=committed.game)
