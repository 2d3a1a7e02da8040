"""Where a text may be read otherwise: options, and how version 1 played."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules import described
from service.rules.orleans import RULESET, Options
from service.rules.orleans.state import ACTIONS, PLANNING
from service.rules.orleans.tables import FIRST, PLACE, SPACES, STACKS, TOWNS
from service.rules.ruleset import options_of

from .invariants import conserved
from .table import Table

OLD = options_of(RULESET, 1, {"plague": "set_aside"})


def fallen(**options: Any) -> Table:
    """Returns a table whose seat 0 has five stations and gave a point: its marker went 15 → 14."""
    table = Table(**options)
    table.stations(*TOWNS[1:6])
    me = table.seat()
    me.development, me.coin_spaces, me.coins = 15, 0b11, 4
    table.seat(1).coins = 50
    table.resolve("harvest")
    table.send(0, "give", item="development")
    assert (me.development, me.coins) == (14, 0)
    return table


def test_version_1_is_a_choice_of_options() -> None:
    """O-1.8: what version 1 did not know is as it played; what a game names stays."""
    same = {"status": "present", "development_back": "not_onto_coins", "planning": "final"}
    assert Options(plague="set_aside", **same) == OLD
    assert options_of(RULESET, 1, {"planning": "open"}).planning == "open"
    assert options_of(RULESET, 2, {}) == Options()
    known = {"start_seat", "monks_on_deeds", "plague", "last_citizen"}
    names = {field.name for field in described.fields(Options)}
    assert set(RULESET.earlier) == set(range(1, RULESET.version))
    assert set(RULESET.earlier[1]) == names - known


@pytest.mark.parametrize(("status", "points", "times"), [("reached", 20, 4), ("present", 15, 3)])
def test_a_status_once_reached_counts(status: str, points: int, times: int) -> None:
    """O-8.2: five stations, no citizens, and a marker that was on 15 and is on 14."""
    table = fallen(status=status)
    (line,) = [
        item
        for item in RULESET.score(table.state).seats[0].items
        if item.name == "stations_and_citizens"
    ]
    assert line.points == points
    assert line.facts == {"stations": 5, "citizens": 0, "status": times}
    assert RULESET.totals(table.state)[0] == points
    assert table.view()["development"] == {"space": 14, "status": 3}
    assert table.view()["status_reached"] == 4


def test_the_present_status_counts_for_coins() -> None:
    """O-6.2: Income is by the marker's space, whatever was reached before."""
    table = fallen()
    assert table.state.round == 2
    before = table.seat().coins
    table.resolve("income")
    gained = {told["seat"]: told["coins"] for told in table.told("coins_gained")}
    assert gained == {0: 3, 1: 1}
    assert table.seat().coins == before + 3


@pytest.mark.parametrize("space", [8, 13, 26])
def test_points_may_be_given_back_onto_coin_spaces(space: int) -> None:
    """O-7.1: and can be gained again, but the coins of a space come once (O-3.6)."""
    table = Table()
    me = table.seat()
    me.development, me.coin_spaces = space, {8: 1, 13: 3, 26: 7}[space]
    me.stations_gone, me.reserve, me.coins = 10, 0, 3
    table.seat(1).coins = 50
    table.man("scriptorium")
    table.resolve("harvest")
    assert table.listed("give") == [
        {"item": "development", "from": None, "good": None, "tile": None, "place": None}
    ]
    table.send(0, "give", item="development")
    table.send(0, "give", item="development")
    assert me.development == space - 2
    assert table.view()["coin_spaces"] == {8: [7], 13: [7, 12], 26: [7, 12, 25]}[space]
    table.plan()
    while table.state.seat != 0:
        table.send(table.state.seat, "pass")
    table.use("scriptorium")
    assert (me.development, me.coins) == (space - 1, 0)
    (advanced,) = table.told("development_advanced")
    assert advanced["coin_spaces"] == []


def test_planning_may_be_reopened() -> None:
    """O-2.4: as long as another seat plans, a seat that is done may plan on."""
    table = Table(3)
    table.planning()
    table.send(1, "place_follower", follower="boatman", starting=True, place="castle", space=1)
    assert table.refused(1, "reopen_planning") == ("O-2.4", "still_planning")
    table.send(1, "end_planning")
    assert table.to_act() == (0, 2)
    assert [command.type for command in RULESET.legal(table.state, 1)] == ["reopen_planning"]
    assert table.refused(1, "end_planning") == ("O-2.4", "already_done")
    table.send(1, "reopen_planning")
    assert table.told("planning_reopened") == [{"seat": 1}]
    assert table.last.draws == ()
    assert table.to_act() == (0, 1, 2)
    table.send(1, "withdraw_follower", place="castle", space=1)
    assert table.view(1)["market"]["starting_boatman"] == 1
    table.man("castle", seat=2)
    for seat in (2, 1, 0):
        table.send(seat, "end_planning")
    assert table.state.step == ACTIONS
    assert table.refused(1, "reopen_planning") == ("O-2", "wrong_phase")


def test_nobody_reopens_what_all_have_ended() -> None:
    """O-2.4: when the last seat is done, the actions begin."""
    table = Table()
    table.planning()
    for seat in table.state.seats:
        seat.done = True
    assert table.refused(0, "reopen_planning") == ("O-2.4", "all_done")
    assert table.refused(7, "reopen_planning") == ("O-2.4", "already_done")
    assert table.refused(-1, "end_planning") == ("O-2.4", "already_done")
    assert RULESET.legal(table.state, 0) == RULESET.legal(table.state, 7) == []


def test_done_may_be_done() -> None:
    """O-2.4: with `planning: final`, as in version 1."""
    table = Table(planning="final")
    table.planning()
    table.send(0, "end_planning")
    assert RULESET.legal(table.state, 0) == []
    assert table.refused(0, "reopen_planning") == ("O-2.4", "done_is_done")
    assert table.to_act() == (1,)


def test_seats_may_plan_in_turn() -> None:
    """O-2.4: with `planning: in_turn`, from the start player on; done is done."""
    table = Table(3, start_seat=1, planning="in_turn")
    table.planning()
    for seat in (1, 2, 0):
        assert table.to_act() == (seat,)
        assert RULESET.view(table.state)["seat"] == seat
        other = (seat + 1) % 3
        done = other == 1
        assert table.refused(other, "end_planning") == (
            ("O-2.4", "already_done") if done else ("O-2.4", "not_your_turn")
        )
        assert table.refused(other, "reopen_planning") == ("O-2.4", "done_is_done")
        table.send(seat, "end_planning")
    assert table.state.round == 2


def test_between_two_steps_nobody_plans_in_turn() -> None:
    """O-2.4: when all are done and the actions have not begun."""
    table = Table(planning="in_turn")
    table.planning()
    for seat in table.state.seats:
        seat.done = True
    assert table.to_act() == ()
    assert RULESET.view(table.state)["seat"] is None


def test_the_horse_wagon_may_only_move() -> None:
    """O-5.5: with `horse_wagon_good: false` no good comes along; the Wagon is as ever."""
    table = Table(horse_wagon_good=False)
    table.tile("horse_wagon")
    table.man("horse_wagon")
    table.man("wagon")
    table.act()
    assert all("good" not in way for way in table.ways("horse_wagon"))
    taking = [way for way in table.ways("wagon") if "good" in way]
    assert taking
    link, good = taking[0]["link"], taking[0]["good"]
    assert table.refused(0, "use_place", place="horse_wagon", link=link, good=good) == (
        "O-5.5", "no_goods",
    )  # fmt: skip
    table.use("horse_wagon", link=link)
    assert table.told("merchant_moved")[0]["good"] is None
    conserved(table.state)


def bathing(*bag: str, free: dict[str, tuple[int, ...]], bathhouse: str = "two") -> Table:
    """Returns a table whose Bathhouse drew this bag; of action spaces only these are free."""
    table = Table(bathhouse=bathhouse)
    table.tile("bathhouse")
    table.clear()
    me = table.seat()
    for code in range(7, 11):  # starting followers stand aside, so that only the bag is drawn
        me.bag[code] -= 1
        me.bag_size -= 1
    table.man("bathhouse")
    table.bag(*bag)
    left = {FIRST[PLACE[place]] + space for place, spaces in free.items() for space in spaces}
    filler = iter([7, 8, 9, 10])
    for space in range(SPACES):
        if me.empty >> space & 1 and space not in left:
            me.put(space, next(filler, 0))
    table.planning()
    while table.state.step == PLANNING:
        table.send(table.to_act()[0], "end_planning")
    assert table.state.step == ACTIONS
    table.use("bathhouse")
    return table


def test_the_bathhouse_may_have_to_place_two() -> None:
    """O-5.6: with `bathhouse: two` nothing is returned while another can be placed."""
    table = bathing("knight", "scholar", "trader", free={"scriptorium": (0, 1)})
    assert table.refused(0, "return_followers") == ("O-5.6", "two_to_place")
    assert not table.listed("return_followers")
    table.send(
        0, "place_follower", follower="scholar", starting=False, place="scriptorium", space=1
    )
    assert table.refused(0, "return_followers") == ("O-5.6", "two_to_place")
    table.send(0, "place_follower", follower="knight", starting=False, place="scriptorium", space=0)
    assert table.told("followers_returned")[0]["forced"]


def test_the_first_leaves_the_second_a_space() -> None:
    """O-5.6: with `bathhouse: two` a monk may not take the only space that a knight fits."""
    table = bathing("monk", "knight", free={"scriptorium": (0, 1)})
    monk = {"follower": "monk", "starting": False, "place": "scriptorium"}
    assert table.refused(0, "place_follower", space=0, **monk) == ("O-5.6", "leaves_no_space")
    assert [(c["follower"], c["space"]) for c in table.listed("place_follower")] == [
        ("knight", 0), ("monk", 1),
    ]  # fmt: skip
    table.send(0, "place_follower", space=1, **monk)
    table.send(0, "place_follower", follower="knight", starting=False, place="scriptorium", space=0)
    assert table.told("followers_returned")[0]["forced"]


@pytest.mark.parametrize(
    ("bag", "spaces"),
    [(("knight", "trader"), (0,)), (("knight",), (0, 1)), (("monk", "monk"), (0,))],
)
def test_one_is_placed_where_two_cannot_be(bag: tuple[str, ...], spaces: tuple[int, ...]) -> None:
    """O-5.6: two where it can; else one, and at least one."""
    table = bathing(*bag, free={"scriptorium": spaces})
    assert table.refused(0, "return_followers") == ("O-5.6", "two_to_place")
    assert {c["space"] for c in table.listed("place_follower")} <= set(spaces)
    table.send(0, "place_follower", follower=bag[0], starting=False, place="scriptorium", space=0)
    assert table.told("followers_returned")[0]["forced"]


def test_up_to_two_are_placed_otherwise() -> None:
    """O-5.6: by default the seat may stop at once, and spoil a second one's space."""
    table = bathing("monk", "knight", free={"scriptorium": (0, 1)}, bathhouse="up_to_two")
    assert ("monk", 0) in [(c["follower"], c["space"]) for c in table.listed("place_follower")]
    table.send(0, "return_followers")


def recruiting(**options: Any) -> Table:
    """Returns a table with no technology, grain or place tile of stack I left."""
    table = Table(recruit_without_reward="allowed", **options)
    state = table.state
    state.technology_gone, state.technology = 16, 0
    state.tiles_gone = state.tiles & STACKS["I"]
    state.tiles &= ~STACKS["I"]
    table.no_good("grain")
    table.man("village")
    table.man("farm_house")
    table.act()
    return table


@pytest.mark.parametrize(
    ("place", "kind", "reward"),
    [
        ("farm_house", "farmer", "good_gained"),
        ("village", "craftsman", "technology_gained"),
        ("village", "trader", "tile_taken"),
    ],
)
def test_recruiting_without_a_reward(place: str, kind: str, reward: str) -> None:
    """O-3.2: with `recruit_without_reward: allowed` the follower comes, the reward does not."""
    table = recruiting()
    recruit = {} if place == "farm_house" else {"recruit": kind}
    assert {"place": place, **recruit} in table.ways(place)
    table.use(place, **recruit)
    assert table.told("follower_recruited") == [{"seat": 0, "follower": kind, "space": 1}]
    assert reward not in table.types()
    assert table.view()["bag"][kind] >= 1
    conserved(table.state)


def test_a_reward_that_is_there_must_be_taken() -> None:
    """O-3.2, O-4.2: a trader brings a place tile where one may be taken, a good one at that."""
    table = Table(recruit_without_reward="allowed")
    table.man("village")
    table.act()
    assert table.refused(0, "use_place", place="village", recruit="trader") == (
        "O-4.2", "tile_to_take",
    )  # fmt: skip
    assert all("tile" in way for way in table.ways("village") if way["recruit"] == "trader")
    given = {"recruit": "boatman", "tile": "winery"}
    assert table.refused(0, "use_place", place="village", **given) == ("O-4.2", "wrong_fields")
    given["recruit"] = "trader"
    given["tile"] = "cellar"
    assert table.refused(0, "use_place", place="village", **given) == ("O-4.2", "tile_not_there")
    given["tile"] = "winery"
    table.use("village", **given)
    assert table.told("tile_taken") == [{"seat": 0, "tile": "winery"}]


def test_supply_and_track_end_forbid_all_the_same() -> None:
    """O-3.2: nobody left, or the track at its end."""
    table = recruiting()
    table.state.supply[1] = 0
    table.seat().tracks[2] = 5
    assert [way["recruit"] for way in table.ways("village")] == ["trader"]
    refused = {"place": "village", "recruit": "boatman"}
    assert table.refused(0, "use_place", **refused) == ("O-3.2", "no_follower_left")
    refused["recruit"] = "craftsman"
    assert table.refused(0, "use_place", **refused) == ("O-3.2", "track_end")


def test_a_tile_for_nobody_stays_refused() -> None:
    """O-3.2: in version 1 a trader without a tile is no form of the command."""
    table = Table()
    table.man("village")
    table.act()
    assert table.refused(0, "use_place", place="village", recruit="trader") == (
        "O-4.2", "wrong_fields",
    )  # fmt: skip
