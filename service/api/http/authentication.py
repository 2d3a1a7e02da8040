"""Authentication: the bearer token (client token or watch code) of a request."""

from __future__ import annotations

from typing import Final

from flask import request

from ...games import tokens
from ...games.tokens import Token
from .problems import Problem
from .services import services

CHALLENGE: Final = {"WWW-Authenticate": 'Bearer realm="bailli"'}


def bearer_token() -> Token | None:
    """Returns the caller's token or watch code, None without an Authorization header.

    Raises `Problem` "token_malformed" for a header that contains neither.
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
    services().rate_limiter.check("tokens")
    challenge = {"WWW-Authenticate": f'{CHALLENGE["WWW-Authenticate"]}, error="invalid_token"'}
    raise Problem("token_malformed", headers=challenge)


def required_bearer_token() -> Token:
    """Returns the caller's token or watch code. Raises `Problem` if there is none."""
    token = bearer_token()
    if token is None:
        raise Problem("token_required", headers=CHALLENGE)
    return token


def client_token() -> Token | None:
    """Returns the caller's client token, None without an Authorization header.

    Raises `Problem` for a watch code, and for an Idempotency-Key without a token.
    """
    token = bearer_token()
    if token is None:
        if "Idempotency-Key" in request.headers:
            raise Problem(
                "token_required", "An Idempotency-Key requires a client token.", headers=CHALLENGE
            )
        return None
    if not tokens.is_client_token(token.text):
        raise Problem("token_required", "A watch code gives read access only.", headers=CHALLENGE)
    return token


def required_client_token() -> Token:
    """Returns the caller's client token. Raises `Problem` if there is none."""
    token = client_token()
    if token is None:
        raise Problem("token_required", headers=CHALLENGE)
    return token
