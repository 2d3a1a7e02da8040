"""Followers, spaces, technology, tracks and development (O-3)."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.orleans import RULESET
from service.rules.orleans.tables import (
    ASKS,
    COIN_SPACES,
    GOOD,
    KIND,
    KINDS,
    NUMBER_OF,
    PLACE_OF,
    PLACES,
    SPACES,
    STATUS,
)

from .table import Table


def spaces_for(table: Table, follower: str, starting: bool = False) -> set[tuple[str, int]]:
    """Returns where a follower of the market may be put."""
    return {
        (c["place"], c["space"])
        for c in table.listed("place_follower")
        if (c["follower"], c["starting"]) == (follower, starting)
    }


def asking(*kinds: str, places: tuple[str, ...] = PLACES[:10]) -> set[tuple[str, int]]:
    """Returns the spaces of places that ask for one of these kinds."""
    return {
        (PLACES[PLACE_OF[at]], NUMBER_OF[at])
        for at in range(SPACES)
        if ASKS[at] in kinds and PLACES[PLACE_OF[at]] in places
    }


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_fills_its_own_spaces(kind: str) -> None:
    """O-3.1: a space of the own kind; for a neutral one the Town Hall too; for a monk any."""
    table = Table()
    table.market(kind)
    wanted = asking(*KINDS, "neutral") if kind == "monk" else asking(kind, "neutral")
    assert spaces_for(table, kind) == wanted
    if kind not in ("monk", "scholar", "knight"):
        assert spaces_for(table, kind, True) == asking(kind)


def test_a_monk_fills_a_knight_space() -> None:
    """O-3.1: fault: a monk refused on a knight space."""
    table = Table()
    table.market("monk")
    table.send(0, "place_follower", follower="monk", starting=False, place="scriptorium", space=0)
    assert table.view()["places"]["scriptorium"][0]["follower"] == "monk"


def test_the_herb_garden() -> None:
    """O-3.1, O-5.8: boatmen, starting or neutral, fill craftsman, trader and farmer spaces."""
    table = Table()
    table.tile("herb_garden")
    table.market("boatman")
    own = asking("boatman", "craftsman", "trader", "farmer")
    assert spaces_for(table, "boatman", True) == own
    assert spaces_for(table, "boatman") == own | asking("neutral")
    assert spaces_for(table, "trader", True) == asking("trader")
    seat = {"follower": "boatman", "starting": True, "place": "scriptorium", "space": 0}
    assert table.refused(0, "place_follower", **seat) == ("O-3.1", "wrong_kind")
    table.seat(1).market[7 + KIND["boatman"]] = 1
    other = {"follower": "boatman", "starting": True, "place": "guildhall", "space": 0}
    assert table.refused(1, "place_follower", **other) == ("O-3.1", "wrong_kind")


def test_the_school() -> None:
    """O-3.1, O-5.8: scholars fill any but monk spaces."""
    table = Table()
    table.tile("school", "brewery", "cellar", "sacristy")
    table.market("scholar")
    tiles = ("brewery", "cellar", "sacristy")
    every = asking(*KINDS[:6], "neutral", places=PLACES[:10] + tiles)
    assert spaces_for(table, "scholar") == every
    seat = {"follower": "scholar", "starting": False, "space": 0}
    for tile in tiles:
        assert table.refused(0, "place_follower", place=tile, **seat) == ("O-3.1", "wrong_kind")


def test_nothing_but_a_monk_fills_a_monk_space() -> None:
    """O-3.1: neither Herb Garden nor School help there."""
    table = Table()
    table.tile("school", "herb_garden", "brewery")
    table.market("scholar", "boatman", "knight", "monk")
    fills = [c["follower"] for c in table.listed("place_follower") if c["place"] == "brewery"]
    assert fills == ["monk"]


@pytest.mark.parametrize("tile", ["herb_garden", "school"])
def test_a_follower_stays_valid_when_the_tile_is_lost(tile: str) -> None:
    """O-3.1: what was placed by a substitution still activates its place."""
    table = Table(3)
    table.tile(tile)
    who = "boatman" if tile == "herb_garden" else "scholar"
    table.man("university", who, who, who)
    table.seat(1).tracks[0] = table.seat(2).tracks[0] = 1
    table.seat().coins = 0
    table.next_round()
    table.send(0, "give", item="place_tile", tile=tile)
    assert table.state.seats[0].men.bit_count() == 3
    table.act()
    assert table.ways("university") == [{"place": "university"}]
    table.use("university")
    assert table.seat().development == 2


def test_all_action_spaces_take_followers_but_the_towers_are_market() -> None:
    """O-3.1: the Town Hall's and the Sacristy's are action spaces, the Tower's market spaces."""
    table = Table()
    table.tile("gunpowder_tower", "sacristy")
    table.man("town_hall", "farmer")
    table.man("sacristy")
    table.man("gunpowder_tower", "knight")
    table.next_round()
    assert [c["place"] for c in table.listed("take_back")] == ["town_hall", "sacristy"]
    seat = {"place": "gunpowder_tower", "space": 0}
    assert table.refused(0, "take_back", **seat) == ("O-2.3", "market_space")


# Recruiting

RECRUITS = {
    "farm_house": ("farmer", {}),
    "university": ("scholar", {}),
    "castle": ("knight", {}),
    "monastery": ("monk", {}),
}


def _uses() -> list[tuple[str, str, dict[str, Any]]]:
    found = [(place, kind, fields) for place, (kind, fields) in RECRUITS.items()]
    found += [("village", kind, {"recruit": kind}) for kind in ("boatman", "craftsman")]
    found.append(("village", "trader", {"recruit": "trader", "tile": "hayrick"}))
    return found


@pytest.mark.parametrize(("place", "kind", "fields"), _uses())
def test_recruiting(place: str, kind: str, fields: dict[str, Any]) -> None:
    """O-3.2: a neutral follower from the supply into the bag, the track one on."""
    table = Table()
    table.man(place)
    table.act("income")
    supply = table.state.supply[KIND[kind]]
    table.use(place, **fields)
    assert table.state.supply[KIND[kind]] == supply - 1
    assert table.view()["bag"][kind] >= 1
    (event,) = table.told("follower_recruited")
    assert event == {"seat": 0, "follower": kind, "space": None if kind == "monk" else 1}
    assert table.seat().tracks[KIND[kind]] == (0 if kind == "monk" else 1)


@pytest.mark.parametrize(("place", "kind", "fields"), _uses())
def test_an_empty_supply_forbids(place: str, kind: str, fields: dict[str, Any]) -> None:
    """O-3.2: no follower of the kind in the supply."""
    table = Table()
    table.man(place)
    table.man("scriptorium")
    table.bag(*[kind] * table.state.supply[KIND[kind]], seat=1)
    table.act("income")
    assert table.refused(0, "use_place", place=place, **fields) == ("O-3.2", "no_follower_left")


@pytest.mark.parametrize(("place", "kind", "fields"), [use for use in _uses() if use[1] != "monk"])
def test_no_recruiting_past_the_end_of_a_track(
    place: str, kind: str, fields: dict[str, Any]
) -> None:
    """O-3.2: fault: recruiting past a track's end."""
    table = Table()
    table.man(place)
    table.man("scriptorium")
    table.seat().tracks[KIND[kind]] = 8 if kind == "farmer" else 5
    table.act()
    assert table.refused(0, "use_place", place=place, **fields) == ("O-3.2", "track_end")
    assert not any(way.get("recruit", kind) == kind for way in table.ways(place))


def test_no_limit_of_monks_but_the_supply() -> None:
    """O-3.2: monks have no track."""
    table = Table()
    table.man("scriptorium")
    table.man("monastery")
    table.act("income")
    for _ in range(7):
        table.use("monastery")
        table.man("monastery")
    assert table.view()["bag"]["monk"] == 7


def test_a_farmer_needs_his_good() -> None:
    """O-3.2: fault: Farm House given without its good when the goods market lacks it."""
    table = Table()
    table.man("farm_house")
    table.man("scriptorium")
    table.no_good("grain")
    table.act()
    assert table.refused(0, "use_place", place="farm_house") == ("O-3.2", "no_good_left")
    table.seat().tracks[0] = 2
    table.use("farm_house")
    assert table.told("good_gained")[0]["good"] == "cheese"


def test_a_craftsman_needs_his_technology() -> None:
    """O-3.2: no technology tile, no craftsman."""
    table = Table()
    table.man("village")
    table.state.technology_gone, table.state.technology = 16, 0
    table.act()
    assert table.refused(0, "use_place", place="village", recruit="craftsman") == (
        "O-3.2", "no_technology_left",
    )  # fmt: skip
    assert "craftsman" not in {way["recruit"] for way in table.ways("village")}


def test_a_trader_needs_a_tile() -> None:
    """O-3.2: no place tile that may be taken, no trader."""
    table = Table()
    table.man("village")
    first = RULESET.view(table.state)["place_tiles"]["I"]
    table.tile(*first, seat=1)
    table.act()
    fields = {"recruit": "trader", "tile": "cellar"}
    assert table.refused(0, "use_place", place="village", **fields) == ("O-3.2", "no_tile_left")
    assert {way["recruit"] for way in table.ways("village")} == {"boatman", "craftsman"}
    table.seat().tracks[KIND["trader"]] = 1
    assert len([way for way in table.ways("village") if way["recruit"] == "trader"]) == 8


def test_coins_never_run_out() -> None:
    """O-3.2: any number of coins can be gained."""
    table = Table()
    table.seat().coins = 90_000
    table.tile("cellar")
    table.man("cellar")
    table.act()
    table.use("cellar")
    assert table.seat().coins == 90_004


# Technology


def test_technology_is_usable_from_the_next_round_on() -> None:
    """O-3.3: gained in the actions, placed in a later Planning, then there for ever."""
    table = Table()
    table.man("village")
    table.act("income")
    table.use("village", recruit="craftsman")
    assert table.told("technology_gained") == [{"seat": 0}]
    assert table.view()["technology"] == 1
    assert table.refused(0, "place_technology", place="castle", space=0)[0] == "O-2"
    table.planning()
    table.send(0, "place_technology", place="castle", space=0)
    assert table.told("technology_placed") == [{"seat": 0, "place": "castle", "space": 0}]
    assert table.view()["places"]["castle"][0] == {"technology": True}
    assert table.view()["technology"] == 0
    assert table.refused(0, "place_technology", place="ship", space=0) == (
        "O-3.3", "no_technology",
    )  # fmt: skip
    assert table.refused(0, "withdraw_follower", place="castle", space=0) == (
        "O-2.4", "not_fresh",
    )  # fmt: skip


def test_technology_wants_an_empty_action_space() -> None:
    """O-3.3: not one where a follower stands, not a market space, of a place of its own."""
    table = Table()
    table.tile("gunpowder_tower")
    table.seat().technology = 1
    table.man("castle", "farmer")
    for fields, reason in (
        ({"place": "castle", "space": 0}, "space_taken"),
        ({"place": "gunpowder_tower", "space": 0}, "market_space"),
        ({"place": "winery", "space": 0}, "not_your_place"),
        ({"place": "farm_house", "space": 2}, "no_such_space"),
    ):
        assert table.refused(0, "place_technology", **fields) == ("O-3.3", reason)


def test_the_first_technology_replaces_a_farmer() -> None:
    """O-3.4: fault: the first-technology test confused with the craftsman track."""
    table = Table()
    table.tile("cheese_factory", "hayrick", "winery")
    table.seat().technology = 1
    assert table.seat().tracks[KIND["craftsman"]] == 0
    found = {(c["place"], c["space"]) for c in table.listed("place_technology")}
    assert found == {
        ("village", 0), ("university", 0), ("castle", 0), ("ship", 0), ("wagon", 0),
        ("guildhall", 0), ("cheese_factory", 0), ("cheese_factory", 1), ("winery", 0),
    }  # fmt: skip
    assert table.refused(0, "place_technology", place="castle", space=1) == (
        "O-3.4", "farmer_first",
    )  # fmt: skip
    table.seat().tracks[KIND["craftsman"]] = 5
    assert {(c["place"], c["space"]) for c in table.listed("place_technology")} == found


def test_later_technology() -> None:
    """O-3.4: any kind but monk; one a place; no single spaces, not the Town Hall."""
    table = Table()
    table.tile("cellar", "brewery", "pharmacy", "sacristy", "hayrick")
    table.technology("castle", 0)
    table.seat().technology = 1
    found = {(c["place"], c["space"]) for c in table.listed("place_technology")}
    assert found == {
        (place, space) for place, space in asking(*KINDS[:6], places=(*PLACES[:10], "cellar"))
    } - {("castle", space) for space in range(3)}
    for fields, reason in (
        ({"place": "castle", "space": 1}, "one_per_place"),
        ({"place": "cellar", "space": 0}, "monk_space"),
        ({"place": "brewery", "space": 0}, "single_space"),
        ({"place": "sacristy", "space": 0}, "single_space"),
        ({"place": "pharmacy", "space": 0}, "single_space"),
        ({"place": "hayrick", "space": 0}, "single_space"),
        ({"place": "town_hall", "space": 0}, "town_hall"),
    ):
        assert table.refused(0, "place_technology", **fields) == ("O-3.4", reason)


def test_a_second_technology_in_one_planning() -> None:
    """O-3.4: the one placed first must replace a farmer, the next need not."""
    table = Table()
    table.seat().technology = 2
    table.send(0, "place_technology", place="castle", space=0)
    assert table.refused(0, "place_technology", place="castle", space=1) == (
        "O-3.4", "one_per_place",
    )  # fmt: skip
    table.send(0, "place_technology", place="scriptorium", space=0)
    assert table.listed("place_technology") == []


def test_a_first_technology_from_the_laboratory() -> None:
    """O-3.4, O-5.4: it must replace a farmer too, whatever the craftsman track says."""
    table = Table()
    table.tile("laboratory")
    table.man("laboratory")
    table.act("income")
    table.use("laboratory")
    table.planning()
    found = {(c["place"], c["space"]) for c in table.listed("place_technology")}
    assert found == asking("farmer")
    seat = {"place": "laboratory", "space": 0}
    assert table.refused(0, "place_technology", **seat) == ("O-3.4", "farmer_first")


# Tracks


@pytest.mark.parametrize(
    ("before", "good"),
    list(enumerate(["grain", "grain", "cheese", "cheese", "wine", "wine", "wool", "brocade"])),
)
def test_farmers_bring_goods(before: int, good: str) -> None:
    """O-3.5, O-4.1: the good of the space moved onto, out of the goods market."""
    table = Table()
    table.man("farm_house")
    table.seat().tracks[0] = before
    table.act()
    left = table.state.goods[GOOD[good]]
    table.use("farm_house")
    assert table.told("good_gained") == [{"seat": 0, "good": good}]
    assert table.state.goods[GOOD[good]] == left - 1
    assert table.view()["goods"][good] == 1


@pytest.mark.parametrize(("before", "coins"), [(0, 2), (1, 3), (2, 4), (3, 5)])
def test_boatmen_bring_coins(before: int, coins: int) -> None:
    """O-3.5: 2, 3, 4, 5 coins."""
    table = Table()
    table.man("village")
    table.seat().tracks[KIND["boatman"]] = before
    table.act()
    table.use("village", recruit="boatman")
    (gain,) = table.told("coins_gained")[:1]
    assert (gain["reason"], gain["coins"]) == ("track", coins)
    assert table.seat().coins >= 5 + coins


def test_the_first_at_the_boatmen_s_end_takes_a_citizen() -> None:
    """O-3.5: a citizen and no coins for the first, nothing for later ones."""
    table = Table()
    for seat in (0, 1):
        table.man("village", seat=seat)
        table.seat(seat).tracks[KIND["boatman"]] = 4
    table.act("income")
    table.use("village", recruit="boatman")
    assert table.told("citizen_taken") == [{"seat": 0, "citizen": "boatman"}]
    assert table.told("coins_gained") == []
    table.use("village", seat=1, recruit="boatman")
    assert table.told("citizen_taken") == []
    assert (table.seat(0).citizens, table.seat(1).citizens) == (1, 0)


def test_the_first_at_the_fourth_knight_takes_a_citizen() -> None:
    """O-3.5: the first seat on knight 4; not before, not the second, not on 5."""
    table = Table()
    for seat, before in ((0, 3), (1, 3)):
        table.man("castle", seat=seat)
        table.seat(seat).tracks[KIND["knight"]] = before
    table.act()
    table.use("castle")
    assert table.told("citizen_taken") == [{"seat": 0, "citizen": "knight"}]
    table.use("castle", seat=1)
    assert table.told("citizen_taken") == []


@pytest.mark.parametrize("before", [0, 1, 2, 4])
def test_other_knights_bring_no_citizen(before: int) -> None:
    """O-3.5: only space 4 has one."""
    table = Table()
    table.man("castle")
    table.seat().tracks[KIND["knight"]] = before
    table.act()
    table.use("castle")
    assert table.told("citizen_taken") == []


@pytest.mark.parametrize(("before", "points"), [(0, 2), (1, 3), (2, 4), (3, 5), (4, 6)])
def test_scholars_bring_the_points_shown(before: int, points: int) -> None:
    """O-3.5, O-4.3: fault: University advancing by the scholar index, not the points shown."""
    table = Table()
    table.man("university")
    table.seat().tracks[KIND["scholar"]] = before
    table.act()
    table.use("university")
    assert table.seat().development == points
    assert table.told("development_advanced")[0]["points"] == points


# Development


def _advance(table: Table, before: int, points: int) -> None:
    """Moves seat 0 on from a space with the Pharmacy or the Library."""
    table.tile("pharmacy")
    table.man("pharmacy")
    table.seat().development = before
    table.seat().coin_spaces = sum(
        1 << place for place, (space, _) in enumerate(COIN_SPACES) if space <= before
    )
    table.act()
    table.use("pharmacy", coins=points)


@pytest.mark.parametrize(
    ("before", "points", "spaces", "coins"),
    [
        (5, 1, [], 0), (6, 1, [7], 3), (6, 3, [7], 3), (7, 1, [], 0), (5, 2, [7], 3),
        (11, 1, [12], 4), (10, 3, [12], 4), (24, 1, [25], 5), (23, 3, [25], 5), (25, 3, [], 0),
    ],
)  # fmt: skip
def test_coins_of_the_development_track(
    before: int, points: int, spaces: list[int], coins: int
) -> None:
    """O-3.6: for moving onto or past 7, 12, 25."""
    table = Table()
    _advance(table, before, points)
    (event,) = table.told("development_advanced")
    assert (event["coin_spaces"], event["coins"]) == (spaces, coins)
    assert (event["before"], event["after"]) == (before, before + points)
    assert table.seat().coins == 5 - points + coins


def test_coin_spaces_pay_each_seat_once() -> None:
    """O-3.6: every seat gets them, and only once."""
    table = Table()
    for seat in (0, 1):
        table.man("scriptorium", seat=seat)
        table.seat(seat).development = 6
    table.act()
    table.use("scriptorium")
    table.use("scriptorium", seat=1)
    assert [table.seat(seat).coins for seat in (0, 1)] == [8, 8]
    for seat in (0, 1):
        table.man("scriptorium", seat=seat)
        table.seat(seat).development = 6
    table.plan()
    assert table.state.seat == 1
    table.use("scriptorium", seat=1)
    assert table.told("development_advanced")[0]["coins"] == 0


@pytest.mark.parametrize("space", [3, 18, 28])
@pytest.mark.parametrize("points", [1, 2])
def test_citizens_of_the_development_track(space: int, points: int) -> None:
    """O-3.6: fault: citizens given only past 3, 18, 28, not on them."""
    table = Table()
    _advance(table, space - 1, points)
    assert table.told("citizen_taken") == [{"seat": 0, "citizen": f"development_{space}"}]
    assert (table.seat(0).citizens, table.seat(1).citizens) == (1, 0)


def test_a_citizen_of_the_track_goes_to_the_first_only() -> None:
    """O-3.6: the second seat passing finds none."""
    table = Table()
    for seat in (0, 1):
        table.man("scriptorium", seat=seat)
        table.seat(seat).development = 2
    table.act()
    table.use("scriptorium")
    table.use("scriptorium", seat=1)
    assert table.told("citizen_taken") == []
    assert (table.seat(0).citizens, table.seat(1).citizens) == (1, 0)


def test_points_beyond_the_end_are_lost() -> None:
    """O-3.6: the marker stops on 30."""
    table = Table()
    _advance(table, 29, 3)
    assert table.told("development_advanced")[0]["after"] == 30
    assert table.told("development_advanced")[0]["points"] == 3


@pytest.mark.parametrize(
    ("space", "status"),
    [(0, 1), (3, 1), (4, 2), (8, 2), (9, 3), (14, 3), (15, 4), (21, 4), (22, 5), (29, 5), (30, 6)],
)
def test_status(space: int, status: int) -> None:
    """O-3.6: fault: status stuck at 2."""
    assert STATUS[space] == status
    table = Table()
    table.seat().development = space
    assert table.view()["development"] == {"space": space, "status": status}
