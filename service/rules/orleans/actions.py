"""Which place does what, and what a seat may use now (O-2.5)."""

from __future__ import annotations

from typing import Any, Final

from ..described import Command
from .deliveries import Deliver
from .place_actions import Bathe, Build, Gain, Invent, Pay, Produce, Recruit, Settle, Travel, Use
from .state import State
from .tables import (
    USES,
    bits,
)

_SORTS: Final[dict[str, type[Use]]] = {
    "travels": Travel,
    "builds": Build,
    "delivers": Deliver,
    "good": Produce,
    "technology": Invent,
    "draws": Bathe,
    "coins_for_development": Pay,
    "coins": Gain,
    "coins_per": Gain,
    "development": Gain,
}


def _made(place: int, use: dict[str, Any]) -> Use | None:
    recruits = use.get("recruits")
    if recruits is not None:
        return Recruit(place, use) if len(recruits) == 1 else Settle(place, use)
    sorts = [_SORTS[name] for name in use if name in _SORTS]
    return sorts[0](place, use) if sorts else None


ACTIONS: Final = tuple(_made(place, use) for place, use in enumerate(USES))
"""By place: what it does; None for the places that are never used (O-2.5)."""


def usable(state: State, number: int) -> bool:
    """Returns whether the seat has a place that it could use now (O-2.5)."""
    me = state.seats[number]
    for place in bits(me.places):
        action = ACTIONS[place]
        if action is not None and action.active(me) and action.able(state, number):
            return True
    return False


def uses(state: State, number: int) -> list[Command]:
    """Returns every way to use a place of the seat, in canonical order."""
    me = state.seats[number]
    listed: list[Command] = []
    for place in bits(me.places):
        action = ACTIONS[place]
        if action is not None and action.active(me):
            listed += action.commands(state, number)
    return listed
