"""Hints for Gabelle: merchants (`merchant`), and the choices worth a search.

In an auction what to name comes before how much to bid: each card is named at its lowest bid, and
bids rise by one or by a leap. `easy` is a plain merchant; simulations are played on by shrewd ones.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Final

from service.rules.described import Command
from service.rules.gabelle.commands import (
    BUILDS,
    BUYS,
    DECLINE,
    DISCARDS,
    DROP,
    END_BUILDING,
    END_BUYING,
    namings,
    raises,
)
from service.rules.gabelle.decide import may_decline
from service.rules.gabelle.legal import legal
from service.rules.gabelle.state import (
    BID,
    BUILD,
    BUY,
    DISCARD,
    NAME,
    OVER,
    State,
)
from service.rules.gabelle.turns import purchases
from workers.bots.hints import Option, Policy

from .merchant import Merchant
from .worth import FIGURES, PLAIN, Habits, capacity_of, rounds_left, target, worth

SHREWD: Final = Merchant(Habits(**FIGURES))

HABIT: Final = 0.3
"""The points (cities) by which the merchant's own choice promises more than any other.

The estimated gain of cards is no promise: the merchant has chosen by that already, and in
simulations other choices are as often better as they seem worse.
"""

LEAP: Final = 5
"""A bid may rise by so much (L) at once, to end an auction."""

PENNY: Final = 0.01
"""The points that 1 L counts for: money decides between equals (G-9.1)."""

choose = Merchant(PLAIN).choose


def options(state: State, seat: int, generator: random.Random) -> list[Option]:
    """Returns the choices worth a search, the merchant's own the most promising."""
    habitual = SHREWD.choose(state, seat, generator)
    found = dict(_CHOICES[state.step](state, seat))
    best = max(found.values(), default=0.0)
    found[habitual] = max(best, found.get(habitual, 0.0)) + HABIT
    return [Option((command,), promise) for command, promise in found.items()]


def evaluate(state: State) -> list[float]:
    """Returns the cities each guild may hope to supply in its last production."""
    money = [PENNY * held for held in state.money]
    if state.step == OVER:
        return [cities + more for cities, more in zip(state.supplied, money, strict=True)]
    pace = SHREWD.habits.pace
    limit, growth = target(state), pace * rounds_left(state, pace)
    return [
        min(limit, capacity_of(shops), state.cities(seat) + growth) + money[seat]
        for seat, shops in enumerate(state.shops)
    ]


def policy_by(habits: Habits) -> Policy:
    """Returns the policy of a merchant with these habits."""
    merchant = Merchant(habits)

    def line(state: State, seat: int, generator: random.Random) -> tuple[Command, ...]:
        return (merchant.choose(state, seat, generator),)

    return line


def tuned(figures: Mapping[str, float]) -> Policy:
    """Returns the policy under other figures than those of the data file."""
    return policy_by(Habits(**figures))


policy = tuned(FIGURES)


def moment(state: State) -> int:
    """Returns the number of the round."""
    return state.round


Choices = list[tuple[Command, float]]


def _name(state: State, seat: int) -> Choices:
    found: Choices = [(DECLINE, 0.0)] if may_decline(state) else []
    for card in state.on_sale:
        lowest = state.lowest(card)
        if lowest <= state.money[seat]:
            found.append((namings(card, lowest, lowest)[0], 0.0))
    return found


def _bid(state: State, seat: int) -> Choices:
    found: Choices = [(DROP, 0.0)]
    for bid in (state.bid + 1, state.bid + LEAP):
        if bid <= state.money[seat]:
            found.append((raises(bid, bid)[0], 0.0))
    return found


def _discard(state: State, seat: int) -> Choices:
    shops, seen = state.shops[seat], SHREWD.outlook(state, seat)
    kept = {shop: tuple(one for one in shops if one != shop) for shop in shops}
    now = worth(shops, seen)
    return [
        (DISCARDS[shop], (worth(rest, seen) - now) / seen.habits.last_city)
        for shop, rest in kept.items()
    ]


def _buy(state: State, seat: int) -> Choices:
    found: Choices = [(END_BUYING, 0.0)]
    for material, units in enumerate(purchases(state, seat)):
        for amount in {1, units} if units else ():
            found.append((BUYS[material][amount - 1], 0.0))
    return found


def _build(state: State, seat: int) -> Choices:
    prices = list(map(int.__add__, state.reach[seat], state.fees))
    nearest = sorted(range(len(prices)), key=prices.__getitem__)[:3]
    return [
        (END_BUILDING, 0.0),
        *((BUILDS[city], 0.0) for city in nearest if prices[city] <= state.money[seat]),
    ]


def _any(state: State, seat: int) -> Choices:
    return [(command, 0.0) for command in legal(state, seat)[::-1][:4]]


class _Choices(dict[int, Callable[[State, int], Choices]]):
    def __missing__(self, step: int) -> Callable[[State, int], Choices]:
        return _any


_CHOICES: Final = _Choices({NAME: _name, BID: _bid, DISCARD: _discard, BUY: _buy, BUILD: _build})

__all__ = ["FIGURES", "choose", "evaluate", "moment", "options", "policy", "target", "tuned"]
