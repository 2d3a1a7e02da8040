"""The map of Orléans as drawn: towns, ways, goods on them, stations, merchants.

Where towns lie is the picture's own (`data/places.json`); the rules know only which ways join them.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ...rules.data import read
from ...rules.orleans.tables import LINK, LINK_SPACES, MAP
from ...rules.plain import Plain
from ..drawing import SMALLEST, WIDTH, at, circle, el, group, listed, man, path, rect, spot, text
from ..placing import Place, around, beside, curve
from .things import NAMES, good, house

_PLACES: Final = read(__package__, "places.json")
HEIGHT: Final[int] = _PLACES["size"][1]
TOWNS: Final[dict[str, Place]] = {
    town: (place[0], place[1]) for town, place in _PLACES["towns"].items()
}
TOWN: Final = 8.5
GOOD: Final = 8.5
BOW: Final = 0.09
"""How far a waterway swerves, of its length."""
APART: Final = 0.22
"""How far two ways between the same towns keep to their own sides."""

STYLE: Final = """\
.bailli{--land:#dbe3b8;--wood:#c5d39b;--way:#8a6636;--water:#3f86c4;--halo:#fbf6ea}
.bailli .land{fill:var(--land)}
.bailli .wood{fill:var(--wood)}
.bailli .road .bed{fill:none;stroke:var(--way);stroke-width:6.5}
.bailli .road .way{fill:none;stroke:#f1e3c2;stroke-width:3.5}
.bailli .waterway .bed{fill:none;stroke:var(--halo);stroke-width:8;stroke-opacity:.5}
.bailli .waterway .way{fill:none;stroke:var(--water);stroke-width:5.5}
.bailli .go{fill:none;stroke:var(--mark);stroke-width:12;stroke-opacity:.6;
stroke-linecap:round}
.bailli .bare{fill:var(--halo);fill-opacity:.75;stroke:var(--way);stroke-dasharray:2 2}
.bailli .town-wall{fill:var(--panel);stroke:var(--ink);stroke-width:2}
.bailli .town-core{fill:var(--ink)}
.bailli .name{paint-order:stroke;stroke:var(--halo);stroke-width:2.6px;stroke-linejoin:round;
font-weight:600}
@media (prefers-color-scheme:dark){
.bailli{--land:#35402a;--wood:#2b3623;--way:#b98f57;--water:#4d9ade;--halo:#15130f}
.bailli .road .way{stroke:#4a3c26}
}
"""


@dataclass(frozen=True, slots=True)
class Chart:
    """Paths of the links, where their goods lie, and where the towns' names stand."""

    ways: dict[str, str]
    goods: dict[str, tuple[Place, ...]]
    names: dict[str, tuple[float, float, str]]


@functools.cache
def chart() -> Chart:
    """Returns what is the same in every picture."""
    ways: dict[str, str] = {}
    goods: dict[str, tuple[Place, ...]] = {}
    taken = [around(place, TOWN + 2) for place in TOWNS.values()]
    joined: dict[frozenset[str], int] = {}
    for link in MAP["links"]:
        towns = frozenset(link["towns"])
        joined[towns] = joined.get(towns, 0) + 1
    for link in MAP["links"]:
        bow = (BOW, -BOW) if link["kind"] == "waterway" else (0, 0)
        if joined[frozenset(link["towns"])] > 1:
            bow = (-APART, -APART) if link["kind"] == "waterway" else (APART, APART)
        start, end = (TOWNS[town] for town in link["towns"])
        ways[link["id"]], along = curve(start, end, *bow)
        long = ((end[0] - start[0]) ** 2 + (end[1] - start[1]) ** 2) ** 0.5
        half = (GOOD + 1) / long
        one, two = (along(0.5),), (along(0.5 - half), along(0.5 + half))
        goods[link["id"]] = two if len(_spaces(link["id"])) > 1 else one
        taken += [around(place, GOOD) for place in goods[link["id"]]]
    names: dict[str, tuple[float, float, str]] = {}
    for town, place in TOWNS.items():
        names[town], box = beside(NAMES[town], place, taken)
        taken.append(box)
    return Chart(ways, goods, names)


def _spaces(link: str) -> Sequence[int]:
    return LINK_SPACES[LINK[link]]


def drawn(view: Plain, moves: Sequence[Plain]) -> list[str]:
    """Returns the map's elements from 0 downwards, `HEIGHT` high."""
    shown = chart()
    may = {move["link"] for move in moves if move["type"] == "use_place" and move["link"]}
    parts = [rect(0, 0, WIDTH, HEIGHT, "land")]
    parts += [circle(x, y, r, "wood") for x, y, r in WOODS]
    parts += [path(shown.ways[link], "go") for link in shown.ways if link in may]
    for kind in ("waterway", "road"):
        parts += [
            _link(link, shown, link["id"] in may) for link in MAP["links"] if kind == link["kind"]
        ]
    parts += [_good(view, link, shown) for link in view["goods"]]
    parts += [_town(view, town) for town in TOWNS]
    for town, (x, y, lies) in shown.names.items():
        parts.append(text(x, y, NAMES[town], SMALLEST, f"name {lies}".strip()))
    parts += [_people(view, town) for town in TOWNS]
    size = f"0 0 {WIDTH} {HEIGHT}"
    return [el("svg", *parts, width=WIDTH, height=HEIGHT, viewBox=size)]


def _link(link: Plain, shown: Chart, may: bool) -> str:
    start, end = (NAMES[town] for town in link["towns"])
    way = shown.ways[link["id"]]
    return spot(
        f"{link['kind'].capitalize()} {start}–{end}",
        path(way, "bed"),
        path(way, "way"),
        cls=f"link {link['kind']}" + (" may-go" if may else ""),
        data_link=link["id"],
    )


def _good(view: Plain, link: str, shown: Chart) -> str:
    parts = []
    for space, (laid, (x, y)) in enumerate(
        zip(view["goods"][link], shown.goods[link], strict=True)
    ):
        if laid is None:
            parts.append(circle(x, y, 4, "bare"))
        else:
            parts.append(
                spot(
                    NAMES[laid],
                    good(laid, x, y),
                    cls="good",
                    data_link=link,
                    data_space=space,
                    data_good=laid,
                )
            )
    return "".join(parts)


def _town(view: Plain, town: str) -> str:
    stations = view["trading_stations"].get(town, ())
    merchants = [n for n, seat in enumerate(view["seats"]) if seat["merchant"] == town]
    told = []
    if stations:
        told.append(f"trading stations of seats {listed(stations)}")
    if merchants:
        told.append(f"merchants of seats {listed(merchants)}")
    inside = [circle(0, 0, TOWN, "town-wall"), circle(0, 0, 3.5, "town-core")]
    first = -8.5 * (len(stations) - 1)
    inside += [house(seat, first + 17 * place, 0) for place, seat in enumerate(stations)]
    return spot(
        f"{NAMES[town]}" + (f": {'; '.join(told)}" if told else ""),
        *inside,
        cls="town",
        data_town=town,
        transform=at(*TOWNS[town]),
    )


def _people(view: Plain, town: str) -> str:
    """The merchants in a town, above all else."""
    merchants = [n for n, seat in enumerate(view["seats"]) if seat["merchant"] == town]
    if not merchants:
        return ""
    first = -8.5 * (len(merchants) - 1)
    return group(
        *(
            group(man(seat, first + 17 * place, -19, 0.56), cls="merchant", data_seat=seat)
            for place, seat in enumerate(merchants)
        ),
        transform=at(*TOWNS[town]),
    )


WOODS: Final = (
    *((60, 50, 34), (98, 38, 24), (400, 60, 30), (420, 90, 22), (305, 235, 26), (330, 250, 20)),
    *((40, 215, 24), (225, 245, 22), (420, 470, 34), (385, 480, 24), (30, 470, 30), (60, 485, 22)),
)
"""Woods where nothing else is: middle and radius."""
