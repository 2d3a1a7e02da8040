"""What a seat may send (C-2)."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Final

from ..described import Command
from ..kinds import Maybe, OneOf, Whole
from .tiles import FEATURES, unpack

FARTHEST: Final = 300
COLUMN: Final = Whole(-FARTHEST, FARTHEST)


@dataclass(frozen=True, slots=True)
class PlaceTile(Command):
    """Places the drawn tile (C-2.1)."""

    type: ClassVar[str] = "place_tile"
    rule: ClassVar[str] = "C-2.1"
    text: ClassVar[str] = "Place the tile at {x}, {y}, turned by {rotation} quarter turns"
    x: Annotated[int, COLUMN, "column, growing to the east"]
    y: Annotated[int, COLUMN, "row, growing to the south"]
    rotation: Annotated[int, Whole(0, 3), "quarter turns clockwise"]


@dataclass(frozen=True, slots=True)
class PlaceFollower(Command):
    """Puts a follower on a feature of the tile just placed (C-2.3)."""

    type: ClassVar[str] = "place_follower"
    rule: ClassVar[str] = "C-2.3"
    text: ClassVar[str] = "Put a follower on the {feature}[ at slot {slot}]"
    feature: Annotated[str, OneOf(FEATURES), "the kind of feature"]
    slot: Annotated[
        int | None,
        Maybe(Whole(0, 11)),
        "the smallest edge slot that the feature touches on the tile; null for a monastery",
    ]


@dataclass(frozen=True, slots=True)
class SkipFollower(Command):
    """Places no follower (C-2.3)."""

    type: ClassVar[str] = "skip_follower"
    rule: ClassVar[str] = "C-2.3"
    text: ClassVar[str] = "Place no follower"


COMMANDS: Final[Mapping[str, type[Command]]] = {
    command.type: command for command in (PlaceTile, PlaceFollower, SkipFollower)
}
SKIP: Final = SkipFollower()


class _Placements(dict[int, tuple[PlaceTile, ...]]):
    """The commands for a packed position, by rotation; made when first asked for."""

    def __missing__(self, position: int) -> tuple[PlaceTile, ...]:
        x, y = unpack(position)
        made = self[position] = tuple(PlaceTile(x, y, rotation) for rotation in range(4))
        return made


PLACEMENTS: Final = _Placements()


@functools.cache
def on_feature(feature: int, slot: int | None) -> PlaceFollower:
    """Returns the one command for a feature's number and slot."""
    return PlaceFollower(FEATURES[feature], slot)
