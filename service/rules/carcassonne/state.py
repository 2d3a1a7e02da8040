"""The state of a game: flat lists over the features' parts, joined as tiles meet.

Each feature of each placed tile is a *part* with a number. Joined parts form a tree; the numbers
kept for a whole feature stand at its root. Followers of all seats on a feature are packed into one
integer, `SHARE` bits a seat; tiles and bordering city parts are bit masks.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Final

from .events import FeatureScored
from .options import Options
from .tiles import (
    AROUND,
    FACES,
    START,
    STEPS,
    pack,
)

START_TURN: Final = "start"
DRAW: Final = "draw"
PLACE: Final = "place_tile"
FOLLOW: Final = "place_follower"
SCORE: Final = "score"
OVER: Final = "over"

FOLLOWERS: Final = 7
SHARE: Final = 4
SHARE_MASK: Final = (1 << SHARE) - 1

Tile = tuple[int, int, int, int]
"""A placed tile: packed position, face, its first part, the seat that placed it (-1: start)."""

Follower = tuple[int, int, int]
"""A follower on the table: seat, index of its tile, part."""


@dataclass(slots=True)
class State:
    """Where a game stands. `seat` is whose turn it is, `drawn` the kind to be placed or -1."""

    seats: int
    options: Options
    pile: list[int]
    seat: int
    step: str
    drawn: int = -1
    scores: list[int] = field(default_factory=list)
    reserves: list[int] = field(default_factory=list)
    tiles: list[Tile] = field(default_factory=list)
    board: dict[int, int] = field(default_factory=dict)
    frontier: dict[int, int] = field(default_factory=dict)
    discarded: list[int] = field(default_factory=list)
    followers: list[Follower] = field(default_factory=list)
    complete: list[int] = field(default_factory=list)
    scored: list[FeatureScored] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)
    feature: list[int] = field(default_factory=list)
    open: list[int] = field(default_factory=list)
    covers: list[int] = field(default_factory=list)
    shields: list[int] = field(default_factory=list)
    men: list[int] = field(default_factory=list)
    near: list[int] = field(default_factory=list)

    def clone(self) -> State:
        """Returns an independent copy."""
        return State(
            self.seats,
            self.options,
            self.pile.copy(),
            self.seat,
            self.step,
            self.drawn,
            self.scores.copy(),
            self.reserves.copy(),
            self.tiles.copy(),
            self.board.copy(),
            self.frontier.copy(),
            self.discarded.copy(),
            self.followers.copy(),
            self.complete.copy(),
            self.scored.copy(),
            self.parent.copy(),
            self.feature.copy(),
            self.open.copy(),
            self.covers.copy(),
            self.shields.copy(),
            self.men.copy(),
            self.near.copy(),
        )

    def root(self, part: int) -> int:
        """Returns the part at which the whole feature's numbers stand."""
        parent = self.parent
        while parent[part] != part:
            part = parent[part]
        return part

    def lay(self, position: int, face_number: int, seat: int) -> None:
        """Puts a tile down: joins its features to the neighbours', in place (C-3.5).

        Afterwards `complete` holds the roots of the features that the tile completed.
        """
        face = FACES[face_number]
        base = len(self.parent)
        index = len(self.tiles)
        self.tiles.append((position, face_number, base, seat))
        parts = len(face.nodes)
        self.parent += range(base, base + parts)
        self.feature += face.features
        self.open += face.open
        self.covers += [1 << index] * parts
        self.shields += face.shields
        self.men += [0] * parts
        self.near += [mask << base for mask in face.near]
        board, frontier = self.board, self.frontier
        for step, asks, links in zip(STEPS, face.asks, face.links, strict=True):
            neighbour = position + step
            met = board.get(neighbour)
            if met is None:
                frontier[neighbour] = frontier.get(neighbour, 0) + asks
                continue
            _, other_face, other_base, _ = self.tiles[met]
            slots = FACES[other_face].slots
            for node, slot in links:
                self._join(base + node, other_base + slots[slot])
        board[position] = index
        frontier.pop(position, None)
        self.complete = self._completed(base, face.closing)
        self._surround(position, base, face.monastery)

    def _join(self, one: int, other: int) -> None:
        """Joins two parts across an edge; each side of it closes."""
        one, other = self.root(one), self.root(other)
        if one == other:
            self.open[one] -= 2
            return
        if self.covers[one].bit_count() > self.covers[other].bit_count():
            one, other = other, one
        self.parent[one] = other
        self.open[other] += self.open[one] - 2
        self.covers[other] |= self.covers[one]
        self.shields[other] += self.shields[one]
        self.men[other] += self.men[one]
        self.near[other] |= self.near[one]

    def _completed(self, base: int, closing: tuple[int, ...]) -> list[int]:
        found: list[int] = []
        for number in closing:
            root = self.root(base + number)
            if self.open[root] == 0 and root not in found:
                found.append(root)
        return found

    def _surround(self, position: int, base: int, monastery: int | None) -> None:
        """Counts the new tile for the monasteries around it, and those around for its own."""
        for step in AROUND:
            met = self.board.get(position + step)
            if met is None:
                continue
            if monastery is not None:
                self.open[base + monastery] -= 1
            _, face_number, other_base, _ = self.tiles[met]
            other = FACES[face_number].monastery
            if other is not None:
                self.open[other_base + other] -= 1
                if self.open[other_base + other] == 0:
                    self.complete.append(other_base + other)
        if monastery is not None and self.open[base + monastery] == 0:
            self.complete.append(base + monastery)

    def bordering(self, root: int) -> list[int]:
        """Returns the roots of the complete cities that border a field, each once (C-4.2)."""
        mask = self.near[root]
        cities: list[int] = []
        while mask:
            low = mask & -mask
            city = self.root(low.bit_length() - 1)
            if self.open[city] == 0 and city not in cities:
                cities.append(city)
            mask ^= low
        return cities

    def shares(self, root: int) -> list[int]:
        """Returns the followers of each seat on a feature."""
        men = self.men[root]
        return [men >> SHARE * seat & SHARE_MASK for seat in range(self.seats)]

    def place_of(self, root: int) -> tuple[int, int | None]:
        """Returns a tile of a feature (its index), and the smallest slot touched there."""
        tile = bisect_right(self.tiles, root, key=lambda found: found[2]) - 1
        return tile, self.slot_of(tile, root)

    def slot_of(self, tile: int, part: int) -> int | None:
        """Returns the smallest slot that a part of a tile touches; None for a monastery."""
        _, face_number, base, _ = self.tiles[tile]
        return FACES[face_number].nodes[part - base].slot


def initial(seats: int, options: Options, pile: list[int]) -> State:
    """Returns the state with the start tile down, before anything is drawn (C-1)."""
    begins = options.start_seat
    state = State(
        seats,
        options,
        pile,
        begins if isinstance(begins, int) else 0,
        DRAW if isinstance(begins, int) else START_TURN,
        scores=[0] * seats,
        reserves=[FOLLOWERS] * seats,
    )
    state.lay(pack(0, 0), 4 * START, -1)
    return state
