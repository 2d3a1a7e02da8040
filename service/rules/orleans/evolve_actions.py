"""Applying the events of the Actions phase to a state, in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ..described import Event
from .action_events import (
    CitizenTaken,
    CoinsGained,
    CoinsSpent,
    DevelopmentAdvanced,
    FollowerDelivered,
    FollowerRecruited,
    FollowersReturned,
    GoodGained,
    MerchantMoved,
    PlaceUsed,
    SeatPassed,
    StationBuilt,
    TechnologyGained,
    TileTaken,
    TurnPassed,
)
from .actions import ACTIONS
from .state import ACTIONS as ACTING
from .state import EMPTY, NEXT, State
from .tables import (
    BATHHOUSE,
    CITIZEN,
    COIN_SPACES,
    DEED,
    EVENTS,
    FIRST,
    GOOD,
    INCOME,
    KIND,
    LINK,
    LINK_SPACES,
    PLACE,
    PLACE_MASK,
    TOWN,
    TRADING_DAY,
    USES,
    bits,
)

BATH_DRAWS: Final[int] = USES[BATHHOUSE]["draws"]
EVENT_GAINS: Final = frozenset((EVENTS[INCOME], EVENTS[TRADING_DAY]))


def space_of(event: Any) -> int:
    """Returns the number of the space that an event names."""
    return FIRST[PLACE[event.place]] + int(event.space)


def next_seat(state: State) -> None:
    """Goes on to the event's next seat (O-2.6)."""
    state.turns += 1
    state.seat = (state.seat + 1) % len(state.seats)
    state.asked = False


def _place_used(state: State, event: PlaceUsed) -> None:
    me, place = state.seats[event.seat], PLACE[event.place]
    if place == BATHHOUSE:
        state.bath = True
        state.pending = min(BATH_DRAWS, me.bag_size)
        state.drawer = event.seat
        return
    action = ACTIONS[place]
    if action is not None and action.spends:
        for space in bits(me.men & PLACE_MASK[place]):
            me.to_bag(me.lift(space))
    state.step = NEXT


def _follower_recruited(state: State, event: FollowerRecruited) -> None:
    me, kind = state.seats[event.seat], KIND[event.follower]
    state.supply[kind] -= 1
    me.to_bag(kind)
    if event.space is not None:
        me.tracks[kind] = event.space


def _good_gained(state: State, event: GoodGained) -> None:
    good = GOOD[event.good]
    state.goods[good] -= 1
    state.seats[event.seat].goods[good] += 1


def _coins_gained(state: State, event: CoinsGained) -> None:
    state.seats[event.seat].coins += event.coins
    if event.reason in EVENT_GAINS:
        next_seat(state)


def _coins_spent(state: State, event: CoinsSpent) -> None:
    state.seats[event.seat].coins -= event.coins


def _technology_gained(state: State, event: TechnologyGained) -> None:
    state.technology -= 1
    state.seats[event.seat].technology += 1


def _tile_taken(state: State, event: TileTaken) -> None:
    place = PLACE[event.tile]
    state.tiles &= ~(1 << place)
    state.seats[event.seat].gain_tile(place, state.options.monks_on_deeds)


def _development_advanced(state: State, event: DevelopmentAdvanced) -> None:
    me = state.seats[event.seat]
    me.development = event.after
    me.coins += event.coins
    for place, (space, _) in enumerate(COIN_SPACES):
        if space in event.coin_spaces:
            me.coin_spaces |= 1 << place


def _citizen_taken(state: State, event: CitizenTaken) -> None:
    state.citizens[CITIZEN[event.citizen]] = event.seat
    state.seats[event.seat].citizens += 1


def _merchant_moved(state: State, event: MerchantMoved) -> None:
    me = state.seats[event.seat]
    me.merchant = TOWN[event.to]
    if event.good is not None and event.space is not None:
        me.goods[GOOD[event.good]] += 1
        state.laid[LINK_SPACES[LINK[event.link]][event.space]] = EMPTY


def _station_built(state: State, event: StationBuilt) -> None:
    me = state.seats[event.seat]
    me.reserve -= 1
    me.built += 1
    state.stations[TOWN[event.town]] |= 1 << event.seat


def _follower_delivered(state: State, event: FollowerDelivered) -> None:
    me = state.seats[event.seat]
    kind = me.lift(space_of(event))
    state.slots[DEED[event.deed]][kind] -= 1
    me.coins += event.coins


def _followers_returned(state: State, event: FollowersReturned) -> None:
    me = state.seats[event.seat]
    for code, count in enumerate(state.bathing):
        for _ in range(count):
            me.to_bag(code)
        state.bathing[code] = 0
    me.to_bag(me.lift(FIRST[BATHHOUSE]))
    state.bath = False
    state.bathed = 0
    state.step = NEXT


def _turn_passed(state: State, event: TurnPassed) -> None:
    state.seat = event.seat
    state.step = ACTING


def _seat_passed(state: State, event: SeatPassed) -> None:
    state.seats[event.seat].done = True
    state.step = NEXT


ACTION_EVENTS: Final[dict[type[Event], Callable[[State, Any], None]]] = {
    PlaceUsed: _place_used,
    FollowerRecruited: _follower_recruited,
    GoodGained: _good_gained,
    CoinsGained: _coins_gained,
    CoinsSpent: _coins_spent,
    TechnologyGained: _technology_gained,
    TileTaken: _tile_taken,
    DevelopmentAdvanced: _development_advanced,
    CitizenTaken: _citizen_taken,
    MerchantMoved: _merchant_moved,
    StationBuilt: _station_built,
    FollowerDelivered: _follower_delivered,
    FollowersReturned: _followers_returned,
    TurnPassed: _turn_passed,
    SeatPassed: _seat_passed,
}
