"""What stands in the way of something: predicates that judging and listing share.

A *bar* is the code, rule and text of a refusal; None where nothing stands in the way. Masks are
sets of spaces on which something may be done.
"""

from __future__ import annotations

from typing import Final

from ..ruleset import RuleViolation
from .options import ALLOWED, OPEN, TWO
from .state import EMPTY, NOBODY, Seat, State
from .tables import (
    ACTION_MASK,
    CODES,
    COUNTS,
    CRAFTSMAN,
    DRAWS,
    EVENTS,
    FARMER,
    FARMER_GOODS,
    FIRST_TECHNOLOGY,
    FOOD,
    HARVEST,
    KNIGHT,
    LATER_TECHNOLOGY,
    MARKET_SPACES,
    MONK,
    ORLEANS,
    PILGRIMAGE,
    PLACE_MASK,
    PLACE_OF,
    SACRISTY,
    SACRISTY_MASK,
    STACKS,
    TAXES,
    TOWER_MASK,
    TOWER_ROW,
    TRACK_ENDS,
    TRACKS,
    TRADER,
    USES,
    bits,
)

Bar = tuple[str, str, str]

NO_FOLLOWER_LEFT: Final = ("no_follower_left", "O-3.2", "The supply of that kind is empty.")
TRACK_END: Final = ("track_end", "O-3.2", "The marker stands at the end of the track.")
NO_GOOD_LEFT: Final = ("no_good_left", "O-3.2", "The goods market lacks the good to be gained.")
NO_TECHNOLOGY_LEFT: Final = ("no_technology_left", "O-3.2", "No technology tile is left.")
NO_TILE_LEFT: Final = ("no_tile_left", "O-3.2", "No place tile is left that may be taken.")
PILGRIMS: Final = ("pilgrimage", "O-6.1", "No monks are recruited in a Pilgrimage round.")
NO_STATION: Final = ("no_station_left", "O-4.8", "No trading station is left in reserve.")
STATION_HERE: Final = ("station_here", "O-4.8", "A trading station stands here already.")
DONE_IS_DONE: Final = ("done_is_done", "O-2.4", "A seat that is done does not plan on.")
STILL_PLANNING: Final = ("still_planning", "O-2.4", "The seat is not done yet.")
ALL_DONE: Final = ("all_done", "O-2.4", "All seats are done.")
TWO_TO_PLACE: Final = ("two_to_place", "O-5.6", "Another of the followers drawn can be placed.")


BATH_PLACES: Final[int] = next(use["places"] for use in USES if "places" in use)
"""How many followers the Bathhouse may place (O-5.6)."""


def refuse(bar: Bar) -> RuleViolation:
    """Returns the refusal that a bar means."""
    return RuleViolation(*bar)


# Followers and spaces


def free_market(me: Seat) -> int:
    """Returns how many market spaces are free, the tower's included (O-2.3, O-5.9)."""
    return int(MARKET_SPACES) - me.market_size + (me.empty & TOWER_MASK).bit_count()


def draws_left(me: Seat) -> int:
    """Returns how many draws of the phase are left: those declined are gone (O-2.3)."""
    return int(DRAWS[me.tracks[KNIGHT]]) - me.declined


def most_draws(me: Seat) -> int:
    """Returns how many followers the seat may draw (O-2.3)."""
    return min(draws_left(me), free_market(me), me.bag_size)


def takeable(me: Seat) -> int:
    """Returns the spaces from which a follower may be taken back (O-2.3)."""
    if draws_left(me) > 0 and free_market(me) > 0:
        return me.men & ACTION_MASK
    return 0


def on_tower(me: Seat, code: int) -> int:
    """Returns the first tower space with such a follower, or EMPTY."""
    for space in TOWER_ROW:
        if me.spaces[space] == code and me.own & TOWER_MASK:
            return space
    return EMPTY


def placeable(me: Seat, code: int) -> int:
    """Returns the spaces onto which such a follower of the seat may be put now (O-2.4)."""
    if me.market[code]:
        return me.empty & (me.fits[code] | TOWER_MASK)
    if on_tower(me, code) != EMPTY:
        return me.empty & me.fits[code]
    return 0


def planner(state: State) -> int:
    """Returns the seat whose turn to plan it is where seats plan in turn, or NOBODY (O-2.4)."""
    count = len(state.seats)
    for ahead in range(count):
        number = (state.start + ahead) % count
        if not state.seats[number].done:
            return number
    return NOBODY


def reopen_bar(state: State, me: Seat) -> Bar | None:
    """Returns what forbids a seat to plan on after it was done (O-2.4)."""
    if state.options.planning != OPEN:
        return DONE_IS_DONE
    if not me.done:
        return STILL_PLANNING
    return ALL_DONE if all(seat.done for seat in state.seats) else None


def bathable(state: State, me: Seat) -> bool:
    """Returns whether any follower that the Bathhouse drew can be placed (O-5.6)."""
    return state.bathed < BATH_PLACES and any(
        count and me.fits[code] & me.empty for code, count in enumerate(state.bathing)
    )


def bath_spaces(state: State, me: Seat, code: int) -> int:
    """Returns the spaces onto which such a follower that the Bathhouse drew may be put (O-5.6).

    Where two must be placed, the first leaves the second a space, if it can.
    """
    if not state.bathing[code]:
        return 0
    mask = me.empty & me.fits[code]
    if state.options.bathhouse == TWO and not state.bathed:
        pairs = [_leaving(state, me, drawn) for drawn in range(CODES)]
        if any(pairs):
            return pairs[code]
    return mask


def _leaving(state: State, me: Seat, code: int) -> int:
    """Returns the spaces for a drawn follower that leave another drawn one a space."""
    if not state.bathing[code]:
        return 0
    others = 0
    for other, count in enumerate(state.bathing):
        if count > (other == code):
            others |= me.empty & me.fits[other]
    mask = me.empty & me.fits[code]
    return mask if others & (others - 1) else mask & ~others if others else 0


def withdrawable(me: Seat) -> int:
    """Returns the spaces whose followers may be taken up again (O-2.4)."""
    if me.market_size < MARKET_SPACES:
        return me.fresh
    if me.empty & TOWER_MASK:
        return me.fresh & ACTION_MASK
    return 0


def technology_spaces(me: Seat) -> int:
    """Returns the spaces onto which the seat may put a technology tile (O-3.3, O-3.4)."""
    if not me.technology:
        return 0
    mask = me.empty & (LATER_TECHNOLOGY if me.technology_placed else FIRST_TECHNOLOGY)
    for space in bits(me.technology_spaces):
        mask &= ~PLACE_MASK[PLACE_OF[space]]
    return mask


# Actions


def return_bar(state: State) -> Bar | None:
    """Returns what forbids to place no more of the followers drawn, while one can be (O-5.6)."""
    return TWO_TO_PLACE if state.options.bathhouse == TWO else None


def recruit_bar(state: State, me: Seat, kind: int) -> Bar | None:
    """Returns what forbids to recruit a follower of this kind (O-3.2)."""
    if kind == MONK and state.event == PILGRIMAGE:
        return PILGRIMS
    if not state.supply[kind]:
        return NO_FOLLOWER_LEFT
    at = me.tracks[kind]
    if kind != MONK and at == TRACK_ENDS[kind]:
        return TRACK_END
    if state.options.recruit_without_reward == ALLOWED:
        return None
    if kind == FARMER and not state.goods[FARMER_GOODS[at]]:
        return NO_GOOD_LEFT
    if kind == CRAFTSMAN and not state.technology:
        return NO_TECHNOLOGY_LEFT
    if kind == TRADER and not tiles_allowed(state, me):
        return NO_TILE_LEFT
    return None


def tiles_allowed(state: State, me: Seat) -> int:
    """Returns the mask of place tiles that the seat's next trader may bring (O-4.2)."""
    stacks: list[str] = TRACKS[TRADER][me.tracks[TRADER]]
    return state.tiles & STACKS[stacks[-1]]


def station_bar(state: State, number: int) -> Bar | None:
    """Returns what forbids to build where the merchant stands (O-4.8)."""
    me = state.seats[number]
    if not me.reserve:
        return NO_STATION
    there = state.stations[me.merchant]
    if there >> number & 1 if me.merchant == ORLEANS else there:
        return STATION_HERE
    return None


# Events

NO_QUESTION, SACRISTY_QUESTION, FOOD_QUESTION = range(3)
PROTECTED: Final = tuple(name in USES[SACRISTY]["protects"] for name in EVENTS)


def food_kinds(me: Seat) -> list[int]:
    """Returns the kinds of food that the seat has."""
    return [good for good in FOOD if me.goods[good]]


def taxes(me: Seat) -> int:
    """Returns the coins that the seat owes in a Taxes round (O-6.5)."""
    return sum(me.goods) // int(COUNTS["goods_per_tax_coin"])


def question(state: State) -> int:
    """Returns what the seat of the event is asked now."""
    if state.turns == len(state.seats):
        return NO_QUESTION
    me, event = state.seats[state.seat], state.event
    if me.men & SACRISTY_MASK and not state.asked and PROTECTED[event]:  # O-5.7
        suffers = event == HARVEST or (taxes(me) if event == TAXES else me.bag_size)
        if suffers:
            return SACRISTY_QUESTION
    if event == HARVEST and len(food_kinds(me)) > 1:  # O-6.4
        return FOOD_QUESTION
    return NO_QUESTION


def sole_leader(values: list[int]) -> int:
    """Returns the seat that alone has most, or NOBODY (O-2.2, O-8.1)."""
    most = max(values)
    return values.index(most) if values.count(most) == 1 else NOBODY
