"""What waits for a client, over all its games."""

from __future__ import annotations

from typing import Final

from flask import Response, request

from schemas import queries, responses

from ..store.protocol import Listed
from . import asking, blueprint, streams, waiting
from .blueprint import Blueprint
from .games import MOST_PAGE, next_link, paged
from .presenting import answer
from .services import services

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
    headers={"Preference-Applied": blueprint.APPLIED},
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
    caller = asking.required_token()
    client = caller.hash
    wanted = asking.query(PAGE)
    if asking.wants_stream():
        return streams.turns(caller, request.headers.get("Last-Event-ID") or wanted["after"])
    wait = asking.wait()
    if wait is not None:
        turns, state = streams.await_turns(caller, wanted["after"], wait)
        applied = {"Preference-Applied": f"wait={wait}"}
        return _varied(answer({"turns": turns, "next": None, "state": state}, headers=applied))

    def listing(before: Listed | None) -> list[Listed]:
        return services().store.list_client(client, MOST_PAGE, before)

    page, following = paged(
        listing, wanted["cursor"], wanted["limit"], lambda game: waiting.turn(game, client)
    )
    shown = {"turns": page, "next": following, "state": None}
    return _varied(answer(shown, headers=next_link(following)))


def _varied(response: Response) -> Response:
    response.vary.update(streams.VARY)
    return response
