"""Market, workshops and guilds of Gabelle as drawn.

Each part is a label, its elements from 0 downwards, and its height.
"""

from __future__ import annotations

import math
from typing import Any, Final

from ...rules.gabelle.tables import CARD, MARKET, MATERIALS, UNIT_PRICES
from ...rules.plain import Plain
from ..drawing import (
    MARGIN,
    SMALLEST,
    WIDTH,
    at,
    circle,
    fitted,
    group,
    path,
    points,
    recent,
    rect,
    shield,
    spot,
    text,
)
from ..look import Look, phrase

Part = tuple[str, list[str], float]

ROW: Final = 40
CARD_HIGH: Final = 78
LINE: Final = 50
GUILD: Final = phrase("Guild {seat}")
NAMES: Final = {each["id"]: each["names"] for each in MARKET["materials"]}
STEPS: Final = {each["id"]: each["units_per_step"] for each in MARKET["materials"]}

STYLE: Final = """\
.bailli .m0{fill:var(--m0)}
.bailli .m1{fill:var(--m1)}
.bailli .m2{fill:var(--m2)}
.bailli .m3{fill:var(--m3)}
.bailli .unit{stroke:#241b10;stroke-width:.9}
.bailli .gone{fill:none;stroke:var(--line);stroke-width:1}
.bailli .next{fill:var(--mark)}
.bailli text.now{fill:#fff;font-weight:bold}
.bailli .grain{fill:none;stroke:#241b10;stroke-width:.9}
.bailli .wheel{fill:none;stroke:var(--soft);stroke-width:1.8}
.bailli .town{fill:var(--ink)}
.bailli .back{fill:#7a3b2e;stroke:var(--line)}
.bailli .back-line{fill:none;stroke:#e8b023}
.bailli text.back-sum{fill:#fff;font-weight:bold}
@media (prefers-color-scheme:dark){
.bailli text.now{fill:#1b1916}
}
"""


def star(count: int, outer: float, inner: float) -> str:
    """Returns a star around the origin as a path."""
    places = []
    for place in range(2 * count):
        r = inner if place % 2 else outer
        angle = math.pi * place / count
        places.append((r * math.sin(angle), -r * math.cos(angle)))
    return points(*places) + "Z"


def material(name: str, x: float, y: float, scale: float = 1) -> str:
    """Returns a unit of a material, about 16 wide around a place."""
    number_of = MATERIALS.index(name)
    cls = f"unit m{number_of}"
    shapes = (
        (rect(-8, -4, 16, 8, cls, 4), circle(4.5, 0, 2, "grain"), path("M-5-1.5h6", "grain")),
        (path("M-8 5l3-9h10l3 9z", cls), path("M-4-1h8", "grain")),
        (
            path(
                "M-5 5a4 4 0 0 1-1-7a4.5 4.5 0 0 1 7.5-3a4.5 4.5 0 0 1 6 5a3 3 0 0 1-2 5z",
                cls,
            ),
            path("M-2-1a2 2 0 0 1 4 0", "grain"),
        ),
        (path("M-8 5c3-2 5-10 8-10s5 8 8 10z", cls), path("M-2 1h.5M2-1h.5M1 3h.5", "grain")),
    )
    return group(*shapes[number_of], transform=at(x, y, scale))


def shelves(view: Plain, look: Look) -> Part:
    """Returns the market: for each shelf its units, each under its price."""
    parts = [text(MARGIN, 12, look.say("Market"), 13, "head")]
    for place, shelf in enumerate(view["shelves"]):
        title = look.say(
            "{material}: {stock} of {capacity}",
            material=look.called(NAMES[shelf["material"]]),
            stock=shelf["stock"],
            capacity=shelf["capacity"],
        )
        parts.append(
            spot(
                title,
                *_shelf(shelf, look),
                cls="shelf",
                data_material=shelf["material"],
                transform=at(0, 20 + ROW * place),
            )
        )
    return look.say("Market"), parts, 20 + ROW * len(view["shelves"])


def _shelf(shelf: Plain, look: Look) -> list[str]:
    name, stock, step = shelf["material"], shelf["stock"], STEPS[shelf["material"]]
    own = MATERIALS.index(name)
    wide, high = WIDTH - 2 * MARGIN, ROW - 5
    parts = [
        rect(MARGIN, 0, wide, high, "panel", 5),
        material(name, MARGIN + 14, 17, 1.15),
        fitted(MARGIN + 29, 15, look.called(NAMES[name]), 11, 51, "bold"),
        text(MARGIN + 29, 28, f"{stock}/{shelf['capacity']}", SMALLEST, "soft"),
    ]
    if shelf["most_per_guild"] is not None:
        parts.append(text(MARGIN + 59, 28, f"≤{shelf['most_per_guild']}", SMALLEST, "bold"))
    levels = shelf["capacity"] // step
    first, each = MARGIN + 82, (wide - 86) / levels
    for level in range(levels):
        x = first + each * level
        highest = shelf["capacity"] - step * level
        price = UNIT_PRICES[own][highest] + shelf["surcharge"]
        now = highest - step < stock <= highest
        inside = [
            rect(x, 2, each - 3, 13, "next", 4) if now else "",
            text(x + each / 2 - 1.5, 12, f"{price} L", SMALLEST, "mid now" if now else "mid soft"),
        ]
        for unit in range(step):
            there = highest - unit <= stock
            size = (each - 5) / step
            inside.append(
                rect(
                    x + 0.5 + size * unit,
                    18,
                    size - 1.5,
                    11,
                    f"unit m{own}" if there else "gone",
                    2,
                )
            )
        parts.append(group(*inside, cls="price", data_price=price))
    if any(move["command"]["material"] == name for move in look.may("buy")):
        parts.append(rect(MARGIN + 3, 3, 23, high - 6, "may", 5))
    if look.did("buy").get("material") == name:
        parts.append(recent("rect", x=MARGIN, y=0, width=wide, height=high, rx=5))
    return parts


def cards(view: Plain, look: Look) -> Part:
    """Returns the workshops on sale and to come, the deck, the auction."""
    deck, auction = view["deck"], view["auction"]
    up = None if auction is None else auction["workshop"]
    may = {move["command"]["workshop"] for move in look.may("name_workshop")}
    if look.may("raise"):
        may.add(up)
    parts = [
        text(MARGIN, 12, look.say("Workshops on sale"), 13, "head"),
        spot(
            look.say("The deck: {size} workshops", size=deck["size"]),
            rect(WIDTH - MARGIN - 42, 0, 42, 15, "back", 3),
            rect(WIDTH - MARGIN - 40, 2, 38, 11, "back-line", 2),
            text(WIDTH - MARGIN - 21, 11.5, deck["size"], 11, "back-sum mid"),
            cls="deck",
            data_size=deck["size"],
        ),
        text(WIDTH - MARGIN - 48, 11.5, look.say("deck"), SMALLEST, "soft end"),
    ]
    wide = (WIDTH - 2 * MARGIN + 6) / MARKET["open_cards"]
    for place, card in enumerate(view["open"]):
        row, column = divmod(place, MARKET["open_cards"])
        x, y = MARGIN + wide * column, 22 + (CARD_HIGH + 6) * row
        number = card["workshop"]
        parts.append(_card(card, look, x, y, wide - 6, number == up, number in may))
    y = 22 + (CARD_HIGH + 6) * -(-len(view["open"]) // MARKET["open_cards"])
    if view["future"]:
        parts.append(fitted(MARGIN, y + 13, look.say("to come"), SMALLEST, 46, "soft"))
        parts += [
            _chip(card, look, MARGIN + 48 + 46 * place, y)
            for place, card in enumerate(view["future"])
        ]
        y += 24
    if auction is not None:
        parts.append(group(*_bidding(auction, look, y), cls="bidding"))
        y += 26
    return look.say("Workshops"), parts, y


def _bidding(auction: Plain, look: Look, y: float) -> list[str]:
    if auction["workshop"] is not None:
        caption = look.say(
            "No. {workshop}: {bid} L by {leader}",
            workshop=auction["workshop"],
            bid=auction["bid"],
            leader=look.named(auction["leader"], GUILD),
        )
    elif auction["decree_waits"] or auction["decree"] is not None:
        caption = look.say("Auction: a workshop is to be named (royal decree)")
    else:
        caption = look.say("Auction: a workshop is to be named")
    first = WIDTH - MARGIN - 14 - 18 * (len(auction["bidders"]) - 1)
    parts = [rect(MARGIN, y, WIDTH - 2 * MARGIN, 26, "panel", 5)]
    if look.did("raise", "drop", "decline"):
        parts.append(recent("rect", x=MARGIN, y=y, width=WIDTH - 2 * MARGIN, height=26, rx=5))
    return [
        *parts,
        fitted(MARGIN + 8, y + 17, caption, 11, first - 20 - MARGIN, "bold"),
        *(
            shield(seat, first + 18 * place, y + 13, 0.85)
            for place, seat in enumerate(auction["bidders"])
        ),
    ]


def _card(card: Plain, look: Look, x: float, y: float, wide: float, up: bool, may: bool) -> str:
    number, shop = card["workshop"], CARD[card["workshop"]]
    least = look.say("from {bid} L", bid=card["lowest_bid"])
    inside = [
        rect(0, 0, wide, CARD_HIGH, "acts" if up else "panel", 6),
        text(8, 23, number, 20, "head"),
        fitted(8, 38, look.called(shop["names"]), SMALLEST, wide - 12, "bold"),
        *_work(shop, 8, 52),
        text(
            8,
            71,
            f"{least} ♛" if card["decree"] else least,
            SMALLEST,
            "bold" if card["decree"] else "soft",
        ),
    ]
    if may:
        inside.append(rect(2, 2, wide - 4, CARD_HIGH - 4, "may", 5))
    if look.did("name_workshop").get("workshop") == number:
        inside.append(recent("rect", width=wide, height=CARD_HIGH, rx=6))
    return spot(
        f"{_shop_told(number, look)}; {least}",
        *inside,
        cls="card",
        data_workshop=number,
        transform=at(x, y),
    )


def _shop_told(number: int, look: Look) -> str:
    """Returns a workshop's number and name, what it needs and how many cities it supplies."""
    shop = CARD[number]
    name, cities = look.called(shop["names"]), shop["cities"]
    if not shop["uses"]:
        return look.say(
            "Workshop {number}, {name}: needs nothing, supplies {cities}",
            number=number,
            name=name,
            cities=cities,
        )
    materials = f" {look.say('or')} ".join(look.called(NAMES[each]) for each in shop["uses"])
    return look.say(
        "Workshop {number}, {name}: needs {amount} {materials}, supplies {cities}",
        number=number,
        name=name,
        amount=shop["amount"],
        materials=materials.lower(),
        cities=cities,
    )


def _work(shop: dict[str, Any], x: float, y: float) -> list[str]:
    """What a workshop takes and how many cities it supplies."""
    parts = []
    if shop["uses"]:
        parts.append(text(x, y + 4, shop["amount"], 12, "bold"))
        x += 18
        for name in shop["uses"]:
            parts.append(material(name, x, y, 0.9))
            x += 17
    else:
        parts.append(path(star(8, 7, 4.5), "wheel", transform=at(x + 7, y)))
        x += 26
    parts.append(text(x - 5, y + 4, "→", 11, "soft"))
    parts.append(
        path(
            "M0 5v-7h2.5v-3h3v3h2v-4h3v11z",
            "town",
            transform=at(x + 9, y - 1),
        )
    )
    parts.append(text(x + 23, y + 4, shop["cities"], 12, "bold"))
    return parts


def _chip(card: int, look: Look, x: float, y: float, may: bool = False, last: bool = False) -> str:
    """A workshop in short: its number and what it takes."""
    shop = CARD[card]
    inside = [rect(0, 0, 43, 19, "hole", 4), text(4, 14, card, 12, "bold")]
    if shop["uses"]:
        inside += [
            material(name, 34 - 9 * place, 9.5, 0.6)
            for place, name in enumerate(reversed(shop["uses"]))
        ]
    else:
        inside.append(path(star(8, 6.5, 4), "wheel", transform=at(31, 9.5)))
    if may:
        inside.append(rect(0, 0, 43, 19, "may", 4))
    if last:
        inside.append(recent("rect", width=43, height=19, rx=4))
    title = _shop_told(card, look)
    return spot(title, *inside, cls="card", data_workshop=card, transform=at(x, y))


def guilds(view: Plain, look: Look) -> Part:
    """Returns a line for each guild."""
    parts = [text(MARGIN, 12, look.say("Guilds"), 13, "head")]
    for seat, guild in enumerate(view["guilds"]):
        money, cities = guild["money"], len(guild["cities"])
        title = look.say(
            "{name}: {money} L; {cities} cities; workshops {workshops}",
            name=look.named(seat, GUILD),
            money=money,
            cities=cities,
            workshops=look.listed(guild["workshops"]),
        )
        parts.append(
            spot(
                title,
                *_guild(guild, seat, seat in view["to_act"], look),
                cls="guild",
                data_seat=seat,
                transform=at(0, 20 + LINE * seat),
            )
        )
    return look.say("Guilds"), parts, 20 + LINE * len(view["guilds"])


def _guild(guild: Plain, seat: int, acts: bool, look: Look) -> list[str]:
    supplied = look.say(
        "{cities} cities, {supplied} supplied",
        cities=len(guild["cities"]),
        supplied=guild["supplied"],
    )
    own = [
        move["command"] for move in look.may("discard_workshop", "produce") if move["seat"] == seat
    ]
    may = {shop for command in own for shop in _shops(command)}
    last = _shops(look.did("produce")) | _shops(look.did("name_workshop"))
    parts = [
        rect(MARGIN, 0, WIDTH - 2 * MARGIN, LINE - 5, "acts" if acts else "panel", 6),
        recent("circle", cx=MARGIN + 15, cy=16, r=12.5) if look.moved(seat) else "",
        shield(seat, MARGIN + 15, 16, 1.15),
        text(MARGIN + 30, 16, look.named(seat, GUILD), 12, "bold"),
        text(WIDTH - MARGIN - 9, 18, f"{guild['money']} L", 15, "head end"),
        text(WIDTH - MARGIN - 9, 37, supplied, SMALLEST, "soft end"),
        *(
            _chip(card, look, MARGIN + 30 + 46 * place, 23, card in may, card in last)
            for place, card in enumerate(guild["workshops"])
        ),
    ]
    held = [(name, units) for name, units in guild["stock"].items() if units]
    stock = []
    for place, (kind, units) in enumerate(held):
        x = MARGIN + 200 + 36 * place
        stock.append(material(kind, x, 12, 0.9))
        stock.append(text(x + 11, 16, units, 11, "bold", data_material=kind))
    if any(move["seat"] == seat for move in look.may("keep_stock")):
        stock.append(rect(MARGIN + 188, 2, 36 * len(held) + 4, 19, "may", 4))
    return [*parts, group(*stock, cls="stock")]


def _shops(command: Plain) -> set[int]:
    """Returns the workshops that a command names."""
    named = {run["workshop"] for run in command.get("runs", ())}
    return named | ({command["workshop"]} if "workshop" in command else set())
