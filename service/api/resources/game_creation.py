"""Creating games: request fields to response; shared by games, forks and tournaments."""

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
from ..http import metrics
from ..http.links import game_links
from ..http.responses import json_response


def branch_response(kind: str, written: Committed) -> Response:
    if not written.replayed:
        metrics.GAMES_CREATED.labels(kind).inc()
    return created_response(written)


def parse_creation(wanted: Mapping[str, Any]) -> Creation:
    """Returns how a table is to be laid, from the fields that all who lay one send."""
    return Creation(
        rulesets()[wanted["ruleset"]],
        wanted["options"],
        parse_seats(wanted["seats"]),
        wanted["visibility"],
        wanted["start"],
        None if wanted["chance"] is None else wanted["chance"]["outcomes"],
        deadline=wanted["deadline"],
        bot_delay=wanted["bot_delay"],
        advice=wanted["advice"],
    )


def parse_seats(seats: Iterable[Mapping[str, Any]]) -> tuple[SeatPlan, ...]:
    """Returns seats as a host plans them."""
    return tuple(SeatPlan(seat["kind"], seat["name"], seat.get("level")) for seat in seats)


def created_response(written: Committed, made: Token | None = None) -> Response:
    """Returns the answer that shows a table that was laid, with the token made for its host."""
    shown = {
        "game": {**views.game_view(written.game), "links": game_links(written.game.id)},
        "claim_codes": representations.serialize_claim_codes(written),
        "watch_code": written.watch,
        "token": None if made is None else made.text,
        **representations.durability_member(written),
    }
    headers = {
        "Location": game_links(written.game.id)["self"],
        "Cache-Control": "no-store",
        **representations.replay_header(written),
    }
    return json_response(shown, 201, headers, game=written.game)
