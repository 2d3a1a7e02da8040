"""A game of Gabelle as a picture: round and event, the map, market, cards and guilds.

What a page can attach to:

    .city    data-city               a city in play, with its octroi, its posts (`.post`, data-seat)
                                     and, where a post may be built now, a ring `.may`
    .route   data-a data-b           a route with its present toll; `road` or `river`
    .region  data-region             a region in play; `quarantined` while the plague is there
    .shelf   data-material           a shelf of the market; its prices are `.price` (data-price)
    .card    data-workshop           a workshop: on sale, to come, or a guild's
    .deck    data-size               the deck
    .bidding                         the auction's line
    .guild   data-seat               a guild's line; `acts` is who is to act; its `.stock`

`.may` marks where something may be done now: cards to be named, bid for, discarded or run, shelves
to buy from, cities to build in, stock of which not all can be kept. `.last` is around what the last
move was about, and around the shield of the guild that made it.
"""

from __future__ import annotations

import functools
from typing import Final

from ...rules.gabelle.tables import EVENT_CARDS, MAP
from ...rules.plain import Plain
from ..drawing import (
    MARGIN,
    SMALLEST,
    WIDTH,
    at,
    circle,
    defs,
    el,
    group,
    number,
    path,
    recent,
    rect,
    section,
    sheet,
    shield,
    spot,
    text,
)
from ..look import Look, headed, phrase
from . import market_and_guilds
from .map import CITY, MAP_REGIONS, TOLL, Land, border, coast, land, region

EVENTS: Final = {event["id"]: event["names"] for event in EVENT_CARDS}
CITY_NAMES: Final = {city["id"]: city["name"] for city in MAP["cities"]}
REGION_NAMES: Final = {each["id"]: each["names"] for each in MAP["regions"]}
PHASES: Final = {
    "setup": phrase("setup"),
    "event": phrase("event"),
    "auction": phrase("auction"),
    "market": phrase("market"),
    "expansion": phrase("expansion"),
    "production": phrase("production"),
    "end_of_round": phrase("end of the round"),
}
ROUTES: Final = {
    "road": phrase("Road {a}–{b}: toll {toll}"),
    "river": phrase("River {a}–{b} ({river}): toll {toll}"),
}
TOLLS: Final = {(route["a"], route["b"]): route["toll"] for route in MAP["routes"]}
NOBODY: Final = phrase("nobody")
TOP: Final = 92

STYLE: Final = """\
.bailli{--sea:#cfe2ec;--far:#ddd5c2;--shore:#9db9c7;--cut:#7b6a4e;--way:#8a6636;--water:#3f86c4;
--halo:#fbf6ea;--bad:#b3261e;--r0:#c3d3ea;--r1:#cfe0b2;--r2:#f0d6ae;--r3:#eac6c6;
--m0:#9a6a3a;--m1:#8b93a0;--m2:#f3efe4;--m3:#bfe3ea}
.bailli .sea{fill:var(--sea)}
.bailli .far{fill:var(--far);stroke:var(--shore);stroke-width:5}
.bailli .region{stroke-width:1.5}
.bailli .r0{fill:var(--r0);stroke:var(--r0)}
.bailli .r1{fill:var(--r1);stroke:var(--r1)}
.bailli .r2{fill:var(--r2);stroke:var(--r2)}
.bailli .r3{fill:var(--r3);stroke:var(--r3)}
.bailli .plague{fill:url(#gabelle-hatch)}
.bailli .hatch{stroke:var(--bad);stroke-width:3;stroke-opacity:.55}
.bailli .border{fill:none;stroke:var(--cut);stroke-width:2.5;stroke-dasharray:9 5;
stroke-opacity:.7}
.bailli .region-name{font-size:17px;letter-spacing:4px;opacity:.33}
.bailli .road .bed{fill:none;stroke:var(--halo);stroke-width:4;stroke-opacity:.7}
.bailli .road .way{fill:none;stroke:var(--way);stroke-width:2;stroke-dasharray:6 2.5}
.bailli .river .bed{fill:none;stroke:var(--halo);stroke-width:6.5;stroke-opacity:.6}
.bailli .river .way{fill:none;stroke:var(--water);stroke-width:4.5}
.bailli .road .toll{fill:var(--halo);stroke:var(--way)}
.bailli .river .toll{fill:var(--water);stroke:var(--halo)}
.bailli .river .sum{fill:#fff}
.bailli .dear .toll{fill:var(--bad);stroke:var(--halo)}
.bailli .dear .sum{fill:#fff}
.bailli .sum{font-weight:bold;text-anchor:middle}
.bailli .gate{fill:var(--panel);stroke:var(--ink);stroke-width:1.5}
.bailli .full{fill:var(--ink)}
.bailli .fair{fill:#e8b023;stroke:#6b4d0a;stroke-width:1}
.bailli .ill{fill:none;stroke:var(--bad);stroke-width:3}
.bailli .name{paint-order:stroke;stroke:var(--halo);stroke-width:2.6px;stroke-linejoin:round;
font-weight:600}
.bailli .done{fill:var(--mark)}
.bailli .event{fill:var(--bad)}
.bailli text.event-name{fill:#fff;font-weight:bold}
@media (prefers-color-scheme:dark){
.bailli{--sea:#1d2f3a;--far:#2c2a26;--shore:#35505e;--cut:#c9b890;--way:#d7a868;--water:#4d9ade;
--halo:#15130f;--bad:#c9453c;--r0:#34465f;--r1:#3f5230;--r2:#5c4a2b;--r3:#5d3b3b;
--m0:#a8763f;--m1:#9aa3b1;--m2:#e9e3d4;--m3:#9fd0da}
}
"""


def svg(view: Plain, look: Look) -> str:
    """Returns the table as an SVG document."""
    shown = land(tuple(view["regions"] or MAP_REGIONS))  # none are in play before the set-up
    parts = [*_headline(view, look), _map(view, shown, look)]
    y = TOP + shown.height + 14
    for drawn in (
        market_and_guilds.shelves(view, look),
        market_and_guilds.cards(view, look),
        market_and_guilds.guilds(view, look),
    ):
        label, inside, height = drawn
        parts.append(section(label, y, *inside))
        y += height + 14
    style = STYLE + market_and_guilds.STYLE
    return sheet(look.language, y, "Gabelle", _told(view, look), style, _defs(), *parts)


def _told(view: Plain, look: Look) -> str:
    guilds = look.listed(
        look.say(
            "{name} has {money} L and {cities} cities",
            name=look.named(seat, market_and_guilds.GUILD),
            money=guild["money"],
            cities=len(guild["cities"]),
        )
        for seat, guild in enumerate(view["guilds"])
    )
    return look.say(
        "Round {round}, {phase}, stage {stage}. {guilds}.",
        round=view["round"],
        phase=look.say(PHASES[view["phase"]]),
        stage=view["stage"],
        guilds=guilds,
    )


@functools.cache
def _defs() -> str:
    stripe = path("M0 0V14", "hatch")
    return defs(
        el(
            "pattern",
            stripe,
            id="gabelle-hatch",
            width=10,
            height=14,
            patternUnits="userSpaceOnUse",
            patternTransform="rotate(40)",
        ),
        el("clipPath", el("path", d=coast()), id="gabelle-coast"),
    )


def _headline(view: Plain, look: Look) -> list[str]:
    limits = view["thresholds"]
    acting = set(view["to_act"])
    who = look.listed(
        (look.named(seat, market_and_guilds.GUILD) for seat in view["to_act"]), NOBODY
    )
    round_of = look.say(
        "Round {round} of {last} · stage {stage}",
        round=view["round"],
        last=limits["last_round"],
        stage=view["stage"],
    )
    phase = look.say("{phase}; to act: {who}", phase=look.say(PHASES[view["phase"]]), who=who)
    parts = [
        text(MARGIN, 24, "Gabelle", 17, "head"),
        text(WIDTH - MARGIN, 22, round_of, 12, "bold end"),
        text(MARGIN, 41, headed(phase), 11, "soft"),
    ]
    parts += [
        circle(MARGIN + 12 + 27 * place, 64, 12, "acts")
        for place, seat in enumerate(view["order"])
        if seat in acting
    ]
    parts += [
        shield(seat, MARGIN + 12 + 27 * place, 64) for place, seat in enumerate(view["order"])
    ]
    end, start, wide = limits["end_cities"], 246, WIDTH - MARGIN - 246
    for city in range(end):
        reached = city < limits["largest_network"]
        x = start + wide * city / end
        parts.append(rect(x, 58, wide / end - 2, 10, "done" if reached else "hole", 2))
    stage_2 = start + wide * limits["stage_2_cities"] / end
    parts += [
        text(start, 81, look.say("largest network"), SMALLEST, "soft"),
        path(f"M{number(stage_2 - 1)} 56v15", "gate"),
        text(
            stage_2,
            54,
            look.say("stage 2: {cities}", cities=limits["stage_2_cities"]),
            SMALLEST,
            "soft mid",
        ),
        text(WIDTH - MARGIN, 81, look.say("end: {cities}", cities=end), SMALLEST, "soft end"),
    ]
    return parts


def _map(view: Plain, shown: Land, look: Look) -> str:
    may = {move["command"]["city"] for move in look.may("build")}
    ill = {city["region"] for city in view["cities"] if city["quarantined"]}
    transform = at(*shown.shift, shown.scale)
    ground = [
        path(coast(), "far"),
        group(*_regions(view, ill, look), clip_path="url(#gabelle-coast)"),
    ]
    titles = [
        text(
            *shown.titles[name], look.called(REGION_NAMES[name]).upper(), 17, "region-name head mid"
        )
        for name in view["regions"]
    ]
    inside = [
        rect(0, 0, WIDTH, shown.height, "sea"),
        group(*ground, transform=transform),
        *titles,
        *(_route(route, shown) for route in view["routes"]),
        *(_toll(route, shown, look) for route in view["routes"]),
        *(_city(city, shown, look, city["id"] in may) for city in view["cities"]),
        *(_name(city, shown) for city in view["cities"]),
    ]
    event = view["event"]
    if event is not None:
        title = look.called(EVENTS[event["id"]])
        if event["region"] is not None:
            title += f": {look.called(REGION_NAMES[event['region']])}"
        wide = 7 * len(title) + 16
        inside.append(
            spot(
                title,
                rect(8, 8, wide, 20, "event", 10),
                text(8 + wide / 2, 22, title, 11, "event-name mid"),
                cls="event-card",
                data_event=event["id"],
            )
        )
    return section(
        look.say("Map"),
        TOP,
        el(
            "svg",
            *inside,
            width=WIDTH,
            height=shown.height,
            viewBox=f"0 0 {WIDTH} {number(shown.height)}",
        ),
    )


def _regions(view: Plain, ill: set[str], look: Look) -> list[str]:
    parts = []
    for name in view["regions"]:
        cells = region(name)
        kind = "region quarantined" if name in ill else "region"
        inside = [path(cells, f"r{MAP_REGIONS.index(name)}")]
        if name in ill:
            inside.append(path(cells, "plague"))
        title = look.called(REGION_NAMES[name])
        parts.append(spot(title, *inside, cls=kind, data_region=name))
    return [*parts, path(border(tuple(view["regions"])), "border")]


def _route(route: Plain, shown: Land) -> str:
    way = shown.ways[route["a"], route["b"]]
    return group(path(way.path, "bed"), path(way.path, "way"), cls=route["kind"])


def _toll(route: Plain, shown: Land, look: Look) -> str:
    x, y = shown.ways[route["a"], route["b"]].toll
    dear = " dear" if route["toll"] > TOLLS[route["a"], route["b"]] else ""
    return spot(
        look.say(
            ROUTES[route["kind"]],
            a=CITY_NAMES[route["a"]],
            b=CITY_NAMES[route["b"]],
            river=route["river"],
            toll=route["toll"],
        ),
        circle(x, y, TOLL, "toll")
        if route["kind"] == "river"
        else rect(x - TOLL, y - TOLL + 0.5, 2 * TOLL, 2 * TOLL - 1, "toll", 3),
        text(x, y + 3.4, route["toll"], SMALLEST, "sum"),
        cls=f"route {route['kind']}{dear}",
        data_a=route["a"],
        data_b=route["b"],
    )


def _city(city: Plain, shown: Land, look: Look, may: bool) -> str:
    inside = []
    if city["fair"]:
        inside.append(path(market_and_guilds.star(8, 15, 10.5), "fair"))
    if may:
        inside.append(circle(0, 0, CITY + 5.5, "may"))
    if city["quarantined"]:
        inside.append(circle(0, 0, CITY + 2.5, "ill"))
    inside.append(circle(0, 0, CITY, "gate"))
    if city["octroi"] is None:
        inside.append(circle(0, 0, 3.5, "full"))
    else:
        inside.append(text(0, 3.4, city["octroi"], SMALLEST, "sum"))
    first = -6.2 * (len(city["posts"]) - 1)
    inside += [
        group(
            shield(seat, 0, 0, 0.82),
            cls="post",
            data_seat=seat,
            transform=at(first + 12.4 * place, -15),
        )
        for place, seat in enumerate(city["posts"])
    ]
    if look.did("build").get("city") == city["id"]:
        inside.append(recent("circle", r=CITY + 2.5))
    return spot(
        _city_told(city, look),
        *inside,
        cls="city",
        data_city=city["id"],
        transform=at(*shown.cities[city["id"]]),
    )


def _city_told(city: Plain, look: Look) -> str:
    caption = [CITY_NAMES[city["id"]]]
    if city["fair"]:
        caption.append(look.say("fair town"))
    if city["quarantined"]:
        caption.append(look.say("quarantined"))
    if city["octroi"] is None:
        caption.append(look.say("no more posts now"))
    else:
        caption.append(look.say("octroi {octroi}", octroi=city["octroi"]))
    if city["posts"]:
        seats = look.listed(look.say(market_and_guilds.GUILD, seat=seat) for seat in city["posts"])
        caption.append(look.say("posts: {guilds}", guilds=seats))
    return "; ".join(caption)


def _name(city: Plain, shown: Land) -> str:
    x, y, lies = shown.names[city["id"]]
    return text(x, y, CITY_NAMES[city["id"]], SMALLEST, f"name {lies}".strip())
