"""What actions bring: development, and the rewards of the character tracks."""

from __future__ import annotations

from typing import Final

from ..described import Event
from .action_events import (
    CitizenTaken,
    CoinsGained,
    DevelopmentAdvanced,
    FollowerRecruited,
    GoodGained,
    TechnologyGained,
)
from .event_kinds import Tile
from .state import NOBODY, State
from .tables import (
    BOATMAN,
    BOATMAN_CITIZEN,
    CITIZEN_AT,
    CITIZENS,
    CODES,
    COIN_SPACES,
    CRAFTSMAN,
    DEVELOPMENT_CITIZENS,
    FARMER,
    FARMER_GOODS,
    GOODS,
    KIND_OF,
    KINDS,
    KNIGHT,
    KNIGHT_CITIZEN,
    LAST_SPACE,
    MONK,
    SCHOLAR,
    STARTING,
    TRACKS,
)

TILE_OF: Final = tuple(Tile(KINDS[KIND_OF[code]], code >= STARTING) for code in range(CODES))
"""The follower of each code, as events tell it."""


def develop(state: State, number: int, at: int, points: int) -> list[Event]:
    """Returns what development points bring to a marker on space `at` (O-3.6)."""
    after = min(LAST_SPACE, at + points)
    taken = state.seats[number].coin_spaces
    reached = [
        (space, coins)
        for place, (space, coins) in enumerate(COIN_SPACES)
        if at < space <= after and not taken >> place & 1
    ]
    events: list[Event] = [
        DevelopmentAdvanced(
            number,
            points,
            at,
            after,
            tuple(space for space, _ in reached),
            sum(coins for _, coins in reached),
        )
    ]
    for space, citizen in DEVELOPMENT_CITIZENS:
        if at < space <= after and state.citizens[citizen] == NOBODY:
            events.append(CitizenTaken(number, CITIZENS[citizen]))
    return events


def recruited(state: State, number: int, kind: int) -> list[Event]:
    """Returns the recruiting and the reward of the track's space, a place tile excepted (O-3.5);

    without it where it is not to be had (O-3.2).
    """
    me = state.seats[number]
    if kind == MONK:
        return [FollowerRecruited(number, KINDS[kind], None)]
    space = me.tracks[kind] + 1
    events: list[Event] = [FollowerRecruited(number, KINDS[kind], space)]
    reward = TRACKS[kind][space - 1]
    if kind == FARMER:
        good = FARMER_GOODS[space - 1]
        if state.goods[good]:
            events.append(GoodGained(number, GOODS[good]))
    elif kind == BOATMAN:
        if reward:
            events.append(CoinsGained(number, "track", 1, reward, reward))
        elif state.citizens[BOATMAN_CITIZEN] == NOBODY:
            events.append(CitizenTaken(number, CITIZENS[BOATMAN_CITIZEN]))
    elif kind == CRAFTSMAN:
        if state.technology:
            events.append(TechnologyGained(number))
    elif kind == SCHOLAR:
        events += develop(state, number, me.development, reward)
    elif kind == KNIGHT:
        at = CITIZEN_AT[CITIZENS[KNIGHT_CITIZEN]]
        if space == at and state.citizens[KNIGHT_CITIZEN] == NOBODY:
            events.append(CitizenTaken(number, CITIZENS[KNIGHT_CITIZEN]))
    return events
