"""What a request says: token, body, query, conditions, idempotency key."""

from __future__ import annotations

import zlib
from typing import Any, Final

import orjson
from flask import request
from marshmallow import Schema, ValidationError

from schemas.described_fields import Described, validation_faults

from ...rules.plain import Detail
from . import languages
from .problems import Problem
from .services import services

JSON: Final = "application/json"
MAX_WAIT_SECONDS: Final = 30


def json_body() -> Any:
    """Returns the body's JSON. Raises `Problem` for another type, size or syntax."""
    written = _read_body(services().settings.body_bytes)
    try:
        return orjson.loads(written)
    except orjson.JSONDecodeError as fault:
        raise Problem(
            "malformed_json", Detail("The body is not JSON: {fault}.", fault=fault.msg)
        ) from None


def large_json_body(most: int) -> tuple[bytes, Any]:
    """Returns a JSON body of at most so many bytes, a gzipped one unpacked: its bytes and value.

    Raises `Problem` for another type, coding, size or syntax. No more is ever unpacked than is
    allowed.
    """
    coding = request.headers.get("Content-Encoding", "identity").strip().lower()
    if coding not in ("identity", "gzip"):
        raise Problem("wrong_media_type", headers={"Accept-Encoding": "gzip"})
    request.max_content_length = most + 1
    written = _read_body(most)
    if coding == "gzip":
        unpacking = zlib.decompressobj(zlib.MAX_WBITS | 16)
        try:
            written = unpacking.decompress(written, most + 1)
        except zlib.error as fault:
            raise Problem(
                "malformed_json", Detail("The body is not gzip: {fault}.", fault=str(fault))
            ) from None
        if len(written) > most:
            raise Problem("too_large")
        if not unpacking.eof or unpacking.unused_data:
            raise Problem(
                "malformed_json", "The gzipped body is cut off, or goes on after its end."
            )
    try:
        return written, orjson.loads(written)
    except orjson.JSONDecodeError as fault:
        raise Problem(
            "malformed_json",
            Detail(
                "The body is not JSON at line {line}, column {column}: {fault}.",
                line=fault.lineno,
                column=fault.colno,
                fault=fault.msg,
            ),
        ) from None


def _read_body(most: int) -> bytes:
    """Returns the body's bytes. Raises `Problem` for another type than JSON, and for more bytes."""
    if request.environ.get("CONTENT_TYPE") != JSON and not _is_json(request.mimetype):
        raise Problem("wrong_media_type", headers={"Accept-Post": "application/json"})
    length = request.environ.get("CONTENT_LENGTH", "")
    if length.isascii() and length.isdigit() and len(length) < 10 and int(length) <= most:
        written = request.environ["wsgi.input"].read(int(length))
    else:
        written = request.get_data(cache=False)
    if len(written) > most:
        raise Problem("too_large")
    return bytes(written)


def _is_json(kind: str) -> bool:
    return kind == JSON or (kind.startswith("application/") and kind.endswith("+json"))


def load_body(schema: Schema, data: Any) -> Any:
    """Returns what a schema loads from the body. Raises `Problem` with pointers."""
    try:
        return schema.load(data)
    except ValidationError as fault:
        raise validation_problem(validation_faults(fault.messages)) from None


def query_parameters(schema: Schema) -> dict[str, Any]:
    """Returns the query's parameters, None for those that are neither given nor have a default.

    Unknown ones are ignored. Raises `Problem`.
    """
    given: dict[str, Any] = {}
    if request.query_string:
        for name, field in schema.fields.items():
            values = request.args.getlist(name)
            if len(values) > 1:
                raise validation_problem(
                    [{"pointer": f"?{name}", "detail": Detail("is given more than once")}]
                )
            if values:
                text = values[0]
                given[name] = _parse_number(text) if isinstance(field, Described) else text
    try:
        loaded: dict[str, Any] = {**dict.fromkeys(schema.fields), **schema.load(given)}
    except ValidationError as fault:
        found = validation_faults(fault.messages)
        raise validation_problem(
            [{**each, "pointer": "?" + each["pointer"][1:]} for each in found]
        ) from None
    return loaded


def _parse_number(text: str) -> str | int:
    """Returns a query value as the whole number that it is, if it is one."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else text


def validation_problem(errors: list[dict[str, str]]) -> Problem:
    """Returns the problem that lists faults, each a pointer and what is wrong there."""
    told = [{**each, "detail": languages.translate_detail(each["detail"])} for each in errors]
    first = told[0]
    detail = Detail("{place}: {fault}", place=first["pointer"] or "body", fault=first["detail"])
    return Problem("misshapen", detail, errors=told)


def prefers_event_stream() -> bool:
    """Returns whether the caller would rather have an event stream than JSON."""
    return request.accept_mimetypes.best_match((JSON, "text/event-stream"), JSON) != JSON


def preferred_wait() -> int | None:
    """Returns how many seconds the caller is ready to wait (Prefer: wait=…), at most `MAX_WAIT`;

    None where it says nothing of the kind.
    """
    for preference in request.headers.get("Prefer", "").split(","):
        name, _, value = preference.partition(";")[0].partition("=")
        seconds = value.strip().strip('"')
        if name.strip().lower() == "wait" and seconds.isascii() and seconds.isdigit():
            return min(int(seconds[:9]), MAX_WAIT_SECONDS)
    return None


def last_event_id(after: int) -> int:
    """Returns the version that the caller's Last-Event-ID names, `after` where there is none.

    Raises `Problem` for what is no version.
    """
    text = request.headers.get("Last-Event-ID", "").strip()
    if not text:
        return after
    if not (text.isascii() and text.isdigit() and len(text) < 11):
        raise Problem("bad_request", "Last-Event-ID must be the id of an event.")
    return int(text)
