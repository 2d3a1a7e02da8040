"""Asking for advice."""

from __future__ import annotations

from typing import Final

from service.levels import SEARCHING
from service.rules.plain import Maybe, OneOf, Whole

from ..described_fields import Described
from ..fields import MAYBE_SEAT, Strict, documentation

MAX_TOP: Final = 20


class AskAnalysis(Strict):
    """A question for a bot's advice."""

    level = Described(
        OneOf(SEARCHING),
        load_default=SEARCHING[0],
        metadata=documentation("how well the bot thinks: one of the levels that search"),
    )
    top = Described(
        Whole(1, MAX_TOP),
        load_default=5,
        metadata=documentation("the most commands that are ranked"),
    )
    seat = Described(
        MAYBE_SEAT,
        load_default=None,
        metadata=documentation(
            "the seat that is advised; null: the first of the caller's that must act"
        ),
    )
    version = Described(
        Maybe(Whole(1, 10**9)),
        load_default=None,
        metadata=documentation("an earlier version at which the seat had to act; null: the newest"),
    )
