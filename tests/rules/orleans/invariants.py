"""What never changes in a game of Orléans, counted from the state alone."""

from __future__ import annotations

from collections import Counter

from service.rules.orleans.state import EMPTY, NOBODY, TECHNOLOGY, Seat, State
from service.rules.orleans.tables import (
    CODES,
    COIN_SPACES,
    DEED_CITIZEN,
    DEED_SLOTS,
    FITS,
    GOODS_COUNTS,
    LAST_CITIZEN,
    LAST_SPACE,
    NEUTRAL,
    ORLEANS,
    PLACE_MASK,
    SPACES,
    STACKS,
    STARTERS,
    STARTING,
    TRACK_ENDS,
    bits,
    variant,
)


def conserved(state: State) -> None:
    """Asserts that nothing appears or disappears, and that all tables agree."""
    _followers(state)
    _goods(state)
    _tiles(state)
    _citizens(state)
    _stations(state)
    assert state.technology >= 0
    technology = state.technology + state.technology_gone
    for seat in state.seats:
        technology += seat.technology + seat.technology_spaces.bit_count()
        _seat(state, seat)
    assert technology == 16
    assert sum(state.hourglass) + state.round == 18
    assert state.debt >= 0
    assert (state.debt > 0) <= (state.debtor != NOBODY)


def _followers(state: State) -> None:
    neutral = [free + gone for free, gone in zip(state.supply, state.followers_gone, strict=True)]
    for deed, row in enumerate(state.slots):
        for kind, free in enumerate(row):
            assert 0 <= free <= DEED_SLOTS[deed][kind]
            neutral[kind] += DEED_SLOTS[deed][kind] - free
    for number, seat in enumerate(state.seats):
        held = Counter(code for code in seat.spaces if 0 <= code < CODES)
        for code in range(CODES):
            held[code] += seat.bag[code] + seat.market[code]
            if state.bath and number == state.seat:
                held[code] += state.bathing[code]
        if seat.aside != EMPTY:
            held[seat.aside] += 1
        for kind in range(STARTING):
            neutral[kind] += held[kind]
        assert [held[STARTING + place] for place in range(len(STARTERS))] == [1] * len(STARTERS)
    assert neutral == NEUTRAL[len(state.seats)]
    assert min(state.supply) >= 0
    assert state.bath or not any(state.bathing)


def _goods(state: State) -> None:
    found = [here + gone for here, gone in zip(state.goods, state.goods_gone, strict=True)]
    for good in state.laid:
        if good != EMPTY:
            found[good] += 1
    for seat in state.seats:
        assert min(seat.goods) >= 0
        found = [sum(pair) for pair in zip(found, seat.goods, strict=True)]
    assert found == GOODS_COUNTS
    assert min(state.goods) >= 0


def _tiles(state: State) -> None:
    found = [state.tiles, state.tiles_gone]
    found += [seat.places & STACKS["II"] for seat in state.seats]
    assert sum(found) == STACKS["II"]
    assert sum(mask.bit_count() for mask in found) == 20


def _citizens(state: State) -> None:
    owners = Counter(state.citizens)
    for number, seat in enumerate(state.seats):
        assert seat.citizens == owners[number]
    for deed, row in enumerate(state.slots):
        assert (sum(row) == 0) == (state.citizens[DEED_CITIZEN + deed] != NOBODY)
    assert len(state.citizens) == 14
    assert LAST_CITIZEN == 13


def _stations(state: State) -> None:
    for number, seat in enumerate(state.seats):
        built = sum(mask >> number & 1 for mask in state.stations)
        assert seat.built == built
        assert seat.reserve + built + seat.stations_gone == 10
    for town, mask in enumerate(state.stations):
        assert town == ORLEANS or mask.bit_count() <= 1


def _seat(state: State, seat: Seat) -> None:
    assert seat.coins >= 0
    assert 0 <= seat.development <= LAST_SPACE
    assert seat.bag_size == sum(seat.bag)
    assert seat.market_size == sum(seat.market) <= 8
    assert min(*seat.bag, *seat.market) >= 0
    assert all(0 <= at <= end for at, end in zip(seat.tracks, TRACK_ENDS, strict=True))
    assert seat.own == sum(PLACE_MASK[place] for place in bits(seat.places))
    assert seat.fits is FITS[variant(seat.places, state.options.monks_on_deeds)]
    for space in range(SPACES):
        code, bit = seat.spaces[space], 1 << space
        assert bool(seat.empty & bit) == (code == EMPTY and bool(seat.own & bit))
        assert bool(seat.men & bit) == (0 <= code < CODES)
        assert bool(seat.technology_spaces & bit) == (code == TECHNOLOGY)
        assert code == EMPTY or seat.own & bit
    assert seat.fresh & ~seat.men == 0
    for mask in PLACE_MASK:
        assert (seat.technology_spaces & mask).bit_count() <= 1
    for place, (space, _) in enumerate(COIN_SPACES):
        assert seat.development < space or seat.coin_spaces >> place & 1
