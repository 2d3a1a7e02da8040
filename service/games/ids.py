"""Ids: encoded from random bits or derived from a text; 5 bits a character, `[a-z2-7]`."""

from __future__ import annotations

import base64
import hashlib
from typing import Final

GAME_ID_LENGTH: Final = 26
"""Characters of a game's id: 130 bits."""


def encode_id(bits: bytes, length: int = GAME_ID_LENGTH) -> str:
    """Returns an id of so many characters from the first bits; there must be 5 for each."""
    return base64.b32encode(bits).decode().lower()[:length]


def derive_id(text: str) -> str:
    """Returns the game id that follows from a text: the first 130 bits of its SHA-256."""
    return encode_id(hashlib.sha256(text.encode()).digest())
