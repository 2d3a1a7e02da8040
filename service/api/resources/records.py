"""The whole record of a finished game: given out, and taken in."""

from __future__ import annotations

from typing import Any, Final

from flask import Response

from schemas import responses
from schemas.requests import queries
from schemas.requests import records as records_requests

from ...games.commands.requests import game_id_for
from ...games.records import format as record_format
from ...games.records import record_import
from ...games.records.record_import import Import
from ..http import authentication, blueprint, game_access, idempotency, metrics, request_parsing
from ..http.blueprint import Blueprint
from ..http.links import game_links
from ..http.problems import Problem
from ..http.responses import json_response
from ..http.services import services

blp = Blueprint("record", __name__, description="Records that anyone can check.")

RECORD: Final = records_requests.SentRecord()
TAKEN: Final = queries.RecordQuery()
MAX_BYTES: Final = 8 * 1024 * 1024
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
    caller = authentication.bearer_token()
    game = game_access.load_readable(game_id, caller).game
    try:
        return json_response(record_format.record_of(services().repository, game), game=game)
    except record_format.Unfinished:
        raise Problem("not_finished") from None


@blp.route("/records", methods=["POST"])
@blp.operation(
    "importRecord",
    {202: ("It will be judged; the Location tells what comes of it.", responses.Import)},
    needs="required token",
    query=TAKEN,
    body=RECORD,
    parameters=[blueprint.IDEMPOTENCY_KEY],
    headers={"Location": blueprint.LOCATION, "Idempotent-Replayed": blueprint.IDEMPOTENT_REPLAYED},
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
    caller = authentication.required_client_token()
    visibility = request_parsing.query_parameters(TAKEN)["visibility"]
    body, value = request_parsing.large_json_body(MAX_BYTES)
    request_parsing.load_body(RECORD, value)
    key = idempotency.idempotency_key()
    wanted = Import(
        game_id_for(caller, key), caller.hash, visibility, record_import.record_digest(body)
    )
    found, again = record_import.request_import(services().command_handler, wanted, body)
    if not again:
        metrics.IMPORTS.inc()
    headers = {"Location": f"/v1/records/{found.id}", "Cache-Control": "no-store"}
    if again:
        headers["Idempotent-Replayed"] = "true"
    return json_response(_serialize_import(found), 202, headers)


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
    caller = authentication.required_bearer_token()
    found = record_import.get_import(services().command_handler, game_id, caller.hash)
    headers = {"Cache-Control": "no-store"}
    if found.status == "waiting":
        headers["Retry-After"] = "1"
    return json_response(_serialize_import(found), headers=headers)


def _serialize_import(found: Import) -> dict[str, Any]:
    fault = found.fault
    where = {"self": f"/v1/records/{found.id}"}
    if found.status == "done":
        where["game"] = game_links(found.id)["self"]
    return {
        "id": found.id,
        "status": found.status,
        "fault": None if fault is None else {"pointer": fault.pointer, "detail": fault.detail},
        "links": where,
    }
