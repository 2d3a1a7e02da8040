"""All that may be seen of a game (O-9): everything but what a draw will bring."""

from __future__ import annotations

from collections.abc import Sequence

from ..plain import Plain
from .conditions import NO_QUESTION, SACRISTY_QUESTION, draws_left, planner, question
from .legal import to_act
from .options import IN_TURN
from .rewards import TILE_OF
from .state import ACTIONS, EMPTY, EVENT, NOBODY, PHASE_NAMES, PLANNING, TECHNOLOGY, Seat, State
from .tables import (
    CITIZENS,
    COIN_SPACES,
    DEED_SLOTS,
    DEEDS,
    EVENTS,
    FOLLOWERS,
    GOODS,
    KINDS,
    LINK_SPACES,
    LINKS,
    MONK,
    PLACES,
    SPACE_ROWS,
    STACKS,
    STATUS,
    TOWNS,
    bits,
)


def view(state: State) -> dict[str, Plain]:
    """Returns the table as plain data."""
    first = STACKS["I"]
    return {
        "phase": PHASE_NAMES[state.step],
        "round": state.round,
        "event": EVENTS[state.event] if state.event >= 0 else None,
        "hourglass": _named(EVENTS, state.hourglass),
        "start_seat": state.start,
        "seat": _turn(state),
        "waiting_for": _waiting(state),
        "torture": (
            None if state.debtor == NOBODY else {"seat": state.debtor, "missing": state.debt}
        ),
        "bathhouse": _bath(state),
        "supply": _named(KINDS, state.supply),
        "goods_market": _named(GOODS, state.goods),
        "technology": state.technology,
        "place_tiles": {
            "I": _places(state.tiles & first),
            "II": _places(state.tiles & ~first),
        },
        "goods": {
            link: [_good(state.laid[space]) for space in LINK_SPACES[number]]
            for number, link in enumerate(LINKS)
        },
        "trading_stations": {
            town: list(bits(seats))
            for town, seats in zip(TOWNS, state.stations, strict=True)
            if seats
        },
        "deeds": {
            deed: {
                kind: {"filled": slots - free, "free": free}
                for kind, slots, free in zip(
                    KINDS, DEED_SLOTS[number], state.slots[number], strict=True
                )
                if slots
            }
            for number, deed in enumerate(DEEDS)
        },
        "citizens": {
            citizen: None if seat == NOBODY else seat
            for citizen, seat in zip(CITIZENS, state.citizens, strict=True)
        },
        "gone": {
            "goods": _named(GOODS, state.goods_gone),
            "followers": _named(KINDS, state.followers_gone),
            "technology": state.technology_gone,
            "place_tiles": _places(state.tiles_gone),
        },
        "seats": [_seat(seat) for seat in state.seats],
    }


def _turn(state: State) -> Plain:
    """Returns the seat whose turn it is: that which gives in a torture comes first."""
    if state.debtor != NOBODY:
        return state.debtor
    if state.step == PLANNING and state.options.planning == IN_TURN:
        number = planner(state)
        return None if number == NOBODY else number
    return state.seat if state.step in (ACTIONS, EVENT) else None


def _named(names: Sequence[str], counts: Sequence[int]) -> dict[str, Plain]:
    return dict(zip(names, counts, strict=True))


def _places(mask: int) -> list[Plain]:
    return [PLACES[place] for place in bits(mask)]


def _good(good: int) -> Plain:
    return None if good == EMPTY else GOODS[good]


def _waiting(state: State) -> Plain:
    """Returns what the seats that may act are asked for, if it isn't the phase itself."""
    if not to_act(state):
        return None
    if state.debt:
        return "torture"
    if state.bath:
        return "bathhouse"
    if state.step == EVENT and question(state) != NO_QUESTION:
        return "sacristy" if question(state) == SACRISTY_QUESTION else "harvest"
    return PHASE_NAMES[state.step]


def _bath(state: State) -> Plain:
    if not state.bath:
        return None
    return {"drawn": _tiles(state.bathing), "placed": state.bathed}


def _tiles(counts: Sequence[int]) -> dict[str, Plain]:
    """Returns followers by id, those that there are."""
    return {FOLLOWERS[code]: count for code, count in enumerate(counts) if count}


def _seat(seat: Seat) -> dict[str, Plain]:
    return {
        "coins": seat.coins,
        "tracks": _named(KINDS[:MONK], seat.tracks[:MONK]),
        "development": {"space": seat.development, "status": STATUS[seat.development]},
        "status_reached": seat.reached,
        "coin_spaces": [
            space for at, (space, _) in enumerate(COIN_SPACES) if seat.coin_spaces >> at & 1
        ],
        "merchant": TOWNS[seat.merchant],
        "stations": {"built": seat.built, "reserve": seat.reserve, "gone": seat.stations_gone},
        "citizens": seat.citizens,
        "goods": _named(GOODS, seat.goods),
        "bag": _tiles(seat.bag),
        "market": _tiles(seat.market),
        "aside": None if seat.aside == EMPTY else KINDS[seat.aside],
        "technology": seat.technology,
        "technology_placed": seat.technology_placed,
        "places": {
            PLACES[place]: [_on(seat, space) for space in SPACE_ROWS[place]]
            for place in bits(seat.places)
        },
        "draws_left": draws_left(seat),
        "done": seat.done,
    }


def _on(seat: Seat, space: int) -> Plain:
    code = seat.spaces[space]
    if code == EMPTY:
        return None
    if code == TECHNOLOGY:
        return {"technology": True}
    tile = TILE_OF[code]
    return {
        "follower": tile.follower,
        "starting": tile.starting,
        "fresh": bool(seat.fresh >> space & 1),
    }
