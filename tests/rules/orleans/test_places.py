"""The places of the player board (O-4): use, refusal, and what they do to supplies."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.orleans import RULESET
from service.rules.orleans.tables import DEED, GOOD, KIND, LINK, LINK_SPACES, PLACE, TOWN

from .invariants import conserved
from .table import Table


def sent(space: int, deed: str, reward: str = "coin") -> dict[str, Any]:
    return {"space": space, "deed": deed, "reward": reward}


def used(table: Table, place: str, **fields: Any) -> None:
    """Uses a place and checks that its followers are back in the bag."""
    me = table.seat()
    bag = me.bag_size
    men = len(me.men_on(PLACE[place]))
    table.use(place, **fields)
    recruited = len(table.told("follower_recruited"))
    assert table.seat().bag_size == bag + men + recruited
    assert table.told("place_used")[0]["place"] == place


def test_farm_house() -> None:
    """O-4.1: a farmer into the bag, grain from the goods market."""
    table = Table()
    table.man("farm_house")
    table.act()
    grain = table.state.goods[GOOD["grain"]]
    used(table, "farm_house")
    assert table.view()["tracks"]["farmer"] == 1
    assert table.view()["goods"]["grain"] == 1
    assert table.state.goods[GOOD["grain"]] == grain - 1
    assert table.state.supply[0] == 11
    conserved(table.state)


def test_farm_house_refused() -> None:
    """O-4.1: it asks for nothing else."""
    table = Table()
    table.man("farm_house")
    table.act()
    fields = {"recruit": "boatman"}
    assert table.refused(0, "use_place", place="farm_house", **fields) == ("O-4.1", "wrong_fields")


def test_village_lists_every_choice() -> None:
    """O-4.2: boatman, craftsman, and a trader with each tile of stack I at first."""
    table = Table()
    table.man("village")
    table.act()
    ways = table.ways("village")
    assert [way["recruit"] for way in ways] == ["boatman", "craftsman"] + ["trader"] * 12
    assert [way["tile"] for way in ways[2:]] == RULESET.view(table.state)["place_tiles"]["I"]
    used(table, "village", recruit="trader", tile="winery")
    assert table.told("tile_taken") == [{"seat": 0, "tile": "winery"}]
    assert table.view()["places"]["winery"] == [None, None]
    assert "winery" not in RULESET.view(table.state)["place_tiles"]["I"]
    conserved(table.state)


def test_village_boatman_and_craftsman() -> None:
    """O-4.2: coins, or a technology tile out of the supply."""
    table = Table()
    table.man("scriptorium")
    table.man("village")
    table.act()
    used(table, "village", recruit="boatman")
    assert table.seat().coins == 7
    table.man("village")
    used(table, "village", recruit="craftsman")
    assert (table.seat().technology, table.state.technology) == (1, 15)
    conserved(table.state)


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"tile": "winery"},
        {"recruit": "trader"},
        {"recruit": "boatman", "tile": "winery"},
        {"recruit": "boatman", "coins": 1},
    ],
)
def test_village_wants_the_right_fields(fields: dict[str, Any]) -> None:
    """O-4.2: who is recruited; a tile for a trader and nobody else."""
    table = Table()
    table.man("village")
    table.act()
    assert table.refused(0, "use_place", place="village", **fields) == ("O-4.2", "wrong_fields")


def test_the_first_tile_comes_from_stack_one() -> None:
    """O-4.2: later ones from either stack, still apart."""
    table = Table()
    table.man("village")
    table.act()
    fields = {"recruit": "trader", "tile": "school"}
    assert table.refused(0, "use_place", place="village", **fields) == ("O-4.2", "tile_not_there")
    table.seat().tracks[KIND["trader"]] = 1
    tiles = [way["tile"] for way in table.ways("village") if way["recruit"] == "trader"]
    assert len(tiles) == 20
    table.use("village", **fields)
    stacks = RULESET.view(table.state)["place_tiles"]
    assert [len(stacks["I"]), len(stacks["II"])] == [12, 7]


def test_a_tile_is_taken_once() -> None:
    """O-4.2: what another seat has is gone from the stack."""
    table = Table()
    table.tile("winery", seat=1)
    table.man("village")
    table.act()
    fields = {"recruit": "trader", "tile": "winery"}
    assert table.refused(0, "use_place", place="village", **fields) == ("O-4.2", "tile_not_there")


def test_university() -> None:
    """O-4.3: a scholar and the points shown."""
    table = Table()
    table.man("university")
    table.act()
    used(table, "university")
    assert table.view()["tracks"]["scholar"] == 1
    assert table.view()["development"] == {"space": 2, "status": 1}
    assert table.state.supply[KIND["scholar"]] == 7
    conserved(table.state)


def test_castle() -> None:
    """O-4.4: a knight; from the next round on more draws."""
    table = Table()
    table.man("castle")
    table.act("income")
    used(table, "castle")
    assert table.view()["tracks"]["knight"] == 1
    assert table.view()["draws_left"] == 5
    assert table.state.supply[KIND["knight"]] == 7
    conserved(table.state)


def test_monastery() -> None:
    """O-4.5: a monk, and nothing else."""
    table = Table()
    table.man("monastery")
    table.man("scriptorium")
    table.act("income")
    used(table, "monastery")
    assert table.types()[:2] == ["place_used", "follower_recruited"]
    assert table.view()["bag"]["monk"] == 1
    conserved(table.state)


def test_no_monastery_in_a_pilgrimage() -> None:
    """O-4.5, O-6.1: refused under the event's rule."""
    table = Table()
    table.man("monastery")
    table.man("scriptorium")
    table.act()
    assert table.refused(0, "use_place", place="monastery") == ("O-6.1", "pilgrimage")
    table.event("taxes")
    assert table.ways("monastery") == [{"place": "monastery"}]


def _lay(table: Table, link: str, *goods: str | None) -> None:
    """Lays these goods on a link; what lay there goes to the goods market."""
    for space, good in zip(LINK_SPACES[LINK[link]], goods, strict=True):
        if table.state.laid[space] >= 0:
            table.state.goods[table.state.laid[space]] += 1
        table.state.laid[space] = -1
        if good is not None:
            table.state.laid[space] = GOOD[good]
            table.state.goods[GOOD[good]] -= 1


TRAVEL = [
    ("ship", "O-4.6", "orleans-blois-waterway", "blois"),
    ("wagon", "O-4.7", "orleans-montargis-road", "montargis"),
    ("horse_wagon", "O-5.5", "orleans-montargis-road", "montargis"),
]


@pytest.mark.parametrize(("place", "rule", "link", "to"), TRAVEL)
@pytest.mark.parametrize("take", [True, False])
def test_travelling(place: str, rule: str, link: str, to: str, take: bool) -> None:
    """O-4.6, O-4.7, O-5.5: along one link, with the good that lies there or without."""
    table = Table()
    if place == "horse_wagon":
        table.tile(place)
    table.man(place)
    _lay(table, link, "wool")
    table.act()
    ways = [way for way in table.ways(place) if way["link"] == link]
    assert ways == [{"place": place, "link": link}, {"place": place, "link": link, "good": "wool"}]
    table.use(place, link=link, good="wool" if take else None)
    (moved,) = table.told("merchant_moved")
    assert (moved["link"], moved["to"]) == (link, to)
    assert (moved["good"], moved["space"]) == (("wool", 0) if take else (None, None))
    assert table.view()["merchant"] == to
    assert table.view()["goods"]["wool"] == int(take)
    lying = RULESET.view(table.state)["goods"][link]
    assert lying == ([None] if take else ["wool"])
    conserved(table.state)


@pytest.mark.parametrize(("place", "rule", "link", "to"), TRAVEL)
def test_travelling_refused(place: str, rule: str, link: str, to: str) -> None:
    """O-4.6, O-4.7, O-5.5: no other kind of link, no link elsewhere, no good not there."""
    table = Table()
    if place == "horse_wagon":
        table.tile(place)
    table.man(place)
    _lay(table, link, None)
    table.act()
    other = "orleans-montargis-road" if place == "ship" else "orleans-blois-waterway"
    far = "tours-chinon-waterway" if place == "ship" else "chartres-le_mans-road"
    for fields, code in (
        ({"link": other}, "no_such_way"),
        ({"link": far}, "no_such_way"),
        ({"link": link, "good": "grain"}, "good_not_there"),
        ({}, "wrong_fields"),
        ({"good": "wool"}, "wrong_fields"),
        ({"link": link, "coins": 1}, "wrong_fields"),
    ):
        assert table.refused(0, "use_place", place=place, **fields) == (rule, code)


def test_two_goods_on_a_link() -> None:
    """O-4.6: either may be taken; two alike are one choice."""
    table = Table(4)
    link = "orleans-briare-waterway"
    table.man("ship")
    _lay(table, link, "wine", "grain")
    table.act()
    goods = [way.get("good") for way in table.ways("ship") if way["link"] == link]
    assert goods == [None, "grain", "wine"]
    _lay(table, link, "wine", "wine")
    goods = [way.get("good") for way in table.ways("ship") if way["link"] == link]
    assert goods == [None, "wine"]
    table.use("ship", link=link, good="wine")
    assert RULESET.view(table.state)["goods"][link] == [None, "wine"]


def test_links_of_both_kinds() -> None:
    """O-4.6: Chinon and Châtellerault are joined twice; each link has its own id."""
    table = Table()
    table.man("ship")
    table.man("wagon")
    table.seat().merchant = TOWN["chatellerault"]
    table.act()
    ship = {way["link"] for way in table.ways("ship")}
    wagon = {way["link"] for way in table.ways("wagon")}
    assert ship == {"chinon-chatellerault-waterway"}
    assert wagon == {"chinon-chatellerault-road", "chatellerault-argenton-road"}


def test_no_ship_without_water() -> None:
    """O-4.6: a town without waterways; the seat passes by itself."""
    table = Table()
    table.man("ship")
    table.seat().merchant = TOWN["chartres"]
    table.plan()
    assert {"seat": 0, "forced": True} in table.told("seat_passed")


def test_guildhall() -> None:
    """O-4.8: a station of the reserve where the merchant stands."""
    table = Table()
    table.man("guildhall")
    table.seat().merchant = TOWN["tours"]
    table.act()
    used(table, "guildhall")
    assert table.told("station_built") == [{"seat": 0, "town": "tours"}]
    assert table.view()["stations"] == {"built": 1, "reserve": 9, "gone": 0}
    assert RULESET.view(table.state)["trading_stations"] == {"tours": [0]}
    conserved(table.state)


@pytest.mark.parametrize("owner", [0, 1])
def test_one_station_a_town(owner: int) -> None:
    """O-4.8: whoever owns it."""
    table = Table()
    table.man("guildhall")
    table.man("scriptorium")
    table.seat().merchant = TOWN["tours"]
    table.stations("tours", seat=owner)
    table.act()
    assert table.refused(0, "use_place", place="guildhall") == ("O-4.8", "station_here")
    assert table.ways("guildhall") == []


def test_orleans_has_one_station_a_seat() -> None:
    """O-4.8: the others' don't count there, the own one does."""
    table = Table(3)
    table.stations("orleans", seat=1)
    table.stations("orleans", seat=2)
    table.man("guildhall")
    table.man("scriptorium")
    table.act()
    table.use("guildhall")
    assert RULESET.view(table.state)["trading_stations"] == {"orleans": [0, 1, 2]}
    table.man("guildhall")
    assert table.refused(0, "use_place", place="guildhall") == ("O-4.8", "station_here")


def test_ten_stations_and_no_more() -> None:
    """O-4.8: none left in reserve."""
    table = Table()
    table.man("guildhall")
    table.man("scriptorium")
    table.stations(*list(TOWN)[1:11])
    table.act()
    assert table.refused(0, "use_place", place="guildhall") == ("O-4.8", "no_station_left")


def test_scriptorium() -> None:
    """O-4.9: one development point, also where it is of no use."""
    table = Table()
    table.man("scriptorium")
    table.man("farm_house")
    table.act()
    used(table, "scriptorium")
    assert table.seat().development == 1
    table.man("scriptorium")
    table.seat().development = 30
    table.seat().coin_spaces = 7
    used(table, "scriptorium")
    assert table.seat().development == 30
    fields = {"coins": 1}
    assert table.refused(0, "use_place", place="scriptorium", **fields) == (
        "O-4.9", "wrong_fields",
    )  # fmt: skip


# The Town Hall


def test_town_hall_takes_neutral_followers_only() -> None:
    """O-4.10: of any kind; starting ones never."""
    table = Table()
    table.market("knight", "monk")
    spaces = [c for c in table.listed("place_follower") if c["place"] == "town_hall"]
    assert [(c["follower"], c["starting"], c["space"]) for c in spaces] == [
        ("knight", False, 0), ("knight", False, 1), ("monk", False, 0), ("monk", False, 1),
    ]  # fmt: skip
    seat = {"follower": "farmer", "starting": True, "place": "town_hall", "space": 0}
    assert table.refused(0, "place_follower", **seat) == ("O-4.10", "not_for_deeds")


def test_town_hall_with_one_follower() -> None:
    """O-4.10: usable with one; every deed with a free slot of the kind, Canalization twice."""
    table = Table()
    table.man("town_hall", "farmer")
    table.act()
    assert [way["deliveries"] for way in table.ways("town_hall")] == [
        [sent(0, "city_wall")],
        [sent(0, "defeating_the_plague")],
        [sent(0, "canalization")],
        [sent(0, "canalization", "development")],
    ]
    table.use("town_hall", deliveries=[sent(0, "defeating_the_plague")])
    assert table.told("follower_delivered") == [
        {
            "seat": 0, "place": "town_hall", "space": 0, "follower": "farmer",
            "deed": "defeating_the_plague", "reward": "coin", "coins": 2,
        }
    ]  # fmt: skip
    assert table.seat().coins == 7
    deeds = RULESET.view(table.state)["deeds"]
    assert deeds["defeating_the_plague"]["farmer"] == {"filled": 1, "free": 0}
    assert table.view()["places"]["town_hall"] == [None, None]
    conserved(table.state)


def test_town_hall_sends_one_or_both() -> None:
    """O-4.10: singles and pairs, sorted; one not sent stays."""
    table = Table()
    table.man("town_hall", "monk", "knight")
    table.act()
    ways = [way["deliveries"] for way in table.ways("town_hall")]
    monk = ["papal_conclave", "cathedral", "peace_treaty"]
    knight = ["city_wall", "papal_conclave", "peace_treaty"]
    wanted: list[Any] = []
    for deed in monk:
        wanted.append([sent(0, deed)])
        wanted += [[sent(0, deed), sent(1, other)] for other in knight]
    wanted += [[sent(1, other)] for other in knight]
    assert ways == wanted
    table.use("town_hall", deliveries=[sent(1, "city_wall")])
    assert table.view()["places"]["town_hall"][0]["follower"] == "monk"
    assert table.state.seat == 0


def test_two_alike_need_two_slots() -> None:
    """O-4.10: both to one deed only if it has room for both."""
    table = Table()
    table.man("town_hall", "scholar", "scholar")
    table.act()
    pairs = {
        tuple(one["deed"] for one in way["deliveries"])
        for way in table.ways("town_hall")
        if len(way["deliveries"]) == 2
    }
    single = {"boatmen_guild", "peace_treaty"}
    double = {"defeating_the_plague", "astronomy"}
    assert {(a, b) for a in single | double for b in single | double} - pairs == {
        (deed, deed) for deed in single
    }
    both = [sent(0, "peace_treaty"), sent(1, "peace_treaty")]
    assert table.refused(0, "use_place", place="town_hall", deliveries=both) == (
        "O-4.10", "slots_taken",
    )  # fmt: skip
    table.use("town_hall", deliveries=[sent(0, "astronomy"), sent(1, "astronomy")])
    assert table.state.slots[DEED["astronomy"]][KIND["scholar"]] == 0


@pytest.mark.parametrize(
    ("deliveries", "rule", "code"),
    [
        ([sent(1, "city_wall"), sent(0, "city_wall")], "O-4.10", "wrong_fields"),
        ([sent(0, "city_wall"), sent(0, "canalization")], "O-4.10", "wrong_fields"),
        (None, "O-4.10", "wrong_fields"),
        ([sent(1, "city_wall")], "O-4.10", "nobody_to_send"),
        ([sent(0, "papal_conclave")], "O-5.10", "wrong_kind"),
        ([sent(0, "city_wall", "development")], "O-4.10", "wrong_reward"),
    ],
)
def test_town_hall_refused(deliveries: Any, rule: str, code: str) -> None:
    """O-4.10, O-5.10: form, who stands there, the deed's slots, the reward."""
    table = Table()
    table.man("town_hall", "farmer")
    table.act()
    assert table.refused(0, "use_place", place="town_hall", deliveries=deliveries) == (rule, code)


def test_an_empty_town_hall_is_not_usable() -> None:
    """O-4.10: at least one follower must stand there."""
    table = Table()
    table.man("scriptorium")
    table.act()
    fields = {"deliveries": [sent(0, "city_wall")]}
    assert table.refused(0, "use_place", place="town_hall", **fields) == (
        "O-4.10", "not_activated",
    )  # fmt: skip


def test_no_slot_left_anywhere() -> None:
    """O-4.10: with no free slot of its kind a follower doesn't make the place usable."""
    table = Table()
    for deed in ("papal_conclave", "cathedral", "peace_treaty"):
        table.state.slots[DEED[deed]][KIND["monk"]] = 0
    table.man("town_hall", "monk")
    table.plan()
    assert {"seat": 0, "forced": True} in table.told("seat_passed")


@pytest.mark.parametrize(
    ("deed", "kind", "coins"),
    [
        ("city_wall", "knight", 1), ("papal_conclave", "monk", 3),
        ("defeating_the_plague", "scholar", 2), ("astronomy", "trader", 1),
        ("boatmen_guild", "boatman", 1), ("cathedral", "craftsman", 2),
        ("peace_treaty", "knight", 2), ("canalization", "boatman", 1),
    ],
)  # fmt: skip
def test_deeds_reward_and_their_last_slot_brings_a_citizen(
    deed: str, kind: str, coins: int
) -> None:
    """O-4.10: coins for each follower; the last one takes the deed's citizen."""
    table = Table()
    table.man("town_hall", kind)
    for other, free in enumerate(table.state.slots[DEED[deed]]):
        table.state.slots[DEED[deed]][other] = 1 if other == KIND[kind] else 0
        table.state.supply[other] -= free - (other == KIND[kind])
    table.act()
    table.use("town_hall", deliveries=[sent(0, deed)])
    assert table.seat().coins == 5 + coins
    assert table.told("citizen_taken") == [{"seat": 0, "citizen": deed}]
    assert RULESET.view(table.state)["citizens"][deed] == 0
    conserved(table.state)


def test_two_followers_complete_a_deed_together() -> None:
    """O-4.10: the second takes the citizen, once."""
    table = Table()
    table.man("town_hall", "scholar", "scholar")
    table.state.slots[DEED["astronomy"]][KIND["trader"]] = 0
    table.act()
    table.use("town_hall", deliveries=[sent(0, "astronomy"), sent(1, "astronomy")])
    assert table.told("citizen_taken") == [{"seat": 0, "citizen": "astronomy"}]


def test_canalization_leaves_the_choice() -> None:
    """O-4.10: 1 coin or 1 development point, for each follower apart."""
    table = Table()
    table.man("town_hall", "farmer", "boatman")
    table.seat().development = 6
    table.act()
    both = [sent(0, "canalization", "development"), sent(1, "canalization", "development")]
    table.use("town_hall", deliveries=both)
    advances = table.told("development_advanced")
    assert [(event["before"], event["after"], event["coins"]) for event in advances] == [
        (6, 7, 3), (7, 8, 0),
    ]  # fmt: skip
    assert table.seat().development == 8
    assert table.seat().coins == 8


def test_monks_may_be_barred_from_deeds() -> None:
    """O-4.10: with `monks_on_deeds: false` not on the Town Hall, not from the Tower."""
    table = Table(monks_on_deeds=False)
    table.tile("gunpowder_tower")
    table.market("monk", "knight")
    seat = {"follower": "monk", "starting": False, "place": "town_hall", "space": 0}
    assert table.refused(0, "place_follower", **seat) == ("O-4.10", "not_for_deeds")
    table.man("gunpowder_tower", "monk", "knight")
    table.act()
    ways = [way["deliveries"] for way in table.ways("gunpowder_tower")]
    assert {one["space"] for way in ways for one in way} == {1}
    fields = {"deliveries": [sent(0, "cathedral")]}
    assert table.refused(0, "use_place", place="gunpowder_tower", **fields) == (
        "O-5.9", "nobody_to_send",
    )  # fmt: skip


def test_no_substitution_on_deeds() -> None:
    """O-4.10, O-5.10: a monk on monk slots only, whatever passive tiles say."""
    table = Table()
    table.tile("herb_garden", "school")
    table.man("town_hall", "monk", "boatman")
    table.act()
    deeds = {(o["space"], o["deed"]) for w in table.ways("town_hall") for o in w["deliveries"]}
    assert deeds == {
        (0, "papal_conclave"), (0, "cathedral"), (0, "peace_treaty"),
        (1, "defeating_the_plague"), (1, "boatmen_guild"), (1, "canalization"),
    }  # fmt: skip
    fields = {"deliveries": [sent(1, "city_wall")]}
    assert table.refused(0, "use_place", place="town_hall", **fields) == ("O-5.10", "wrong_kind")
