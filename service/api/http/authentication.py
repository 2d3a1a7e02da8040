"""Authentication: the bearer token or watch code that a request carries."""

from __future__ import annotations

from typing import Final

from flask import request

from ...games import tokens
from ...games.tokens import Token
from .problems import Problem
from .services import services

CHALLENGE: Final = {"WWW-Authenticate": 'Bearer realm="bailli"'}


def bearer_token() -> Token | None:
    """Returns the caller's token or watch code, None where none is sent.

    Raises `Problem` for a header that holds neither.
    """
    header = request.headers.get("Authorization")
    if header is None:
        return None
    scheme, _, text = header.partition(" ")
    text = text.strip()
    if scheme.lower() == "bearer" and (
        tokens.is_client_token(text) or (text.startswith("bw_") and tokens.is_code(text))
    ):
        return Token(text)
    services().limits.check("tokens")
    challenge = {"WWW-Authenticate": f'{CHALLENGE["WWW-Authenticate"]}, error="invalid_token"'}
    raise Problem("token_malformed", headers=challenge)


def required_bearer_token() -> Token:
    """Returns the caller's token. Raises `Problem` where there is none."""
    found = bearer_token()
    if found is None:
        raise Problem("token_required", headers=CHALLENGE)
    return found


def client_token() -> Token | None:
    """Returns the caller's client token, None where none is sent and no key either.

    Raises `Problem` for a watch code, which is nobody's token, and for a key without a token.
    """
    found = bearer_token()
    if found is None:
        if "Idempotency-Key" in request.headers:
            raise Problem(
                "token_required", "An Idempotency-Key needs a client token.", headers=CHALLENGE
            )
        return None
    if not tokens.is_client_token(found.text):
        raise Problem("token_required", "A watch code only reads.", headers=CHALLENGE)
    return found


def required_client_token() -> Token:
    """Returns the caller's client token. Raises `Problem` where there is none."""
    found = client_token()
    if found is None:
        raise Problem("token_required", headers=CHALLENGE)
    return found
