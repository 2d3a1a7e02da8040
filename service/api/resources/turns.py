"""Turns: the caller's inbox, what its games wait for (list, long poll, event stream)."""

from __future__ import annotations

from typing import Final

from flask import Response, request

from schemas import responses
from schemas.requests import queries

from ...store import ListedGame
from ..http import authentication, documented_headers, request_parsing
from ..http.blueprint import Blueprint
from ..http.pagination import MAX_PAGE_SIZE, next_link_header, paginate
from ..http.responses import json_response
from ..http.services import services
from ..live import event_streams, long_poll
from ..live import turns as live_turns

blp = Blueprint("turns", __name__, description="The inbox: games that wait for the caller.")

QUERY: Final = queries.TurnsQuery()
LAST_EVENT_ID: Final = {
    "in": "header",
    "name": "Last-Event-ID",
    "required": False,
    "description": "for a stream: the id of the last message received; replaces `after`",
    "schema": {"type": "string"},
}
STREAM: Final = """\
`event: turns` has all turns, `{turns}`; `event: turn` a new or changed turn, as in `turns`; \
`event: turn_over` a game that no longer waits, `{game, version}`. `id` identifies the set of all \
turns then: a client that reconnects with it gets `turns` again only if that has changed."""


@blp.route("/turns", methods=["GET"])
@blp.operation(
    "listTurns",
    {200: ("The games that wait for the caller, or their event stream.", responses.Turns)},
    security="required token",
    query=QUERY,
    parameters=[documented_headers.PREFER, LAST_EVENT_ID],
    headers={"Preference-Applied": documented_headers.PREFERENCE_APPLIED},
    codes=["misshapen", "too_many_streams", "streams_full"],
    event_stream=STREAM,
)
def list_turns() -> Response:
    """List the games that wait for the caller

    For a move, a response to `undo`, or the host's `start`, over all games of the token. With
    `Accept: text/event-stream` changes are sent as they happen. With `Prefer: wait=20` all turns
    are returned at once; a response without turns, or with `after` one equal to the last, is held
    until that changes.
    """
    caller = authentication.required_bearer_token()
    client = caller.hash
    parameters = request_parsing.query_parameters(QUERY)
    if request_parsing.prefers_event_stream():
        return event_streams.stream_turns(
            caller, request.headers.get("Last-Event-ID") or parameters["after"]
        )
    wait = request_parsing.preferred_wait()
    if wait is not None:
        turns, state = long_poll.wait_for_turns(caller, parameters["after"], wait)
        applied = {"Preference-Applied": f"wait={wait}"}
        return _with_vary(
            json_response({"turns": turns, "next": None, "state": state}, headers=applied)
        )

    def list_page(before: ListedGame | None) -> list[ListedGame]:
        return services().store.list_by_client(client, MAX_PAGE_SIZE, before)

    page, cursor = paginate(
        list_page,
        parameters["cursor"],
        parameters["limit"],
        lambda game: live_turns.serialize_turn(game, client),
    )
    body = {"turns": page, "next": cursor, "state": None}
    return _with_vary(json_response(body, headers=next_link_header(cursor)))


def _with_vary(response: Response) -> Response:
    response.vary.update(event_streams.VARY)
    return response
