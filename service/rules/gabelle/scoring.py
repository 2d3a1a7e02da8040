"""Who is ahead, and at the end who has won (G-9.1)."""

from __future__ import annotations

from ..ruleset import Item, Scoring, ranked
from .state import OVER, State


def score(state: State) -> Scoring:
    """Returns each guild's cities supplied in its latest production.

    Ties: more money (income included), then the larger network, then shared (G-9.1).
    """
    seats = range(state.guilds)
    return ranked(
        state.step == OVER,
        [[_supplied(state, seat)] for seat in seats],
        [(state.money[seat], state.cities(seat)) for seat in seats],
    )


def _supplied(state: State, seat: int) -> Item:
    facts = {"money": state.money[seat], "network": state.cities(seat)}
    return Item("cities_supplied", state.supplied[seat], facts)
