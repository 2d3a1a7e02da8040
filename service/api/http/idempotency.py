"""Idempotency-Key, and the context in which the write path carries a request out."""

from __future__ import annotations

import hashlib
import re
from typing import Any, Final

import orjson
from flask import request

from ...games.commands.requests import RequestContext
from ...games.tokens import Token
from ...rules.plain import Detail
from . import rate_limits
from .conditional_requests import if_match_condition
from .problems import Problem

MAX_KEY_LENGTH: Final = 255
_KEY: Final = re.compile(r"[\x21\x23-\x7e]+")


def idempotency_key() -> str | None:
    """Returns the idempotency key, without its quotes. Raises `Problem` for a strange one."""
    header = request.headers.get("Idempotency-Key")
    if header is None:
        return None
    text = header.strip()
    if len(text) >= 2 and text[0] == text[-1] == '"':
        text = text[1:-1]
    if len(text) > MAX_KEY_LENGTH or _KEY.fullmatch(text) is None:
        raise Problem(
            "bad_request",
            Detail(
                "An Idempotency-Key has 1 to {most} visible ASCII characters without quotes.",
                most=MAX_KEY_LENGTH,
            ),
        )
    return text


def request_context(caller: Token | None, body: Any, *, conditional: bool = True) -> RequestContext:
    """Returns the request as the write path takes it."""
    named = idempotency_key()
    fingerprint = ""
    if named is not None:
        digest = hashlib.sha256(request.path.encode() + b"\0")
        digest.update(orjson.dumps(body, option=orjson.OPT_SORT_KEYS))
        fingerprint = digest.hexdigest()
    condition = if_match_condition() if conditional else None
    return RequestContext(
        caller, named, fingerprint, condition, origin=rate_limits.client_address()
    )
