"""Events of a game: pages, long poll, and the event stream (SSE)."""

from __future__ import annotations

from typing import Final

from flask import Response

from schemas import responses
from schemas.requests import queries

from ...games.history import load_events
from .. import representations
from ..http import authentication, documented_headers, game_access, request_parsing
from ..http.blueprint import Blueprint
from ..http.responses import json_response
from ..http.services import services
from ..live import event_streams, long_poll

blp = Blueprint("events", __name__, description="What has happened in a game, in order.")

QUERY: Final = queries.EventsQuery()
LAST_EVENT_ID: Final = {
    "in": "header",
    "name": "Last-Event-ID",
    "required": False,
    "description": "for a stream: the id of the last event received; replaces `after`",
    "schema": {"type": "string"},
}
STREAM: Final = """\
One message per event: `id` is its version, `data` the event as JSON. The last message, \
`event: end`, has `{version, status}`: the game is `finished`, `abandoned` or `gone`."""


@blp.route("/games/<game_id:game_id>/events", methods=["GET"])
@blp.operation(
    "listEvents",
    {
        200: ("A page of events, or the event stream.", responses.Events),
        204: "The game is over and has no more events: do not reconnect.",
    },
    security="optional token",
    query=QUERY,
    parameters=[documented_headers.PREFER, LAST_EVENT_ID],
    headers={
        "ETag": documented_headers.ETAG,
        "Preference-Applied": documented_headers.PREFERENCE_APPLIED,
    },
    codes=[
        "not_found",
        "gone",
        "misshapen",
        "bad_request",
        "too_many_streams",
        "streams_full",
    ],
    event_stream=STREAM,
)
def list_events(game_id: str) -> Response:
    """List events

    Numbered 1, 2, 3 … without gaps. A client that keeps the last number it has received misses
    nothing and gets nothing twice.

    With `Accept: text/event-stream` they are sent as they happen, without `limit`, until the game
    is over. With `Prefer: wait=20` an empty page is held until there is an event.
    """
    caller = authentication.bearer_token()
    parameters = request_parsing.query_parameters(QUERY)
    if request_parsing.prefers_event_stream():
        return event_streams.stream_events(
            game_id, caller, request_parsing.last_event_id(parameters["after"])
        )
    after = parameters["after"]
    wait = request_parsing.preferred_wait()
    if wait:
        long_poll.wait_for_event(game_id, caller, after, wait)
    game = game_access.load_readable(game_id, caller).game
    first = after + 1
    last = min(game.version, after + parameters["limit"])
    events = load_events(services().repository, game, first, last) if first <= last else ()
    next_after = last if events and last < game.version else None
    headers = {} if wait is None else {"Preference-Applied": f"wait={wait}"}
    if next_after is not None:
        limit = parameters["limit"]
        headers["Link"] = (
            f'</v1/games/{game_id}/events?after={next_after}&limit={limit}>; rel="next"'
        )
    body = {
        "version": game.version,
        "events": [representations.serialize_event(event) for event in events],
        "next": next_after,
    }
    response = json_response(body, headers=headers, game=game)
    response.vary.update(event_streams.VARY)
    return response
