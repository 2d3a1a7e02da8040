"""Gabelle as a picture: what stands in the view stands on map, market and panels."""

from __future__ import annotations

import copy
import itertools
from typing import Any

import pytest

from service.render.gabelle import map as gabelle_map
from service.rules.gabelle import RULESET
from service.rules.gabelle.tables import EVENT_IDS, MAP, REGION_SETS
from tests.render.pictures import drawn, positions, those, words

NAME = RULESET.id


def middle(seats: int = 4, place: int = 60) -> Any:
    """A view of a random game."""
    view, _ = next(itertools.islice(positions(RULESET, seats, 1), place, None))
    return copy.deepcopy(view)


@pytest.mark.broad
def test_what_the_view_tells_is_in_the_picture() -> None:
    for seats in (2, 5, 8):
        for view, moves in positions(RULESET, seats, 2, every=31):
            check(view, moves)


def check(view: Any, moves: Any) -> None:
    root = drawn(NAME, view, (), moves)
    assert len(those(root, "city")) == len(view["cities"])
    for city in view["cities"]:
        (found,) = those(root, "city", city=city["id"])
        assert [int(post.attrib["data-seat"]) for post in those(found, "post")] == city["posts"]
        octroi = [] if city["octroi"] is None else [str(city["octroi"])]
        assert words(found)[: len(octroi)] == octroi
        assert len(those(found, "fair")) == city["fair"]
        assert len(those(found, "ill")) == city["quarantined"]
    assert len(those(root, "route")) == len(view["routes"])
    for route in view["routes"]:
        (found,) = those(root, "route", a=route["a"], b=route["b"])
        assert words(found) == [str(route["toll"])]
        assert route["kind"] in found.attrib["class"].split()
    assert [each.attrib["data-region"] for each in those(root, "region")] == view["regions"]
    for shelf in view["shelves"]:
        (found,) = those(root, "shelf", material=shelf["material"])
        assert len(those(found, "unit")) == shelf["stock"] + 1, "the units and the sign"
        assert f"{shelf['stock']}/{shelf['capacity']}" in words(found)
        now = [each for each in those(found, "price") if those(each, "next")]
        prices = [int(each.attrib["data-price"]) for each in now]
        assert prices == shelf["prices"][:1]
    for card in view["open"]:
        assert those(root, "card", workshop=card["workshop"])
    assert those(root, "deck", size=view["deck"]["size"])
    for seat, guild in enumerate(view["guilds"]):
        (line,) = those(root, "guild", seat=seat)
        assert f"{guild['money']} L" in words(line)
        assert [int(c.attrib["data-workshop"]) for c in those(line, "card")] == guild["workshops"]
        assert ("acts" in str([e.attrib for e in line])) == (seat in view["to_act"])
    check_marks(root, view, moves)


def check_marks(root: Any, view: Any, moves: Any) -> None:
    """Marked is what moves are about, and nothing else."""
    commands = [move["command"] for move in moves]

    def about(field: str, *types: str) -> set[Any]:
        return {command[field] for command in commands if command["type"] in types}

    def marked(cls: str, data: str) -> set[str]:
        return {each.attrib[f"data-{data}"] for each in those(root, cls) if those(each, "may")}

    assert marked("city", "city") == about("city", "build")
    assert marked("shelf", "material") == about("material", "buy")
    shops = about("workshop", "name_workshop", "discard_workshop")
    shops |= {run["workshop"] for each in commands for run in each.get("runs", ())}
    if about("bid", "raise"):
        shops.add(view["auction"]["workshop"])
    assert marked("card", "workshop") == set(map(str, shops))
    keeping = {move["seat"] for move in moves if move["command"]["type"] == "keep_stock"}
    lines = [(seat, those(root, "guild", seat=seat)[0]) for seat in range(len(view["guilds"]))]
    stocks = {seat for seat, line in lines if those(those(line, "stock")[0], "may")}
    assert stocks == keeping
    assert those(root, "last") == []


def last(view: Any, seat: int | None, command: Any) -> list[tuple[str, str]]:
    """What is marked after a move: classes and ids of what the marks are in."""
    root = drawn(NAME, view, (), (), {"seat": seat, "command": command})
    marked = []
    for cls, data in (
        *(("city", "city"), ("shelf", "material"), ("card", "workshop"), ("guild", "seat")),
        ("bidding", ""),
    ):
        for each in those(root, cls):
            inner = [part for card in those(each, "card") for part in those(card, "last")]
            own = [part for part in those(each, "last") if cls == "card" or part not in inner]
            if own:
                marked.append((cls, each.attrib.get(f"data-{data}", "")))
    return marked


def test_the_last_move_is_marked() -> None:
    view = middle()
    city, card = view["cities"][3]["id"], view["open"][1]["workshop"]
    view["guilds"][1]["workshops"] = [3, 5]
    view["auction"] = {
        "workshop": card,
        "bid": 31,
        "leader": 2,
        "bidders": [0, 2],
        "decree": None,
        "decree_waits": False,
    }
    assert last(view, 2, {"type": "build", "city": city}) == [("city", city), ("guild", "2")]
    bought = {"type": "buy", "material": "wool", "units": 2}
    assert last(view, 0, bought) == [("shelf", "wool"), ("guild", "0")]
    named = {"type": "name_workshop", "workshop": card, "bid": 31}
    assert last(view, 2, named) == [("card", str(card)), ("guild", "2")]
    assert last(view, 3, {"type": "raise", "bid": 32}) == [("guild", "3"), ("bidding", "")]
    ran = {"type": "produce", "runs": [{"workshop": 5}]}
    assert last(view, 1, ran) == [("card", "5"), ("guild", "1")]
    assert last(view, 1, {"type": "end_buying"}) == [("guild", "1")]
    assert last(view, None, {"type": "end_buying"}) == []


@pytest.mark.parametrize("event", EVENT_IDS)
def test_the_event_is_told(event: str) -> None:
    view = middle()
    region = view["regions"][0]
    view["event"] = {"id": event, "region": region}
    (card,) = those(drawn(NAME, view), "event-card")
    assert card.attrib["data-event"] == event
    view["event"] = None
    assert those(drawn(NAME, view), "event-card") == []


def test_tolls_that_rose_and_quarantine_are_marked() -> None:
    view = middle()
    assert those(drawn(NAME, view), "dear") == []
    roads = [route for route in view["routes"] if route["kind"] == "road" and route["toll"]]
    for route in roads:
        route["toll"] *= 2
    region = view["regions"][1]
    ill = [city for city in view["cities"] if city["region"] == region]
    for city in ill:
        city["quarantined"] = True
    root = drawn(NAME, view)
    assert len(those(root, "dear")) == len(roads)
    (found,) = those(root, "quarantined")
    assert found.attrib["data-region"] == region
    assert len(those(root, "ill")) == len(ill)


def test_the_auction() -> None:
    view = middle()
    card = view["open"][0]["workshop"]
    view["auction"] = {
        "workshop": None,
        "bid": None,
        "leader": None,
        "bidders": [0, 2],
        "decree": None,
        "decree_waits": False,
    }
    assert "Auction: a workshop is to be named" in words(drawn(NAME, view))
    view["auction"]["decree_waits"] = True
    assert "Auction: a workshop is to be named (royal decree)" in words(drawn(NAME, view))
    view["auction"].update(workshop=card, bid=31, leader=2, decree_waits=False)
    assert f"No. {card}: 31 L by Ana" in words(drawn(NAME, view, [None, None, "Ana"]))


def test_what_is_to_come_and_limits_are_told() -> None:
    view = middle()
    view["future"] = [13, 29]
    view["open"][0]["decree"] = True
    view["shelves"][3]["most_per_guild"] = 2
    root = drawn(NAME, view)
    assert "to come" in words(root)
    assert those(root, "card", workshop=13)
    assert "≤2" in words(root)
    assert any(word.endswith("♛") for word in words(root))


def test_eight_rich_guilds_fit() -> None:
    view = middle(8, 40)
    for seat, guild in enumerate(view["guilds"]):
        guild.update(
            money=12_345,
            workshops=[46, 44, 50, 42],
            stock={"wood": 14, "iron": 14, "wool": 12, "salt": 8},
            cities=[city["id"] for city in view["cities"]],
            supplied=len(view["cities"]),
        )
        for city in view["cities"][seat::8]:
            city["posts"], city["octroi"] = [seat, (seat + 1) % 8, (seat + 2) % 8], None
    root = drawn(NAME, view, ["W" * 80] * 8)
    assert len(those(root, "post")) == 3 * len(view["cities"])
    assert len(those(root, "guild")) == 8


@pytest.mark.parametrize("size", REGION_SETS)
def test_maps_of_all_regions_lie_on_the_sheet(size: int) -> None:
    names = [region["id"] for region in MAP["regions"]]
    for numbers in REGION_SETS[size]:
        regions = tuple(names[number] for number in numbers)
        shown = gabelle_map.land(regions)
        cities = [city["id"] for city in MAP["cities"] if city["region"] in regions]
        assert list(shown.cities) == list(shown.names) == cities
        assert list(shown.titles) == list(regions)
        for x, y in [*shown.cities.values(), *(way.toll for way in shown.ways.values())]:
            assert 0 < x < 440
            assert 0 < y < shown.height


def test_regions_share_the_whole_land() -> None:
    """Each city lies in its own cell, and cells are as large as all the land together."""
    cells = gabelle_map._cells()
    left, top, right, bottom = MAP["box"]
    whole = (right - left + 2 * gabelle_map.FAR) * (bottom - top + 2 * gabelle_map.FAR)
    area = 0.0
    for _, cell in cells:
        area += (
            abs(
                sum(
                    x * ny - nx * y
                    for (x, y), (nx, ny) in zip(cell, cell[1:] + cell[:1], strict=True)
                )
            )
            / 2
        )
    assert area == pytest.approx(whole)
    assert len(cells) == len(MAP["cities"])
    everything = tuple(region["id"] for region in MAP["regions"])
    assert (
        gabelle_map.border(everything).count("M")
        > gabelle_map.border(everything[:1]).count("M")
        > 10
    )
