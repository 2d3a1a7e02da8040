"""The event stream, a page at a time."""

from __future__ import annotations

from typing import Final

from flask import Response

from schemas import responses
from schemas.requests import queries

from ...games.history import load_events
from .. import representations
from ..http import authentication, blueprint, game_access, request_parsing
from ..http.blueprint import Blueprint
from ..http.responses import json_response
from ..http.services import services
from ..live import event_streams, long_poll

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
    headers={"ETag": blueprint.ETAG, "Preference-Applied": blueprint.PREFERENCE_APPLIED},
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
    caller = authentication.bearer_token()
    wanted = request_parsing.query_parameters(PAGE)
    if request_parsing.prefers_event_stream():
        return event_streams.stream_events(
            game_id, caller, request_parsing.last_event_id(wanted["after"])
        )
    after = wanted["after"]
    wait = request_parsing.preferred_wait()
    if wait:
        long_poll.wait_for_event(game_id, caller, after, wait)
    game = game_access.load_readable(game_id, caller).game
    first = after + 1
    last = min(game.version, after + wanted["limit"])
    told = load_events(services().repository, game, first, last) if first <= last else ()
    following = last if told and last < game.version else None
    headers = {} if wait is None else {"Preference-Applied": f"wait={wait}"}
    if following is not None:
        limit = wanted["limit"]
        headers["Link"] = (
            f'</v1/games/{game_id}/events?after={following}&limit={limit}>; rel="next"'
        )
    shown = {
        "version": game.version,
        "events": [representations.serialize_event(each) for each in told],
        "next": following,
    }
    response = json_response(shown, headers=headers, game=game)
    response.vary.update(event_streams.VARY)
    return response
