"""Requests of analyses."""

from __future__ import annotations

from typing import Final

from service.bot_levels import SEARCHING
from service.rules.kinds import Maybe, OneOf, Whole

from ..described_fields import Described
from ..fields import MAYBE_SEAT, Strict, documentation

MAX_TOP: Final = 20


class AskAnalysis(Strict):
    """Which analysis is requested."""

    level = Described(
        OneOf(SEARCHING),
        load_default=SEARCHING[0],
        metadata=documentation("the bot's level, one of those that search"),
    )
    top = Described(
        Whole(1, MAX_TOP),
        load_default=5,
        metadata=documentation("how many commands are ranked at most"),
    )
    seat = Described(
        MAYBE_SEAT,
        load_default=None,
        metadata=documentation(
            "the seat to advise; null: the first of the caller's seats that must act"
        ),
    )
    version = Described(
        Maybe(Whole(1, 10**9)),
        load_default=None,
        metadata=documentation("an earlier version at which the seat had to act; null: the newest"),
    )
