"""Torture: items given for coins that are missing (O-7)."""

from __future__ import annotations

from typing import Final

from ..described import Command, Event
from ..ruleset import RuleViolation
from .commands import (
    FOLLOWER_ITEM,
    GIVE_FOLLOWER,
    GIVE_FROM,
    GIVE_GOOD,
    GIVE_POINT,
    GIVE_TECHNOLOGY,
    GIVE_TILE,
    GOOD_ITEM,
    POINT_ITEM,
    RESERVE,
    STATION_ITEM,
    TECHNOLOGY_ITEM,
    TILE_ITEM,
    Give,
)
from .conditions import Bar, refuse
from .event_kinds import Tile
from .events import ItemGiven
from .options import NOT_ONTO_COINS
from .rewards import TILE_OF
from .state import State
from .tables import BARRED_SPACES, GOOD, PLACE, PLACE_MASK, STARTING, TOWN

ASKED: Final[dict[str, str | None]] = {
    STATION_ITEM: "from_",
    FOLLOWER_ITEM: None,
    POINT_ITEM: None,
    GOOD_ITEM: "good",
    TILE_ITEM: "tile",
    TECHNOLOGY_ITEM: "place",
}
"""Which field each item asks for. A technology tile's may be null."""
ALL: Final[tuple[Give, ...]] = (
    *GIVE_FROM.values(),
    GIVE_FOLLOWER,
    GIVE_POINT,
    *GIVE_GOOD,
    *GIVE_TILE.values(),
    *GIVE_TECHNOLOGY.values(),
)
"""Everything that could be given, in canonical order."""

NOTHING_SUCH: Final = ("nothing_such", "O-7.2", "The seat has nothing such to give.")
ONLY_STARTERS: Final = ("no_neutral_follower", "O-7.2", "The bag holds no neutral follower.")
AT_START: Final = ("no_point", "O-7.2", "The marker stands on the first space.")
BARRED: Final = ("coin_space", "O-7.1", "The marker never goes back onto a coin space.")


def check_form(command: Give) -> None:
    """Raises `RuleViolation` where the command's fields are not those of the item."""
    asked = ASKED[command.item]
    for field in ("from_", "good", "tile", "place"):
        stated = getattr(command, field) is not None
        if stated != (field == asked) and not (field == asked and field == "place"):
            raise RuleViolation("wrong_fields", "O-7.1", "The item asks for other fields.")


def bar(state: State, number: int, command: Give) -> Bar | None:
    """Returns what forbids the seat to give the item (O-7.1, O-7.2)."""
    me = state.seats[number]
    item = command.item
    if item == FOLLOWER_ITEM:
        return None if any(me.bag[:STARTING]) else ONLY_STARTERS
    if item == POINT_ITEM:
        if not me.development:
            return AT_START
        barred = state.options.development_back == NOT_ONTO_COINS
        return BARRED if barred and me.development in BARRED_SPACES else None
    if item == STATION_ITEM:
        if command.from_ == RESERVE:
            has = me.reserve
        else:
            has = state.stations[TOWN[str(command.from_)]] >> number & 1
    elif item == GOOD_ITEM:
        has = me.goods[GOOD[str(command.good)]]
    elif item == TILE_ITEM:
        has = me.places >> PLACE[str(command.tile)] & 1
    elif command.place is None:
        has = me.technology
    else:
        has = me.technology_spaces & PLACE_MASK[PLACE[command.place]]
    return None if has else NOTHING_SUCH


def items(state: State) -> list[Command]:
    """Returns what the debtor may give, in canonical order."""
    return [command for command in ALL if bar(state, state.debtor, command) is None]


def anything(state: State) -> bool:
    """Returns whether the debtor has anything left to give (O-7.2)."""
    return any(bar(state, state.debtor, command) is None for command in ALL)


def judge(state: State, number: int, command: Give) -> list[Event]:
    """Returns the giving of the item, or raises `RuleViolation`."""
    found = bar(state, number, command)
    if found is not None:
        raise refuse(found)
    returned: tuple[Tile, ...] = ()
    if command.tile is not None:  # O-7.2
        men = state.seats[number].men_on(PLACE[command.tile])
        returned = tuple([TILE_OF[code] for code in men])
    return [
        ItemGiven(
            number,
            command.item,
            command.from_,
            command.good,
            command.tile,
            command.place,
            returned,
        )
    ]
