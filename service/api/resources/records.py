"""Records of finished games: export and import."""

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
from ..http import (
    authentication,
    documented_headers,
    game_access,
    idempotency_key,
    metrics,
    request_parsing,
)
from ..http.blueprint import Blueprint
from ..http.links import game_links
from ..http.problems import Problem
from ..http.responses import json_response
from ..http.services import services

blp = Blueprint(
    "record", __name__, description="Records of finished games, which anyone can verify."
)

BODY: Final = records_requests.SentRecord()
QUERY: Final = queries.RecordQuery()
MAX_BYTES: Final = 8 * 1024 * 1024
"""The maximum size of a record, decompressed."""


@blp.route("/games/<game_id:game_id>/record", methods=["GET"])
@blp.operation(
    "getRecord",
    {200: ("The record, in record format 1.", {"type": "object"})},
    security="optional token",
    headers={"ETag": documented_headers.ETAG},
    codes=["not_found", "gone", "not_finished"],
)
def get_record(game_id: str) -> Response:
    """Return the record of a finished game

    Self-contained: ruleset, options, seats, revealed chance, every step with its draws, every
    event, the result. `bailli verify` and the verifier in `examples/` verify it.
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
    {
        202: (
            "The record is accepted; Location is where the result of its import can be read.",
            responses.Import,
        )
    },
    security="required token",
    query=QUERY,
    body=BODY,
    parameters=[documented_headers.IDEMPOTENCY_KEY],
    headers={
        "Location": documented_headers.LOCATION,
        "Idempotent-Replayed": documented_headers.IDEMPOTENT_REPLAYED,
    },
    codes=["misshapen", "key_reused", "too_many", "gone"],
)
def import_record() -> Response:
    """Import a record

    A record in format 1 of at most 8 MB, plain or gzipped (`Content-Encoding: gzip`). A worker
    verifies every draw, every command and the result before anything is stored; then the record is
    a finished game, marked `imported`, whose host is the caller. A record that was altered,
    truncated or invented is refused with the place of the first error. The result can be read for
    a day.
    """
    services().rate_limiter.check("import")
    caller = authentication.required_client_token()
    visibility = request_parsing.query_parameters(QUERY)["visibility"]
    body, value = request_parsing.large_json_body(MAX_BYTES)
    request_parsing.load_body(BODY, value)
    key = idempotency_key.idempotency_key()
    request = Import(
        game_id_for(caller, key), caller.hash, visibility, record_import.record_digest(body)
    )
    result, repeated = record_import.request_import(services().command_handler, request, body)
    if not repeated:
        metrics.IMPORTS.inc()
    headers = {
        "Location": f"/v1/records/{result.id}",
        "Cache-Control": "no-store",
        **idempotency_key.replay_headers(repeated),
    }
    return json_response(_serialize_import(result), 202, headers)


@blp.route("/records/<game_id:game_id>", methods=["GET"])
@blp.operation(
    "getImport",
    {200: ("The import, finished or not.", responses.Import)},
    security="required token",
    codes=["not_found", "gone"],
)
def get_import(game_id: str) -> Response:
    """Return the result of an import

    For the sender of the record. `waiting` until a worker has verified it; then `done`, and it is a
    game with the same id, or `refused`, and nothing was stored.
    """
    caller = authentication.required_bearer_token()
    result = record_import.get_import(services().command_handler, game_id, caller.hash)
    headers = {"Cache-Control": "no-store"}
    if result.status == "waiting":
        headers["Retry-After"] = "1"
    return json_response(_serialize_import(result), headers=headers)


def _serialize_import(result: Import) -> dict[str, Any]:
    fault = result.fault
    links = {"self": f"/v1/records/{result.id}"}
    if result.status == "done":
        links["game"] = game_links(result.id)["self"]
    return {
        "id": result.id,
        "status": result.status,
        "fault": None if fault is None else {"pointer": fault.pointer, "detail": fault.detail},
        "links": links,
    }
