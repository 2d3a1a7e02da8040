"""The event stream, a page at a time."""

from __future__ import annotations

from typing import Final

from flask import Response

from schemas import requests, responses

from ..games.reading import told_entries
from . import asking, blueprint, presenting, reaching
from .blueprint import Blueprint
from .presenting import answer
from .services import services

blp = Blueprint("events", __name__, description="What has happened, in order.")

PAGE: Final = requests.EventsQuery()


@blp.route("/games/<game_id:game_id>/events", methods=["GET"])
@blp.operation(
    "listEvents",
    {200: ("A page of events.", responses.Events)},
    needs="optional token",
    query=PAGE,
    headers={"ETag": blueprint.ETAG},
    codes=["not_found", "gone", "misshapen"],
)
def list_events(game_id: str) -> Response:
    """Read events

    Numbered 1, 2, 3 … without gaps. A client that keeps the last number it has seen misses
    nothing and sees nothing twice.
    """
    caller = asking.token()
    wanted = asking.query(PAGE)
    game = reaching.loaded(game_id, caller).game
    first = wanted["after"] + 1
    last = min(game.version, wanted["after"] + wanted["limit"])
    told = told_entries(services().repository, game, first, last) if first <= last else ()
    following = last if told and last < game.version else None
    headers = {}
    if following is not None:
        limit = wanted["limit"]
        headers["Link"] = (
            f'</v1/games/{game_id}/events?after={following}&limit={limit}>; rel="next"'
        )
    shown = {
        "version": game.version,
        "events": [presenting.event(each) for each in told],
        "next": following,
    }
    response = answer(shown, headers=headers, game=game)
    response.vary.add("Authorization")
    return response
