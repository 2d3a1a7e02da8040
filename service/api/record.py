"""The whole record of a finished game: given out, and taken in."""

from __future__ import annotations

from typing import Any, Final

from flask import Response

from schemas import judged, queries, responses

from ..games import importing, record
from ..games.asked import id_for
from ..games.importing import Import
from . import asking, blueprint, metrics, reaching
from .blueprint import Blueprint
from .presenting import answer
from .problems import Problem
from .services import links, services

blp = Blueprint("record", __name__, description="Records that anyone can check.")

RECORD: Final = judged.SentRecord()
TAKEN: Final = queries.RecordQuery()
MOST_BYTES: Final = 8 * 1024 * 1024
"""The longest record that is taken in, unpacked."""


@blp.route("/games/<game_id:game_id>/record", methods=["GET"])
@blp.operation(
    "getRecord",
    {200: ("The record, in record format 1.", {"type": "object"})},
    needs="optional token",
    headers={"ETag": blueprint.ETAG},
    codes=["not_found", "gone", "not_finished"],
)
def get_record(game_id: str) -> Response:
    """Take the record of a finished game

    Self-contained: ruleset, options, seats, revealed chance, every step with its draws, every
    event, the result. `bailli verify` and the verifier in `examples/` check it.
    """
    caller = asking.token()
    game = reaching.loaded(game_id, caller).game
    try:
        return answer(record.of_game(services().repository, game), game=game)
    except record.Unfinished:
        raise Problem("not_finished") from None


@blp.route("/records", methods=["POST"])
@blp.operation(
    "importRecord",
    {202: ("It will be judged; the Location tells what comes of it.", responses.Import)},
    needs="required token",
    query=TAKEN,
    body=RECORD,
    parameters=[blueprint.IDEMPOTENCY_KEY],
    headers={"Location": blueprint.LOCATION, "Idempotent-Replayed": blueprint.REPLAYED},
    codes=["misshapen", "key_reused", "too_many", "gone"],
)
def import_record() -> Response:
    """Bring a record in

    A record in format 1 of at most 8 MB, or the same gzipped (`Content-Encoding: gzip`). Every
    draw, every command and the result are judged again by a worker before anything is stored; then
    the record is a game that is over, marked `imported`, whose host is the caller. A record that
    was touched, cut or made up is refused with the place of the first fault. What comes of it is
    told for a day.
    """
    services().limits.check("import")
    caller = asking.own_token()
    visibility = asking.query(TAKEN)["visibility"]
    body, value = asking.long_body(MOST_BYTES)
    asking.shaped(RECORD, value)
    key = asking.key()
    wanted = Import(id_for(caller, key), caller.hash, visibility, importing.digest(body))
    found, again = importing.ask(services().handling, wanted, body)
    if not again:
        metrics.IMPORTS.inc()
    headers = {"Location": f"/v1/records/{found.id}", "Cache-Control": "no-store"}
    if again:
        headers["Idempotent-Replayed"] = "true"
    return answer(_shown(found), 202, headers)


@blp.route("/records/<game_id:game_id>", methods=["GET"])
@blp.operation(
    "getImport",
    {200: ("What came of it, so far.", responses.Import)},
    needs="required token",
    codes=["not_found", "gone"],
)
def get_import(game_id: str) -> Response:
    """Ask what came of a record

    For who sent it. `waiting` until a worker has judged it; then `done`, and it is a game under
    the same id, or `refused`, and nothing was stored.
    """
    caller = asking.required_token()
    found = importing.look(services().handling, game_id, caller.hash)
    headers = {"Cache-Control": "no-store"}
    if found.status == "waiting":
        headers["Retry-After"] = "1"
    return answer(_shown(found), headers=headers)


def _shown(found: Import) -> dict[str, Any]:
    fault = found.fault
    where = {"self": f"/v1/records/{found.id}"}
    if found.status == "done":
        where["game"] = links(found.id)["self"]
    return {
        "id": found.id,
        "status": found.status,
        "fault": None if fault is None else {"pointer": fault.pointer, "detail": fault.detail},
        "links": where,
    }
