"""Game creation shared by games, forks and tournaments: request fields to creation to response."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from flask import Response

from ...games import views
from ...games.commands.requests import Creation
from ...games.commands.results import Committed
from ...games.table.events import SeatPlan
from ...games.tokens import Token
from ...rules.ruleset import rulesets
from .. import representations
from ..http import idempotency_key, metrics
from ..http.links import game_links
from ..http.responses import json_response


def branch_response(kind: str, committed: Committed) -> Response:
    """Returns the response with a game created from another ("fork", "rematch"), and counts it."""
    if not committed.replayed:
        metrics.GAMES_CREATED.labels(kind).inc()
    return created_response(committed)


def parse_creation(fields: Mapping[str, Any]) -> Creation:
    """Returns the creation that the fields of `creation_fields` describe."""
    return Creation(
        rulesets()[fields["ruleset"]],
        fields["options"],
        parse_seats(fields["seats"]),
        fields["visibility"],
        fields["start"],
        None if fields["chance"] is None else fields["chance"]["outcomes"],
        deadline=fields["deadline"],
        bot_delay=fields["bot_delay"],
        advice=fields["advice"],
    )


def parse_seats(seats: Iterable[Mapping[str, Any]]) -> tuple[SeatPlan, ...]:
    """Returns the seats of a creation."""
    return tuple(SeatPlan(seat["kind"], seat["name"], seat.get("level")) for seat in seats)


def created_response(committed: Committed, new_token: Token | None = None) -> Response:
    """Returns the response with a created game, its codes, and the host's token if it is new."""
    body = {
        "game": {**views.game_view(committed.game), "links": game_links(committed.game.id)},
        "claim_codes": representations.serialize_claim_codes(committed),
        "watch_code": committed.watch,
        "token": None if new_token is None else new_token.text,
        **representations.durability_member(committed),
    }
    headers = {
        "Location": game_links(committed.game.id)["self"],
        "Cache-Control": "no-store",
        **idempotency_key.replay_headers(committed.replayed),
    }
    return json_response(body, 201, headers, game=committed.game)
