"""What a seat may send, in the rule book's order; and every command that there is, kept once."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Final

from ..described import Command, Structure
from ..kinds import Flag, Many, Maybe, OneOf, Whole
from .tables import (
    CODES,
    DEEDS,
    DRAWS,
    GOODS,
    KIND_OF,
    KINDS,
    LINKS,
    NUMBER_OF,
    PLACE_OF,
    PLACES,
    SIZE,
    SPACES,
    STARTING,
    TILES,
    TOWNS,
    USES,
)

KIND_ID: Final = OneOf(KINDS)
GOOD_ID: Final = OneOf(GOODS)
PLACE_ID: Final = OneOf(PLACES)
TILE_ID: Final = OneOf(TILES)
LINK_ID: Final = OneOf(LINKS)
TOWN_ID: Final = OneOf(TOWNS)
DEED_ID: Final = OneOf(DEEDS)
SPACE: Final = Whole(0, max(SIZE) - 1)
COIN: Final = "coin"
POINT: Final = "development"
REWARD: Final = OneOf((COIN, POINT))
RESERVE: Final = "reserve"
RECRUITS: Final = next(tuple(use["recruits"]) for use in USES if len(use.get("recruits", ())) > 1)
ITEMS: Final = (
    "trading_station",
    "follower",
    "development",
    "good",
    "place_tile",
    "technology",
)
STATION_ITEM, FOLLOWER_ITEM, POINT_ITEM, GOOD_ITEM, TILE_ITEM, TECHNOLOGY_ITEM = ITEMS
MAX_COINS: Final = next(
    use["coins_for_development"] for use in USES if "coins_for_development" in use
)


@dataclass(frozen=True, slots=True)
class TakeBack(Command):
    """Takes a follower back from an action space to the market instead of one draw (O-2.3)."""

    type: ClassVar[str] = "take_back"
    rule: ClassVar[str] = "O-2.3"
    text: ClassVar[str] = "Take {space} of the {place} back to the market"
    place: Annotated[str, PLACE_ID, "the place"]
    space: Annotated[int, SPACE, "its space, from 0"]


@dataclass(frozen=True, slots=True)
class DrawFollowers(Command):
    """Draws followers from the bag; ends the phase for the seat (O-2.3)."""

    type: ClassVar[str] = "draw"
    rule: ClassVar[str] = "O-2.3"
    text: ClassVar[str] = "Draw {count}"
    count: Annotated[int, Whole(0, max(DRAWS)), "how many"]


@dataclass(frozen=True, slots=True)
class PlaceFollower(Command):
    """Puts a follower down: in Planning from the market, else the tower; or a drawn one (O-5.6)."""

    type: ClassVar[str] = "place_follower"
    rule: ClassVar[str] = "O-2.4"
    text: ClassVar[str] = "Put a [{starting} ]{follower} on {space} of the {place}"
    follower: Annotated[str, KIND_ID, "the follower's kind"]
    starting: Annotated[bool, Flag(), "whether it is a starting follower"]
    place: Annotated[str, PLACE_ID, "the place"]
    space: Annotated[int, SPACE, "its space, from 0"]


@dataclass(frozen=True, slots=True)
class WithdrawFollower(Command):
    """Takes up again a follower put down in this planning (O-2.4)."""

    type: ClassVar[str] = "withdraw_follower"
    rule: ClassVar[str] = "O-2.4"
    text: ClassVar[str] = "Take {space} of the {place} up again"
    place: Annotated[str, PLACE_ID, "the place"]
    space: Annotated[int, SPACE, "its space, from 0"]


@dataclass(frozen=True, slots=True)
class PlaceTechnology(Command):
    """Puts a technology tile on an empty action space, for ever (O-3.3)."""

    type: ClassVar[str] = "place_technology"
    rule: ClassVar[str] = "O-3.3"
    text: ClassVar[str] = "Put a technology tile on {space} of the {place}"
    place: Annotated[str, PLACE_ID, "the place"]
    space: Annotated[int, SPACE, "its space, from 0"]


@dataclass(frozen=True, slots=True)
class EndPlanning(Command):
    """Declares the seat done with planning (O-2.4)."""

    type: ClassVar[str] = "end_planning"
    rule: ClassVar[str] = "O-2.4"
    text: ClassVar[str] = "End planning"


@dataclass(frozen=True, slots=True)
class ReopenPlanning(Command):
    """Lets a seat that was done plan on, as long as another seat still plans (O-2.4)."""

    type: ClassVar[str] = "reopen_planning"
    rule: ClassVar[str] = "O-2.4"
    text: ClassVar[str] = "Plan on"


@dataclass(frozen=True, slots=True)
class Delivery:
    """A follower sent to a deed, and the reward for it."""

    text: ClassVar[str] = "{space} to {deed} for {reward}"
    space: Annotated[int, Whole(0, 1), "the space that it stands on"]
    deed: Annotated[str, DEED_ID, "the deed"]
    reward: Annotated[str, REWARD, "coin; or development, where the deed leaves the choice"]


@dataclass(frozen=True, slots=True)
class UsePlace(Command):
    """Uses an activated place (O-2.5). Fields that the place does not ask for are null."""

    type: ClassVar[str] = "use_place"
    rule: ClassVar[str] = "O-2.5"
    text: ClassVar[str] = (
        "Use the {place}[: recruit a {recruit}][ and take the {tile}][: go along {link}]"
        "[ and take {good}][: send {deliveries}][: pay {coins}]"
    )
    place: Annotated[str, PLACE_ID, "the place"]
    recruit: Annotated[str | None, Maybe(OneOf(RECRUITS)), "Village: the follower to recruit"] = (
        None
    )
    tile: Annotated[str | None, Maybe(TILE_ID), "Village, trader: the place tile to take"] = None
    link: Annotated[str | None, Maybe(LINK_ID), "Ship, Wagon, Horse Wagon: the way to go"] = None
    good: Annotated[
        str | None,
        Maybe(GOOD_ID),
        "Ship, Wagon, Horse Wagon: the good of the link to take, or null",
    ] = None
    deliveries: Annotated[
        tuple[Delivery, ...] | None,
        Maybe(Many(Structure(Delivery), 2, 1)),
        "Town Hall, Gunpowder Tower: the followers to send, by space",
    ] = None
    coins: Annotated[int | None, Maybe(Whole(1, MAX_COINS)), "Pharmacy: how many coins to pay"] = (
        None
    )


@dataclass(frozen=True, slots=True)
class ReturnFollowers(Command):
    """Places no more of the followers drawn by the Bathhouse (O-5.6)."""

    type: ClassVar[str] = "return_followers"
    rule: ClassVar[str] = "O-5.6"
    text: ClassVar[str] = "Return the followers drawn to the bag"


@dataclass(frozen=True, slots=True)
class Pass(Command):
    """Takes no more actions in this round (O-2.5)."""

    type: ClassVar[str] = "pass"
    rule: ClassVar[str] = "O-2.5"
    text: ClassVar[str] = "Pass"


@dataclass(frozen=True, slots=True)
class PayHarvest(Command):
    """Chooses the food to give in a Harvest (O-6.4)."""

    type: ClassVar[str] = "pay_harvest"
    rule: ClassVar[str] = "O-6.4"
    text: ClassVar[str] = "Give {good} for the harvest"
    good: Annotated[str, GOOD_ID, "the good"]


@dataclass(frozen=True, slots=True)
class UseSacristy(Command):
    """Returns the Sacristy's monk instead of suffering the event (O-5.7)."""

    type: ClassVar[str] = "use_sacristy"
    rule: ClassVar[str] = "O-5.7"
    text: ClassVar[str] = "Use the Sacristy"


@dataclass(frozen=True, slots=True)
class KeepSacristy(Command):
    """Keeps the Sacristy's monk and suffers the event (O-5.7)."""

    type: ClassVar[str] = "keep_sacristy"
    rule: ClassVar[str] = "O-5.7"
    text: ClassVar[str] = "Keep the Sacristy"


@dataclass(frozen=True, slots=True)
class Give(Command):
    """Gives an item for a coin that is missing (O-7.1). Fields that the item lacks are null."""

    type: ClassVar[str] = "give"
    rule: ClassVar[str] = "O-7.1"
    text: ClassVar[str] = "For a missing coin, give {item}"
    item: Annotated[str, OneOf(ITEMS), "what to give"]
    from_: Annotated[
        str | None, Maybe(OneOf((RESERVE, *TOWNS))), "trading_station: the reserve or its town"
    ] = None
    good: Annotated[str | None, Maybe(GOOD_ID), "good: which one"] = None
    tile: Annotated[str | None, Maybe(TILE_ID), "place_tile: which one"] = None
    place: Annotated[
        str | None, Maybe(PLACE_ID), "technology: the place it lies on, or null if unplaced"
    ] = None


COMMANDS: Final[Mapping[str, type[Command]]] = {
    command.type: command
    for command in (
        TakeBack,
        DrawFollowers,
        PlaceFollower,
        WithdrawFollower,
        PlaceTechnology,
        EndPlanning,
        ReopenPlanning,
        UsePlace,
        ReturnFollowers,
        Pass,
        PayHarvest,
        UseSacristy,
        KeepSacristy,
        Give,
    )
}

# Every command, once: lists are made of these.
_ROWS: Final = [(PLACES[PLACE_OF[space]], NUMBER_OF[space]) for space in range(SPACES)]
TAKE_BACK: Final = [TakeBack(place, space) for place, space in _ROWS]
DRAW: Final = [DrawFollowers(count) for count in range(max(DRAWS) + 1)]
PUT: Final = [
    [PlaceFollower(KINDS[KIND_OF[code]], code >= STARTING, place, space) for place, space in _ROWS]
    for code in range(CODES)
]
WITHDRAW: Final = [WithdrawFollower(place, space) for place, space in _ROWS]
PLACE_TECHNOLOGY: Final = [PlaceTechnology(place, space) for place, space in _ROWS]
END_PLANNING: Final = EndPlanning()
REOPEN_PLANNING: Final = ReopenPlanning()
USE: Final = [UsePlace(place) for place in PLACES]
RETURN: Final = ReturnFollowers()
PASS: Final = Pass()
PAY_HARVEST: Final = [PayHarvest(good) for good in GOODS]
USE_SACRISTY: Final = UseSacristy()
KEEP_SACRISTY: Final = KeepSacristy()


@functools.cache
def recruiting(place: int, kind: int) -> UsePlace:
    """Returns the command for the Village and a follower's kind, without a place tile."""
    return UsePlace(PLACES[place], KINDS[kind])


@functools.cache
def expanding(place: int, kind: int, tile: int) -> UsePlace:
    """Returns the command for the Village, the trader and a place tile (by its place)."""
    return UsePlace(PLACES[place], KINDS[kind], PLACES[tile])


@functools.cache
def travelling(place: int, link: int, good: int) -> UsePlace:
    """Returns the command for a journey; -1 leaves the good."""
    return UsePlace(PLACES[place], link=LINKS[link], good=None if good < 0 else GOODS[good])


@functools.cache
def paying(place: int, coins: int) -> UsePlace:
    """Returns the command for the Pharmacy."""
    return UsePlace(PLACES[place], coins=coins)


@functools.cache
def delivery(space: int, deed: int, reward: str) -> Delivery:
    """Returns a delivery."""
    return Delivery(space, DEEDS[deed], reward)


@functools.cache
def delivering(place: int, deliveries: tuple[Delivery, ...]) -> UsePlace:
    """Returns the command for the Town Hall or the Gunpowder Tower."""
    return UsePlace(PLACES[place], deliveries=deliveries)


GIVE_FROM: Final = {name: Give(STATION_ITEM, name) for name in (RESERVE, *TOWNS)}
GIVE_FOLLOWER: Final = Give(FOLLOWER_ITEM)
GIVE_POINT: Final = Give(POINT_ITEM)
GIVE_GOOD: Final = [Give(GOOD_ITEM, good=good) for good in GOODS]
GIVE_TILE: Final = {tile: Give(TILE_ITEM, tile=tile) for tile in TILES}
GIVE_TECHNOLOGY: Final = {place: Give(TECHNOLOGY_ITEM, place=place) for place in (None, *PLACES)}
