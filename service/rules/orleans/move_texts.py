"""What texts of commands say in place of numbers and ids: which space, whom, how many coins."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from ..plain import Detail, Plain
from .commands import (
    COIN,
    FOLLOWER_ITEM,
    GOOD_ITEM,
    POINT_ITEM,
    RESERVE,
    STATION_ITEM,
    TILE_ITEM,
    DrawFollowers,
    Give,
    PlaceFollower,
    PlaceTechnology,
    TakeBack,
    UsePlace,
    WithdrawFollower,
)
from .rewards import TILE_OF
from .state import EMPTY, State
from .tables import ASKS, CODES, DEED, DEED_COINS, DEED_POINTS, KINDS, PLACE, SPACE_ROWS, SPACES

Words = Mapping[str, Plain]
Spaces = Sequence[int]
"""What stands on each space, as far as it is known (see `state`)."""


def describe_command(name: str, command: Words, state: State | None, seat: int | None) -> Words:
    """Returns a command's plain form with words where a number or an id says little.

    A range of numbers (`min`, `max`) may stand for a number. Who stands on a space is told where
    the state and the seat are known.
    """
    teller = _TELLERS.get(name)
    if teller is None:
        return command
    spaces = [EMPTY] * SPACES
    if state is not None and seat is not None:
        spaces = state.seats[seat].spaces
    return {**command, **teller(command, spaces)}


def _space(place: str, number: int) -> Detail:
    """Returns what a space is called: by what it asks for, and by its place among such ones."""
    own = [ASKS[at] for at in SPACE_ROWS[PLACE[place]]]
    if number >= len(own):  # there is no such space; a command that nobody can send
        return Detail("space {number}", number=number + 1)
    ask = own[number]
    alike, nth = own.count(ask), own[:number].count(ask)
    if ask == "market":
        return Detail("the second market space") if nth else Detail("the first market space")
    if ask not in KINDS:
        if alike == 1:
            return Detail("the space")
        return Detail("the second space") if nth else Detail("the first space")
    if alike == 1:
        return Detail("the {kind} space", kind=ask)
    if nth:
        return Detail("the second {kind} space", kind=ask)
    return Detail("the first {kind} space", kind=ask)


def _each(value: Any, told: Callable[[int], Detail]) -> Any:
    """Returns the words for a number, or a list of them for a range."""
    if isinstance(value, Mapping):
        return [told(number) for number in range(value["min"], value["max"] + 1)]
    return told(value)


def _someone(place: str, number: int, spaces: Spaces) -> Detail:
    """Returns who stands on a space, and on which."""
    space = _space(place, number)
    code = _code(place, number, spaces)
    if not 0 <= code < CODES:
        return Detail("the follower on {space}", space=space)
    tile = TILE_OF[code]
    if tile.starting:
        return Detail("the starting {follower} on {space}", follower=tile.follower, space=space)
    return Detail("the {follower} on {space}", follower=tile.follower, space=space)


def _code(place: str, number: int, spaces: Spaces) -> int:
    row = SPACE_ROWS[PLACE[place]]
    return spaces[row[number]] if number < len(row) else EMPTY


def _on_space(command: Words, spaces: Spaces) -> Words:
    place = command["place"]
    return {"space": _each(command["space"], lambda number: _space(place, number))}


def _of_follower(command: Words, spaces: Spaces) -> Words:
    place = command["place"]
    return {"space": _each(command["space"], lambda number: _someone(place, number, spaces))}


def _drawing(command: Words, spaces: Spaces) -> Words:
    count = command["count"]
    if isinstance(count, Mapping):
        return {"count": Detail("{min} to {max} followers", min=count["min"], max=count["max"])}
    if count > 1:
        return {"count": Detail("{number} followers", number=count)}
    return {"count": Detail("1 follower") if count else Detail("no followers")}


def _coins(number: int) -> Detail:
    return Detail("1 coin") if number == 1 else Detail("{number} coins", number=number)


def _points(number: int) -> Detail:
    if number == 1:
        return Detail("1 development point")
    return Detail("{number} development points", number=number)


def _using(command: Words, spaces: Spaces) -> Words:
    coins, sent, place = command["coins"], command["deliveries"], command["place"]
    words: dict[str, Plain] = {}
    if isinstance(coins, Mapping):
        words["coins"] = Detail("{min} to {max} coins", min=coins["min"], max=coins["max"])
    elif coins is not None:
        words["coins"] = _coins(coins)
    if sent is not None:
        words["deliveries"] = [_sending(one, place, spaces) for one in sent]
    return words


def _sending(one: Words, place: str, spaces: Spaces) -> Words:
    code, deed = _code(place, one["space"], spaces), DEED[one["deed"]]
    who = _someone(place, one["space"], spaces)
    if 0 <= code < CODES:
        who = Detail("the {follower}", follower=TILE_OF[code].follower)
    reward = _coins(DEED_COINS[deed]) if one["reward"] == COIN else _points(DEED_POINTS[deed])
    return {**one, "space": who, "reward": reward}


def _giving(command: Words, spaces: Spaces) -> Words:
    return {"item": _item(command)}


def _item(command: Words) -> Detail:
    item = command["item"]
    if item == STATION_ITEM:
        if command["from"] in (RESERVE, None):
            return Detail("a trading station from the reserve")
        return Detail("the trading station in {town}", town=command["from"])
    if item == FOLLOWER_ITEM:
        return Detail("a follower drawn from the bag")
    if item == POINT_ITEM:
        return Detail("a development point")
    if item == GOOD_ITEM:
        good = command["good"]
        return Detail("a good") if good is None else Detail("a good: {good}", good=good)
    if item == TILE_ITEM:
        tile = command["tile"]
        return (
            Detail("a place tile") if tile is None else Detail("the place tile {tile}", tile=tile)
        )
    if command["place"] is None:
        return Detail("a technology tile that is not placed")
    return Detail("the technology tile on the {place}", place=command["place"])


_TELLERS: Final[Mapping[str, Callable[[Words, Spaces], Words]]] = {
    TakeBack.type: _of_follower,
    DrawFollowers.type: _drawing,
    PlaceFollower.type: _on_space,
    WithdrawFollower.type: _of_follower,
    PlaceTechnology.type: _on_space,
    UsePlace.type: _using,
    Give.type: _giving,
}
