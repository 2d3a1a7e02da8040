"""The bot `easy` plays Orléans with sense: it fills whole places, and what it does is legal."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest

from service.rules.chance import FreeChance
from service.rules.described import Command, dump_command
from service.rules.orleans import RULESET, Options
from service.rules.orleans.state import State
from service.rules.orleans.tables import DEED, FIRST, PLACE
from service.rules.ruleset import run, start
from workers import bots
from workers.bots.orleans.worth import Outlook

from .table import Table
from .test_laws import any_options, spiced


def easy(state: State, seat: int) -> Command:
    """Returns what the bot does; checks that it is legal and changes nothing."""
    before = state.clone()
    command = bots.choose(RULESET, state, seat, "easy", random.Random(0))
    assert state == before
    assert command in RULESET.legal(state, seat)
    return command


def plain_easy(table: Table, seat: int = 0) -> dict[str, object]:
    """Returns what the bot does, as plain data without nulls."""
    dumped = dump_command(easy(table.state, seat))
    return {name: value for name, value in dumped.items() if value is not None}


@pytest.mark.broad
@pytest.mark.parametrize("seats", RULESET.seats)
@pytest.mark.parametrize("spice", [False, True], ids=["plain", "spiced"])
def test_games_of_bots_end_and_score(seats: int, spice: bool) -> None:
    generator = random.Random(seats)
    chance = FreeChance(generator)
    if spice:
        state = spiced(seats, Options(plague="set_aside"), generator)
    else:
        state, _ = start(RULESET, seats, Options(), chance)
    used: Counter[str] = Counter()
    while acting := RULESET.to_act(state):
        command = easy(state, acting[0])
        used[command.type] += 1
        run(RULESET, state, acting[0], command, chance)
    assert min(RULESET.totals(state)) > 50
    assert used["use_place"] > 40 * seats


@pytest.mark.parametrize("seed", range(6))
def test_games_end_whatever_the_options(seed: int) -> None:
    """O-1.8: what the bot does is legal, also in planning in turn and where two must be placed."""
    generator = random.Random(seed)
    options = any_options(generator)
    options = replace(options, bathhouse="two" if seed % 2 else "up_to_two")
    chance = FreeChance(generator)
    state = spiced(RULESET.seats[seed % 3], options, generator)
    bathhouse = PLACE["bathhouse"]
    if state.tiles >> bathhouse & 1:
        state.tiles &= ~(1 << bathhouse)
        state.seats[0].gain_tile(bathhouse, options.monks_on_deeds)
    while acting := RULESET.to_act(state):
        run(RULESET, state, acting[0], easy(state, acting[0]), chance)
    assert RULESET.over(state)


def test_two_are_placed_where_they_must_be() -> None:
    """O-5.6: with `bathhouse: two` the bot puts followers down that complete nothing."""
    table = Table(bathhouse="two")
    table.tile("bathhouse")
    table.man("bathhouse")
    table.clear()
    table.act()
    table.chance.wanted = ["starting_trader", "starting_boatman", "starting_farmer"]
    table.use("bathhouse")
    while table.state.bath:
        command = easy(table.state, 0)
        assert command.type == "place_follower"
        run(RULESET, table.state, 0, command, table.chance)


def test_easy_beats_two_random_ones() -> None:
    for seed in range(3):
        state, _ = start(RULESET, 3, Options(), FreeChance(random.Random(seed)))
        chance, generator = FreeChance(random.Random(seed + 9)), random.Random(seed)
        while acting := RULESET.to_act(state):
            level = "easy" if acting[0] == seed else "random"
            command = bots.choose(RULESET, state, acting[0], level, generator)
            run(RULESET, state, acting[0], command, chance)
        totals = RULESET.totals(state)
        assert max(totals) == totals[seed]


def test_draws_all_that_it_can() -> None:
    table = Table()
    table.clear()
    table.next_round()
    assert plain_easy(table) == {"type": "draw", "count": 4}


def test_takes_back_who_waits_in_vain() -> None:
    """A draw that the bag cannot give is declined for a follower on a half-filled place."""
    table = Table()
    table.clear()
    table.seat().put(FIRST[PLACE["castle"]], 0)
    table.state.supply[0] -= 1
    table.seat().to_market(table.seat().spaces[FIRST[PLACE["castle"]]])
    table.state.supply[0] -= 1
    for code in (7, 8, 9):
        table.seat().from_bag(code)
        table.seat().to_market(code)
    table.next_round()
    assert plain_easy(table) == {"type": "take_back", "place": "castle", "space": 0}


def test_fills_a_place_that_it_can_complete() -> None:
    """The four starting followers complete one place; none stands where nothing comes of it."""
    table = Table()
    filled = Counter[object]()
    while (command := plain_easy(table))["type"] == "place_follower":
        filled[command.pop("place")] += 1
        run(RULESET, table.state, 0, easy(table.state, 0), table.chance)
    assert command == {"type": "end_planning"}
    assert filled in ({"village": 3}, {"castle": 3}, {"university": 3}, {"farm_house": 2})


def test_makes_room_in_a_full_market() -> None:
    table = Table()
    table.market("knight", "knight", "knight")
    table.clear()
    table.market("knight", "knight", "knight", "knight", "knight")
    command = plain_easy(table)
    assert command["type"] == "place_follower"
    assert command["follower"] == "knight"


def test_puts_technology_where_it_is_used_most() -> None:
    table = Table()
    table.seat().technology = 1
    table.state.technology -= 1
    table.planning()
    assert plain_easy(table) == {"type": "place_technology", "place": "guildhall", "space": 0}


def test_technology_goes_elsewhere_where_the_best_places_have_it() -> None:
    table = Table()
    for place in ("guildhall", "wagon", "ship", "village", "university", "castle"):
        table.technology(place, 0)
    table.technology("monastery", 0)
    table.seat().technology = 1
    table.state.technology -= 1
    table.planning()
    assert plain_easy(table)["place"] == "farm_house"


def test_builds_before_it_travels_and_travels_before_it_builds_again() -> None:
    table = Table()
    table.man("guildhall")
    table.man("wagon")
    table.act()
    assert plain_easy(table)["place"] == "guildhall"
    table.use("guildhall")
    table.man("guildhall")
    command = plain_easy(table)
    assert command["place"] == "wagon"
    assert command["good"] is not None


def test_passes_only_when_nothing_is_worth_it() -> None:
    """A neutral follower sent to a deed early is worth more at work."""
    table = Table()
    table.man("town_hall", "craftsman")
    table.act()
    assert plain_easy(table) == {"type": "pass"}
    table.man("scriptorium")
    assert plain_easy(table)["place"] == "scriptorium"


def test_a_deed_is_completed_for_its_citizen() -> None:
    table = Table()
    table.state.slots[DEED["papal_conclave"]] = [0, 0, 0, 0, 0, 0, 1]
    table.man("town_hall", "monk")
    table.state.round = 17
    table.act()
    assert plain_easy(table) == {
        "type": "use_place", "place": "town_hall",
        "deliveries": [{"space": 0, "deed": "papal_conclave", "reward": "coin"}],
    }  # fmt: skip


def test_bathhouse_followers_complete_a_place() -> None:
    table = Table()
    table.tile("bathhouse")
    table.man("bathhouse")
    table.man("scriptorium", "knight")
    table.bag("scholar", "farmer", "farmer")
    table.act()
    table.chance.wanted = ["scholar", "farmer", "farmer"]
    table.use("bathhouse")
    assert plain_easy(table) == {
        "type": "place_follower", "follower": "scholar", "starting": False,
        "place": "scriptorium", "space": 1,
    }  # fmt: skip


def test_followers_that_complete_nothing_go_back() -> None:
    table = Table()
    table.tile("bathhouse")
    table.man("bathhouse")
    table.bag("knight", "knight", "knight")
    table.act()
    table.use("bathhouse")
    assert plain_easy(table) == {"type": "return_followers"}


@pytest.mark.parametrize(
    ("goods", "coins", "chosen"),
    [({"wool": 9}, 9, "use_sacristy"), ({"wool": 3}, 9, "keep_sacristy")],
)
def test_the_monk_goes_for_high_taxes_only(goods: dict[str, int], coins: int, chosen: str) -> None:
    table = Table()
    table.tile("sacristy")
    table.man("sacristy", "monk")
    table.goods(**goods)
    table.resolve("taxes")
    assert plain_easy(table) == {"type": chosen}


@pytest.mark.parametrize(
    ("goods", "chosen"), [({}, "use_sacristy"), ({"grain": 1}, "keep_sacristy")]
)
def test_the_monk_goes_for_a_harvest_without_food(goods: dict[str, int], chosen: str) -> None:
    table = Table()
    table.tile("sacristy")
    table.man("sacristy", "monk")
    table.goods(**goods)
    table.resolve("harvest")
    assert plain_easy(table) == {"type": chosen}


def test_the_cheapest_food_is_given() -> None:
    table = Table()
    table.goods(wine=1, cheese=1)
    table.resolve("harvest")
    assert plain_easy(table) == {"type": "pay_harvest", "good": "cheese"}


def test_torture_takes_what_costs_least() -> None:
    """Late in the game a station in reserve is worth little; a built one is kept."""
    table = Table()
    table.stations("orleans", "blois")
    table.tile("windmill")
    table.bag("knight")
    table.technology("castle", 0)
    table.seat().technology = 1
    table.state.technology -= 1
    table.seat().development = 2
    table.goods(brocade=3)
    table.seat().coins = 0
    table.resolve("taxes")
    assert plain_easy(table) == {"type": "give", "item": "trading_station", "from": "reserve"}


def test_outlook_counts_the_followers_wherever_they_are() -> None:
    table = Table()
    table.bag("knight")
    table.man("scriptorium")
    outlook = Outlook(table.state, 0)
    assert outlook.held == [1, 1, 1, 1, 2, 1, 0]
    assert outlook.crowd == 7
