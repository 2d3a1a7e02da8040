"""Some legal command, quickly and with some sense: for look-ahead and measuring."""

from __future__ import annotations

import random

from ..described import Command
from .actions import ACTIONS as PLACE_ACTIONS
from .commands import DRAW, END_PLANNING, PLACE_TECHNOLOGY, PUT, USE_SACRISTY
from .conditions import most_draws, on_tower, technology_spaces
from .legal import legal
from .state import ACTIONS, EMPTY, FOLLOWERS, PLANNING, Seat, State
from .tables import (
    ACTION_MASK,
    CODES,
    IN_ORDER,
    MARKET_SPACES,
    PLACE_MASK,
    TOWER_MASK,
    bits,
)


def sample(state: State, number: int, generator: random.Random) -> Command:
    """Returns a legal command of a seat that may act.

    Draws as many as it can, fills places that it can complete, uses places in any order.
    """
    me = state.seats[number]
    if state.step == PLANNING:
        return _plan(me, generator)
    if state.step == FOLLOWERS:
        return DRAW[most_draws(me)]
    if state.step == ACTIONS and not state.bath:
        return _act(state, number, generator)
    listed = legal(state, number)
    if listed[0] is USE_SACRISTY:
        return USE_SACRISTY
    return listed[int(generator.random() * len(listed))]


def _act(state: State, number: int, generator: random.Random) -> Command:
    places = [
        action
        for action in map(PLACE_ACTIONS.__getitem__, bits(state.seats[number].places))
        if action is not None and action.active(state.seats[number]) and action.able(state, number)
    ]
    action = places[int(generator.random() * len(places))]
    listed = action.commands(state, number)
    return listed[int(generator.random() * len(listed))]


def _plan(me: Seat, generator: random.Random) -> Command:
    mask = technology_spaces(me)
    if mask:
        choices = bits(mask)
        return PLACE_TECHNOLOGY[choices[int(generator.random() * len(choices))]]
    held = me.market.copy()
    for code in range(CODES):
        if not held[code] and me.own & TOWER_MASK and on_tower(me, code) != EMPTY:
            held[code] = 1
    places = list(bits(me.places))
    start = int(generator.random() * len(places))
    for place in places[start:] + places[:start]:
        missing = me.empty & PLACE_MASK[place] & ACTION_MASK
        if missing:
            code = _completing(me, held, missing)
            if code != EMPTY:
                return PUT[code][bits(missing)[0]]
    if me.market_size >= MARKET_SPACES - 2:
        return _anything(me, held, generator)
    return END_PLANNING


def _completing(me: Seat, held: list[int], missing: int) -> int:
    """Returns the follower for the first missing space if all of them can be filled, or EMPTY."""
    left = held.copy()
    first = EMPTY
    for space in bits(missing):
        for code in IN_ORDER:
            if left[code] and me.fits[code] >> space & 1:
                left[code] -= 1
                if first == EMPTY:
                    first = code
                break
        else:
            return EMPTY
    return first


def _anything(me: Seat, held: list[int], generator: random.Random) -> Command:
    """Returns a placing that makes room in a full market, or the end of planning."""
    code = int(generator.random() * CODES)
    mask = me.empty & me.fits[code] if held[code] else 0
    if not mask:
        return END_PLANNING
    choices = bits(mask)
    return PUT[code][choices[int(generator.random() * len(choices))]]
