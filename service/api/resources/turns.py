"""What waits for a client, over all its games."""

from __future__ import annotations

from typing import Final

from flask import Response, request

from schemas import responses
from schemas.requests import queries

from ...store import ListedGame
from ..http import authentication, blueprint, request_parsing
from ..http.blueprint import Blueprint
from ..http.pagination import MAX_PAGE_SIZE, next_link_header, paginate
from ..http.responses import json_response
from ..http.services import services
from ..live import event_streams, long_poll
from ..live import turns as live_turns

blp = Blueprint("turns", __name__, description="Whose turn it is.")

PAGE: Final = queries.TurnsQuery()
LAST_EVENT: Final = {
    "in": "header",
    "name": "Last-Event-ID",
    "required": False,
    "description": "of a stream: the last message that was received; goes before `after`",
    "schema": {"type": "string"},
}
STREAM: Final = """\
`event: turns` has all that waits, `{turns}`; `event: turn` a game that begins to wait, or waits \
anew, as in `turns`; `event: turn_over` one that ceases to, `{game, version}`. `id` names all that \
waits then: a client that comes back with it is told all anew only if that has changed."""


@blp.route("/turns", methods=["GET"])
@blp.operation(
    "listTurns",
    {200: ("The games that wait for the caller, or the stream of them.", responses.Turns)},
    needs="required token",
    query=PAGE,
    parameters=[blueprint.PREFER, LAST_EVENT],
    headers={"Preference-Applied": blueprint.PREFERENCE_APPLIED},
    codes=["misshapen", "too_many_streams", "streams_full"],
    stream=STREAM,
)
def list_turns() -> Response:
    """List what waits for the caller

    A move, an answer to `undo`, or the host's `start`, over all games of the token. With
    `Accept: text/event-stream` they are told as they begin and cease to wait. With
    `Prefer: wait=20` all that waits is told at once; an answer with nothing, or with `after` the
    same as before, is held back until that changes.
    """
    caller = authentication.required_bearer_token()
    client = caller.hash
    wanted = request_parsing.query_parameters(PAGE)
    if request_parsing.prefers_event_stream():
        return event_streams.stream_turns(
            caller, request.headers.get("Last-Event-ID") or wanted["after"]
        )
    wait = request_parsing.preferred_wait()
    if wait is not None:
        turns, state = long_poll.wait_for_turns(caller, wanted["after"], wait)
        applied = {"Preference-Applied": f"wait={wait}"}
        return _with_vary(
            json_response({"turns": turns, "next": None, "state": state}, headers=applied)
        )

    def listing(before: ListedGame | None) -> list[ListedGame]:
        return services().store.list_by_client(client, MAX_PAGE_SIZE, before)

    page, following = paginate(
        listing, wanted["cursor"], wanted["limit"], lambda game: live_turns.turn_for(game, client)
    )
    shown = {"turns": page, "next": following, "state": None}
    return _with_vary(json_response(shown, headers=next_link_header(following)))


def _with_vary(response: Response) -> Response:
    response.vary.update(event_streams.VARY)
    return response
