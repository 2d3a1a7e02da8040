"""A game of Orléans as text: round, towns and ways, deeds, markets, and each seat's board."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from ...rules.orleans.tables import BOARD, COUNTS, DEED_DATA, MAP, PLACE_DATA, PLACES, ROUNDS
from ...rules.plain import Plain

ENTRIES: Final[list[dict[str, Any]]] = [
    *MAP["towns"],
    *PLACE_DATA["places"],
    *PLACE_DATA["place_tiles"],
    *DEED_DATA,
    *COUNTS["followers"],
    *COUNTS["goods"],
    *COUNTS["events"],
]
WAYS: Final = {"road": "─", "waterway": "≈"}
EMPTY: Final = "·"
TECHNOLOGY: Final = "⚙"
LEGEND: Final = (
    "─ road   ≈ waterway   ■ a seat's station   @ a seat's merchant\n"
    "° starting follower   ⚙ technology   · empty space"
)

_NAMES: Final = {entry["id"]: entry["names"]["en"] for entry in ENTRIES}
_WIDTH: Final = max(len(_NAMES[town["id"]]) for town in MAP["towns"])


def text(view: Plain) -> str:
    """Returns the table as lines of text."""
    return "\n".join(
        [headline(view), "", *towns(view), LEGEND, "", *deeds(view), *stores(view), *seats(view)]
    )


def headline(view: Plain) -> str:
    """Returns the line about the round."""
    event = "" if view["event"] is None else f": {_NAMES[view['event']]}"
    start = f"start player: seat {view['start_seat']}"
    return f"Round {view['round']} of {ROUNDS}{event}; {view['phase']}; {start}"


def towns(view: Plain) -> list[str]:
    """Returns a line for each town: who is there, and the ways from there with their goods."""
    lines = []
    for town in MAP["towns"]:
        marks = [f"■{seat}" for seat in view["trading_stations"].get(town["id"], ())]
        marks += [f"@{n}" for n, seat in enumerate(view["seats"]) if seat["merchant"] == town["id"]]
        ways = [way for link in MAP["links"] if (way := _way(view, link, town["id"]))]
        line = f"{_NAMES[town['id']]:<{_WIDTH}} {' '.join(marks):<10} {'  '.join(ways)}"
        lines.append(line.rstrip())
    return lines


def _way(view: Plain, link: Mapping[str, Any], town: str) -> str:
    if link["towns"][0] != town:
        return ""
    goods = [good for good in view["goods"][link["id"]] if good is not None]
    shown = f" ({', '.join(goods)})" if goods else ""
    return f"{WAYS[link['kind']]} {_NAMES[link['towns'][1]]}{shown}"


def deeds(view: Plain) -> list[str]:
    """Returns a line for each deed: its free slots, or who has its citizen."""
    lines = []
    for deed, slots in view["deeds"].items():
        free = _counted({kind: count["free"] for kind, count in slots.items()})
        owner = view["citizens"][deed]
        rest = f"free: {free}" if owner is None else f"citizen of seat {owner}"
        lines.append(f"{_NAMES[deed]}: {rest}")
    return lines


def stores(view: Plain) -> list[str]:
    """Returns the lines about what may still be had."""
    tiles = view["place_tiles"]
    return [
        f"goods market: {_counted(view['goods_market'])}",
        f"followers: {_counted(view['supply'])}; technology {view['technology']}",
        *(
            f"place tiles {stack}: {_listed(_NAMES[tile] for tile in tiles[stack])}"
            for stack in tiles
        ),
    ]


def seats(view: Plain) -> list[str]:
    """Returns some lines for each seat."""
    lines = []
    for number, seat in enumerate(view["seats"]):
        development = seat["development"]
        lines += [
            "",
            f"seat {number}: coins {seat['coins']}, status {development['status']}"
            f" (development {development['space']}), stations {seat['stations']['built']},"
            f" citizens {seat['citizens']}; goods: {_counted(seat['goods'])}",
            f"  tracks: {_listed(f'{kind} {space}' for kind, space in seat['tracks'].items())}",
            f"  market: {_counted(seat['market'])}; bag: {_counted(seat['bag'])};"
            f" technology {seat['technology']}",
            f"  places: {_places(seat['places'])}",
        ]
    return lines


def _places(places: Mapping[str, list[Plain]]) -> str:
    """Returns the place tiles, and the places of the board on which something stands."""
    own = PLACES[:BOARD]
    return _listed(
        f"{_NAMES[place]} [{' '.join(map(_space, spaces))}]" if spaces else _NAMES[place]
        for place, spaces in places.items()
        if place not in own or any(spaces)
    )


def _space(space: Plain) -> str:
    if space is None:
        return EMPTY
    if "technology" in space:
        return TECHNOLOGY
    return f"{space['follower']}{'°' if space['starting'] else ''}"


def _counted(counts: Mapping[str, int]) -> str:
    """Returns what there is of each kind, starting followers marked."""
    return _listed(f"{count} {_short(name)}" for name, count in counts.items() if count)


def _short(name: str) -> str:
    return f"{name.removeprefix('starting_')}°" if name.startswith("starting_") else name


def _listed(parts: Iterable[str]) -> str:
    return ", ".join(parts) or "none"
