"""Idempotency-Key: the key and fingerprint of a request, and the header of a replayed response."""

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
    """Returns the Idempotency-Key without its quotes, None without one. Raises `Problem` if it is

    invalid.
    """
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
                "An Idempotency-Key must be 1 to {limit} visible ASCII characters without quotes.",
                limit=MAX_KEY_LENGTH,
            ),
        )
    return text


def request_context(caller: Token | None, body: Any, *, conditional: bool = True) -> RequestContext:
    """Returns the request's context for the write path: caller, idempotency key, fingerprint of

    path and body, If-Match condition (if `conditional`) and client address. Raises `Problem`.
    """
    key = idempotency_key()
    fingerprint = ""
    if key is not None:
        digest = hashlib.sha256(request.path.encode() + b"\0")
        digest.update(orjson.dumps(body, option=orjson.OPT_SORT_KEYS))
        fingerprint = digest.hexdigest()
    condition = if_match_condition() if conditional else None
    return RequestContext(caller, key, fingerprint, condition, origin=rate_limits.client_address())


def replay_headers(replayed: bool) -> dict[str, str]:
    """Returns the header that marks a replayed response, none for the first one."""
    return {"Idempotent-Replayed": "true"} if replayed else {}
