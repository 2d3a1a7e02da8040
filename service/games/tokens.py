"""Tokens of clients, claim and watch codes: their form, their hashes, how codes are derived.

A client's token is never stored or logged: its SHA-256 is what games know.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass, field

_TOKEN = re.compile(r"bl_[A-Za-z0-9_-]{43}")
_CODE = re.compile(r"b[cw]_[A-Za-z0-9_-]{43}")


@dataclass(frozen=True, slots=True)
class Token:
    """A client's token, or a watch code sent in its place. `hash` is its hexadecimal SHA-256;

    `text` must not be logged or stored.
    """

    text: str
    hash: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "hash", hash_secret(self.text))

    def __repr__(self) -> str:
        return "Token(…)"


def hash_secret(secret: str) -> str:
    """Returns the hexadecimal SHA-256 of a token or code."""
    return hashlib.sha256(secret.encode()).hexdigest()


def new_token() -> Token:
    """Returns a fresh client token of 256 random bits."""
    return Token("bl_" + secrets.token_urlsafe(32))


def is_client_token(text: str) -> bool:
    """Returns whether the text has a client token's form."""
    return _TOKEN.fullmatch(text) is not None


def is_code(text: str) -> bool:
    """Returns whether the text has a claim or watch code's form."""
    return _CODE.fullmatch(text) is not None


def claim_code(token: Token, game: str, seat: int, number: int) -> str:
    """Returns the code that opens a seat: the same whenever it is made with this token.

    `number` is 0 for the code made at creation, then the table's count of hand-overs.
    """
    return "bc_" + _derived(token, f"claim\0{game}\0{seat}\0{number}")


def watch_code(token: Token, game: str) -> str:
    """Returns the code with which others may read a private game."""
    return "bw_" + _derived(token, f"watch\0{game}")


def _derived(token: Token, purpose: str) -> str:
    mac = hmac.digest(token.text.encode(), purpose.encode(), "sha256")
    return base64.urlsafe_b64encode(mac).decode().rstrip("=")


def same_hash(known: str | None, given: str | None) -> bool:
    """Returns whether two hashes are equal, in constant time; None equals nothing."""
    return known is not None and given is not None and hmac.compare_digest(known, given)
