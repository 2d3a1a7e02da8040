"""Token rotation."""

from __future__ import annotations

from marshmallow import Schema

from service.rules.kinds import Whole

from .fields import described_field


class RotatedToken(Schema):
    """The token was replaced."""

    games = described_field(Whole(0, 10**9), "in how many games the token was replaced")
