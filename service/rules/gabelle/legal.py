"""Listing commands, complete and in canonical order; and choosing one quickly."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final

from ..plain import Command
from .commands import (
    BUILDS,
    BUYS,
    DECLINE,
    DISCARDS,
    DROP,
    END_BUILDING,
    END_BUYING,
    KeepStock,
    namings,
    raises,
)
from .decide import is_alone, may_decline
from .state import BID, BUILD, BUY, DISCARD, NAME, PRODUCE, SETTLE, State
from .stock import keeps, productions
from .turns import purchases


def legal(state: State, seat: int) -> list[Command]:
    """Returns the commands that `decide` accepts, in canonical order."""
    step = state.step
    if step < PRODUCE:
        return _LISTS[step](state, seat) if seat == state.seat else []
    if step == PRODUCE and 0 <= seat < state.guilds and not state.done >> seat & 1:
        return _produce(state, seat)
    return []


def _name(state: State, seat: int) -> list[Command]:
    money, alone = state.money[seat], is_alone(state)
    commands: list[Command] = []
    for card in state.on_sale:
        lowest = state.lowest(card)
        if lowest <= money:
            commands += namings(card, lowest, lowest if alone else money)
    if may_decline(state):
        commands.append(DECLINE)
    return commands


def _bid(state: State, seat: int) -> list[Command]:
    return [*raises(state.bid + 1, state.money[seat]), DROP]


def _discard(state: State, seat: int) -> list[Command]:
    return [DISCARDS[card] for card in state.shops[seat]]


def _settle(state: State, seat: int) -> list[Command]:
    return [KeepStock(*kept) for kept in keeps(state.shops[seat], state.stock[seat])]


def _buy(state: State, seat: int) -> list[Command]:
    commands: list[Command] = []
    for units, buys in zip(purchases(state, seat), BUYS, strict=True):
        if units:
            commands += buys[:units]
    commands.append(END_BUYING)
    return commands


def _build(state: State, seat: int) -> list[Command]:
    commands: list[Command] = [*_affordable(state, seat), END_BUILDING]
    return commands


def _affordable(state: State, seat: int) -> list[Command]:
    money = state.money[seat]
    return [
        build
        for build, toll, fee in zip(BUILDS, state.reach[seat], state.fees, strict=True)
        if toll + fee <= money
    ]


def _produce(state: State, seat: int) -> list[Command]:
    return list(productions(state.shops[seat], state.stock[seat]))


_LISTS: Final[dict[int, Callable[[State, int], list[Command]]]] = {
    NAME: _name,
    BID: _bid,
    DISCARD: _discard,
    SETTLE: _settle,
    BUY: _buy,
    BUILD: _build,
}


def sample(state: State, seat: int, generator: random.Random) -> Command:
    """Returns some command that `legal` lists for a guild that may act.

    Chooses what to do first, then the card, material or city, then the amount. Small amounts of
    money and large ones of material are likelier, so that games of nothing but such choices are
    games still.
    """
    chance = generator.random
    step = state.step
    if step == NAME:
        if may_decline(state) and chance() < 0.25:
            return DECLINE
        money = state.money[seat]
        cards = [card for card in state.on_sale if state.lowest(card) <= money]
        card = cards[int(chance() * len(cards))]
        lowest = state.lowest(card)
        bid = lowest if is_alone(state) else lowest + _small(money - lowest, chance())
        return namings(card, bid, bid)[0]
    if step == BID:
        if chance() < 0.5:
            return DROP
        lowest = state.bid + 1
        bid = lowest + _small(state.money[seat] - lowest, chance())
        return raises(bid, bid)[0]
    if step == BUY:
        most = purchases(state, seat)
        found = [material for material, units in enumerate(most) if units]
        if chance() < 0.25:
            return END_BUYING
        material = found[int(chance() * len(found))]
        return BUYS[material][most[material] - 1 - _small(most[material] - 1, chance())]
    if step == BUILD and chance() < 0.75:
        found_builds = _affordable(state, seat)
        return found_builds[int(chance() * len(found_builds))]
    listed = legal(state, seat)
    if step == PRODUCE:
        return listed[len(listed) - 1 - _small(len(listed) - 1, chance())]
    if step == BUILD:
        return listed[-1]
    return listed[int(chance() * len(listed))]


def _small(most: int, draw: float) -> int:
    """Returns a whole number from 0 to `most`, small ones likelier; `draw` is from 0 up to 1."""
    return int(draw * draw * draw * (most + 1))
