"""Figures from the data files, as integer tables.

Everything has a number: kinds of followers (0 … 6), goods, towns, links, places (the player
board's ten, then the place tiles), deeds, citizens. A *follower code* is a kind for a neutral
follower, `STARTING` + kind for a starting one. All spaces of all places are numbered in one row;
sets of spaces and of places are bit masks. `data/doubtful.json` alone holds the figures that are in
doubt.
"""

from __future__ import annotations

import functools
from typing import Any, Final

from ..data import read

MAP: Final[dict[str, Any]] = read(__package__, "map.json")
PLACE_DATA: Final[dict[str, Any]] = read(__package__, "places.json")
DEED_DATA: Final[list[dict[str, Any]]] = read(__package__, "deeds.json")["deeds"]
COUNTS: Final[dict[str, Any]] = read(__package__, "counts.json")
DOUBTFUL: Final[dict[str, Any]] = read(__package__, "doubtful.json")

SEATS: Final = (2, 3, 4)


def ids(entries: list[dict[str, Any]]) -> tuple[str, ...]:
    """Returns the ids of data entries, in order."""
    return tuple(entry["id"] for entry in entries)


def numbered(names: tuple[str, ...]) -> dict[str, int]:
    """Returns each name's number."""
    return {name: number for number, name in enumerate(names)}


# Followers
KINDS: Final = ids(COUNTS["followers"])
KIND: Final = numbered(KINDS)
FARMER, BOATMAN, CRAFTSMAN, TRADER, KNIGHT, SCHOLAR, MONK = range(7)
STARTING: Final = 7
STARTERS: Final = tuple(KIND[entry["id"]] for entry in COUNTS["followers"] if entry["starting"])
CODES: Final = STARTING + len(STARTERS)
KIND_OF: Final = (*range(STARTING), *STARTERS)
FOLLOWERS: Final = (*KINDS, *(f"starting_{KINDS[kind]}" for kind in STARTERS))
"""The ids of what a bag holds, as chance names them."""
CODE: Final = numbered(FOLLOWERS)
IN_ORDER: Final = tuple(sorted(range(CODES), key=lambda code: (KIND_OF[code], code)))
"""Codes by kind, the neutral one first."""
NEUTRAL: Final = {
    seats: [entry["neutral"][str(seats)] for entry in COUNTS["followers"]] for seats in SEATS
}
TRACKS: Final = tuple(
    next(iter(entry["track"].values())) if "track" in entry else [] for entry in COUNTS["followers"]
)
TRACK_ENDS: Final = tuple(len(track) for track in TRACKS)
"""The last space of each track; 0 for monks, who have none."""
DRAWS: Final = (COUNTS["draws_at_start"], *TRACKS[KNIGHT])

# Goods
GOODS: Final = ids(COUNTS["goods"])
GOOD: Final = numbered(GOODS)
GOODS_COUNTS: Final = [entry["count"] for entry in COUNTS["goods"]]
GOODS_POINTS: Final = [entry["points"] for entry in COUNTS["goods"]]
FOOD: Final = tuple(GOOD[entry["id"]] for entry in COUNTS["goods"] if entry["food"])
GOODS_REMOVED: Final = {seats: COUNTS["goods_removed"][str(seats)] for seats in SEATS}
FARMER_GOODS: Final = tuple(GOOD[name] for name in TRACKS[FARMER])

# Hourglass
EVENTS: Final = ids(COUNTS["events"])
PILGRIMAGE, INCOME, HARVEST, TAXES, TRADING_DAY, PLAGUE = range(6)
FIRST_EVENT: Final = EVENTS.index(COUNTS["first_event"])
EVENT_COUNTS: Final = [entry["count"] for entry in COUNTS["events"]]
ROUNDS: Final = COUNTS["rounds"]

# Development
DEVELOPMENT: Final = COUNTS["development"]
LAST_SPACE: Final = DEVELOPMENT["last"]
STATUS: Final = tuple(
    sum(space >= threshold for threshold in DEVELOPMENT["status"])
    for space in range(LAST_SPACE + 1)
)
COIN_SPACES: Final = tuple((int(space), coins) for space, coins in DEVELOPMENT["coins"].items())
BARRED_SPACES: Final = frozenset(space + 1 for space, _ in COIN_SPACES)
"""Where no development point can be given: the step would lead back onto a coin space (O-7.1)."""

# Map
TOWNS: Final = ids(MAP["towns"])
TOWN: Final = numbered(TOWNS)
ORLEANS: Final = TOWN[MAP["start"]]
LINKS: Final = ids(MAP["links"])
LINK: Final = numbered(LINKS)
LINK_ENDS: Final = tuple((TOWN[link["towns"][0]], TOWN[link["towns"][1]]) for link in MAP["links"])
LINK_KINDS: Final = tuple(link["kind"] for link in MAP["links"])
_goods_spaces: list[tuple[int, int, int]] = []
for _number, _link in enumerate(MAP["links"]):
    _least = _link.get("goods_spaces") or DOUBTFUL["goods_spaces_of_links"][_link["id"]]
    _goods_spaces += [(_number, space, seats) for space, seats in enumerate(_least)]
GOODS_SPACES: Final = tuple(_goods_spaces)
"""Every goods space: its link, its number on the link, how many seats it needs."""
LINK_SPACES: Final = tuple(
    tuple(at for at, space in enumerate(GOODS_SPACES) if space[0] == number)
    for number in range(len(LINKS))
)
LAID: Final = {
    seats: tuple(at for at, space in enumerate(GOODS_SPACES) if space[2] <= seats)
    for seats in SEATS
}
"""The goods spaces that get a good, in order (O-1.5)."""

# Deeds
DEEDS: Final = ids(DEED_DATA)
DEED: Final = numbered(DEEDS)
DEED_SLOTS: Final = tuple(tuple(deed["slots"].get(kind, 0) for kind in KINDS) for deed in DEED_DATA)
DEED_COINS: Final = tuple(deed["coins"] for deed in DEED_DATA)
DEED_POINTS: Final = tuple(deed.get("development", 0) for deed in DEED_DATA)
KIND_DEEDS: Final = tuple(
    tuple(deed for deed in range(len(DEEDS)) if DEED_SLOTS[deed][kind])
    for kind in range(len(KINDS))
)
"""The deeds with slots of each kind."""

# Citizens: the tracks', the deeds', the one of the end.
CITIZENS: Final = (*ids(COUNTS["citizens"]), *DEEDS, COUNTS["last_citizen"]["id"])
CITIZEN: Final = numbered(CITIZENS)
CITIZEN_AT: Final = {entry["id"]: entry["at"] for entry in COUNTS["citizens"]}
BOATMAN_CITIZEN, KNIGHT_CITIZEN = CITIZEN["boatman"], CITIZEN["knight"]
DEED_CITIZEN: Final = CITIZEN[DEEDS[0]]
LAST_CITIZEN: Final = len(CITIZENS) - 1
DEVELOPMENT_CITIZENS: Final = tuple(
    (CITIZEN_AT[name], CITIZEN[name]) for name in CITIZEN_AT if name.startswith("development")
)

# Places and their spaces
BOARD: Final = len(PLACE_DATA["places"])
_entries: list[dict[str, Any]] = [*PLACE_DATA["places"], *PLACE_DATA["place_tiles"]]
PLACES: Final = ids(_entries)
PLACE: Final = numbered(PLACES)
TILES: Final = PLACES[BOARD:]
RULES: Final = tuple(entry["rule"] for entry in _entries)
USES: Final[tuple[dict[str, Any], ...]] = tuple(entry["use"] for entry in _entries)
STACKS: Final = {
    stack: sum(1 << PLACE[tile["id"]] for tile in PLACE_DATA["place_tiles"] if tile["stack"] in on)
    for stack, on in (("I", ("I",)), ("II", ("I", "II")))
}
"""The place tiles of stack I; those of both."""
MARKET_SPACES: Final = PLACE_DATA["market_spaces"]
PLACE_ASKS: Final[tuple[tuple[str, ...], ...]] = tuple(
    tuple(entry["spaces"] if "spaces" in entry else DOUBTFUL["spaces_of_place_tiles"][entry["id"]])
    for entry in _entries
)
FIRST: Final = tuple(sum(map(len, PLACE_ASKS[:place])) for place in range(len(PLACES)))
SIZE: Final = tuple(map(len, PLACE_ASKS))
ASKS: Final = tuple(ask for asked in PLACE_ASKS for ask in asked)
"""What each space asks for: a kind, `any`, `neutral` (Town Hall) or `market` (Tower)."""
SPACES: Final = len(ASKS)
PLACE_OF: Final = tuple(place for place, size in enumerate(SIZE) for _ in range(size))
NUMBER_OF: Final = tuple(number for size in SIZE for number in range(size))
SPACE_ROWS: Final = tuple(
    range(first, first + size) for first, size in zip(FIRST, SIZE, strict=True)
)
PLACE_MASK: Final = tuple(sum(1 << space for space in row) for row in SPACE_ROWS)
BOARD_PLACES: Final = (1 << BOARD) - 1
BOARD_MASK: Final = sum(PLACE_MASK[:BOARD])

TOWN_HALL, BATHHOUSE, SACRISTY = PLACE["town_hall"], PLACE["bathhouse"], PLACE["sacristy"]
HORSE_WAGON: Final = PLACE["horse_wagon"]
TOWER: Final = PLACE["gunpowder_tower"]
TOWER_MASK: Final = PLACE_MASK[TOWER]
TOWER_ROW: Final = SPACE_ROWS[TOWER]
ACTION_MASK: Final = ((1 << SPACES) - 1) & ~TOWER_MASK
BATHHOUSE_MASK, SACRISTY_MASK = PLACE_MASK[BATHHOUSE], PLACE_MASK[SACRISTY]
SACRISTY_SPACE: Final = FIRST[SACRISTY]
NEVER_USED: Final = tuple("substitutes" in use or "protects" in use for use in USES)
"""Herb Garden, School and Sacristy have no action (O-2.5)."""

MONKS_BARRED: Final = 1
PASSIVE: Final = tuple(
    (1 << place, KIND[kind], frozenset(instead), bit)
    for bit, (place, kind, instead) in zip(
        (2, 4),
        (
            (place, kind, instead)
            for place, use in enumerate(USES)
            for kind, instead in use.get("substitutes", {}).items()
        ),
        strict=True,
    )
)
"""Passive tiles: place bit, the kind that substitutes, what for, its bit in a variant."""


def variant(own: int, monks_on_deeds: bool) -> int:
    """Returns which row of `FITS` counts for the owner of these places."""
    row = 0 if monks_on_deeds else MONKS_BARRED
    for place, _, _, bit in PASSIVE:
        if own & place:
            row |= bit
    return row


def _fits(code: int, space: int, row: int) -> bool:
    """Returns whether a follower may stand on an action space (O-3.1, O-4.10)."""
    kind, ask = KIND_OF[code], ASKS[space]
    if ask == "market":
        return False
    if ask == "neutral":  # O-4.10
        return code < STARTING and not (kind == MONK and row & MONKS_BARRED)
    if ask == "any" or kind == MONK or ask == KINDS[kind]:  # O-3.1
        return True
    return any(row & bit and kind == own and ask in instead for _, own, instead, bit in PASSIVE)


def _mask(spaces: list[int]) -> int:
    return sum(1 << space for space in spaces)


FITS: Final = tuple(
    tuple(
        _mask([space for space in range(SPACES) if _fits(code, space, row)])
        for code in range(CODES)
    )
    for row in range(8)
)
"""By variant and follower code: the action spaces that the follower may fill."""

# O-3.4: which spaces a technology may take.
LATER_TECHNOLOGY: Final = _mask(
    [space for space in range(SPACES) if ASKS[space] in KINDS[:MONK] and SIZE[PLACE_OF[space]] > 1]
)
FIRST_TECHNOLOGY: Final = _mask(
    [
        space
        for space in range(SPACES)
        if ASKS[space] == KINDS[FARMER] and LATER_TECHNOLOGY >> space & 1
    ]
)

# Journeys: by the kind of link and the town, the links to take and where they lead.
JOURNEYS: Final = {
    kind: tuple(
        tuple(
            (link, ends[1] if ends[0] == town else ends[0])
            for link, ends in enumerate(LINK_ENDS)
            if LINK_KINDS[link] == kind and town in ends
        )
        for town in range(len(TOWNS))
    )
    for kind in MAP["kinds"]
}


@functools.lru_cache(1 << 16)
def bits(mask: int) -> tuple[int, ...]:
    """Returns the numbers of the bits that are set, ascending. For masks that come again."""
    return tuple(number for number in range(mask.bit_length()) if mask >> number & 1)
