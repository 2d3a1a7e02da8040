"""The map of Orléans as drawn: towns, ways, goods on them, stations, merchants.

Where towns lie is the picture's own (`data/places.json`); the rules know only which ways join them.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from ...rules.data import read
from ...rules.orleans.tables import LINK, LINK_SPACES, MAP, PLACE, USES
from ...rules.plain import Plain
from ..drawing import SMALLEST, WIDTH, at, circle, el, group, man, path, recent, rect, spot, text
from ..look import FIRST, Look, phrase
from ..map_layout import Place, around, beside, curve
from .things import NAMES, context, good

_PLACES: Final = read(__package__, "places.json")
HEIGHT: Final[int] = _PLACES["size"][1]
TOWNS: Final[dict[str, Place]] = {
    town: (place[0], place[1]) for town, place in _PLACES["towns"].items()
}
LINKS: Final = {"road": phrase("Road {a}–{b}"), "waterway": phrase("Waterway {a}–{b}")}
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
def chart(language: str = FIRST) -> Chart:
    """Returns what is the same in every picture of a language."""
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
        name = NAMES[town].get(language, NAMES[town][FIRST])
        names[town], box = beside(name, place, taken)
        taken.append(box)
    return Chart(ways, goods, names)


def _spaces(link: str) -> Sequence[int]:
    return LINK_SPACES[LINK[link]]


def drawn(view: Plain, look: Look) -> list[str]:
    """Returns the map's elements from 0 downwards, `HEIGHT` high."""
    shown = chart(look.language)
    uses = [move["command"] for move in look.may("use_place")]
    may = {command["link"] for command in uses}
    taken = {(command["link"], command["good"]) for command in uses}
    gone = look.did("use_place").get("link")
    parts = [rect(0, 0, WIDTH, HEIGHT, "land")]
    parts += [circle(x, y, r, "wood") for x, y, r in WOODS]
    parts += [path(shown.ways[link], "go") for link in shown.ways if link in may]
    for kind in ("waterway", "road"):
        parts += [
            _link(link, shown, look, link["id"] in may)
            for link in MAP["links"]
            if kind == link["kind"]
        ]
    if gone is not None:
        parts.append(recent("path", d=shown.ways[gone]))
    parts += [_good(view, link, shown, look, taken) for link in view["goods"]]
    parts += [_town(view, town, look) for town in TOWNS]
    for town, (x, y, lies) in shown.names.items():
        parts.append(text(x, y, look.called(NAMES[town]), SMALLEST, f"name {lies}".strip()))
    parts += [_people(view, town) for town in TOWNS]
    size = f"0 0 {WIDTH} {HEIGHT}"
    return [el("svg", *parts, width=WIDTH, height=HEIGHT, viewBox=size)]


def _link(link: Plain, shown: Chart, look: Look, may: bool) -> str:
    a, b = (look.called(NAMES[town]) for town in link["towns"])
    way = shown.ways[link["id"]]
    return spot(
        look.say(LINKS[link["kind"]], a=a, b=b),
        path(way, "bed"),
        path(way, "way"),
        cls=f"link {link['kind']}" + (" may-go" if may else ""),
        data_link=link["id"],
    )


def _good(
    view: Plain, link: str, shown: Chart, look: Look, may: Collection[tuple[str, str]]
) -> str:
    parts = []
    for space, (laid, (x, y)) in enumerate(
        zip(view["goods"][link], shown.goods[link], strict=True)
    ):
        if laid is None:
            parts.append(circle(x, y, 4, "bare"))
        else:
            parts.append(
                spot(
                    look.called(NAMES[laid]),
                    good(laid, x, y),
                    circle(x, y, GOOD + 2, "may") if (link, laid) in may else "",
                    cls="good",
                    data_link=link,
                    data_space=space,
                    data_good=laid,
                )
            )
    return "".join(parts)


def _town(view: Plain, town: str, look: Look) -> str:
    stations = view["trading_stations"].get(town, ())
    merchants = [n for n, seat in enumerate(view["seats"]) if seat["merchant"] == town]
    caption = [look.called(NAMES[town])]
    if stations:
        caption.append(look.say("trading stations of seats {seats}", seats=look.listed(stations)))
    if merchants:
        caption.append(look.say("merchants of seats {seats}", seats=look.listed(merchants)))
    build = _builds(view, town, [(each["seat"], each["command"]) for each in look.may("use_place")])
    given = {each["seat"] for each in look.may("give") if each["command"]["from"] == town}
    inside = [circle(0, 0, TOWN, "town-wall"), circle(0, 0, 3.5, "town-core")]
    first = -8.5 * (len(stations) - 1)
    inside += [
        context(seat, first + 17 * place, 0, seat in given) for place, seat in enumerate(stations)
    ]
    if build:
        inside.append(circle(0, 0, TOWN + 5, "may"))
    if look.last is not None and _builds(view, town, [(look.last["seat"], look.did())]):
        inside.append(recent("circle", r=TOWN + 5))
    return spot(
        "; ".join(caption),
        *inside,
        cls="town",
        data_town=town,
        transform=at(*TOWNS[town]),
    )


def _builds(view: Plain, town: str, moves: Iterable[tuple[int | None, Plain]]) -> bool:
    """Returns whether one of some seats' commands is about a trading station in a town."""
    return any(
        seat is not None
        and command.get("type") == "use_place"
        and USES[PLACE[command["place"]]].get("builds")
        and view["seats"][seat]["merchant"] == town
        for seat, command in moves
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
