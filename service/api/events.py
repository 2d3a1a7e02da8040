"""The event stream, a page at a time."""

from __future__ import annotations

from typing import Final

from flask import Response

from schemas import queries, responses

from ..games.reading import told_entries
from . import asking, blueprint, presenting, reaching, streams
from .blueprint import Blueprint
from .presenting import answer
from .services import services

blp = Blueprint("events", __name__, description="What has happened, in order.")

PAGE: Final = queries.EventsQuery()
LAST_EVENT: Final = {
    "in": "header",
    "name": "Last-Event-ID",
    "required": False,
    "description": "of a stream: the last event that was received; goes before `after`",
    "schema": {"type": "string"},
}
STREAM: Final = """\
One message an event: `id` is its version, `data` the event as JSON. The last, `event: end`, has \
`{version, status}`: the game is `finished`, `abandoned` or `gone`."""


@blp.route("/games/<game_id:game_id>/events", methods=["GET"])
@blp.operation(
    "listEvents",
    {
        200: ("A page of events, or the stream of them.", responses.Events),
        204: "The game is over and all was told: do not connect again.",
    },
    needs="optional token",
    query=PAGE,
    parameters=[blueprint.PREFER, LAST_EVENT],
    headers={"ETag": blueprint.ETAG, "Preference-Applied": blueprint.APPLIED},
    codes=[
        "not_found",
        "gone",
        "misshapen",
        "bad_request",
        "too_many_streams",
        "streams_full",
    ],
    stream=STREAM,
)
def list_events(game_id: str) -> Response:
    """Read events

    Numbered 1, 2, 3 … without gaps. A client that keeps the last number it has seen misses
    nothing and sees nothing twice.

    With `Accept: text/event-stream` they come as they happen, without `limit`, until the game is
    over. With `Prefer: wait=20` an empty page is held back until there is an event.
    """
    caller = asking.token()
    wanted = asking.query(PAGE)
    if asking.wants_stream():
        return streams.events(game_id, caller, asking.last_version(wanted["after"]))
    after = wanted["after"]
    wait = asking.wait()
    if wait:
        streams.await_event(game_id, caller, after, wait)
    game = reaching.loaded(game_id, caller).game
    first = after + 1
    last = min(game.version, after + wanted["limit"])
    told = told_entries(services().repository, game, first, last) if first <= last else ()
    following = last if told and last < game.version else None
    headers = {} if wait is None else {"Preference-Applied": f"wait={wait}"}
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
    response.vary.update(streams.VARY)
    return response
