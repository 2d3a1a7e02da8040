"""Which places a bot fills: those that bring most together with the followers at hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from service.rules.described import Command
from service.rules.orleans import RULESET
from service.rules.orleans.commands import DRAW, END_PLANNING, PLACE_TECHNOLOGY, PUT, TAKE_BACK
from service.rules.orleans.conditions import (
    BATH_PLACES,
    draws_left,
    free_market,
    most_draws,
    on_tower,
    takeable,
    technology_spaces,
)
from service.rules.orleans.state import EMPTY, Seat, State
from service.rules.orleans.tables import (
    ACTION_MASK,
    ASKS,
    CODES,
    DRAWS,
    IN_ORDER,
    KIND_OF,
    KINDS,
    KNIGHT,
    MONK,
    PLACE,
    PLACE_MASK,
    PLACE_OF,
    SACRISTY,
    STARTING,
    TOWN_HALL,
    USES,
    bits,
)

from .worth import GUILDHALL, LASTING_TILES, Outlook

TECHNOLOGY_FIRST: Final = tuple(
    PLACE[name]
    for name in ("guildhall", "wagon", "ship", "village", "university", "castle", "monastery")
)
"""Where technology is wanted most: the places used most often."""
JOURNEYS: Final = frozenset(place for place, use in enumerate(USES) if "travels" in use)
MAX_AIMS: Final = 12

Taste = Sequence[float]
"""By what each place's worth is multiplied."""


def _takers(ask: str) -> tuple[int, ...]:
    """Returns follower codes as they are best spent on a space: starting ones first, monks last."""
    return tuple(
        sorted(
            range(CODES),
            key=lambda code: (KINDS[KIND_OF[code]] != ask, code == MONK, code < STARTING, code),
        )
    )


TAKERS: Final = tuple(_takers(ask) for ask in ASKS)


@dataclass(frozen=True, slots=True)
class Aim:
    """A place to fill: its empty spaces, what it is worth, and the only follower that will do."""

    place: int
    spaces: tuple[int, ...]
    worth: float
    code: int = EMPTY


def drawing(state: State, number: int) -> Command:
    """Returns a command of the Followers phase.

    Draws as many as it can. Draws that the bag can't give anyway are declined for followers that
    wait in vain.
    """
    me = state.seats[number]
    if takeable(me) and draws_left(me) > me.bag_size and free_market(me) > me.bag_size:
        for place in bits(me.places):
            men = me.men & PLACE_MASK[place] & ACTION_MASK
            if men and me.empty & PLACE_MASK[place]:
                return TAKE_BACK[bits(men)[0]]
    return DRAW[most_draws(me)]


def planning(state: State, number: int) -> Command:
    """Returns a command of the Planning phase."""
    return placings(state, number)[0]


def placings(state: State, number: int, taste: Taste | None = None) -> tuple[Command, ...]:
    """Returns commands of the Planning phase that go together; a taste makes other plans."""
    me = state.seats[number]
    spaces = technology_spaces(me)
    if spaces:
        return (PLACE_TECHNOLOGY[min(bits(spaces), key=_technology_rank)],)
    outlook = Outlook(state, number)
    held = me.market.copy()
    for code in range(CODES):
        if on_tower(me, code) != EMPTY:
            held[code] += 1
    found = _filling(outlook, held, sum(held), taste)
    return found or (_clearing(outlook, me) or END_PLANNING,)


def bathing(state: State, number: int) -> Command:
    """Returns a command about followers that the Bathhouse drew."""
    room = BATH_PLACES - state.bathed
    found = _filling(Outlook(state, number), state.bathing.copy(), room)
    listed = RULESET.legal(state, number)
    wanted = [command for command in found if command in listed]
    if wanted:
        return wanted[0]
    return listed[-1]  # to place no more, or anything where two must be placed


def _technology_rank(space: int) -> tuple[int, int]:
    place = PLACE_OF[space]
    rank = TECHNOLOGY_FIRST.index(place) if place in TECHNOLOGY_FIRST else len(TECHNOLOGY_FIRST)
    return rank, space


def _filling(
    outlook: Outlook, held: list[int], most: int, taste: Taste | None = None
) -> tuple[Command, ...]:
    """Returns the placings of the best set of places, none if none is worth it.

    `held` are the followers at hand by code, `most` is how many of them may be placed.
    """
    if not any(held):
        return ()
    chosen = _Search(outlook.me, _aims(outlook, held, taste), held, most).best
    return tuple(PUT[code][space] for space, code in chosen)


def _aims(outlook: Outlook, held: list[int], taste: Taste | None = None) -> list[Aim]:
    """Returns what could be filled, the most valuable first."""
    me = outlook.me
    aims = []
    journey = any(not me.empty & PLACE_MASK[place] for place in JOURNEYS & set(bits(me.places)))
    for place in bits(me.places):
        spaces = bits(me.empty & PLACE_MASK[place] & ACTION_MASK)
        if not spaces:
            continue
        if place == TOWN_HALL:
            aims += _deliveries(outlook, held, spaces)
            continue
        worth = outlook.best(place)
        if place == SACRISTY:
            worth = LASTING_TILES[place] * outlook.left / 3
        elif place == GUILDHALL and not worth and me.reserve:
            worth = outlook.station() * (0.9 if journey else 0.3 * outlook.lasting)
        if worth > 0:
            aims.append(Aim(place, spaces, worth))
    if taste is not None:
        aims = [replace(aim, worth=aim.worth * taste[aim.place]) for aim in aims]
    aims.sort(key=lambda aim: -aim.worth)
    return aims[:MAX_AIMS]


def _deliveries(outlook: Outlook, held: list[int], spaces: tuple[int, ...]) -> list[Aim]:
    """Returns the followers worth sending from the Town Hall, at most one for each space."""
    state, number, me = outlook.state, outlook.number, outlook.me
    found = []
    trial = state.clone()
    for code in range(STARTING):
        if held[code] and me.fits[code] >> spaces[0] & 1:
            trial.seats[number].put(spaces[0], code)
            look = Outlook(trial, number)
            look.held, look.crowd = outlook.held, outlook.crowd
            found += [(look.best(TOWN_HALL), code)] * min(held[code], len(spaces))
            trial.seats[number].lift(spaces[0])
    found.sort(reverse=True)
    return [
        Aim(TOWN_HALL, (space,), worth, code)
        for space, (worth, code) in zip(spaces, found, strict=False)
        if worth > 0
    ]


class _Search:
    """The placings that bring most: all sets of aims, those that can't be better cut off."""

    def __init__(self, me: Seat, aims: list[Aim], held: list[int], most: int) -> None:
        self._fits = me.fits
        self._aims = aims
        self._rest = [sum(aim.worth for aim in aims[at:]) for at in range(len(aims) + 1)]
        self._most = 0.0
        self.best: list[tuple[int, int]] = []
        self._try(0, 0.0, [], held, min(most, sum(held)))

    def _try(
        self, at: int, worth: float, placed: list[tuple[int, int]], held: list[int], left: int
    ) -> None:
        if worth > self._most:
            self._most, self.best = worth, placed
        if at == len(self._aims) or not left or worth + self._rest[at] <= self._most:
            return
        aim = self._aims[at]
        if len(aim.spaces) <= left:
            rest = held.copy()
            added = self._fill(aim, rest)
            if added:
                self._try(at + 1, worth + aim.worth, placed + added, rest, left - len(added))
        self._try(at + 1, worth, placed, held, left)

    def _fill(self, aim: Aim, held: list[int]) -> list[tuple[int, int]]:
        """Takes followers for an aim; returns nothing if there are none."""
        added = []
        for space in aim.spaces:
            for code in TAKERS[space] if aim.code == EMPTY else (aim.code,):
                if held[code] and self._fits[code] >> space & 1:
                    held[code] -= 1
                    added.append((space, code))
                    break
            else:
                return []
        return added


def _clearing(outlook: Outlook, me: Seat) -> Command | None:
    """Returns a placing that makes room for the next draws where the market is too full."""
    if free_market(me) >= DRAWS[me.tracks[KNIGHT]] or not outlook.left:
        return None
    best: tuple[float, Command] | None = None
    for place in bits(me.places):
        missing = me.empty & PLACE_MASK[place] & ACTION_MASK
        if not missing or place == TOWN_HALL:
            continue
        worth = outlook.best(place) / missing.bit_count()
        for code in IN_ORDER:
            spaces = missing & me.fits[code]
            if me.market[code] and spaces and code != MONK and (not best or worth > best[0]):
                best = worth, PUT[code][bits(spaces)[0]]
    return best[1] if best else None
