"""The score (O-8.2, O-8.3)."""

from __future__ import annotations

from ..ruleset import Item, Scoring, ranked
from .state import OVER, Seat, State
from .tables import GOODS, GOODS_POINTS, STATUS


def score(state: State) -> Scoring:
    """Returns the itemised score; provisional until play is over."""
    return ranked(
        state.step == OVER,
        [_items(seat) for seat in state.seats],
        [(seat.development,) for seat in state.seats],
    )


def _items(seat: Seat) -> list[Item]:
    """O-8.2: coins, goods, and stations and citizens times the status."""
    status = STATUS[seat.development]
    product = (seat.built + seat.citizens) * status
    return [
        Item("coins", seat.coins, {"coins": seat.coins}),
        *(
            Item(name, count * each, {"count": count, "each": each})
            for name, count, each in zip(GOODS, seat.goods, GOODS_POINTS, strict=True)
        ),
        Item(
            "stations_and_citizens",
            product,
            {"stations": seat.built, "citizens": seat.citizens, "status": status},
        ),
    ]


def totals(state: State) -> list[int]:
    """Returns each seat's provisional total."""
    return [
        seat.coins
        + sum(count * each for count, each in zip(seat.goods, GOODS_POINTS, strict=True))
        + (seat.built + seat.citizens) * STATUS[seat.development]
        for seat in state.seats
    ]
