"""Replacing a token."""

from __future__ import annotations

from ..fields import TOKEN, Strict, documentation, pattern_field


class RotateToken(Strict):
    """Replaces the caller's token in all its games."""

    token = pattern_field(
        TOKEN, required=True, metadata=documentation("the new token, made by the client")
    )
