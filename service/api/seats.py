"""Seats: claim one."""

from __future__ import annotations

from typing import Final

from flask import Response

from schemas import requests, responses

from ..games import access
from . import asking, blueprint, presenting
from .blueprint import Blueprint
from .presenting import answer
from .services import links, services

blp = Blueprint("seats", __name__, description="Taking a seat.")

CLAIM: Final = requests.ClaimSeat()


@blp.route("/games/<game_id:game_id>/seats/<seat_number:seat>", methods=["POST"])
@blp.operation(
    "claimSeat",
    {201: ("The seat is the caller's.", responses.Claimed)},
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
    caller = asking.client_token()
    body = asking.plain_body()
    wanted = asking.shaped(CLAIM, body)
    made = caller is None
    token = access.new_token() if caller is None else caller
    written = services().handling.claim(
        game_id,
        seat,
        wanted["claim_code"],
        wanted["name"],
        wanted["entropy"],
        asking.asked(token, body),
    )
    shown = {
        "seat": seat,
        "version": written.game.version,
        "events": [presenting.event(told) for told in written.events],
        "token": token.text if made else None,
        **presenting.durable(written),
    }
    headers = {
        "Location": links(game_id)["self"],
        "Cache-Control": "no-store",
        **presenting.replayed(written),
    }
    return answer(shown, 201, headers, game=written.game)
