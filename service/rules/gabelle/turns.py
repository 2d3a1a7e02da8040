"""Whose turn is next: each function sets `step` and `seat` to what is due, in place."""

from __future__ import annotations

from bisect import bisect_right
from operator import add

from .state import (
    BEGIN,
    BID,
    BUILD,
    BUY,
    CANNOT_BID,
    CANNOT_BUILD,
    CANNOT_BUY,
    CANNOT_NAME,
    CANNOT_PRODUCE,
    DISCARD,
    DRAW_CARD,
    NAME,
    NO_CARDS,
    NO_SEAT,
    PRODUCE,
    SELL,
    SET_ORDER,
    SETTLE,
    SETTLE_ALONE,
    State,
)
from .stock import can_run, keeps, room
from .tables import (
    COSTS,
    GABELLE,
    GABELLE_COSTS,
    GABELLE_UNITS,
    MAX_WORKSHOPS,
    NEXT_SEAT,
    SALT,
)


def next_namer(state: State) -> None:
    """Gives the turn to name to the first in order who is still in the phase (G-4.1, G-4.2)."""
    state.card = state.bid = state.bidders = 0
    state.leader = NO_SEAT
    seat = next((one for one in state.order if not state.done >> one & 1), NO_SEAT)
    state.seat = seat
    if seat == NO_SEAT:
        end_auction(state)
        return
    cards = state.on_sale
    if not cards:  # G-6.3
        state.seat = NO_SEAT
        state.step = NO_CARDS
    elif state.money[seat] >= min(map(state.lowest, cards)):
        state.step = NAME
    else:  # G-4.3
        state.step = CANNOT_NAME


def end_auction(state: State) -> None:
    """Goes on to the next phase; after the first auction the order is set anew (G-1.4)."""
    state.seat = NO_SEAT
    state.step = SET_ORDER if state.round == 1 else BEGIN


def next_bidder(state: State) -> None:
    """Gives the turn to bid to the next guild clockwise; a guild left alone has won (G-4.1)."""
    seat = NEXT_SEAT[state.seat][state.bidders]
    state.seat = seat
    if seat == state.leader:
        state.step = SELL
    else:
        state.step = BID if state.money[seat] > state.bid else CANNOT_BID


def after_sale(state: State) -> None:
    """Refills the row if there is a deck; then the buyer settles what it must (G-4.4)."""
    if state.deck:
        state.step = DRAW_CARD
    else:
        after_refill(state)


def after_refill(state: State) -> None:
    """Lets the buyer discard if it has four workshops (G-4.4)."""
    if len(state.shops[state.seat]) > MAX_WORKSHOPS:
        state.step = DISCARD
    else:
        next_namer(state)


def after_discard(state: State) -> None:
    """Settles the stock where it no longer fits (G-4.4)."""
    stock = state.stock[state.seat]
    ways = keeps(state.shops[state.seat], stock)
    if ways[0] == stock:
        next_namer(state)
    else:
        state.step = SETTLE_ALONE if len(ways) == 1 else SETTLE


def _last_in_order(state: State) -> int:
    for seat in reversed(state.order):
        if not state.done >> seat & 1:
            return seat
    return NO_SEAT


def next_buyer(state: State) -> None:
    """Gives the turn to buy to the last in order who is not done (G-5.1)."""
    seat = _last_in_order(state)
    state.seat = seat
    if seat == NO_SEAT:
        state.step = BEGIN
    else:
        state.step = BUY if any(purchases(state, seat)) else CANNOT_BUY


def purchases(state: State, seat: int) -> list[int]:
    """Returns how many units of each material a guild may buy at most now (G-5.1, G-5.2)."""
    costs = GABELLE_COSTS if state.event == GABELLE else COSTS
    money = state.money[seat]
    most = []
    for cost, space, stock in zip(
        costs, room(state.shops[seat], state.stock[seat]), state.shelves, strict=True
    ):
        units = space if space < stock else stock
        if units and cost[stock][units] > money:
            units = bisect_right(cost[stock], money) - 1
        most.append(units)
    if state.event == GABELLE:  # G-3.2
        most[SALT] = min(most[SALT], GABELLE_UNITS - state.salt_bought)
    return most


def next_builder(state: State) -> None:
    """Gives the turn to build to the last in order who is not done (G-6.1)."""
    seat = _last_in_order(state)
    state.seat = seat
    if seat == NO_SEAT:
        state.step = BEGIN
    elif min(map(add, state.reach[seat], state.fees)) <= state.money[seat]:
        state.step = BUILD
    else:
        state.step = CANNOT_BUILD


def next_producers(state: State) -> None:
    """Lets all choose who have not; those with nothing to run are passed over first (G-7.2)."""
    state.seat = NO_SEAT
    state.step = BEGIN
    for seat in range(state.guilds):
        if not state.done >> seat & 1:
            state.step = PRODUCE
            if not can_run(state.shops[seat], state.stock[seat]):
                state.seat = seat
                state.step = CANNOT_PRODUCE
                return
