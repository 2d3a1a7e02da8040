"""Evaluation of positions in Carcassonne: the points each seat may expect at the end.

What is scored is known; open features are estimated. A feature is completed if each of its open
cells is filled, and a cell is more likely to be filled the more of the remaining tiles fit there:
m tiles make the odds m to a weight. A follower that is free, or will be, is worth something in each
turn to come.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import Final

from service.rules.carcassonne.scoring import FIELD_POINTS, majority, totals
from service.rules.carcassonne.state import OVER, SHARE, SHARE_MASK, State
from service.rules.carcassonne.tiles import (
    AROUND,
    CITY,
    FACES,
    FIELD,
    FITS,
    KINDS,
    MONASTERY,
    STEPS,
)
from service.rules.data import read


@dataclasses.dataclass(frozen=True, slots=True)
class Weights:
    """The figures of the estimate; found by self-play (`bench/tune.py`)."""

    city_cell: float
    """A city's open cell that m tiles fit is filled with odds m to this."""
    road_cell: float
    monastery_cell: float
    """A monastery's open cell is filled with odds of all tiles to come to this."""
    field_growth: float
    """The points that a field gains for each turn to come of all seats, while it is open."""
    field_city: float
    """What part of the chance of an open city counts for the fields around it."""
    follower_turn: float
    """The points that enough free followers bring in a turn."""
    follower_decay: float
    """What part of that would be missing with one free follower, and so on."""
    follower_return: float
    """What part of a follower counts as free where its feature is sure to be completed."""


FIGURES: Final[dict[str, float]] = read(__package__, "weights.json")
WEIGHTS: Final = Weights(**FIGURES)

_FITTING: Final = tuple(
    tuple(kind for kind in range(len(KINDS)) if FITS[kind][signature]) for signature in range(256)
)
"""The kinds that fit an open cell, by its signature."""

_SIDES: Final = tuple((step, 3 * ((side + 2) % 4)) for side, step in enumerate(STEPS))
"""By side: the step to the cell there, and the first of its slots that face this cell."""


class Prospect:
    """The expected results of a board's features, whoever has followers on them.

    The prospect after one more tile (`after_tile`) takes over what the tile did not change; only a
    prospect made from a state alone has others that follow.
    """

    def __init__(self, state: State, weights: Weights = WEIGHTS) -> None:
        self.state = state
        self.weights = weights
        self.left: int = sum(state.pile)
        """Tiles to be drawn yet."""
        self._fitting: dict[int, int] = {}
        """How many of them fit, by signature."""
        self._cells: dict[int, list[int]] = {}
        """The open cells at a city or road, by its root; twice those that two sides lead to."""
        self._known: dict[int, tuple[float, float]] = {}
        self._around: dict[int, set[int]] = {}
        """The cities around a field whose worth is known."""
        self._beside: dict[int, list[int]] = {}
        """The cities and roads at an open cell."""
        for position in state.frontier:
            roots = self._beside[position] = _roots_around(state, position)
            for root in roots:
                if root in self._cells:
                    self._cells[root].append(position)
                else:
                    self._cells[root] = [position]

    def after_tile(self, after: State) -> Prospect:
        """Returns the prospect of the state in which one tile more lies, from the same pile."""
        new = Prospect.__new__(Prospect)
        new.state, new.weights, new.left = after, self.weights, self.left
        new._fitting = self._fitting
        new._cells, new._known, new._around = self._cells.copy(), self._known.copy(), self._around
        before, cells = self.state, new._cells
        position, face, base, _ = after.tiles[-1]
        slots = FACES[face].slots
        met: set[int] = set()  # features that the tile goes on
        changed: set[int] = set()  # features with an open cell that asks for more than before
        new_cells: list[tuple[int, int]] = []
        for side, (step, slot) in enumerate(_SIDES):
            neighbour = position + step
            index = before.board.get(neighbour)
            if index is None:
                changed.update(self._beside.get(neighbour, ()))
                part = base + slots[3 * side + 1]
                if after.feature[part] != FIELD:
                    new_cells.append((part, neighbour))
                continue
            _, other, start, _ = before.tiles[index]
            around = FACES[other].slots
            for number in (slot, slot + 1, slot + 2):
                met.add(before.root(start + around[number]))
        moved: dict[int, list[int]] = {}
        for root in met:
            old = cells.pop(root, None)
            if old is not None:
                kept = [cell for cell in old if cell != position]
                moved.setdefault(after.root(root), []).extend(kept)
        for part, neighbour in new_cells:
            moved.setdefault(after.root(part), []).append(neighbour)
        cells.update(moved)
        changed |= met
        for step in AROUND:
            index = before.board.get(position + step)
            if index is not None:
                _, other, start, _ = before.tiles[index]
                monastery = FACES[other].monastery
                if monastery is not None:
                    changed.add(start + monastery)
        for field, cities in self._around.items():
            if not changed.isdisjoint(cities):
                changed.add(field)
        for root in changed:
            new._known.pop(root, None)
        new._around, new._beside = {}, {}
        return new

    def of(self, root: int) -> tuple[float, float]:
        """Returns the points that a feature should give its owners, and the probability that

        their followers return before the end.
        """
        found = self._known.get(root)
        if found is None:
            found = self._known[root] = self._guess(root)
        return found

    def _guess(self, root: int) -> tuple[float, float]:
        state, weights = self.state, self.weights
        feature, opened = state.feature[root], state.open[root]
        if feature == FIELD:
            return self._field(root), 0.0
        if feature == MONASTERY:
            filled = self.left / (self.left + weights.monastery_cell)
            return 9 - opened * (1 - filled), math.pow(filled, opened)
        tiles = state.covers[root].bit_count()
        chance, more = 1.0, 0.0
        weight = weights.city_cell if feature == CITY else weights.road_cell
        for position in self._cells.get(root, ()):
            fitting = self._fits(state.frontier[position])
            filled = fitting / (fitting + weight)
            chance *= filled
            more += filled
        if feature != CITY:
            return tiles + more, chance
        shields = state.shields[root]
        if not opened and tiles <= 2:
            return state.options.two_tile_city + 2.0 * shields, 1.0
        return (tiles + more + shields) * (1 + chance), chance

    def _fits(self, signature: int) -> int:
        fitting = self._fitting.get(signature)
        if fitting is None:
            pile = self.state.pile
            fitting = sum([pile[kind] for kind in _FITTING[signature]])
            self._fitting[signature] = fitting
        return fitting

    def _field(self, root: int) -> float:
        state = self.state
        mask, cities = state.near[root], 0.0
        seen = set()
        while mask:
            low = mask & -mask
            mask ^= low
            city = state.root(low.bit_length() - 1)
            if city not in seen:
                seen.add(city)
                if state.open[city]:
                    cities += self.weights.field_city * self.of(city)[1]
                else:
                    cities += 1
        self._around[root] = seen
        room = min(state.open[root], 6) / 6
        return FIELD_POINTS * cities + self.weights.field_growth * self.left * room

    def worth_of_free(self, followers: float) -> float:
        """Returns what free followers are worth to a seat until the end."""
        weights = self.weights
        turns = self.left / self.state.seats
        return turns * weights.follower_turn * (1 - math.pow(weights.follower_decay, followers))

    def seats(self) -> list[float]:
        """Returns the points each seat may hope for at the end."""
        state = self.state
        if state.step == OVER:
            return [float(total) for total in totals(state)]
        hopes, free = self.hopes_and_followers()
        return [
            hope + self.worth_of_free(followers)
            for hope, followers in zip(hopes, free, strict=True)
        ]

    def hopes_and_followers(self) -> tuple[list[float], list[float]]:
        """Returns the points by seat without what free followers may bring; and those followers."""
        state = self.state
        hopes = [float(points) for points in state.scores]
        free = [float(followers) for followers in state.reserves]
        parent = state.parent
        roots = set()
        for _, _, part in state.followers:
            while parent[part] != part:
                part = parent[part]
            roots.add(part)
        known, men, seats = self._known, state.men, state.seats
        opened, returning = state.open, self.weights.follower_return
        for root in roots:
            points, chance = known.get(root) or self.of(root)
            shares, owners = _holders(men[root], seats)
            for owner in owners:
                hopes[owner] += points
            returned = returning * chance if opened[root] else chance
            for seat, share in shares:
                free[seat] += returned * share
        return hopes, free

    def return_share(self, root: int) -> float:
        """Returns the share of a follower on a feature that counts as free."""
        if not self.state.open[root]:
            return self.of(root)[1]
        return self.weights.follower_return * self.of(root)[1]


def _roots_around(state: State, position: int) -> list[int]:
    """Returns the root of the city or road at each side of an open cell, where there is one."""
    board, tiles, parent, feature = state.board, state.tiles, state.parent, state.feature
    roots = []
    for step, slot in _SIDES:
        index = board.get(position + step)
        if index is None:
            continue
        _, face, base, _ = tiles[index]
        part = base + FACES[face].slots[slot + 1]
        if feature[part] == FIELD:
            continue
        while parent[part] != part:
            part = parent[part]
        roots.append(part)
    return roots


@functools.lru_cache(1 << 12)
def _holders(men: int, seats: int) -> tuple[tuple[tuple[int, int], ...], tuple[int, ...]]:
    """Returns the followers of each seat that has some on a feature, and its owners."""
    shares = [men >> SHARE * seat & SHARE_MASK for seat in range(seats)]
    return tuple((seat, share) for seat, share in enumerate(shares) if share), majority(shares)
