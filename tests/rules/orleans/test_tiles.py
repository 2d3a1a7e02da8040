"""The twenty place tiles (O-5): use, refusal, and what they do to supplies."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.orleans import RULESET
from service.rules.orleans.tables import GOOD, KIND, TILES

from .invariants import conserved
from .table import Table


def sent(space: int, deed: str, reward: str = "coin") -> dict[str, Any]:
    return {"space": space, "deed": deed, "reward": reward}


def ready(*tiles: str, seats: int = 2) -> Table:
    """Returns a table in the actions, seat 0 having these tiles filled, and its Scriptorium."""
    table = Table(seats)
    table.man("scriptorium")
    for tile in tiles:
        table.tile(tile)
        table.man(tile)
    table.act()
    return table


GOODS_TILES = [
    ("hayrick", "grain"), ("cheese_factory", "cheese"), ("winery", "wine"),
    ("wool_manufacturer", "wool"), ("tailor_shop", "brocade"),
]  # fmt: skip


@pytest.mark.parametrize(("tile", "good"), GOODS_TILES)
def test_tiles_that_bring_goods(tile: str, good: str) -> None:
    """O-5.1: one good out of the goods market."""
    table = ready(tile)
    left = table.state.goods[GOOD[good]]
    table.use(tile)
    assert table.told("good_gained") == [{"seat": 0, "good": good}]
    assert table.view()["goods"][good] == 1
    assert table.state.goods[GOOD[good]] == left - 1
    assert table.view()["places"][tile] == [None] * len(table.view()["places"][tile])
    conserved(table.state)


@pytest.mark.parametrize(("tile", "good"), GOODS_TILES)
def test_no_goods_from_an_empty_market(tile: str, good: str) -> None:
    """O-5.1: illegal when the goods market has none."""
    table = ready(tile)
    table.no_good(good)
    assert table.refused(0, "use_place", place=tile) == ("O-5.1", "no_good_left")
    assert table.ways(tile) == []


@pytest.mark.parametrize(
    ("tile", "coins", "points"),
    [
        ("brewery", 2, 0), ("cellar", 4, 0), ("windmill", 2, 1), ("library", 0, 2),
        ("shipping_line", 0, 1),
    ],
)  # fmt: skip
def test_tiles_that_bring_coins_or_points(tile: str, coins: int, points: int) -> None:
    """O-5.2: Brewery, Cellar, Windmill, Library, Shipping Line."""
    table = ready(tile)
    table.use(tile)
    assert table.seat().coins == 5 + coins
    assert table.seat().development == points
    assert [event["coins"] for event in table.told("coins_gained")] == [coins] * (coins > 0)
    assert table.ways(tile) == []
    conserved(table.state)


@pytest.mark.parametrize("stations", [0, 1, 4])
def test_office(stations: int) -> None:
    """O-5.2: a coin for each station built; useless uses are legal."""
    table = ready("office")
    table.stations(*["tours", "blois", "chinon", "loches"][:stations])
    table.stations("nevers", seat=1)
    table.use("office")
    assert table.told("coins_gained") == [
        {"seat": 0, "reason": "office", "count": stations, "each": 1, "coins": stations}
    ]
    assert table.seat().coins == 5 + stations


@pytest.mark.parametrize(("space", "status"), [(0, 1), (4, 2), (16, 4), (30, 6)])
def test_hospital(space: int, status: int) -> None:
    """O-5.2: coins equal to the status."""
    table = ready("hospital")
    table.seat().development = space
    table.use("hospital")
    assert table.seat().coins == 5 + status


@pytest.mark.parametrize(
    ("tile", "rule"),
    [
        ("brewery", "O-5.2"), ("cellar", "O-5.2"), ("windmill", "O-5.2"), ("library", "O-5.2"),
        ("shipping_line", "O-5.2"), ("office", "O-5.2"), ("hospital", "O-5.2"),
        ("hayrick", "O-5.1"), ("cheese_factory", "O-5.1"), ("winery", "O-5.1"),
        ("wool_manufacturer", "O-5.1"), ("tailor_shop", "O-5.1"), ("laboratory", "O-5.4"),
        ("bathhouse", "O-5.6"),
    ],
)  # fmt: skip
def test_tiles_ask_for_no_fields(tile: str, rule: str) -> None:
    """O-5.1, O-5.2, O-5.4, O-5.6: a field too many is refused under the tile's rule."""
    table = ready(tile)
    assert table.refused(0, "use_place", place=tile, coins=1) == (rule, "wrong_fields")


@pytest.mark.parametrize("tile", [tile for tile in TILES if tile not in ("herb_garden", "school")])
def test_tiles_need_all_their_spaces_filled(tile: str) -> None:
    """O-2.5, O-5.9: an empty tile is not activated."""
    table = Table()
    table.tile(tile)
    table.man("scriptorium")
    table.act()
    fields: dict[str, Any] = {}
    if tile == "pharmacy":
        fields["coins"] = 1
    if tile == "horse_wagon":
        fields["link"] = "orleans-montargis-road"
    if tile == "gunpowder_tower":
        fields["deliveries"] = [sent(0, "city_wall")]
    wanted = {
        "gunpowder_tower": ("O-5.9", "not_activated"),
        "sacristy": ("O-2.5", "never_used"),
    }.get(tile, ("O-2.5", "not_activated"))
    assert table.refused(0, "use_place", place=tile, **fields) == wanted


@pytest.mark.parametrize("coins", [1, 2, 3])
@pytest.mark.parametrize("follower", ["starting_trader", "monk", "knight"])
def test_pharmacy(coins: int, follower: str) -> None:
    """O-5.3: any follower; 1 to 3 coins for as many steps. Fault: none, or only two steps."""
    table = Table()
    table.tile("pharmacy")
    if follower == "starting_trader":
        table.seat().market[10] = 0
        table.seat().market_size -= 1
    table.man("pharmacy", follower)
    table.act()
    assert [way["coins"] for way in table.ways("pharmacy")] == [1, 2, 3]
    table.use("pharmacy", coins=coins)
    assert table.told("coins_spent") == [{"seat": 0, "place": "pharmacy", "coins": coins}]
    assert (table.seat().development, table.seat().coins) == (coins, 5 - coins)
    conserved(table.state)


def test_pharmacy_refused() -> None:
    """O-5.3: not without coins, not more than the seat has; at the end of the track it is legal."""
    table = ready("pharmacy")
    table.seat().coins = 2
    assert table.refused(0, "use_place", place="pharmacy", coins=3) == ("O-5.3", "too_few_coins")
    assert table.refused(0, "use_place", place="pharmacy") == ("O-5.3", "wrong_fields")
    assert [way["coins"] for way in table.ways("pharmacy")] == [1, 2]
    table.seat().coins = 0
    assert table.ways("pharmacy") == []
    table.seat().coins, table.seat().development = 1, 30
    table.seat().coin_spaces = 7
    table.use("pharmacy", coins=1)
    assert (table.seat().coins, table.seat().development) == (0, 30)


def test_pharmacy_without_coins_is_not_usable() -> None:
    """O-5.3: the seat passes by itself."""
    table = Table()
    table.tile("pharmacy")
    table.man("pharmacy")
    table.seat().coins = 0
    table.plan()
    assert {"seat": 0, "forced": True} in table.told("seat_passed")


def test_laboratory() -> None:
    """O-5.4: a technology tile out of the supply."""
    table = ready("laboratory")
    table.use("laboratory")
    assert (table.seat().technology, table.state.technology) == (1, 15)
    conserved(table.state)


def test_laboratory_refused() -> None:
    """O-5.4: not when no technology tile is left."""
    table = ready("laboratory")
    table.state.technology, table.state.technology_gone = 0, 16
    assert table.refused(0, "use_place", place="laboratory") == ("O-5.4", "no_technology_left")
    assert table.ways("laboratory") == []


def test_horse_wagon_goes_by_road() -> None:
    """O-5.5: the same ways as the Wagon, goods included."""
    table = ready("horse_wagon")
    table.man("wagon")
    horse = [{**way, "place": "wagon"} for way in table.ways("horse_wagon")]
    assert horse == table.ways("wagon")
    assert len(horse) > 4


# Bathhouse


def bath(*bag: str, tiles: tuple[str, ...] = ()) -> Table:
    """Returns a table whose seat 0 may use its Bathhouse with this bag, its market empty."""
    table = Table()
    table.tile("bathhouse", *tiles)
    table.man("bathhouse")
    me = table.seat()
    for space, code in ((0, 8), (1, 9), (5, 7), (7, 10)):
        me.put(space, code)
        me.market[code] -= 1
        me.market_size -= 1
    table.bag(*bag)
    table.act()
    return table


def test_bathhouse_draws_three_and_places_two() -> None:
    """O-5.6: two are placed at once, the third and its own follower go back."""
    table = bath("knight", "scholar", "scholar", "trader")
    table.chance.wanted = ["knight", "scholar", "scholar"]
    table.use("bathhouse")
    assert [e["to"] for e in table.told("follower_drawn")] == ["bathhouse"] * 3
    assert [draw.bound for draw in table.last.draws] == [4, 3, 2]
    assert RULESET.view(table.state)["bathhouse"] == {
        "drawn": {"knight": 1, "scholar": 2}, "placed": 0,
    }  # fmt: skip
    assert table.to_act() == (0,)
    conserved(table.state)
    seat = {"starting": False, "place": "scriptorium"}
    table.send(0, "place_follower", follower="scholar", space=1, **seat)
    assert table.told("follower_placed")[0]["source"] == "bathhouse"
    table.send(0, "place_follower", follower="knight", space=0, **seat)
    (back,) = table.told("followers_returned")
    assert back["forced"]
    assert [tile["follower"] for tile in back["returned"]] == ["scholar", "boatman"]
    assert table.view()["bag"] == {"boatman": 1, "trader": 1, "scholar": 1}
    assert RULESET.view(table.state)["bathhouse"] is None
    assert table.ways("scriptorium") == [{"place": "scriptorium"}]
    conserved(table.state)


def test_bathhouse_with_a_short_bag() -> None:
    """O-5.6: fewer where the bag holds fewer."""
    table = bath("monk")
    table.use("bathhouse")
    assert len(table.last.draws) == 1
    assert table.listed("place_follower")
    table.send(0, "return_followers")
    assert not table.told("followers_returned")[0]["forced"]
    assert table.view()["bag"] == {"boatman": 1, "monk": 1}


def test_bathhouse_with_an_empty_bag() -> None:
    """O-5.6: illegal."""
    table = bath()
    assert table.refused(0, "use_place", place="bathhouse") == ("O-5.6", "empty_bag")
    assert table.ways("bathhouse") == []


def test_bathhouse_places_on_action_spaces_only() -> None:
    """O-5.6: by O-3.1 with passive tiles; not on itself, not on the Tower; only what was drawn."""
    table = bath("scholar", tiles=("school", "gunpowder_tower", "sacristy", "cellar"))
    table.market("knight")
    table.use("bathhouse")
    places = {(c["follower"], c["place"]) for c in table.listed("place_follower")}
    assert {follower for follower, _ in places} == {"scholar"}
    assert not {place for _, place in places} & {"gunpowder_tower", "bathhouse", "sacristy"}
    assert {"cellar", "town_hall", "guildhall"} < {place for _, place in places}
    seat = {"follower": "scholar", "starting": False, "space": 0}
    assert table.refused(0, "place_follower", place="gunpowder_tower", **seat)[0] == "O-5.9"
    assert table.refused(0, "place_follower", place="bathhouse", **seat) == (
        "O-5.6", "space_taken",
    )  # fmt: skip
    seat["follower"] = "knight"
    assert table.refused(0, "place_follower", place="scriptorium", **seat) == (
        "O-5.6", "not_drawn",
    )  # fmt: skip


def test_bathhouse_comes_first() -> None:
    """O-5.6: until the drawn are placed or returned nothing else is done; others wait."""
    table = bath("monk", "monk", "monk")
    table.use("bathhouse")
    assert table.refused(0, "pass") == ("O-5.6", "bathhouse_first")
    assert table.refused(0, "use_place", place="castle") == ("O-5.6", "bathhouse_first")
    assert table.refused(1, "return_followers") == ("O-2.5", "not_your_turn")
    assert table.refused(0, "end_planning") == ("O-2", "wrong_phase")
    table.send(0, "return_followers")
    assert "place_follower" not in {c.type for c in RULESET.legal(table.state, 0)}


def test_nothing_to_return_without_a_bath() -> None:
    """O-5.6: `return_followers` belongs to the Bathhouse."""
    table = ready()
    assert table.refused(0, "return_followers") == ("O-5.6", "nobody_drawn")


def test_bathhouse_ends_by_itself_when_nothing_fits() -> None:
    """O-5.6: none of the drawn can be placed."""
    table = bath("knight")
    me = table.seat()
    for at, space in enumerate(me.spaces):
        if space < 0 and me.empty >> at & 1 and me.fits[KIND["knight"]] >> at & 1:
            me.put(at, KIND["knight"])
            table.state.supply[KIND["knight"]] -= 1
    table.use("bathhouse")
    assert table.told("followers_returned")[0]["forced"]


def test_a_place_used_may_be_filled_and_used_again() -> None:
    """O-5.6: also one used earlier in the phase."""
    table = bath("knight", "scholar")
    table.man("scriptorium")
    table.use("scriptorium")
    assert table.seat().development == 1
    table.chance.wanted = ["knight", "scholar", "scholar"]
    table.use("bathhouse")
    for space, follower in enumerate(("knight", "scholar")):
        table.send(
            0, "place_follower",
            follower=follower, starting=False, place="scriptorium", space=space,
        )  # fmt: skip
    table.use("scriptorium")
    assert table.seat().development == 2


def test_a_starting_follower_may_come_out_of_the_bath() -> None:
    """O-5.6: it goes by O-3.1 too, not to the Town Hall."""
    table = bath()
    me = table.seat()
    me.to_bag(me.lift(5))
    table.use("bathhouse")
    places = [(c["starting"], c["place"]) for c in table.listed("place_follower")]
    assert (True, "castle") in places
    assert (True, "town_hall") not in places


# Sacristy


def sacristy(event: str, **goods: int) -> Table:
    """Returns a table at an event, seat 0 having a filled Sacristy and goods; seat 1 is rich."""
    table = Table()
    table.tile("sacristy")
    table.man("sacristy")
    table.goods(0, **goods)
    table.seat(1).coins = 50
    table.bag("knight")
    table.resolve(event)
    return table


@pytest.mark.parametrize(
    ("event", "goods"),
    [("harvest", {"grain": 1, "wine": 1}), ("taxes", {"wool": 3}), ("plague", {})],
)
def test_sacristy_protects(event: str, goods: dict[str, int]) -> None:
    """O-5.7: the monk goes back to the bag and nothing is suffered."""
    table = sacristy(event, **goods)
    assert table.to_act() == (0,)
    assert [c.type for c in RULESET.legal(table.state, 0)] == ["use_sacristy", "keep_sacristy"]
    assert RULESET.view(table.state)["waiting_for"] == "sacristy"
    before = table.view()["goods"]
    table.send(0, "use_sacristy")
    assert table.view()["goods"] == before
    assert table.seat().coins == 5
    assert table.view()["bag"] == {"knight": 1, "monk": 1}
    assert table.view()["places"]["sacristy"] == [None]
    conserved(table.state)


def test_keeping_the_sacristy() -> None:
    """O-5.7: the event is suffered, the monk waits for another round."""
    table = sacristy("harvest", grain=1, wine=1)
    assert table.refused(0, "pay_harvest", good="grain") == ("O-5.7", "sacristy_first")
    table.send(0, "keep_sacristy")
    assert RULESET.view(table.state)["waiting_for"] == "harvest"
    assert table.refused(0, "use_sacristy") == ("O-5.7", "not_asked")
    assert table.refused(0, "keep_sacristy") == ("O-5.7", "not_asked")
    table.send(0, "pay_harvest", good="grain")
    assert table.view()["places"]["sacristy"][0]["follower"] == "monk"


def test_keeping_it_with_one_kind_of_food_pays_at_once() -> None:
    """O-5.7, O-6.4: the payment follows by itself."""
    table = sacristy("harvest", grain=2)
    table.send(0, "keep_sacristy")
    assert table.told("harvest_paid")[0] == {"seat": 0, "good": "grain", "forced": True}


@pytest.mark.parametrize(
    ("event", "goods"),
    [("income", {}), ("trading_day", {}), ("pilgrimage", {}), ("taxes", {"wool": 2})],
)
def test_sacristy_is_not_asked(event: str, goods: dict[str, int]) -> None:
    """O-5.7: fault: Sacristy burnt on a good event. Nor when nothing would be suffered."""
    table = sacristy(event, **goods)
    assert table.state.round == 2
    assert table.view()["places"]["sacristy"][0] is not None
    assert table.told("sacristy_used") == []


def test_sacristy_is_not_asked_by_a_plague_with_an_empty_bag() -> None:
    """O-5.7: nothing would be suffered."""
    table = Table()
    table.tile("sacristy")
    table.man("sacristy")
    table.resolve("plague")
    assert {"seat": 0} in table.told("plague_spared")
    assert table.view()["places"]["sacristy"][0] is not None


def test_sacristy_does_nothing_about_the_census() -> None:
    """O-5.7: not the census."""
    table = Table(3)
    table.tile("sacristy")
    table.man("sacristy")
    for seat in (1, 2):
        table.seat(seat).tracks[0] = 1
    table.next_round()
    assert table.told("census_taken")[0]["paid"] == 1


def test_an_empty_sacristy_protects_nobody() -> None:
    """O-5.7: only filled by a monk; others may not stand there."""
    table = Table()
    table.tile("sacristy")
    table.market("knight", "monk")
    fills = [c["follower"] for c in table.listed("place_follower") if c["place"] == "sacristy"]
    assert fills == ["monk"]
    table.resolve("harvest")
    assert table.told("coins_paid")[0]["due"] == 5


# Herb Garden and School: see also test_followers


@pytest.mark.parametrize("tile", ["herb_garden", "school"])
def test_passive_tiles_have_no_spaces(tile: str) -> None:
    """O-5.8: nothing stands on them."""
    table = Table()
    table.tile(tile)
    table.seat().technology = 1
    seat = {"place": tile, "space": 0}
    farmer = {"follower": "farmer", "starting": True}
    assert table.refused(0, "place_follower", **farmer, **seat) == ("O-2.4", "no_such_space")
    assert table.refused(0, "place_technology", **seat) == ("O-3.3", "no_such_space")
    assert table.view()["places"][tile] == []


# Gunpowder Tower


def test_the_tower_holds_two_more_draws() -> None:
    """O-5.9: a draw fills the market first, then the Tower."""
    table = Table()
    table.tile("gunpowder_tower")
    table.market("knight", "knight", "knight")
    table.bag("farmer", "farmer", "monk", "monk")
    table.next_round()
    assert len(table.listed("draw")) == 4
    table.chance.wanted = ["farmer", "monk", "farmer"]
    table.send(0, "draw", count=3)
    assert [e["to"] for e in table.told("follower_drawn")] == [
        "market", "gunpowder_tower", "gunpowder_tower",
    ]  # fmt: skip
    on = [seat["follower"] for seat in table.view()["places"]["gunpowder_tower"]]
    assert on == ["monk", "farmer"]
    conserved(table.state)


def test_planning_with_the_tower() -> None:
    """O-5.9: onto it from the market; from it to action spaces when the market has none alike."""
    table = Table()
    table.tile("gunpowder_tower")
    table.man("gunpowder_tower", "knight")
    seat = {"follower": "knight", "starting": False}
    assert table.refused(0, "place_follower", place="gunpowder_tower", space=1, **seat) == (
        "O-5.9", "not_from_market",
    )  # fmt: skip
    table.send(
        0, "place_follower", follower="farmer", starting=True, place="gunpowder_tower", space=1
    )
    table.send(0, "place_follower", place="scriptorium", space=0, **seat)
    assert table.told("follower_placed")[0]["source"] == "gunpowder_tower"
    assert table.view()["places"]["gunpowder_tower"][0] is None
    table.market("knight")
    table.send(0, "place_follower", place="guildhall", space=2, **seat)
    assert table.told("follower_placed")[0]["source"] == "market"
    conserved(table.state)


def test_back_from_the_tower_only_what_was_put_there() -> None:
    """O-5.9: by `withdraw_follower`, to a free market space only."""
    table = Table()
    table.tile("gunpowder_tower")
    table.man("gunpowder_tower", "knight")
    farmer = {"follower": "farmer", "starting": True}
    table.send(0, "place_follower", place="gunpowder_tower", space=1, **farmer)
    seat = {"place": "gunpowder_tower"}
    assert table.refused(0, "withdraw_follower", space=0, **seat) == ("O-2.4", "not_fresh")
    table.market("monk", "monk", "monk", "monk", "monk")
    assert table.seat().market_size == 8
    assert table.refused(0, "withdraw_follower", space=1, **seat) == ("O-2.4", "market_full")
    table.seat().market[KIND["monk"]] -= 1
    table.seat().market_size -= 1
    table.send(0, "withdraw_follower", space=1, **seat)
    assert table.view()["market"]["starting_farmer"] == 1


def test_withdrawn_to_the_tower_when_the_market_is_full() -> None:
    """O-5.9: a follower that came from the Tower goes back there, and is not fresh."""
    table = Table()
    table.tile("gunpowder_tower")
    table.man("gunpowder_tower", "knight", "scholar")
    table.market("monk", "monk", "monk", "monk")
    seat = {"place": "scriptorium", "space": 0}
    table.send(0, "place_follower", follower="knight", starting=False, **seat)
    assert table.listed("withdraw_follower") == [seat]
    table.send(0, "withdraw_follower", **seat)
    assert table.told("follower_withdrawn")[0]["to"] == "gunpowder_tower"
    assert table.listed("withdraw_follower") == []
    table.send(0, "place_follower", follower="monk", starting=False, place="ship", space=0)
    table.send(
        0, "place_follower", follower="scholar", starting=False, place="scriptorium", space=1
    )
    table.send(0, "withdraw_follower", place="scriptorium", space=1)
    assert table.told("follower_withdrawn")[0]["to"] == "market"


def test_no_room_to_withdraw_to() -> None:
    """O-2.4: neither market nor Tower have a free space."""
    table = Table()
    table.send(0, "place_follower", follower="farmer", starting=True, place="castle", space=0)
    table.market("monk", "monk", "monk", "monk", "monk")
    assert table.listed("withdraw_follower") == []
    assert table.refused(0, "withdraw_follower", place="castle", space=0) == (
        "O-2.4", "market_full",
    )  # fmt: skip


def test_the_tower_sends_to_deeds() -> None:
    """O-5.9: one or both neutral ones; starting followers stay; those not sent stay."""
    table = Table()
    table.tile("gunpowder_tower")
    table.seat().market[7] = 0
    table.seat().market_size -= 1
    table.man("gunpowder_tower", "starting_farmer", "knight")
    table.act()
    ways = [way["deliveries"] for way in table.ways("gunpowder_tower")]
    assert ways == [[sent(1, deed)] for deed in ("city_wall", "papal_conclave", "peace_treaty")]
    fields = {"deliveries": [sent(0, "city_wall")]}
    assert table.refused(0, "use_place", place="gunpowder_tower", **fields) == (
        "O-5.9", "nobody_to_send",
    )  # fmt: skip
    table.use("gunpowder_tower", deliveries=[sent(1, "papal_conclave")])
    assert table.seat().coins == 8
    on = table.view()["places"]["gunpowder_tower"]
    assert (on[0]["follower"], on[1]) == ("farmer", None)
    conserved(table.state)


def test_both_of_the_tower_in_one_action() -> None:
    """O-5.9: two deliveries of one use."""
    table = Table()
    table.tile("gunpowder_tower")
    table.man("gunpowder_tower", "monk", "knight")
    table.act()
    both = [sent(0, "papal_conclave"), sent(1, "papal_conclave")]
    table.use("gunpowder_tower", deliveries=both)
    assert table.seat().coins == 11
    assert table.view()["places"]["gunpowder_tower"] == [None, None]


def test_taken_back_to_the_tower() -> None:
    """O-2.3, O-5.9: while there is a free space, the market's first."""
    table = Table()
    table.tile("gunpowder_tower")
    table.man("castle", "farmer", "boatman", "trader")
    table.market("monk", "monk", "monk")
    table.next_round()
    for space, to in ((0, "market"), (1, "gunpowder_tower"), (2, "gunpowder_tower")):
        table.send(0, "take_back", place="castle", space=space)
        assert table.told("follower_taken_back")[0]["to"] == to


def test_deed_slots_take_their_own_kind() -> None:
    """O-5.10: no slot of the kind, no delivery."""
    table = Table()
    table.man("town_hall", "knight")
    table.act()
    for deed in ("astronomy", "cathedral", "canalization", "boatmen_guild"):
        fields = {"deliveries": [sent(0, deed)]}
        assert table.refused(0, "use_place", place="town_hall", **fields) == (
            "O-5.10", "wrong_kind",
        )  # fmt: skip
