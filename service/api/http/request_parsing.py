"""Request parsing: JSON bodies, query parameters, and the headers Accept, Prefer, Last-Event-ID."""

from __future__ import annotations

import zlib
from typing import Any, Final

import orjson
from flask import request
from marshmallow import Schema, ValidationError

from schemas.described_fields import Described, validation_errors

from ...rules.plain import Detail
from .problems import Problem
from .services import services
from .translations import translate_detail

JSON: Final = "application/json"
MAX_WAIT_SECONDS: Final = 30


def json_body() -> Any:
    """Returns the body's JSON value. Raises `Problem` for another media type, size or syntax."""
    content = _read_body(services().settings.body_bytes)
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise Problem(
            "malformed_json", Detail("The body is not JSON: {error}.", error=error.msg)
        ) from None


def large_json_body(limit: int) -> tuple[bytes, Any]:
    """Returns the bytes and the JSON value of a body, decompressed if it is gzipped.

    Raises `Problem` for another media type, coding or syntax, and for more than `limit` bytes after
    decompression; never decompresses more than that.
    """
    coding = request.headers.get("Content-Encoding", "identity").strip().lower()
    if coding not in ("identity", "gzip"):
        raise Problem("wrong_media_type", headers={"Accept-Encoding": "gzip"})
    request.max_content_length = limit + 1
    content = _read_body(limit)
    if coding == "gzip":
        content = _decompress(content, limit)
    try:
        return content, orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise Problem(
            "malformed_json",
            Detail(
                "The body is not JSON at line {line}, column {column}: {error}.",
                line=error.lineno,
                column=error.colno,
                error=error.msg,
            ),
        ) from None


def _decompress(content: bytes, limit: int) -> bytes:
    decompressor = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        content = decompressor.decompress(content, limit + 1)
    except zlib.error as error:
        raise Problem(
            "malformed_json", Detail("The body is not gzip: {error}.", error=str(error))
        ) from None
    if len(content) > limit:
        raise Problem("too_large")
    if not decompressor.eof or decompressor.unused_data:
        raise Problem("malformed_json", "The gzipped body is truncated or has trailing data.")
    return content


def _read_body(limit: int) -> bytes:
    """Returns the body's bytes. Raises `Problem` if it is not JSON or longer than `limit`."""
    if request.environ.get("CONTENT_TYPE") != JSON and not _is_json(request.mimetype):
        raise Problem("wrong_media_type", headers={"Accept-Post": "application/json"})
    length = request.environ.get("CONTENT_LENGTH", "")
    if length.isascii() and length.isdigit() and len(length) < 10 and int(length) <= limit:
        content = request.environ["wsgi.input"].read(int(length))
    else:
        content = request.get_data(cache=False)
    if len(content) > limit:
        raise Problem("too_large")
    return bytes(content)


def _is_json(media_type: str) -> bool:
    return media_type == JSON or (
        media_type.startswith("application/") and media_type.endswith("+json")
    )


def load_body(schema: Schema, data: Any) -> Any:
    """Returns what a schema loads from the body. Raises `Problem` with a pointer for each error."""
    try:
        return schema.load(data)
    except ValidationError as error:
        raise validation_problem(validation_errors(error.messages)) from None


def query_parameters(schema: Schema) -> dict[str, Any]:
    """Returns the query's parameters; one that is missing has its default, or None.

    Unknown parameters are ignored. Raises `Problem` with a pointer for each error.
    """
    data: dict[str, Any] = {}
    if request.query_string:
        for name, field in schema.fields.items():
            values = request.args.getlist(name)
            if len(values) > 1:
                raise validation_problem(
                    [{"pointer": f"?{name}", "detail": Detail("must not be repeated")}]
                )
            if values:
                text = values[0]
                data[name] = _parse_number(text) if isinstance(field, Described) else text
    try:
        loaded: dict[str, Any] = {**dict.fromkeys(schema.fields), **schema.load(data)}
    except ValidationError as error:
        errors = validation_errors(error.messages)
        raise validation_problem(
            [{**each, "pointer": "?" + each["pointer"][1:]} for each in errors]
        ) from None
    return loaded


def _parse_number(text: str) -> str | int:
    """Returns a query value as an integer if it is one, else as it is."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else text


def validation_problem(errors: list[dict[str, str]]) -> Problem:
    """Returns the problem of an invalid request; each error has a `pointer` and a `detail`."""
    translated = [{**each, "detail": translate_detail(each["detail"])} for each in errors]
    first = translated[0]
    detail = Detail("{place}: {fault}", place=first["pointer"] or "body", fault=first["detail"])
    return Problem("misshapen", detail, errors=translated)


def prefers_event_stream() -> bool:
    """Returns whether the Accept header prefers an event stream to JSON."""
    return request.accept_mimetypes.best_match((JSON, "text/event-stream"), JSON) != JSON


def preferred_wait() -> int | None:
    """Returns the seconds that the client is ready to wait (`Prefer: wait=…`), at most

    `MAX_WAIT_SECONDS`; None without that preference.
    """
    for preference in request.headers.get("Prefer", "").split(","):
        name, _, value = preference.partition(";")[0].partition("=")
        seconds = value.strip().strip('"')
        if name.strip().lower() == "wait" and seconds.isascii() and seconds.isdigit():
            return min(int(seconds[:9]), MAX_WAIT_SECONDS)
    return None


def last_event_id(default: int) -> int:
    """Returns the version in the Last-Event-ID header, `default` without one.

    Raises `Problem` if it is not a version.
    """
    text = request.headers.get("Last-Event-ID", "").strip()
    if not text:
        return default
    if not (text.isascii() and text.isdigit() and len(text) < 11):
        raise Problem("bad_request", "Last-Event-ID must be the id of an event.")
    return int(text)
