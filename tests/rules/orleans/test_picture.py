"""Orléans as a picture: what stands in the view stands on map, tracks, deeds and boards."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from service.render.orleans import chart, things
from service.rules import described
from service.rules.described import Command
from service.rules.orleans import RULESET
from service.rules.orleans.commands import (
    Delivery,
    DrawFollowers,
    Give,
    PlaceFollower,
    UsePlace,
    UseSacristy,
)
from service.rules.orleans.tables import MAP, PLACE, PLACE_ASKS
from tests.render.pictures import drawn, positions, those, words

from .table import Table

NAME = RULESET.id


def view_of(table: Table) -> Any:
    return copy.deepcopy(RULESET.view(table.state))


@pytest.mark.broad
def test_what_the_view_tells_is_in_the_picture() -> None:
    for seats in RULESET.seats:
        for view, moves in positions(RULESET, seats, 6, every=211):
            check(view, moves)


def check(view: Any, moves: Any) -> None:
    root = drawn(NAME, view, (), moves)
    assert {each.attrib["data-link"] for each in those(root, "link")} == set(view["goods"])
    for link, goods in view["goods"].items():
        found = {
            int(each.attrib["data-space"]): each.attrib["data-good"]
            for each in those(root, "good", link=link)
        }
        assert found == {space: good for space, good in enumerate(goods) if good is not None}
    for town, seats in view["trading_stations"].items():
        (found_town,) = those(root, "town", town=town)
        assert [int(e.attrib["data-seat"]) for e in those(found_town, "station")] == seats
    assert len(those(root, "merchant")) == len(view["seats"])
    for number, seat in enumerate(view["seats"]):
        assert len(those(root, "marker", seat=number)) == 7, "development and six tracks"
        (space,) = those(root, "development", space=seat["development"]["space"])
        assert those(space, "marker", seat=number)
        (board,) = those(root, "board", seat=number)
        assert [e.attrib["data-place"] for e in those(board, "place")] == list(seat["places"])
        check_board(board, seat)
    for deed, slots in view["deeds"].items():
        (card,) = those(root, "deed", deed=deed)
        for kind, count in slots.items():
            assert len(those(card, kind)) == count["filled"]
        assert len(those(card, "ask")) == sum(count["free"] for count in slots.values())
    for name, owner in view["citizens"].items():
        (mark,) = those(root, "citizen", citizen=name)
        assert mark.attrib.get("data-seat") == (None if owner is None else str(owner))
    for event, left in view["hourglass"].items():
        (chip,) = those(root, "event", event=event)
        assert f"×{left}" in words(chip)
        assert bool(those(chip, "now")) == (event == view["event"])
    check_marks(root, view, moves)


def check_marks(root: Any, view: Any, moves: Any) -> None:
    """Marked is what moves are about, and nothing else."""
    commands = [move["command"] for move in moves]

    def about(field: str, type: str = "use_place") -> set[Any]:
        return {each[field] for each in commands if each["type"] == type} - {None}

    def marked(within: Any, cls: str, data: str) -> set[str]:
        return {each.attrib[f"data-{data}"] for each in those(within, cls) if those(each, "may")}

    assert {each.attrib["data-link"] for each in those(root, "may-go")} == about("link")
    taken = {(c["link"], c["good"]) for c in commands if c["type"] == "use_place" and c["good"]}
    goods = [each for each in those(root, "good") if those(each, "may")]
    assert {(each.attrib["data-link"], each.attrib["data-good"]) for each in goods} == taken
    sent = {each["deed"] for move in commands for each in move.get("deliveries") or ()}
    assert marked(root, "deed", "deed") == sent
    assert marked(root, "track", "track") == about("recruit")
    (supply,) = those(root, "supply")
    tiles = {each.attrib["data-place"] for each in those(supply, "place") if those(each, "acts")}
    assert tiles == about("tile")
    building = "guildhall" in about("place")
    assert len(marked(root, "town", "town")) == building + len(about("from", "give") - {"reserve"})
    for seat in range(len(view["seats"])):
        (board,) = those(root, "board", seat=seat)
        own = [move["command"] for move in moves if move["seat"] == seat]
        spaces = {(each["place"], each["space"]) for each in own if "space" in each}
        found = {
            (place.attrib["data-place"], int(space.attrib["data-space"]))
            for place in those(board, "place")
            for space in those(place, "space")
            if those(space, "may")
        }
        assert found == spaces
        (bag,) = those(board, "bag")
        assert bool(those(bag, "may")) == any(each["type"] == "draw" for each in own)
        put = {each["follower"] for each in own if each["type"] == "place_follower"}
        held = {name.removeprefix("starting_") for name in marked(board, "held", "follower")}
        assert held == put
        used = {each["place"] for each in own if each["type"] == "use_place"}
        edged = {e.attrib["data-place"] for e in those(board, "place") if those(e, "acts")}
        assert used <= edged
    assert those(root, "last") == []


def check_board(board: Any, seat: Any) -> None:
    assert str(seat["coins"]) in words(board)
    assert {e.attrib["data-good"]: int(e.attrib["data-count"]) for e in those(board, "goods")} == {
        good: count for good, count in seat["goods"].items() if count
    }
    assert sorted(e.attrib["data-follower"] for e in those(board, "held")) == sorted(
        [*seat["market"], *seat["bag"]]
    )
    for place, spaces in seat["places"].items():
        (card,) = those(board, "place", place=place)
        found = those(card, "space")
        assert len(found) == len(spaces)
        for drawn_space, there in zip(found, spaces, strict=True):
            if there is None:
                assert those(drawn_space, "ask")
            elif "technology" in there:
                assert those(drawn_space, "gear")
            else:
                assert those(drawn_space, there["follower"])
                assert bool(those(drawn_space, "first")) == there["starting"]


def test_who_is_to_act() -> None:
    view = view_of(Table(seats=2))
    assert "Planning; to act: Ana, Seat 1" in words(drawn(NAME, view, ["Ana"]))
    view["seats"][0]["done"] = True
    assert "Planning; to act: Seat 1" in words(drawn(NAME, view))
    view["seat"], view["waiting_for"] = 0, "actions"
    assert "Actions; to act: Seat 0" in words(drawn(NAME, view))
    view["torture"], view["waiting_for"] = {"seat": 1, "missing": 3}, "torture"
    assert "Torture, coins missing: 3; to act: Seat 1" in words(drawn(NAME, view))
    view["torture"], view["waiting_for"], view["phase"] = None, None, "over"
    assert "Over; to act: nobody" in words(drawn(NAME, view))


def test_four_seats_with_all_stations_in_one_place() -> None:
    view = view_of(Table(seats=4))
    view["trading_stations"] = {town["id"]: [0, 1, 2, 3] for town in MAP["towns"]}
    view["place_tiles"]["I"] = []
    for number, seat in enumerate(view["seats"]):
        seat.update(merchant="orleans", citizens=9, coins=200, aside="monk", technology=5)
        seat["stations"] = {"built": 10, "reserve": 0, "gone": 0}
        seat["bag"] = {"farmer": 12, "starting_farmer": 1, "knight": 14}
        view["citizens"] = dict.fromkeys(view["citizens"], number)
    root = drawn(NAME, view, ["M" * 80] * 4)
    assert len(those(root, "station")) >= 4 * len(MAP["towns"])
    assert "none left" in words(root)
    assert "aside" in words(root)
    assert "10/10" in words(root)


def test_a_place_that_can_be_used_is_marked() -> None:
    view = view_of(Table(seats=2))
    command = described.dump_command(UsePlace("farm_house"))
    root = drawn(NAME, view, (), [{"seat": 1, "command": command}])
    used = [each for each in those(root, "place") if those(each, "acts")]
    assert [each.attrib["data-place"] for each in used] == ["farm_house"]


def test_what_a_place_may_bring_is_marked() -> None:
    view = view_of(Table(seats=2))
    link, good = next((link, goods[0]) for link, goods in view["goods"].items() if goods[0])
    view["seats"][0]["places"]["castle"][0] = {"technology": True}
    sent = (Delivery(0, "canalization", "coin"), Delivery(1, "cathedral", "coin"))
    uses = [
        *(UsePlace("castle", "knight"), UsePlace("village", "trader", "library")),
        *(UsePlace("wagon", link=link), UsePlace("wagon", link=link, good=good)),
        *(UsePlace("town_hall", deliveries=sent), UsePlace("guildhall"), UseSacristy()),
    ]
    view["seats"][0]["places"]["sacristy"] = [None] * len(PLACE_ASKS[PLACE["sacristy"]])
    moves = [{"seat": 0, "command": described.dump_command(each)} for each in uses]
    root = drawn(NAME, view, (), moves)
    check_marks(root, view, moves)
    (board,) = those(root, "board", seat=0)
    edged = [each.attrib["data-place"] for each in those(board, "place") if those(each, "acts")]
    assert edged == ["village", "castle", "wagon", "guildhall", "town_hall", "sacristy"]
    (castle,) = those(board, "place", place="castle")
    assert those(castle, "gear")
    (town,) = [each for each in those(root, "town") if those(each, "may")]
    assert town.attrib["data-town"] == view["seats"][0]["merchant"]


def test_what_may_be_given_for_a_missing_coin_is_marked() -> None:
    view = view_of(Table(seats=2))
    view["trading_stations"] = {"tours": [0, 1]}
    view["seats"][0]["goods"]["grain"] = 1
    view["seats"][0]["places"]["cellar"] = [None] * len(PLACE_ASKS[PLACE["cellar"]])
    given = [
        *(Give("trading_station", "reserve"), Give("trading_station", "tours")),
        *(Give("follower"), Give("development"), Give("good", good="grain")),
        *(Give("place_tile", tile="cellar"), Give("technology")),
        Give("technology", place="castle"),
    ]
    moves = [{"seat": 0, "command": described.dump_command(each)} for each in given]
    root = drawn(NAME, view, (), moves)
    mine, other = (those(root, "board", seat=seat)[0] for seat in range(2))
    assert those(other, "may") == []
    for cls in ("station", "market", "status", "technology", "goods"):
        (one,) = those(mine, cls)
        assert those(one, "may"), cls
    places = [each.attrib["data-place"] for each in those(mine, "place") if those(each, "acts")]
    assert places == ["castle", "cellar"]
    (town,) = those(root, "town", town="tours")
    assert [bool(those(each, "may")) for each in those(town, "station")] == [True, False]


def test_followers_drawn_by_the_bathhouse_are_shown() -> None:
    view = view_of(Table(seats=2))
    view["seat"], view["bathhouse"] = 1, {"drawn": {"monk": 1, "farmer": 1}, "placed": 0}
    command = described.dump_command(PlaceFollower("monk", False, "castle", 0))
    root = drawn(NAME, view, (), [{"seat": 1, "command": command}])
    assert words(root).count("drawn") == 1
    (marked,) = [each for each in those(root, "held") if those(each, "may")]
    assert marked.attrib["data-follower"] == "monk"


def last(view: Any, seat: int | None, command: Command) -> list[str]:
    """What is marked after a move: ids of what the marks are in, seats by their numbers."""
    move = {"seat": seat, "command": described.dump_command(command)}
    root = drawn(NAME, view, (), (), move)
    found = []
    for cls, data in (
        *(("town", "town"), ("track", "track"), ("deed", "deed"), ("place", "place")),
        ("space", "space"),
    ):
        for each in those(root, cls):
            inner = [part for space in those(each, "space") for part in those(space, "last")]
            if [part for part in those(each, "last") if cls == "space" or part not in inner]:
                found.append(each.attrib[f"data-{data}"])
    boards = [those(root, "board", seat=number)[0] for number in range(len(view["seats"]))]
    circles = [
        str(number)
        for number, board in enumerate(boards)
        if any(part[0].tag.endswith("circle") for part in those(board, "last"))
    ]
    way = [part for part in those(root, "last") if part[0].tag.endswith("path")]
    return [*found, *("a way" for _ in way), *circles]


def test_the_last_move_is_marked() -> None:
    view = view_of(Table(seats=2))
    assert last(view, 1, DrawFollowers(3)) == ["1"]
    assert last(view, 0, PlaceFollower("monk", False, "castle", 1)) == ["1", "0"]
    assert last(view, 0, UsePlace("castle", "knight")) == ["knight", "castle", "0"]
    assert last(view, 0, UsePlace("guildhall")) == ["orleans", "guildhall", "0"]
    link = MAP["links"][0]["id"]
    assert last(view, 1, UsePlace("ship", link=link)) == ["ship", "a way", "1"]
    sent = (Delivery(0, "canalization", "coin"),)
    assert last(view, 1, UsePlace("town_hall", deliveries=sent)) == [
        "canalization",
        "town_hall",
        "1",
    ]
    view["seats"][1]["places"]["sacristy"] = [None]
    assert last(view, 1, UseSacristy()) == ["sacristy", "1"]
    assert last(view, None, UsePlace("guildhall")) == []


def test_letters_of_followers_differ_in_every_language() -> None:
    for language in ("en", "pt", "fr"):
        letters = things.letters(language)
        assert len(set(letters.values())) == len(letters)
    assert things.letters("en")["craftsman"] == "C"
    assert things.letters("pt")["knight"] == "V"


def test_the_chart_has_all_towns_and_links() -> None:
    shown = chart.chart()
    assert set(chart.TOWNS) == set(shown.names) == {town["id"] for town in MAP["towns"]}
    assert set(shown.ways) == {link["id"] for link in MAP["links"]}
    assert len(set(shown.ways.values())) == len(shown.ways)
    for place, (x, y) in chart.TOWNS.items():
        assert 0 < x < 440
        assert 0 < y < chart.HEIGHT
        for other, (ox, oy) in chart.TOWNS.items():
            assert place == other or (x - ox) ** 2 + (y - oy) ** 2 > 30**2
