"""Faults that others have had with this game, each with the rule that it broke."""

from __future__ import annotations

from service.rules.orleans import RULESET
from service.rules.orleans.tables import GOODS_SPACES, KIND, STATUS

from .table import Table


def test_all_spaces_are_filled_with_four_seats() -> None:
    """O-1.5: spaces marked 3 left empty with four players."""
    table = Table(4)
    goods = RULESET.view(table.state)["goods"]
    assert sum(len(lying) for lying in goods.values()) == len(GOODS_SPACES) == 52
    assert all(good is not None for lying in goods.values() for good in lying)
    three = RULESET.view(Table(3).state)["goods"]
    assert [good is None for good in three["orleans-briare-waterway"]] == [False, False]
    assert [good is None for good in three["chartres-le_mans-road"]] == [False, True]


def test_income_looks_at_the_status_trading_day_at_stations() -> None:
    """O-6.2, O-6.3: Income and Trading Day swapped."""
    for event, coins in (("income", 3), ("trading_day", 1)):
        table = Table()
        table.seat().development = 9
        table.stations("tours")
        table.resolve(event)
        assert table.seat().coins == 5 + coins


def test_the_second_scholar_brings_three_points() -> None:
    """O-4.3: University advancing by the scholar index, not the points shown."""
    table = Table()
    table.man("university")
    table.seat().tracks[KIND["scholar"]] = 1
    table.act()
    table.use("university")
    assert table.seat().development == 3


def test_the_status_rises_to_six() -> None:
    """O-3.6: status stuck at 2."""
    assert sorted(set(STATUS)) == [1, 2, 3, 4, 5, 6]


def test_a_citizen_on_the_space_itself() -> None:
    """O-3.6: citizens given only past 3/18/28, not on them."""
    for space in (3, 18, 28):
        table = Table()
        table.man("scriptorium")
        table.seat().development = space - 1
        table.act()
        table.use("scriptorium")
        assert table.seat().development == space
        assert table.seat().citizens == 1


def test_a_monk_on_every_board_space() -> None:
    """O-3.1: a monk refused on a knight space."""
    table = Table()
    table.market("monk")
    spaces = [c for c in table.listed("place_follower") if c["follower"] == "monk"]
    assert len(spaces) == 26


def test_pharmacy_gives_three_steps() -> None:
    """O-5.3: Pharmacy giving nothing or only two steps."""
    table = Table()
    table.tile("pharmacy")
    table.man("pharmacy")
    table.act()
    table.use("pharmacy", coins=3)
    assert table.seat().development == 3


def test_the_first_tile_of_the_laboratory_is_a_first_tile() -> None:
    """O-3.4: first-technology test confused with the craftsman track."""
    table = Table()
    table.tile("laboratory")
    table.seat().technology = 1
    table.seat().tracks[KIND["craftsman"]] = 3
    assert {c["space"] for c in table.listed("place_technology")} == {0}
    table.seat().tracks[KIND["craftsman"]] = 0
    table.seat().technology_placed = True
    assert {c["space"] for c in table.listed("place_technology")} == {0, 1, 2}


def test_the_sacristy_outlives_good_events() -> None:
    """O-5.7: Sacristy burnt on a good event."""
    for event in ("income", "trading_day", "pilgrimage"):
        table = Table()
        table.tile("sacristy")
        table.man("sacristy")
        table.resolve(event)
        assert table.view()["places"]["sacristy"][0] is not None


def test_a_loser_never_shares_the_victory() -> None:
    """O-8.3: ties listing a loser as winner."""
    table = Table(3)
    table.seat(0).coins = table.seat(2).coins = 8
    assert [seat.rank for seat in RULESET.score(table.state).seats] == [1, 3, 1]


def test_the_second_trader_leaves_the_stacks_apart() -> None:
    """O-4.2: second Trader merging the stacks."""
    table = Table()
    table.man("scriptorium")
    table.man("village")
    table.act()
    table.use("village", recruit="trader", tile="hayrick")
    table.man("village")
    table.use("village", recruit="trader", tile="school")
    stacks = RULESET.view(table.state)["place_tiles"]
    assert (len(stacks["I"]), len(stacks["II"])) == (11, 7)
    first = Table()
    first.man("village", seat=1)
    first.plan()
    tiles = [way["tile"] for way in first.ways("village", 1) if way["recruit"] == "trader"]
    assert set(tiles) == set(RULESET.view(first.state)["place_tiles"]["I"])


def test_no_farm_house_without_its_good() -> None:
    """O-3.2: Farm House given without its good when the goods market lacks it."""
    table = Table()
    table.man("farm_house")
    table.man("scriptorium")
    table.no_good("grain")
    table.act()
    assert table.refused(0, "use_place", place="farm_house") == ("O-3.2", "no_good_left")


def test_no_recruiting_at_the_end_of_each_track() -> None:
    """O-3.2: recruiting past a track's end."""
    table = Table()
    for place in ("farm_house", "university", "castle"):
        table.man(place)
    table.man("scriptorium")
    table.seat().tracks = [8, 5, 5, 5, 5, 5, 0]
    table.act()
    for place in ("farm_house", "university", "castle"):
        assert table.refused(0, "use_place", place=place) == ("O-3.2", "track_end")


def test_there_is_a_way_back_to_the_market() -> None:
    """O-2.3: no way back from action space to market in phase 3."""
    table = Table()
    table.send(0, "place_follower", follower="farmer", starting=True, place="ship", space=0)
    table.next_round()
    table.send(0, "take_back", place="ship", space=0)
    assert table.view()["market"]["starting_farmer"] == 1
