"""Merchants: how bots play Gabelle by habits. `easy` is a plain one, searches use shrewd ones.

The effect of single commands shows much later in this game, so each phase has a method of its own.
All of them rest on `worth`: what a set of workshops will earn until the end, at present prices.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from operator import add, mul, sub
from typing import Final

from service.rules.described import Command
from service.rules.gabelle import RULESET
from service.rules.gabelle.commands import (
    BUILDS,
    BUYS,
    DECLINE,
    DISCARDS,
    DROP,
    END_BUILDING,
    END_BUYING,
    KeepStock,
    Produce,
    namings,
    raises,
)
from service.rules.gabelle.decide import may_decline, produced
from service.rules.gabelle.state import (
    BID,
    BUILD,
    BUY,
    DISCARD,
    NAME,
    PRODUCE,
    SETTLE,
    State,
)
from service.rules.gabelle.stock import Plan, Stock, keeps, productions
from service.rules.gabelle.tables import OCTROI, payment
from service.rules.gabelle.turns import purchases

from .worth import (
    Habits,
    Outlook,
    best_of,
    capacity_of,
    costs_of,
    gain,
    largest,
    most_fed,
    outlook,
    plans,
    prices,
    remoteness,
    target,
    upkeep,
)

NOTHING_RUN: Final = Produce(())

MAX_REMOTENESS: Final = 12
"""Posts are left out that cost more than the cheapest by this (L), times the habit `near`."""


class Merchant:
    """A player with habits. Each method returns a legal command and leaves the state as it is."""

    def __init__(self, habits: Habits) -> None:
        self.habits = habits
        self._choosers: dict[int, Callable[[State, int, random.Random], Command]] = {
            NAME: self._name,
            BID: self._bid,
            DISCARD: self._discard,
            SETTLE: self._settle,
            BUY: self._buy,
            BUILD: self._build,
            PRODUCE: self._produce,
        }

    def choose(self, state: State, seat: int, generator: random.Random) -> Command:
        """Returns the command of a seat that may act."""
        return self._choosers[state.step](state, seat, generator)

    def outlook(self, state: State, seat: int) -> Outlook:
        """Returns the outlook by which the merchant values workshops."""
        return outlook(state, seat, self.habits)

    def reserve(self, state: State, seat: int) -> float:
        """Returns the money (L) a guild keeps back in an auction, for production and for posts."""
        cost = self.habits.keep * upkeep(state.shops[seat], prices(state))
        return min(cost, state.money[seat] // 2) + self.habits.posts * OCTROI[0]

    def _name(self, state: State, seat: int, generator: random.Random) -> Command:
        spare = state.money[seat] - self.reserve(state, seat)
        shops, seen = state.shops[seat], self.outlook(state, seat)
        passes = may_decline(state)
        surplus = {
            card: self.habits.bid * gain(shops, seen, card) - state.lowest(card)
            for card in state.on_sale
            if state.lowest(card) <= spare
        }
        wanted = _best(surplus, generator)
        if wanted is not None and (surplus[wanted] > 0 or not passes):
            lowest = state.lowest(wanted)
            return namings(wanted, lowest, lowest)[0]
        return DECLINE if passes else RULESET.legal(state, seat)[0]

    def _bid(self, state: State, seat: int, generator: random.Random) -> Command:
        bid = state.bid + 1
        if bid > state.money[seat] - self.reserve(state, seat):
            return DROP
        shops, seen, part = state.shops[seat], self.outlook(state, seat), self.habits.bid
        others = (
            part * gain(shops, seen, card) - state.lowest(card)
            for card in state.on_sale
            if card != state.card and state.lowest(card) <= state.money[seat]
        )
        if part * gain(shops, seen, state.card) - bid <= max(others, default=0):
            return DROP
        return raises(bid, bid)[0]

    def _discard(self, state: State, seat: int, generator: random.Random) -> Command:
        shops = state.shops[seat]
        kept = best_of(shops, self.outlook(state, seat))
        return DISCARDS[next(shop for shop in shops if shop not in kept)]

    def _settle(self, state: State, seat: int, generator: random.Random) -> Command:
        paid = prices(state)

        def value(kept: Stock) -> int:
            return sum(map(mul, paid, kept))

        return KeepStock(*max(keeps(state.shops[seat], state.stock[seat]), key=value))

    def _buy(self, state: State, seat: int, generator: random.Random) -> Command:
        limits = purchases(state, seat)
        stock = state.stock[seat]
        plan = self._best_plan(state, seat, limits)
        for material, burns in enumerate(plan.burns):
            needed = min(burns - stock[material], limits[material])
            if needed > 0:
                return BUYS[material][needed - 1]
        if state.money[seat] > self.habits.ease + OCTROI[state.stage - 1]:
            costs = costs_of(state)
            for material, units in enumerate(limits):
                if units and costs[material][state.shelves[material]][1] <= self.habits.cheap:
                    return BUYS[material][0]
        return END_BUYING

    def _best_plan(self, state: State, seat: int, limits: list[int]) -> Plan:
        """Returns the production of this round that earns most, after paying for what it needs."""
        stock, money, shelves = state.stock[seat], state.money[seat], state.shelves
        costs, cities, wanted = costs_of(state), state.cities(seat), target(state)
        a_city = self.habits.last_city if is_last(state) else 0
        cheapest = min(map(add, state.reach[seat], state.fees))
        best, best_value = Plan((0, 0, 0, 0), 0), -1.0
        for plan in plans(state.shops[seat]):
            paid = 0
            for cost, burns, held, left, limit in zip(
                costs, plan.burns, stock, shelves, limits, strict=True
            ):
                if burns > held:
                    if burns - held > limit:
                        break
                    paid += cost[left][burns - held]
            else:
                if paid <= money:
                    network = min(wanted, cities + (money - paid) // cheapest)
                    supplied = min(plan.capacity, network)
                    value = payment(supplied) - paid + a_city * supplied
                    if value > best_value:
                        best, best_value = plan, value
        return best

    def _build(self, state: State, seat: int, generator: random.Random) -> Command:
        costs = list(map(add, state.reach[seat], state.fees))
        cheapest = min(costs)
        shops, cities, money = state.shops[seat], state.cities(seat), state.money[seat]
        fed, capacity = most_fed(shops, state.stock[seat]), capacity_of(shops)
        last = is_last(state)
        left = money - cheapest
        if last:
            wanted = cities < fed
        elif cities + 1 >= target(state):  # a post that ends the game
            wanted = fed > cities and fed >= self._others_fed(state, seat)
        elif cities < fed:
            wanted = True
        elif cities < capacity:
            wanted = left >= self.habits.ahead * upkeep(shops, prices(state))
        else:
            wanted = left >= 2 * self.habits.ease and cities < capacity + self.habits.pace
        return self._site(state, seat, costs, generator) if wanted else END_BUILDING

    def _site(self, state: State, seat: int, costs: list[int], generator: random.Random) -> Command:
        """Returns the cheapest post, with the tolls from there counted in."""
        near = self.habits.near
        if near:
            area, war, money = state.area, state.war, state.money[seat]
            within = min(min(costs) + MAX_REMOTENESS * near, money)
            prices_by_city = {
                city: cost + near * remoteness(area, war, city)
                for city, cost in enumerate(costs)
                if cost <= within
            }
        else:
            prices_by_city = dict(enumerate(costs))
        lowest = min(prices_by_city.values())
        return BUILDS[
            generator.choice([city for city, cost in prices_by_city.items() if cost == lowest])
        ]

    def _produce(self, state: State, seat: int, generator: random.Random) -> Command:
        paid, last = prices(state), is_last(state)
        stock = state.stock[seat]
        earned: dict[int, float] = {}
        best: Command = NOTHING_RUN
        best_value = -1.0
        for way, plan in productions(state.shops[seat], stock).items():
            capacity = plan.capacity
            if capacity not in earned:  # what is earned is the same whatever runs
                event = produced(state, seat, way.runs, capacity)
                at_last = self.habits.last_city * event.supplied if last else 0
                earned[capacity] = event.income + at_last
            left = map(sub, stock, plan.burns)
            value = 2 * earned[capacity] + sum(map(mul, paid, left))
            if value > best_value:
                best, best_value = way, value
        return best

    def _others_fed(self, state: State, seat: int) -> float:
        """Returns how many cities another guild can supply at most with what it holds now."""
        return max(
            min(
                state.cities(other) + self.habits.pace,
                most_fed(state.shops[other], state.stock[other]),
            )
            for other in range(state.guilds)
            if other != seat
        )


def is_last(state: State) -> bool:
    """Returns whether this is the last round, as far as can be seen (G-9.1)."""
    return largest(state) >= target(state)


def _best(values: Mapping[int, float], generator: random.Random) -> int | None:
    """Returns the key with the highest value, ties by the generator."""
    if not values:
        return None
    highest = max(values.values())
    return generator.choice([key for key, value in values.items() if value == highest])
