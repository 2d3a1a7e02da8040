"""What happens by itself: the steps between what the seats decide. The only place with chance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ..chance import Chance
from ..described import Event
from ..ruleset import PlayEnded
from . import torture
from .action_events import CitizenTaken, CoinsGained, SeatPassed, TurnPassed
from .actions import usable
from .conditions import (
    NO_QUESTION,
    bathable,
    food_kinds,
    most_draws,
    question,
    sole_leader,
    takeable,
    taxes,
)
from .decide import bath_ended, goes_to
from .event_kinds import DRAWN, PHASES
from .events import (
    CensusTaken,
    CoinsPaid,
    DebtLapsed,
    DrawChosen,
    FollowerDrawn,
    FollowerGiven,
    FollowerRecovered,
    GoodLaid,
    GoodRemoved,
    HarvestPaid,
    HourglassTurned,
    PhaseBegan,
    PlagueSpared,
    PlagueStruck,
    RoundEnded,
    StartSeatDrawn,
)
from .rewards import TILE_OF
from .state import (
    ACTIONS,
    CENSUS,
    COUNTED,
    END,
    EVENT,
    FOLLOWERS,
    HOURGLASS,
    LAY,
    NEXT,
    NOBODY,
    OVER,
    PLANNING,
    REMOVE,
    START_SEAT,
    State,
)
from .tables import (
    CITIZENS,
    COUNTS,
    EVENTS,
    FARMER,
    FIRST_EVENT,
    GOODS,
    GOODS_SPACES,
    HARVEST,
    INCOME,
    KINDS,
    LAID,
    LAST_CITIZEN,
    LINKS,
    PILGRIMAGE,
    STARTING,
    STATUS,
    TAXES,
    TRADING_DAY,
)
from .tables import FOLLOWERS as FOLLOWER_IDS

SEAT_IDS: Final = tuple(map(str, range(4)))
TO_FOLLOWERS, TO_PLANNING, TO_ACTIONS, TO_EVENT = map(PhaseBegan, PHASES)


def proceed(state: State, chance: Chance) -> list[Event]:
    """Returns the next step that happens by itself; [] when a seat must act or all is over."""
    if state.step == OVER:
        return []
    if state.pending:
        return [_drawn(state, chance)]
    if state.debt:
        if torture.anything(state):
            return []
        return [DebtLapsed(state.debtor, state.debt)]  # O-7.2
    event = _STEPS[state.step](state, chance)
    return [] if event is None else [event]


def _drawn(state: State, chance: Chance) -> Event:
    """Draws a follower: for the market (O-2.3), the Bathhouse (O-5.6) or a torturer (O-7.1)."""
    me = state.seats[state.drawer]
    if state.debtor != NOBODY:  # starting followers would only be drawn again
        kind = chance.pick(FOLLOWER_IDS[:STARTING], me.bag[:STARTING])
        return FollowerGiven(state.drawer, KINDS[kind])
    tile = TILE_OF[chance.pick(FOLLOWER_IDS, me.bag)]
    to = DRAWN if state.bath else goes_to(me)
    return FollowerDrawn(state.drawer, tile.follower, tile.starting, to)


def _start_seat(state: State, chance: Chance) -> Event:
    count = len(state.seats)
    return StartSeatDrawn(chance.pick(SEAT_IDS[:count], [1] * count))  # O-1.7


def _remove(state: State, chance: Chance) -> Event:
    return GoodRemoved(GOODS[chance.pick(GOODS, state.goods)])  # O-1.5


def _lay(state: State, chance: Chance) -> Event:
    link, space, _ = GOODS_SPACES[LAID[len(state.seats)][state.next_space]]
    return GoodLaid(LINKS[link], space, GOODS[chance.pick(GOODS, state.goods)])  # O-1.5


def _hourglass(state: State, chance: Chance) -> Event:
    event = chance.pick(EVENTS, state.hourglass) if state.round else FIRST_EVENT  # O-1.4, O-2.1
    return HourglassTurned(state.round + 1, EVENTS[event], state.start)


def _census(state: State, chance: Chance) -> Event:
    """O-2.2."""
    spaces = [seat.tracks[FARMER] for seat in state.seats]
    coins: int = COUNTS["census_coins"]
    leader = sole_leader(spaces)
    last = sole_leader([-space for space in spaces]) if len(spaces) > 2 else NOBODY
    paid = 0 if last == NOBODY else min(coins, state.seats[last].coins)
    return CensusTaken(
        tuple(spaces),
        None if leader == NOBODY else leader,
        0 if leader == NOBODY else coins,
        None if last == NOBODY else last,
        paid,
        0 if last == NOBODY else coins - paid,
    )


def _counted(state: State, chance: Chance) -> Event:
    return TO_FOLLOWERS


def _followers(state: State, chance: Chance) -> Event | None:
    waiting = False
    for number, seat in enumerate(state.seats):
        if not seat.done:
            if not most_draws(seat) and not takeable(seat):
                return DrawChosen(number, 0, True)
            waiting = True
    if waiting:
        return None
    for number, seat in enumerate(state.seats):
        if seat.aside >= 0:  # O-6.6
            return FollowerRecovered(number, KINDS[seat.aside])
    return TO_PLANNING


def _planning(state: State, chance: Chance) -> Event | None:
    return TO_ACTIONS if all(seat.done for seat in state.seats) else None


def _actions(state: State, chance: Chance) -> Event | None:
    if state.bath:
        if bathable(state, state.seats[state.seat]):
            return None
        return bath_ended(state, True)
    return None if usable(state, state.seat) else SeatPassed(state.seat, True)


def _next(state: State, chance: Chance) -> Event:
    """O-2.5: clockwise, over those that passed."""
    count = len(state.seats)
    for ahead in range(1, count + 1):
        number = (state.seat + ahead) % count
        if not state.seats[number].done:
            return TurnPassed(number)
    return TO_EVENT


def _event(state: State, chance: Chance) -> Event | None:
    """O-6, for the seat whose turn it is."""
    count, event = len(state.seats), state.event
    if state.turns == count or event == PILGRIMAGE:
        return RoundEnded((state.start + 1) % count)
    if question(state) != NO_QUESTION:
        return None
    number = state.seat
    me = state.seats[number]
    if event == INCOME:
        status = STATUS[me.development]
        return CoinsGained(number, EVENTS[event], status, 1, status)
    if event == TRADING_DAY:
        return CoinsGained(number, EVENTS[event], me.built, 1, me.built)
    if event == HARVEST:
        food = food_kinds(me)
        if food:
            return HarvestPaid(number, GOODS[food[0]], True)
        return _due(state, COUNTS["harvest_coins"])
    if event == TAXES:
        return _due(state, taxes(me))
    if not me.bag_size:
        return PlagueSpared(number)
    tile = TILE_OF[chance.pick(FOLLOWER_IDS, me.bag)]
    return PlagueStruck(number, tile.follower, tile.starting)


def _due(state: State, due: int) -> Event:
    me = state.seats[state.seat]
    paid = min(due, me.coins)
    goods = sum(me.goods)
    return CoinsPaid(state.seat, EVENTS[state.event], goods, due, paid, due - paid)


def _end(state: State, chance: Chance) -> Event:
    """O-8.1."""
    if state.options.last_citizen and state.citizens[LAST_CITIZEN] == NOBODY:
        leader = sole_leader([seat.built for seat in state.seats])
        if leader != NOBODY:
            return CitizenTaken(leader, CITIZENS[LAST_CITIZEN])
    return PlayEnded("O-8.1")


_STEPS: Final[dict[int, Callable[[State, Chance], Event | None]]] = {
    START_SEAT: _start_seat,
    REMOVE: _remove,
    LAY: _lay,
    HOURGLASS: _hourglass,
    CENSUS: _census,
    COUNTED: _counted,
    FOLLOWERS: _followers,
    PLANNING: _planning,
    ACTIONS: _actions,
    NEXT: _next,
    EVENT: _event,
    END: _end,
}
