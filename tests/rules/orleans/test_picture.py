"""Orléans as a picture: what stands in the view stands on map, tracks, deeds and boards."""

from __future__ import annotations

import copy
from typing import Any

from service.render.orleans import chart
from service.rules.orleans import RULESET
from service.rules.orleans.tables import MAP
from tests.render.pictures import drawn, positions, those, words

from .table import Table

NAME = RULESET.id


def view_of(table: Table) -> Any:
    return copy.deepcopy(RULESET.view(table.state))


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
    ways = {m["command"].get("link") for m in moves} - {None}
    assert {each.attrib["data-link"] for each in those(root, "may-go")} == ways
    puts = [m for m in moves if m["command"]["type"] in ("place_follower", "place_technology")]
    spaces = {(m["seat"], m["command"]["place"], m["command"]["space"]) for m in puts}
    assert len([each for each in those(root, "space") if those(each, "may")]) == len(spaces)


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
    assert "Torture, 3 coins missing; to act: Seat 1" in words(drawn(NAME, view))
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
    command = {"type": "use_place", "place": "farm_house", "link": None}
    root = drawn(NAME, view, (), [{"seat": 1, "command": command}])
    used = [each for each in those(root, "place") if those(each, "acts")]
    assert [each.attrib["data-place"] for each in used] == ["farm_house"]


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
