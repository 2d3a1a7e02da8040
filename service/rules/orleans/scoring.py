"""The score (O-8.2, O-8.3)."""

from __future__ import annotations

from ..ruleset import Item, Scoring, ranked
from .options import REACHED
from .state import OVER, Seat, State
from .tables import GOODS, GOODS_POINTS, STATUS


def score(state: State) -> Scoring:
    """Returns the itemised score; provisional until play is over."""
    return ranked(
        state.step == OVER,
        [_items(seat, status(state, seat)) for seat in state.seats],
        [(seat.development,) for seat in state.seats],
    )


def status(state: State, seat: Seat) -> int:
    """Returns the status that counts for a seat at the end (O-8.2)."""
    return seat.reached if state.options.status == REACHED else STATUS[seat.development]


def _items(seat: Seat, status: int) -> list[Item]:
    """O-8.2: coins, goods, and stations and citizens times the status."""
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
        + (seat.built + seat.citizens) * status(state, seat)
        for seat in state.seats
    ]
