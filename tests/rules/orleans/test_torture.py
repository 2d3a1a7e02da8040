"""Torture (O-7)."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.orleans import RULESET
from service.rules.orleans.tables import KIND, STACKS

from .invariants import conserved
from .table import Table


def tortured(missing: int = 1, options: dict[str, Any] | None = None, **hands: Any) -> Table:
    """Returns a table whose seat 0 must give for this many coins in a Harvest."""
    table = Table(**(options or {}))
    for name, value in hands.items():
        getattr(table, name)(*value)
    table.seat(0).coins = 5 - missing
    table.seat(1).coins = 50
    table.resolve("harvest")
    assert table.state.debt == missing
    return table


def given(table: Table) -> list[dict[str, Any]]:
    """Returns what may be given, with the fields stated."""
    return [
        {name: value for name, value in one.items() if value is not None}
        for one in table.listed("give")
    ]


def test_coins_first_then_one_item_for_each_coin() -> None:
    """O-7.1: freely chosen and mixed, one after the other."""
    table = tortured(3)
    me = table.seat()
    assert me.coins == 0
    me.development = 2
    table.goods(0, wool=1)
    table.send(0, "give", item="development")
    assert (me.development, table.state.debt) == (1, 2)
    table.send(0, "give", item="good", good="wool")
    assert table.state.debt == 1
    table.send(0, "give", item="trading_station", **{"from": "reserve"})
    assert table.state.debt == 0
    assert table.state.round == 2
    conserved(table.state)


def test_everything_that_can_be_given_is_offered() -> None:
    """O-7.1: stations of both sorts, follower, point, goods, tiles, technology of both sorts."""
    table = Table()
    table.tile("winery", "school")
    table.stations("tours", "orleans")
    table.bag("knight")
    table.technology("castle", 0)
    table.seat().technology = 1
    table.state.technology -= 1
    table.seat().development = 2
    table.goods(0, wool=2, brocade=1)
    table.seat().coins = 0
    table.seat(1).coins = 50
    table.resolve("harvest")
    assert given(table) == [
        {"item": "trading_station", "from": "reserve"},
        {"item": "trading_station", "from": "orleans"},
        {"item": "trading_station", "from": "tours"},
        {"item": "follower"},
        {"item": "development"},
        {"item": "good", "good": "wool"},
        {"item": "good", "good": "brocade"},
        {"item": "place_tile", "tile": "winery"},
        {"item": "place_tile", "tile": "school"},
        {"item": "technology"},
        {"item": "technology", "place": "castle"},
    ]
    assert table.refused(1, "give", item="development") == ("O-7.1", "not_your_turn")
    assert table.refused(0, "use_sacristy") == ("O-7.1", "torture_first")


def test_a_station_in_reserve() -> None:
    """O-7.1: it leaves the game."""
    table = tortured()
    table.send(0, "give", item="trading_station", **{"from": "reserve"})
    assert table.view()["stations"] == {"built": 0, "reserve": 9, "gone": 1}
    conserved(table.state)


def test_a_station_built() -> None:
    """O-7.1, O-7.2: its town is free again."""
    table = tortured(1, stations=("tours", "orleans"))
    assert table.refused(0, "give", item="trading_station", **{"from": "blois"}) == (
        "O-7.2", "nothing_such",
    )  # fmt: skip
    table.send(0, "give", item="trading_station", **{"from": "tours"})
    assert table.view()["stations"] == {"built": 1, "reserve": 8, "gone": 1}
    assert RULESET.view(table.state)["trading_stations"] == {"orleans": [0]}
    conserved(table.state)


def test_another_seat_s_station_cannot_be_given() -> None:
    """O-7.2: not even in Orléans."""
    table = Table()
    table.stations("orleans", seat=1)
    table.seat().coins = 0
    table.resolve("harvest")
    assert table.refused(0, "give", item="trading_station", **{"from": "orleans"}) == (
        "O-7.2", "nothing_such",
    )  # fmt: skip


def test_a_follower_is_drawn_among_the_neutral_ones() -> None:
    """O-7.1: starting ones would only be drawn again; it leaves the game for good."""
    table = Table()
    table.clear()
    table.bag("knight", "monk", "monk")
    table.seat().coins = 3
    table.seat(1).coins = 50
    table.resolve("harvest")
    table.chance.wanted = ["monk"]
    table.send(0, "give", item="follower")
    assert table.last.draws[0].bound == 3
    assert table.told("follower_given") == [{"seat": 0, "follower": "monk"}]
    assert RULESET.view(table.state)["gone"]["followers"]["monk"] == 1
    assert table.seat().bag_size == 6
    assert table.state.debt == 1
    conserved(table.state)
    table.send(0, "give", item="follower")
    assert table.state.debtor < 0
    conserved(table.state)


def test_starting_followers_are_never_given() -> None:
    """O-7.2: with only starting ones in the bag a follower is not offered."""
    table = Table()
    table.clear()
    table.seat().coins = 0
    table.resolve("harvest")
    assert table.refused(0, "give", item="follower") == ("O-7.2", "no_neutral_follower")


@pytest.mark.parametrize("space", range(31))
def test_points_are_not_given_back_onto_coin_spaces(space: int) -> None:
    """O-7.1, O-7.2: not from 0; nor, with `not_onto_coins`, from 8, 13, 26."""
    table = tortured(options={"development_back": "not_onto_coins"})
    table.seat().development = space
    if space in (0, 8, 13, 26):
        wanted = ("O-7.2", "no_point") if space == 0 else ("O-7.1", "coin_space")
        assert table.refused(0, "give", item="development") == wanted
        return
    table.send(0, "give", item="development")
    assert table.seat().development == space - 1


def test_points_can_be_won_again_but_not_their_coins() -> None:
    """O-7.1, O-7.3: only development; coins and citizens of the track stay taken."""
    table = Table()
    table.man("scriptorium")
    table.seat().development = 6
    table.act()
    table.use("scriptorium")
    assert table.told("development_advanced")[0]["coins"] == 3
    table.seat().coins = 0
    table.resolve("harvest")
    table.send(0, "give", item="development")
    assert table.seat().development == 6
    while table.state.debt:
        table.send(0, "give", item="trading_station", **{"from": "reserve"})
    table.seat(1).coins = 50
    while table.state.debt or table.in_event():
        table.send(table.to_act()[0], "give", item="trading_station", **{"from": "reserve"})
    table.man("scriptorium")
    table.planning()
    table.plan()
    table.use("scriptorium")
    assert table.told("development_advanced")[0]["coins"] == 0


def test_a_citizen_stays_taken() -> None:
    """O-7.3: a seat that lost the point keeps the citizen, and nobody gets it again."""
    table = Table()
    for seat in (0, 1):
        table.man("scriptorium", seat=seat)
        table.seat(seat).development = 2
    table.act()
    table.use("scriptorium")
    table.seat().development = 2
    table.use("scriptorium", seat=1)
    assert table.told("citizen_taken") == []
    assert [table.seat(seat).citizens for seat in (0, 1)] == [1, 0]


def test_citizens_are_never_given() -> None:
    """O-7.3: there is no such item."""
    table = tortured()
    table.seat().citizens = 1
    assert "citizen" not in {one["item"] for one in given(table)}


def test_a_good() -> None:
    """O-7.1: it leaves the game, not to the goods market."""
    table = tortured(1, stations=())
    table.goods(0, wool=1)
    market = list(table.state.goods)
    assert table.refused(0, "give", item="good", good="wine") == ("O-7.2", "nothing_such")
    table.send(0, "give", item="good", good="wool")
    assert table.state.goods == market
    conserved(table.state)


def test_a_place_tile_with_followers_and_technology() -> None:
    """O-7.2: its followers go to the bag, the technology on it leaves the game with it."""
    table = Table()
    table.tile("library", "winery")
    table.man("winery", "farmer", "trader")
    table.man("library", "knight")
    table.technology("library", 1)
    table.seat().coins = 3
    table.seat(1).coins = 50
    table.resolve("harvest")
    assert table.refused(0, "give", item="place_tile", tile="school") == ("O-7.2", "nothing_such")
    table.send(0, "give", item="place_tile", tile="library")
    assert table.told("item_given")[0]["returned"] == [{"follower": "knight", "starting": False}]
    assert table.view()["bag"] == {"knight": 1}
    view = RULESET.view(table.state)
    assert view["gone"]["technology"] == 1
    assert view["gone"]["place_tiles"] == ["library"]
    assert "library" not in table.view()["places"]
    conserved(table.state)
    table.send(0, "give", item="place_tile", tile="winery")
    assert table.view()["bag"] == {"farmer": 1, "trader": 1, "knight": 1}
    conserved(table.state)


def test_a_tile_given_never_comes_back() -> None:
    """O-7.1: it is in no stack."""
    table = tortured(1, tile=("winery",))
    table.send(0, "give", item="place_tile", tile="winery")
    assert table.state.tiles.bit_count() == 19
    assert table.state.tiles_gone & STACKS["I"]


def test_the_tower_given_with_its_followers() -> None:
    """O-7.2: the market spaces are lost, their followers go to the bag."""
    table = Table()
    table.tile("gunpowder_tower")
    table.man("gunpowder_tower", "monk", "knight")
    table.seat().coins = 4
    table.seat(1).coins = 50
    table.resolve("harvest")
    table.send(0, "give", item="place_tile", tile="gunpowder_tower")
    assert table.view()["bag"] == {"knight": 1, "monk": 1}
    conserved(table.state)


def test_technology_placed_or_not() -> None:
    """O-7.1: the space is empty again; another one may not be a first."""
    table = Table()
    table.technology("castle", 0)
    table.seat().technology = 1
    table.state.technology -= 1
    table.seat().coins = 3
    table.seat(1).coins = 50
    table.resolve("harvest")
    assert table.refused(0, "give", item="technology", place="ship") == ("O-7.2", "nothing_such")
    table.send(0, "give", item="technology", place="castle")
    assert table.view()["places"]["castle"] == [None, None, None]
    assert table.seat().technology_placed
    conserved(table.state)
    table.send(0, "give", item="technology")
    assert RULESET.view(table.state)["gone"]["technology"] == 2
    conserved(table.state)


def test_no_technology_to_give() -> None:
    """O-7.2: none unplaced."""
    table = tortured()
    assert table.refused(0, "give", item="technology") == ("O-7.2", "nothing_such")


@pytest.mark.parametrize(
    "fields",
    [
        {"item": "trading_station"},
        {"item": "good"},
        {"item": "good", "tile": "winery"},
        {"item": "place_tile"},
        {"item": "follower", "good": "wool"},
        {"item": "development", "place": "castle"},
        {"item": "technology", "from": "reserve"},
    ],
)
def test_items_ask_for_their_fields(fields: dict[str, Any]) -> None:
    """O-7.1: what an item does not ask for is refused."""
    table = tortured()
    assert table.refused(0, "give", **fields) == ("O-7.1", "wrong_fields")


def test_the_rest_of_a_debt_lapses() -> None:
    """O-7.2: when nothing is left to give."""
    table = Table()
    me = table.seat()
    me.stations_gone, me.reserve = 9, 1
    me.coins = 2
    table.seat(1).coins = 50
    table.resolve("harvest")
    assert table.state.debt == 3
    table.send(0, "give", item="trading_station", **{"from": "reserve"})
    assert table.told("debt_lapsed") == [{"seat": 0, "missing": 2}]
    assert table.state.round == 2
    conserved(table.state)


def test_only_points_that_are_barred_are_left() -> None:
    """O-7.2: with `not_onto_coins` a marker on 8 gives nothing, so the debt lapses."""
    table = Table(development_back="not_onto_coins")
    me = table.seat()
    me.stations_gone, me.reserve = 10, 0
    me.development, me.coin_spaces, me.coins = 8, 1, 0
    table.seat(1).coins = 50
    table.resolve("harvest")
    assert table.told("debt_lapsed") == [{"seat": 0, "missing": 5}]
    assert me.development == 8


def test_the_sacristy_may_be_given_with_its_monk() -> None:
    """O-7.2: it is a place tile like others."""
    table = Table()
    table.tile("sacristy")
    table.man("sacristy")
    table.seat().coins = 4
    table.seat(1).coins = 50
    table.resolve("harvest")
    table.send(0, "keep_sacristy")
    table.send(0, "give", item="place_tile", tile="sacristy")
    assert table.seat().bag[KIND["monk"]] == 1
