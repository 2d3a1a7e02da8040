"""What happens in a game of Carcassonne."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Final

from ..described import Event, Structure
from ..kinds import Flag, Many, Maybe, OneOf, Whole
from ..ruleset import PlayEnded
from .commands import COLUMN
from .options import SEATS
from .tiles import FEATURES, KINDS

SEAT: Final = Whole(0, SEATS[-1] - 1)
KIND: Final = OneOf(KINDS)
FEATURE: Final = OneOf(FEATURES)
SLOT: Final = Maybe(Whole(0, 11))
MANY: Final = Whole(0, 100_000)


@dataclass(frozen=True, slots=True)
class StartSeatDrawn(Event):
    """Chance said who begins (C-1.1)."""

    type: ClassVar[str] = "start_seat_drawn"
    seat: Annotated[int, SEAT, "the seat that begins"]


@dataclass(frozen=True, slots=True)
class TileDrawn(Event):
    """A tile was drawn that can be placed (C-2.1)."""

    type: ClassVar[str] = "tile_drawn"
    seat: Annotated[int, SEAT, "who places it"]
    kind: Annotated[str, KIND, "its kind"]


@dataclass(frozen=True, slots=True)
class TileDiscarded(Event):
    """A tile was drawn that fits nowhere; it left the game (C-2.2)."""

    type: ClassVar[str] = "tile_discarded"
    seat: Annotated[int, SEAT, "whose turn it is"]
    kind: Annotated[str, KIND, "its kind"]


@dataclass(frozen=True, slots=True)
class TilePlaced(Event):
    """The drawn tile was placed (C-2.1)."""

    type: ClassVar[str] = "tile_placed"
    seat: Annotated[int, SEAT, "who placed it"]
    kind: Annotated[str, KIND, "its kind"]
    x: Annotated[int, COLUMN, "column, growing to the east"]
    y: Annotated[int, COLUMN, "row, growing to the south"]
    rotation: Annotated[int, Whole(0, 3), "quarter turns clockwise"]


@dataclass(frozen=True, slots=True)
class FollowerPlaced(Event):
    """A follower was put on a feature of the tile just placed (C-2.3)."""

    type: ClassVar[str] = "follower_placed"
    seat: Annotated[int, SEAT, "whose"]
    x: Annotated[int, COLUMN, "the tile's column"]
    y: Annotated[int, COLUMN, "the tile's row"]
    feature: Annotated[str, FEATURE, "the kind of feature"]
    slot: Annotated[int | None, SLOT, "the smallest slot the feature touches on the tile"]


@dataclass(frozen=True, slots=True)
class FollowerSkipped(Event):
    """No follower was placed (C-2.3); `forced` where none could be (C-2.5)."""

    type: ClassVar[str] = "follower_skipped"
    seat: Annotated[int, SEAT, "whose turn it is"]
    forced: Annotated[bool, Flag(), "whether it happened by itself"]


@dataclass(frozen=True, slots=True)
class Returned:
    """A follower that went back to its reserve, and from which tile."""

    seat: Annotated[int, SEAT, "whose"]
    x: Annotated[int, COLUMN, "the tile's column"]
    y: Annotated[int, COLUMN, "the tile's row"]


@dataclass(frozen=True, slots=True)
class FeatureScored(Event):
    """A complete feature scored, and its followers returned (C-3). Carries the computation.

    The feature is named by a tile, and the smallest slot that it touches there.
    """

    type: ClassVar[str] = "feature_scored"
    feature: Annotated[str, FEATURE, "the kind of feature"]
    x: Annotated[int, COLUMN, "a tile of the feature: its column"]
    y: Annotated[int, COLUMN, "its row"]
    slot: Annotated[int | None, SLOT, "the slot"]
    tiles: Annotated[int, MANY, "tiles that count, a monastery's neighbours included"]
    shields: Annotated[int, MANY, "shields in it"]
    followers: Annotated[tuple[int, ...], Many(Whole(0, 7), 5), "followers of each seat"]
    owners: Annotated[tuple[int, ...], Many(SEAT, 5), "the seats that score"]
    points: Annotated[int, MANY, "points for each owner"]
    returned: Annotated[tuple[Returned, ...], Many(Structure(Returned), 35), "followers back"]


@dataclass(frozen=True, slots=True)
class TurnPassed(Event):
    """The turn passed to the next seat (C-2.4)."""

    type: ClassVar[str] = "turn_passed"
    seat: Annotated[int, SEAT, "whose turn it is now"]


EVENTS: Final[Mapping[str, type[Event]]] = {
    event.type: event
    for event in (
        StartSeatDrawn,
        TileDrawn,
        TileDiscarded,
        TilePlaced,
        FollowerPlaced,
        FollowerSkipped,
        FeatureScored,
        TurnPassed,
        PlayEnded,
    )
}
