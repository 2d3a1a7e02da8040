"""What happens in the Actions phase (O-2.5, O-4, O-5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from ..described import Event, Structure
from ..kinds import Flag, Many, Maybe, OneOf, Whole
from .commands import (
    DEED_ID,
    GOOD_ID,
    KIND_ID,
    LINK_ID,
    PLACE_ID,
    REWARD,
    SPACE,
    TILE_ID,
    TOWN_ID,
)
from .event_kinds import (
    MANY,
    POINTS,
    REASONS,
    SEAT,
    Tile,
)
from .tables import (
    CITIZENS,
)


@dataclass(frozen=True, slots=True)
class PlaceUsed(Event):
    """A place was used and its followers went back to the bag (O-2.5).

    Town Hall and Gunpowder Tower send followers by events of their own; the Bathhouse's follower
    goes back when it is done.
    """

    type: ClassVar[str] = "place_used"
    seat: Annotated[int, SEAT, "who"]
    place: Annotated[str, PLACE_ID, "the place"]
    returned: Annotated[tuple[Tile, ...], Many(Structure(Tile), 3), "followers back in the bag"]


@dataclass(frozen=True, slots=True)
class FollowerRecruited(Event):
    """A neutral follower came from the supply into a bag (O-3.2)."""

    type: ClassVar[str] = "follower_recruited"
    seat: Annotated[int, SEAT, "who"]
    follower: Annotated[str, KIND_ID, "the follower's kind"]
    space: Annotated[int | None, Maybe(MANY), "the track's space moved onto; null for monks"]


@dataclass(frozen=True, slots=True)
class GoodGained(Event):
    """A good came from the goods market (O-4.1, O-5.1)."""

    type: ClassVar[str] = "good_gained"
    seat: Annotated[int, SEAT, "who"]
    good: Annotated[str, GOOD_ID, "the good"]


@dataclass(frozen=True, slots=True)
class CoinsGained(Event):
    """Coins came from the bank: `count` × `each`."""

    type: ClassVar[str] = "coins_gained"
    seat: Annotated[int, SEAT, "who"]
    reason: Annotated[str, OneOf(REASONS), "a place, an event, or a track's reward"]
    count: Annotated[int, MANY, "of what: status, stations, or 1"]
    each: Annotated[int, MANY, "coins for each"]
    coins: Annotated[int, MANY, "coins gained"]


@dataclass(frozen=True, slots=True)
class CoinsSpent(Event):
    """Coins were paid for an action (O-5.3)."""

    type: ClassVar[str] = "coins_spent"
    seat: Annotated[int, SEAT, "who"]
    place: Annotated[str, PLACE_ID, "where"]
    coins: Annotated[int, MANY, "coins paid"]


@dataclass(frozen=True, slots=True)
class TechnologyGained(Event):
    """A technology tile came from the supply (O-4.2, O-5.4)."""

    type: ClassVar[str] = "technology_gained"
    seat: Annotated[int, SEAT, "who"]


@dataclass(frozen=True, slots=True)
class TileTaken(Event):
    """A place tile was taken from its stack (O-4.2)."""

    type: ClassVar[str] = "tile_taken"
    seat: Annotated[int, SEAT, "who"]
    tile: Annotated[str, TILE_ID, "the place tile"]


@dataclass(frozen=True, slots=True)
class DevelopmentAdvanced(Event):
    """A marker moved on along the development track (O-3.6)."""

    type: ClassVar[str] = "development_advanced"
    seat: Annotated[int, SEAT, "who"]
    points: Annotated[int, MANY, "points gained; those beyond the last space are lost"]
    before: Annotated[int, POINTS, "the space left"]
    after: Annotated[int, POINTS, "the space reached"]
    coin_spaces: Annotated[
        tuple[int, ...], Many(POINTS, 3), "coin spaces reached or passed for the first time"
    ]
    coins: Annotated[int, MANY, "coins gained on them"]


@dataclass(frozen=True, slots=True)
class CitizenTaken(Event):
    """A citizen tile was taken (O-3.5, O-3.6, O-4.10, O-8.1)."""

    type: ClassVar[str] = "citizen_taken"
    seat: Annotated[int, SEAT, "who"]
    citizen: Annotated[str, OneOf(CITIZENS), "which: where it lay"]


@dataclass(frozen=True, slots=True)
class MerchantMoved(Event):
    """A merchant travelled, and may have taken a good (O-4.6, O-4.7, O-5.5)."""

    type: ClassVar[str] = "merchant_moved"
    seat: Annotated[int, SEAT, "whose"]
    link: Annotated[str, LINK_ID, "along which link"]
    to: Annotated[str, TOWN_ID, "the town reached"]
    good: Annotated[str | None, Maybe(GOOD_ID), "the good taken, if one"]
    space: Annotated[int | None, Maybe(Whole(0, 1)), "the goods space that it lay on"]


@dataclass(frozen=True, slots=True)
class StationBuilt(Event):
    """A trading station was built where the merchant stands (O-4.8)."""

    type: ClassVar[str] = "station_built"
    seat: Annotated[int, SEAT, "whose"]
    town: Annotated[str, TOWN_ID, "the town"]


@dataclass(frozen=True, slots=True)
class FollowerDelivered(Event):
    """A follower was sent to a deed, for good (O-4.10)."""

    type: ClassVar[str] = "follower_delivered"
    seat: Annotated[int, SEAT, "whose"]
    place: Annotated[str, PLACE_ID, "from which place"]
    space: Annotated[int, SPACE, "from which of its spaces"]
    follower: Annotated[str, KIND_ID, "the follower's kind"]
    deed: Annotated[str, DEED_ID, "the deed"]
    reward: Annotated[str, REWARD, "coins, or development (which follows as its own event)"]
    coins: Annotated[int, MANY, "coins gained"]


@dataclass(frozen=True, slots=True)
class FollowersReturned(Event):
    """The Bathhouse is done: what was not placed, and its own follower, went back (O-5.6)."""

    type: ClassVar[str] = "followers_returned"
    seat: Annotated[int, SEAT, "whose"]
    returned: Annotated[tuple[Tile, ...], Many(Structure(Tile), 4), "followers back in the bag"]
    forced: Annotated[bool, Flag(), "whether it happened by itself"]


@dataclass(frozen=True, slots=True)
class TurnPassed(Event):
    """The next seat may take an action (O-2.5)."""

    type: ClassVar[str] = "turn_passed"
    seat: Annotated[int, SEAT, "whose turn it is"]


@dataclass(frozen=True, slots=True)
class SeatPassed(Event):
    """A seat takes no more actions in this round (O-2.5)."""

    type: ClassVar[str] = "seat_passed"
    seat: Annotated[int, SEAT, "who"]
    forced: Annotated[bool, Flag(), "whether it happened by itself"]
