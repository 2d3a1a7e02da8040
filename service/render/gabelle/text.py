"""A game of Gabelle as text: the round, the map as a list, market, cards and guilds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from ...rules.plain import Plain

NONE: Final = "–"


def text(view: Plain) -> str:
    """Returns the table as lines of text."""
    parts = (head(view), cities(view), market(view), cards(view), guilds(view))
    return "\n\n".join("\n".join(part) for part in parts)


def head(view: Plain) -> list[str]:
    """Returns the lines about the round: phase, stage, order, thresholds, event."""
    limits = view["thresholds"]
    lines = [
        f"round {view['round']}, {view['phase']}, stage {view['stage']}; "
        f"order {_listed(view['order'])}; to act {_listed(view['to_act'])}",
        f"largest network {limits['largest_network']}; stage 2 from {limits['stage_2_cities']} "
        f"cities, the end from {limits['end_cities']}",
    ]
    event = view["event"]
    if event is not None:
        where = "" if event["region"] is None else f" in {event['region']}"
        lines.append(f"event: {event['id']}{where}")
    return lines


def cities(view: Plain) -> list[str]:
    """Returns a line for each city in play: octroi, posts, routes with their present tolls."""
    routes: dict[str, list[str]] = {city["id"]: [] for city in view["cities"]}
    for route in view["routes"]:
        way = "~" if route["kind"] == "river" else "="
        for here, there in ((route["a"], route["b"]), (route["b"], route["a"])):
            routes[here].append(f"{way}{route['toll']}{way} {there}")
    rows = [
        (
            city["id"] + ("*" if city["fair"] else "") + ("!" if city["quarantined"] else ""),
            city["region"],
            _shown(city["octroi"]),
            _listed(city["posts"]),
            ", ".join(routes[city["id"]]),
        )
        for city in view["cities"]
    ]
    heading = ("city", "region", "octroi", "posts", "= roads, ~ rivers (* fair town, ! quarantine)")
    return _table([heading, *rows])


def market(view: Plain) -> list[str]:
    """Returns a line for each shelf: its stock and the prices of the next units."""
    rows = [
        (
            shelf["material"],
            f"{shelf['stock']}/{shelf['capacity']}",
            _listed(shelf["prices"][:8]) + (" …" if len(shelf["prices"]) > 8 else ""),
        )
        for shelf in view["shelves"]
    ]
    return _table([("material", "stock", "prices"), *rows])


def cards(view: Plain) -> list[str]:
    """Returns the lines about workshops on sale, the deck and the auction."""
    sale = _listed(f"{card['workshop']} from {card['lowest_bid']} L" for card in view["open"])
    lines = [f"workshops on sale: {sale}; {view['deck']['size']} in the deck"]
    if view["future"]:
        lines.append(f"to come: {_listed(view['future'])}")
    auction = view["auction"]
    if auction is not None and auction["workshop"] is not None:
        lines.append(
            f"workshop {auction['workshop']} is up: guild {auction['leader']} bids "
            f"{auction['bid']} L; bidding {_listed(auction['bidders'])}"
        )
    return lines


def guilds(view: Plain) -> list[str]:
    """Returns a line for each guild: money, workshops, materials, network, cities supplied."""
    rows = [
        (
            str(seat),
            f"{guild['money']} L",
            _listed(guild["workshops"]),
            _listed(f"{units} {name}" for name, units in guild["stock"].items() if units),
            f"{len(guild['cities'])} cities",
            f"{guild['supplied']} supplied",
        )
        for seat, guild in enumerate(view["guilds"])
    ]
    return _table([("guild", "money", "workshops", "stock", "network", "production"), *rows])


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def _listed(values: Iterable[object]) -> str:
    return ", ".join(map(str, values)) or NONE


def _shown(value: object) -> str:
    return NONE if value is None else str(value)
