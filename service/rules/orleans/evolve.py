"""Applying events to a state, in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ..described import Event
from ..ruleset import PlayEnded
from .commands import FOLLOWER_ITEM, GOOD_ITEM, POINT_ITEM, RESERVE, STATION_ITEM, TILE_ITEM
from .conditions import on_tower
from .decide import CODE_OF
from .event_kinds import DRAWN, MARKET, PHASES
from .events import (
    CensusTaken,
    CoinsPaid,
    DebtLapsed,
    DrawChosen,
    FollowerDrawn,
    FollowerGiven,
    FollowerPlaced,
    FollowerRecovered,
    FollowerTakenBack,
    FollowerWithdrawn,
    GoodLaid,
    GoodRemoved,
    HarvestPaid,
    HourglassTurned,
    ItemGiven,
    PhaseBegan,
    PlagueSpared,
    PlagueStruck,
    PlanningEnded,
    PlanningReopened,
    RoundEnded,
    SacristyKept,
    SacristyUsed,
    StartSeatDrawn,
    TechnologyPlaced,
)
from .evolve_actions import ACTION_EVENTS, next_seat, space_of
from .options import SET_ASIDE
from .state import ACTIONS as ACTING
from .state import (
    CENSUS,
    COUNTED,
    EMPTY,
    END,
    EVENT,
    FOLLOWERS,
    HOURGLASS,
    LAY,
    NOBODY,
    OVER,
    PLANNING,
    REMOVE,
    TECHNOLOGY,
    Seat,
    State,
)
from .tables import (
    EVENTS,
    GOOD,
    GOODS_REMOVED,
    KIND,
    LAID,
    LINK,
    LINK_SPACES,
    PLACE,
    PLACE_MASK,
    ROUNDS,
    SACRISTY_SPACE,
    TOWER_ROW,
    TOWN,
)


def evolve(state: State, event: Event) -> None:
    """Applies an event in place."""
    _APPLY[type(event)](state, event)


# Set-up and rounds


def _start_seat_drawn(state: State, event: StartSeatDrawn) -> None:
    state.start = event.seat
    state.step = REMOVE if GOODS_REMOVED[len(state.seats)] else LAY


def _good_removed(state: State, event: GoodRemoved) -> None:
    good = GOOD[event.good]
    state.goods[good] -= 1
    state.goods_gone[good] += 1
    if sum(state.goods_gone) == GOODS_REMOVED[len(state.seats)]:
        state.step = LAY


def _good_laid(state: State, event: GoodLaid) -> None:
    good = GOOD[event.good]
    state.goods[good] -= 1
    state.laid[LINK_SPACES[LINK[event.link]][event.space]] = good
    state.next_space += 1
    if state.next_space == len(LAID[len(state.seats)]):
        state.step = HOURGLASS


def _hourglass_turned(state: State, event: HourglassTurned) -> None:
    state.round = event.round
    state.event = EVENTS.index(event.event)
    state.hourglass[state.event] -= 1
    state.step = CENSUS


def _census_taken(state: State, event: CensusTaken) -> None:
    if event.leader is not None:
        state.seats[event.leader].coins += event.gained
    if event.last is not None:
        state.seats[event.last].coins -= event.paid
        _owe(state, event.last, event.missing)
    state.step = COUNTED


def _phase_began(state: State, event: PhaseBegan) -> None:
    state.step = (FOLLOWERS, PLANNING, ACTING, EVENT)[PHASES.index(event.phase)]
    state.seat = state.start
    state.turns = 0
    state.asked = False
    for seat in state.seats:
        seat.done = False
        seat.declined = 0
        seat.fresh = 0


def _round_ended(state: State, event: RoundEnded) -> None:
    state.start = event.start_seat
    state.step = END if state.round == ROUNDS else HOURGLASS


def _play_ended(state: State, event: PlayEnded) -> None:
    state.step = OVER


# Followers and planning


def _code(event: Any) -> int:
    return CODE_OF[event.follower, event.starting]


def _to_markets(me: Seat, code: int, to: str) -> None:
    """Puts a follower into the market, or on the tower's first free space (O-5.9)."""
    if to == MARKET:
        me.to_market(code)
    else:
        me.put(next(space for space in TOWER_ROW if me.empty >> space & 1), code)


def _follower_taken_back(state: State, event: FollowerTakenBack) -> None:
    me = state.seats[event.seat]
    _to_markets(me, me.lift(space_of(event)), event.to)
    me.declined += 1


def _draw_chosen(state: State, event: DrawChosen) -> None:
    state.seats[event.seat].done = True
    state.pending = event.count
    state.drawer = event.seat if event.count else NOBODY


def _drawn(state: State) -> None:
    state.pending -= 1
    if not state.pending:
        state.drawer = NOBODY


def _follower_drawn(state: State, event: FollowerDrawn) -> None:
    me, code = state.seats[event.seat], _code(event)
    me.from_bag(code)
    if event.to == DRAWN:
        state.bathing[code] += 1
    else:
        _to_markets(me, code, event.to)
    _drawn(state)


def _follower_recovered(state: State, event: FollowerRecovered) -> None:
    me = state.seats[event.seat]
    me.to_bag(me.aside)
    me.aside = EMPTY


def _follower_placed(state: State, event: FollowerPlaced) -> None:
    me, code, space = state.seats[event.seat], _code(event), space_of(event)
    if event.source == DRAWN:
        state.bathing[code] -= 1
        state.bathed += 1
        me.put(space, code)
        return
    if event.source == MARKET:
        me.market[code] -= 1
        me.market_size -= 1
    else:
        me.lift(on_tower(me, code))
    me.put(space, code)
    me.fresh |= 1 << space


def _follower_withdrawn(state: State, event: FollowerWithdrawn) -> None:
    me = state.seats[event.seat]
    _to_markets(me, me.lift(space_of(event)), event.to)


def _technology_placed(state: State, event: TechnologyPlaced) -> None:
    me, space = state.seats[event.seat], space_of(event)
    me.spaces[space] = TECHNOLOGY
    me.empty &= ~(1 << space)
    me.technology -= 1
    me.technology_spaces |= 1 << space
    me.technology_placed += 1


def _planning_ended(state: State, event: PlanningEnded) -> None:
    state.seats[event.seat].done = True


def _planning_reopened(state: State, event: PlanningReopened) -> None:
    state.seats[event.seat].done = False


# Events and torture


def _sacristy_used(state: State, event: SacristyUsed) -> None:
    me = state.seats[event.seat]
    me.to_bag(me.lift(SACRISTY_SPACE))
    next_seat(state)


def _sacristy_kept(state: State, event: SacristyKept) -> None:
    state.asked = True


def _harvest_paid(state: State, event: HarvestPaid) -> None:
    good = GOOD[event.good]
    state.seats[event.seat].goods[good] -= 1
    state.goods[good] += 1
    next_seat(state)


def _coins_paid(state: State, event: CoinsPaid) -> None:
    state.seats[event.seat].coins -= event.paid
    _owe(state, event.seat, event.missing)
    next_seat(state)


def _plague_struck(state: State, event: PlagueStruck) -> None:
    if not event.starting:
        me, kind = state.seats[event.seat], KIND[event.follower]
        me.from_bag(kind)
        if state.options.plague == SET_ASIDE:
            me.aside = kind
        else:
            state.supply[kind] += 1
    next_seat(state)


def _plague_spared(state: State, event: PlagueSpared) -> None:
    next_seat(state)


def _owe(state: State, number: int, coins: int) -> None:
    state.debt = coins
    state.debtor = number if coins else NOBODY


def _item_given(state: State, event: ItemGiven) -> None:
    me, item = state.seats[event.seat], event.item
    _owe(state, event.seat, state.debt - 1)
    if item == STATION_ITEM:
        me.stations_gone += 1
        if event.from_ == RESERVE:
            me.reserve -= 1
        else:
            me.built -= 1
            state.stations[TOWN[str(event.from_)]] &= ~(1 << event.seat)
    elif item == FOLLOWER_ITEM:
        state.pending = 1
        state.drawer = state.debtor = event.seat
    elif item == POINT_ITEM:
        me.status_left = me.reached
        me.development -= 1
    elif item == GOOD_ITEM:
        good = GOOD[str(event.good)]
        me.goods[good] -= 1
        state.goods_gone[good] += 1
    elif item == TILE_ITEM:
        place = PLACE[str(event.tile)]
        state.technology_gone += (me.technology_spaces & PLACE_MASK[place]).bit_count()
        me.lose_tile(place, state.options.monks_on_deeds)
        state.tiles_gone |= 1 << place
    else:
        state.technology_gone += 1
        if event.place is None:
            me.technology -= 1
        else:
            mask = me.technology_spaces & PLACE_MASK[PLACE[event.place]]
            me.spaces[mask.bit_length() - 1] = EMPTY
            me.technology_spaces &= ~mask
            me.empty |= mask


def _follower_given(state: State, event: FollowerGiven) -> None:
    kind = KIND[event.follower]
    state.seats[event.seat].from_bag(kind)
    state.followers_gone[kind] += 1
    _drawn(state)
    _owe(state, event.seat, state.debt)


def _debt_lapsed(state: State, event: DebtLapsed) -> None:
    _owe(state, event.seat, 0)


_APPLY: Final[dict[type[Event], Callable[[State, Any], None]]] = {
    **ACTION_EVENTS,
    StartSeatDrawn: _start_seat_drawn,
    GoodRemoved: _good_removed,
    GoodLaid: _good_laid,
    HourglassTurned: _hourglass_turned,
    CensusTaken: _census_taken,
    PhaseBegan: _phase_began,
    FollowerTakenBack: _follower_taken_back,
    DrawChosen: _draw_chosen,
    FollowerDrawn: _follower_drawn,
    FollowerRecovered: _follower_recovered,
    FollowerPlaced: _follower_placed,
    FollowerWithdrawn: _follower_withdrawn,
    TechnologyPlaced: _technology_placed,
    PlanningEnded: _planning_ended,
    PlanningReopened: _planning_reopened,
    SacristyUsed: _sacristy_used,
    SacristyKept: _sacristy_kept,
    HarvestPaid: _harvest_paid,
    CoinsPaid: _coins_paid,
    PlagueStruck: _plague_struck,
    PlagueSpared: _plague_spared,
    ItemGiven: _item_given,
    FollowerGiven: _follower_given,
    DebtLapsed: _debt_lapsed,
    RoundEnded: _round_ended,
    PlayEnded: _play_ended,
}
