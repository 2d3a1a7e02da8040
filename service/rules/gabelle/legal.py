"""Listing commands, complete and in canonical order; and choosing one quickly."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final

from ..described import Command
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
    return _SAMPLES.get(state.step, _any)(state, seat, generator)


def _sample_name(state: State, seat: int, generator: random.Random) -> Command:
    if may_decline(state) and not generator.getrandbits(2):
        return DECLINE
    money = state.money[seat]
    card = generator.choice([card for card in state.on_sale if state.lowest(card) <= money])
    lowest = state.lowest(card)
    bid = lowest if is_alone(state) else lowest + _small(money - lowest, generator)
    return namings(card, bid, bid)[0]


def _sample_bid(state: State, seat: int, generator: random.Random) -> Command:
    if generator.getrandbits(1):
        return DROP
    lowest = state.bid + 1
    bid = lowest + _small(state.money[seat] - lowest, generator)
    return raises(bid, bid)[0]


def _sample_buy(state: State, seat: int, generator: random.Random) -> Command:
    if not generator.getrandbits(3):
        return END_BUYING
    most = purchases(state, seat)
    material = generator.choice([material for material, units in enumerate(most) if units])
    return BUYS[material][most[material] - 1 - _small(most[material] - 1, generator)]


def _sample_build(state: State, seat: int, generator: random.Random) -> Command:
    return generator.choice(_affordable(state, seat)) if generator.getrandbits(3) else END_BUILDING


def _sample_produce(state: State, seat: int, generator: random.Random) -> Command:
    listed = _produce(state, seat)
    return listed[len(listed) - 1 - _small(len(listed) - 1, generator)]


def _any(state: State, seat: int, generator: random.Random) -> Command:
    return generator.choice(legal(state, seat))


_SAMPLES: Final[dict[int, Callable[[State, int, random.Random], Command]]] = {
    NAME: _sample_name,
    BID: _sample_bid,
    BUY: _sample_buy,
    BUILD: _sample_build,
    PRODUCE: _sample_produce,
}


def _small(most: int, generator: random.Random) -> int:
    """Returns a whole number from 0 to `most`, small ones likelier."""
    draw = generator.getrandbits(10)
    return (most + 1) * draw * draw * draw >> 30
