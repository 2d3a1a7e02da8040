"""What a request says: token, body, query, conditions, idempotency key."""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Callable
from typing import Any, Final

import orjson
from flask import g, request
from marshmallow import Schema, ValidationError

from schemas.described import Described, faults

from ..games import access
from ..games.access import Token
from ..games.asked import Request
from ..games.game import Game
from ..rules.plain import Detail
from . import limits, texts
from .problems import Problem
from .services import services

CHALLENGE: Final = {"WWW-Authenticate": 'Bearer realm="bailli"'}
JSON: Final = "application/json"
LONGEST_KEY: Final = 255
MOST_WAIT: Final = 30
_TAG: Final = re.compile(r'(W/)?"([\x21\x23-\x7e\x80-\xff]*)"')
_OURS: Final = re.compile(r"\"([0-9]{1,10})-[0-9a-f]{16}(-[a-z]{2})?\"")
_KEY: Final = re.compile(r"[\x21\x23-\x7e]+")


def token() -> Token | None:
    """Returns the caller's token or watch code, None where none is sent.

    Raises `Problem` for a header that holds neither.
    """
    header = request.headers.get("Authorization")
    if header is None:
        return None
    scheme, _, text = header.partition(" ")
    text = text.strip()
    if scheme.lower() == "bearer" and (
        access.is_token(text) or (text.startswith("bw_") and access.is_code(text))
    ):
        return Token(text)
    services().limits.check("tokens")
    challenge = {"WWW-Authenticate": f'{CHALLENGE["WWW-Authenticate"]}, error="invalid_token"'}
    raise Problem("token_malformed", headers=challenge)


def required_token() -> Token:
    """Returns the caller's token. Raises `Problem` where there is none."""
    found = token()
    if found is None:
        raise Problem("token_required", headers=CHALLENGE)
    return found


def client_token() -> Token | None:
    """Returns the caller's client token, None where none is sent and no key either.

    Raises `Problem` for a watch code, which is nobody's token, and for a key without a token.
    """
    found = token()
    if found is None:
        if "Idempotency-Key" in request.headers:
            raise Problem(
                "token_required", "An Idempotency-Key needs a client token.", headers=CHALLENGE
            )
        return None
    if not access.is_token(found.text):
        raise Problem("token_required", "A watch code only reads.", headers=CHALLENGE)
    return found


def own_token() -> Token:
    """Returns the caller's client token. Raises `Problem` where there is none."""
    found = client_token()
    if found is None:
        raise Problem("token_required", headers=CHALLENGE)
    return found


def plain_body() -> Any:
    """Returns the body's JSON. Raises `Problem` for another type, size or syntax."""
    written = _written(services().settings.body_bytes)
    try:
        return orjson.loads(written)
    except orjson.JSONDecodeError as fault:
        raise Problem(
            "malformed_json", Detail("The body is not JSON: {fault}.", fault=fault.msg)
        ) from None


def long_body(most: int) -> tuple[bytes, Any]:
    """Returns a JSON body of at most so many bytes, a gzipped one unpacked: its bytes and value.

    Raises `Problem` for another type, coding, size or syntax. No more is ever unpacked than is
    allowed.
    """
    coding = request.headers.get("Content-Encoding", "identity").strip().lower()
    if coding not in ("identity", "gzip"):
        raise Problem("wrong_media_type", headers={"Accept-Encoding": "gzip"})
    request.max_content_length = most + 1
    written = _written(most)
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


def _written(most: int) -> bytes:
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


def shaped(schema: Schema, data: Any) -> Any:
    """Returns what a schema loads from the body. Raises `Problem` with pointers."""
    try:
        return schema.load(data)
    except ValidationError as fault:
        raise misshapen(faults(fault.messages)) from None


def query(schema: Schema) -> dict[str, Any]:
    """Returns the query's parameters, None for those that are neither given nor have a default.

    Unknown ones are ignored. Raises `Problem`.
    """
    given: dict[str, Any] = {}
    if request.query_string:
        for name, field in schema.fields.items():
            values = request.args.getlist(name)
            if len(values) > 1:
                raise misshapen(
                    [{"pointer": f"?{name}", "detail": Detail("is given more than once")}]
                )
            if values:
                text = values[0]
                given[name] = _number(text) if isinstance(field, Described) else text
    try:
        loaded: dict[str, Any] = {**dict.fromkeys(schema.fields), **schema.load(given)}
    except ValidationError as fault:
        found = faults(fault.messages)
        raise misshapen(
            [{**each, "pointer": "?" + each["pointer"][1:]} for each in found]
        ) from None
    return loaded


def _number(text: str) -> str | int:
    """Returns a query value as the whole number that it is, if it is one."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else text


def misshapen(errors: list[dict[str, str]]) -> Problem:
    """Returns the problem that lists faults, each a pointer and what is wrong there."""
    told = [{**each, "detail": texts.said(each["detail"])} for each in errors]
    first = told[0]
    detail = Detail("{place}: {fault}", place=first["pointer"] or "body", fault=first["detail"])
    return Problem("misshapen", detail, errors=told)


def etag(game: Game) -> str:
    """Returns the strong entity tag of a game's version."""
    return f'"{game.version}-{game.hash[:8].hex()}"'


def text_etag(game: Game) -> str:
    """Returns the entity tag of a text about a game's version: English texts have the game's own

    tag, those in other languages name the language behind it. If-Match takes both.
    """
    tag, language = etag(game), texts.language()
    return tag if language == texts.FIRST else f'{tag[:-1]}-{language}"'


def etags(header: str) -> list[str] | None:
    """Returns the strong tags that a condition lists (with quotes), weak ones as `W/"…"`;

    None for `*`. What is no tag is left out: it matches nothing.
    """
    if header.strip() == "*":
        return None
    return [f'{weak}"{tag}"' for weak, tag in _TAG.findall(header)]


def fits() -> Callable[[Game], bool] | None:
    """Returns the If-Match condition, None where there is none."""
    header = request.headers.get("If-Match")
    if header is None:
        return None
    tags = etags(header)
    if tags is None:
        return lambda game: True
    g.condition = tags = [_of_the_game(tag) for tag in tags]
    return lambda game: etag(game) in tags


def _of_the_game(tag: str) -> str:
    """Returns the game's tag where a tag is that of a text about it in some language."""
    match = _OURS.fullmatch(tag)
    return tag if match is None or match[2] is None else f'{tag[:-4]}"'


def believed_version() -> int | None:
    """Returns the version that the caller's If-Match names, if it is of our form."""
    for tag in g.get("condition", ()):
        match = _OURS.fullmatch(tag)
        if match:
            return int(match[1])
    return None


def unchanged(tag: str) -> bool:
    """Returns whether If-None-Match names an entity tag (weak comparison)."""
    header = request.headers.get("If-None-Match")
    if header is None:
        return False
    if header == tag:
        return True
    tags = etags(header)
    return tags is None or tag in [each.removeprefix("W/") for each in tags]


def key() -> str | None:
    """Returns the idempotency key, without its quotes. Raises `Problem` for a strange one."""
    header = request.headers.get("Idempotency-Key")
    if header is None:
        return None
    text = header.strip()
    if len(text) >= 2 and text[0] == text[-1] == '"':
        text = text[1:-1]
    if len(text) > LONGEST_KEY or _KEY.fullmatch(text) is None:
        raise Problem(
            "bad_request",
            Detail(
                "An Idempotency-Key has 1 to {most} visible ASCII characters without quotes.",
                most=LONGEST_KEY,
            ),
        )
    return text


def wants_stream() -> bool:
    """Returns whether the caller would rather have an event stream than JSON."""
    return request.accept_mimetypes.best_match((JSON, "text/event-stream"), JSON) != JSON


def wait() -> int | None:
    """Returns how many seconds the caller is ready to wait (Prefer: wait=…), at most `MOST_WAIT`;

    None where it says nothing of the kind.
    """
    for preference in request.headers.get("Prefer", "").split(","):
        name, _, value = preference.partition(";")[0].partition("=")
        seconds = value.strip().strip('"')
        if name.strip().lower() == "wait" and seconds.isascii() and seconds.isdigit():
            return min(int(seconds[:9]), MOST_WAIT)
    return None


def last_version(after: int) -> int:
    """Returns the version that the caller's Last-Event-ID names, `after` where there is none.

    Raises `Problem` for what is no version.
    """
    text = request.headers.get("Last-Event-ID", "").strip()
    if not text:
        return after
    if not (text.isascii() and text.isdigit() and len(text) < 11):
        raise Problem("bad_request", "Last-Event-ID must be the id of an event.")
    return int(text)


def asked(caller: Token | None, body: Any, *, conditional: bool = True) -> Request:
    """Returns the request as the write path takes it."""
    named = key()
    fingerprint = ""
    if named is not None:
        digest = hashlib.sha256(request.path.encode() + b"\0")
        digest.update(orjson.dumps(body, option=orjson.OPT_SORT_KEYS))
        fingerprint = digest.hexdigest()
    condition = fits() if conditional else None
    return Request(caller, named, fingerprint, condition, origin=limits.client())
