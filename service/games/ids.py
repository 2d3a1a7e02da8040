"""Names made of bits: 5 of them a character, `[a-z2-7]`."""

from __future__ import annotations

import base64
import hashlib
from typing import Final

GAME: Final = 26
"""Characters of a game's id: 130 bits."""


def encode_id(bits: bytes, length: int = GAME) -> str:
    """Returns so many characters from the first of the bits, which must be enough."""
    return base64.b32encode(bits).decode().lower()[:length]


def derive_id(text: str) -> str:
    """Returns the game id that follows from a text: the first 130 bits of its SHA-256."""
    return encode_id(hashlib.sha256(text.encode()).digest())
