"""The seven phases of a round (O-2), and the order in which refusals are told."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.orleans import RULESET
from service.rules.orleans.state import ACTIONS, FOLLOWERS, PLANNING
from service.rules.orleans.tables import KIND
from service.rules.ruleset import PlayEnded

from .table import Table

FARM = {"place": "farm_house"}


def test_seven_phases_follow_each_other() -> None:
    """O-2: a round tells its phases in order, and a command belongs to its phase."""
    table = Table()
    types = [(e.type, getattr(e, "phase", "")) for e in table.events()[-6:]]
    assert types == [
        ("hourglass_turned", ""), ("census_taken", ""), ("phase_began", "followers"),
        ("draw_chosen", ""), ("draw_chosen", ""), ("phase_began", "planning"),
    ]  # fmt: skip
    assert table.refused(0, "draw", count=0) == ("O-2", "wrong_phase")
    assert table.refused(0, "use_place", **FARM) == ("O-2", "wrong_phase")
    assert table.refused(0, "pass") == ("O-2", "wrong_phase")
    assert table.refused(0, "use_sacristy") == ("O-2", "wrong_phase")
    assert table.refused(0, "give", item="follower") == ("O-2", "wrong_phase")
    assert table.refused(0, "return_followers") == ("O-2", "wrong_phase")
    table.man("scriptorium")
    table.act()
    for type, fields in (("end_planning", {}), ("draw", {"count": 0}), ("keep_sacristy", {})):
        assert table.refused(0, type, **fields) == ("O-2", "wrong_phase")


def test_the_hourglass_is_drawn_lazily() -> None:
    """O-2.1: each round's event is drawn when the round begins, the last one included."""
    table = Table()
    table.seat(0).coins = table.seat(1).coins = 100
    seen = []
    while not RULESET.over(table.state):
        for seat in table.to_act():
            if table.state.step == FOLLOWERS:
                table.send(seat, "draw", count=0)
            elif table.state.step == PLANNING:
                table.send(seat, "end_planning")
        seen += table.told("hourglass_turned")
    assert [event["round"] for event in seen] == list(range(2, 19))
    assert sorted(event["event"] for event in seen) == sorted(
        ["pilgrimage"] * 2 + ["income", "harvest", "taxes", "trading_day", "plague"] * 3
    )


def _census(*spaces: int, coins: int = 5) -> tuple[Table, dict[str, Any]]:
    table = Table(len(spaces))
    for seat, space in enumerate(spaces):
        table.seat(seat).tracks[KIND["farmer"]] = space
        table.seat(seat).coins = coins
    table.next_round()
    (census,) = table.told("census_taken")
    return table, census


@pytest.mark.parametrize(
    ("spaces", "leader", "last"),
    [
        ((3, 2, 1), 0, 2),
        ((1, 2, 3), 2, 0),
        ((2, 2, 1), None, 2),
        ((2, 1, 1), 0, None),
        ((2, 2, 2), None, None),
        ((0, 4, 2, 2), 1, 0),
        ((4, 4, 1, 1), None, None),
        ((1, 0), 0, None),
        ((0, 0), None, None),
    ],
)
def test_census(spaces: tuple[int, ...], leader: int | None, last: int | None) -> None:
    """O-2.2: the sole leader gains a coin, the sole last pays one; never the last of two."""
    table, census = _census(*spaces)
    assert (census["leader"], census["last"]) == (leader, last)
    assert census["spaces"] == list(spaces)
    assert (census["gained"], census["paid"]) == (int(leader is not None), int(last is not None))
    assert table.state.debt == 0
    for seat in range(len(spaces)):
        assert table.seat(seat).coins == 5 + (seat == leader) - (seat == last)


def test_census_torture() -> None:
    """O-2.2, O-7.1: who cannot pay the census suffers torture, before anybody draws."""
    table, census = _census(1, 1, 0, coins=0)
    assert (census["last"], census["paid"], census["missing"]) == (2, 0, 1)
    assert RULESET.view(table.state)["torture"] == {"seat": 2, "missing": 1}
    assert RULESET.view(table.state)["phase"] == "census"
    assert table.to_act() == (2,)
    assert table.refused(2, "draw", count=0) == ("O-2", "wrong_phase")
    assert table.refused(0, "give", item="development") == ("O-7.1", "not_your_turn")
    table.send(2, "give", item="trading_station", **{"from": "reserve"})
    assert "phase_began" in table.types()
    assert table.seat(2).stations_gone == 1


def test_the_draw() -> None:
    """O-2.3: up to the knight's number, the market's free spaces and what the bag holds."""
    table = Table()
    table.bag("farmer", "farmer", "knight", "knight", "monk", "monk", "scholar")
    table.next_round()
    assert table.state.step == FOLLOWERS
    assert [c["count"] for c in table.listed("draw")] == [0, 1, 2, 3, 4]
    assert table.refused(0, "draw", count=5) == ("O-2.3", "too_many")
    table.chance.wanted = ["knight", "farmer", "monk"]
    table.send(0, "draw", count=3)
    assert [e["follower"] for e in table.told("follower_drawn")] == ["knight", "farmer", "monk"]
    assert [draw.bound for draw in table.last.draws] == [7, 6, 5]
    assert table.seat().market_size == 7
    assert table.seat().bag_size == 4


@pytest.mark.parametrize(("knights", "draws"), [(0, 4), (1, 5), (2, 6), (3, 7), (4, 7), (5, 8)])
def test_knights_draw_more(knights: int, draws: int) -> None:
    """O-2.3: 4, 5, 6, 7, 7, 8 draws by the space on the knight track."""
    table = Table()
    table.clear()
    table.bag(*["farmer"] * 6)
    table.seat().tracks[KIND["knight"]] = knights
    table.next_round()
    assert len(table.listed("draw")) == draws + 1
    assert table.view()["draws_left"] == draws


def test_a_full_market_takes_no_more() -> None:
    """O-2.3: at most as many as the market has free spaces."""
    table = Table()
    table.market("knight", "knight")
    table.bag(*["farmer"] * 6)
    table.next_round()
    assert len(table.listed("draw")) == 3
    table.send(0, "draw", count=2)
    assert table.seat().market_size == 8


def test_draws_happen_by_themselves_where_nothing_can_be_done() -> None:
    """O-2.3: with nothing to draw or take back, `draw` is forced."""
    table = Table()
    table.bag("farmer", seat=1)
    table.next_round()
    assert {"seat": 0, "count": 0, "forced": True} in table.told("draw_chosen")
    assert table.to_act() == (1,)


def test_seats_draw_in_any_order() -> None:
    """O-2.3: whoever is not done may send; who is done may not."""
    table = Table(3)
    for seat in range(3):
        table.bag("farmer", seat=seat)
    table.next_round()
    assert table.to_act() == (0, 1, 2)
    table.send(2, "draw", count=1)
    table.send(0, "draw", count=0)
    assert table.to_act() == (1,)
    assert table.refused(2, "draw", count=0) == ("O-2.3", "already_done")
    assert table.refused(0, "take_back", place="ship", space=0) == ("O-2.3", "already_done")
    assert table.refused(7, "draw", count=0) == ("O-2.3", "already_done")


def test_taking_back_instead_of_drawing() -> None:
    """O-2.3: for each draw declined a follower goes from an action space to the market."""
    table = Table()
    table.man("castle", "starting_farmer", "boatman")
    table.man("town_hall", "monk")
    table.seat().market[7] -= 1
    table.seat().market_size -= 1
    table.next_round()
    assert [(c["place"], c["space"]) for c in table.listed("take_back")] == [
        ("castle", 0), ("castle", 1), ("town_hall", 0),
    ]  # fmt: skip
    table.send(0, "take_back", place="castle", space=0)
    assert table.told("follower_taken_back")[0] == {
        "seat": 0, "follower": "farmer", "starting": True,
        "place": "castle", "space": 0, "to": "market",
    }  # fmt: skip
    assert table.view()["market"]["starting_farmer"] == 1
    assert table.view()["draws_left"] == 3
    assert table.refused(0, "take_back", place="castle", space=0) == ("O-2.3", "nobody_there")
    assert table.refused(0, "take_back", place="castle", space=2) == ("O-2.3", "nobody_there")
    assert table.refused(0, "take_back", place="scriptorium", space=2) == (
        "O-2.3", "no_such_space",
    )  # fmt: skip
    assert table.refused(0, "take_back", place="winery", space=0) == ("O-2.3", "not_your_place")


def test_draws_declined_are_counted_from_the_track() -> None:
    """O-2.3: four followers may come back though the bag holds none; not a fifth."""
    table = Table()
    table.man("village", "farmer", "boatman", "craftsman")
    table.man("scriptorium")
    table.seat().market[7] -= 1
    table.seat().market_size -= 1
    table.next_round()
    assert [c["count"] for c in table.listed("draw")] == [0]
    for space in range(3):
        table.send(0, "take_back", place="village", space=space)
    assert table.state.step == FOLLOWERS
    table.send(0, "take_back", place="scriptorium", space=0)
    assert table.state.step == PLANNING
    assert {"seat": 0, "count": 0, "forced": True} in table.told("draw_chosen")


def test_no_draw_left_to_decline() -> None:
    """O-2.3: after four have come back nothing more can, though the bag could still be asked."""
    table = Table()
    table.man("village", "farmer", "boatman", "craftsman")
    table.man("castle", "farmer", "boatman", "trader")
    table.clear()
    table.bag("monk", seat=1)
    table.next_round()
    for space in range(3):
        table.send(0, "take_back", place="village", space=space)
    table.seat().declined = 4
    assert table.refused(0, "take_back", place="castle", space=0) == ("O-2.3", "no_draw_left")


def test_nothing_comes_back_to_a_full_market() -> None:
    """O-2.3: only while there is a free space."""
    table = Table()
    table.man("castle", "farmer", "boatman", "trader")
    table.market("knight", "knight", "knight")
    table.next_round()
    table.send(0, "take_back", place="castle", space=2)
    assert table.seat().market_size == 8
    assert table.state.step == PLANNING
    table.state.step = FOLLOWERS
    table.seat().done = False
    assert table.refused(0, "take_back", place="castle", space=1) == ("O-2.3", "market_full")


def test_planning_places_and_withdraws() -> None:
    """O-2.4: what was put down in this planning may be taken up again, else nothing."""
    table = Table()
    table.man("castle", "farmer")
    fields = {"place": "castle", "space": 1}
    table.send(0, "place_follower", follower="boatman", starting=True, **fields)
    assert table.told("follower_placed")[0]["source"] == "market"
    assert "starting_boatman" not in table.view()["market"]
    assert table.view()["places"]["castle"][1] == {
        "follower": "boatman", "starting": True, "fresh": True,
    }  # fmt: skip
    assert table.listed("withdraw_follower") == [fields]
    assert table.refused(0, "withdraw_follower", place="castle", space=0) == ("O-2.4", "not_fresh")
    assert table.refused(0, "withdraw_follower", place="castle", space=2) == ("O-2.4", "not_fresh")
    assert table.refused(0, "place_follower", follower="boatman", starting=True, **fields) == (
        "O-2.4", "space_taken",
    )  # fmt: skip
    table.send(0, "withdraw_follower", **fields)
    assert table.view()["market"]["starting_boatman"] == 1
    assert table.listed("withdraw_follower") == []


def test_planning_needs_the_follower_and_the_place() -> None:
    """O-2.4: from the own market onto own places."""
    table = Table()
    knight = {"follower": "knight", "starting": False}
    assert table.refused(0, "place_follower", **knight, place="scriptorium", space=0) == (
        "O-2.4", "no_such_follower",
    )  # fmt: skip
    farmer = {"follower": "farmer", "starting": True}
    assert table.refused(0, "place_follower", **farmer, place="hayrick", space=0) == (
        "O-2.4", "not_your_place",
    )  # fmt: skip
    assert table.refused(0, "place_follower", **farmer, place="town_hall", space=2) == (
        "O-2.4", "no_such_space",
    )  # fmt: skip
    monk = {"follower": "knight", "starting": True}
    assert table.refused(0, "place_follower", **monk, place="scriptorium", space=0) == (
        "O-2.4", "no_such_follower",
    )  # fmt: skip


def test_places_fill_over_several_rounds() -> None:
    """O-2.4: followers stay where they are, and can no longer be withdrawn."""
    table = Table()
    table.send(0, "place_follower", follower="trader", starting=True, place="monastery", space=1)
    table.next_round()
    assert table.view()["places"]["monastery"] == [
        None, {"follower": "trader", "starting": True, "fresh": False},
    ]  # fmt: skip
    table.send(0, "draw", count=0)
    assert table.state.step == PLANNING
    assert table.refused(0, "withdraw_follower", place="monastery", space=1) == (
        "O-2.4", "not_fresh",
    )  # fmt: skip


def test_a_seat_that_is_done_plans_no_more() -> None:
    """O-2.4: until the seat declares itself done."""
    table = Table()
    table.send(1, "end_planning")
    assert table.to_act() == (0,)
    assert table.refused(1, "end_planning") == ("O-2.4", "already_done")
    farmer = {"follower": "farmer", "starting": True, "place": "ship", "space": 0}
    assert table.refused(1, "place_follower", **farmer) == ("O-2.4", "already_done")


def test_actions_go_round_and_a_pass_is_final() -> None:
    """O-2.5: one action each in turn; who passes is out; the rest go on."""
    table = Table(3)
    for place in ("scriptorium", "farm_house"):
        table.man(place)
    table.man("scriptorium", seat=1)
    table.man("scriptorium", seat=2)
    table.man("farm_house", seat=2)
    table.act()
    assert table.refused(1, "pass") == ("O-2.5", "not_your_turn")
    assert table.refused(1, "use_place", place="scriptorium") == ("O-2.5", "not_your_turn")
    table.use("scriptorium")
    assert table.told("turn_passed") == [{"seat": 1}]
    table.send(1, "pass")
    assert table.told("seat_passed") == [{"seat": 1, "forced": False}]
    table.use("scriptorium", seat=2)
    table.use("farm_house")
    assert table.told("seat_passed") == []
    assert table.state.seat == 2
    table.use("farm_house", seat=2)
    assert {"seat": 0, "forced": True} in table.told("seat_passed")
    assert table.told("round_ended") == [{"start_seat": 1}]
    assert table.view(1)["places"]["scriptorium"][0] is not None


def test_followers_return_and_technology_stays() -> None:
    """O-2.5: after the action its followers are in the bag, technology stays for ever."""
    table = Table()
    table.technology("village", 0)
    table.man("scriptorium")
    me = table.seat()
    for space, kind in ((1, "boatman"), (2, "craftsman")):
        me.put(2 + space, KIND[kind])
        table.state.supply[KIND[kind]] -= 1
    table.act()
    assert [way["recruit"] for way in table.ways("village")][:2] == ["boatman", "craftsman"]
    table.use("village", recruit="boatman")
    assert table.told("place_used")[0]["returned"] == [
        {"follower": "boatman", "starting": False}, {"follower": "craftsman", "starting": False},
    ]  # fmt: skip
    assert table.view()["places"]["village"] == [{"technology": True}, None, None]
    assert table.view()["bag"] == {"boatman": 2, "craftsman": 1}


def test_only_activated_places_of_its_own() -> None:
    """O-2.5: all spaces filled, and the seat's own."""
    table = Table()
    table.man("scriptorium")
    table.man("castle", "farmer", "boatman")
    table.tile("hayrick", seat=1)
    table.act()
    assert table.refused(0, "use_place", place="castle") == ("O-2.5", "not_activated")
    assert table.refused(0, "use_place", place="hayrick") == ("O-2.5", "not_your_place")
    assert [c["place"] for c in table.listed("use_place")] == ["scriptorium"]


@pytest.mark.parametrize("place", ["herb_garden", "school", "sacristy"])
def test_some_places_are_never_used(place: str) -> None:
    """O-2.5: Herb Garden, School and Sacristy have no action."""
    table = Table()
    table.tile(place)
    table.man("scriptorium")
    if place == "sacristy":
        table.man(place)
    table.act()
    assert table.refused(0, "use_place", place=place) == ("O-2.5", "never_used")
    assert table.ways(place) == []


def test_a_seat_without_a_usable_place_passes_by_itself() -> None:
    """O-2.5: activated places that cannot be used don't keep a seat."""
    table = Table()
    table.man("monastery")
    table.plan()
    assert table.told("seat_passed") == [
        {"seat": 0, "forced": True}, {"seat": 1, "forced": True},
    ]  # fmt: skip
    assert table.state.round == 2
    assert table.view()["places"]["monastery"][0] is not None


def test_events_are_resolved_from_the_start_seat() -> None:
    """O-2.6: seat by seat from the start player; others wait."""
    table = Table(3, start_seat=1)
    for seat in range(3):
        table.goods(seat, grain=1, wine=1)
    table.resolve("harvest")
    assert table.in_event()
    order = []
    while table.in_event():
        (seat,) = table.to_act()
        order.append(seat)
        other = (seat + 1) % 3
        assert table.refused(other, "pay_harvest", good="wine") == ("O-2.6", "not_your_turn")
        table.send(seat, "pay_harvest", good="wine")
    assert order == [1, 2, 0]


def test_the_start_marker_moves_on() -> None:
    """O-2.7: to the next seat each round; after 18 rounds play ends."""
    table = Table(3, start_seat=2)
    for seat in range(3):
        table.seat(seat).coins = 100
    starts = []
    while not RULESET.over(table.state):
        starts.append(table.state.start)
        assert table.state.step == PLANNING
        table.plan()
    assert starts == [2, 0, 1] * 6
    assert table.types()[-2:] == ["round_ended", "play_ended"]


def test_refusals_name_the_first_rule_broken() -> None:
    """O-2: form, end, phase, turn, place, space, content, special rule, in this order."""
    table = Table()
    wrong = {"place": "scriptorium", "coins": 2}
    # form before phase; phase before turn
    assert table.refused(0, "use_place", **wrong) == ("O-4.9", "wrong_fields")
    table.send(1, "end_planning")
    assert table.refused(1, "use_place", place="scriptorium") == ("O-2", "wrong_phase")
    # turn before place
    place = {"follower": "knight", "starting": False, "place": "winery", "space": 2}
    assert table.refused(1, "place_follower", **place) == ("O-2.4", "already_done")
    # place before space, space before content, content before special rule
    assert table.refused(0, "place_follower", **place) == ("O-2.4", "not_your_place")
    place["place"] = "scriptorium"
    assert table.refused(0, "place_follower", **place) == ("O-2.4", "no_such_space")
    place["space"] = 1
    assert table.refused(0, "place_follower", **place) == ("O-2.4", "no_such_follower")
    table.market("knight")
    assert table.refused(0, "place_follower", **place) == ("O-3.1", "wrong_kind")
    # end after form, before all else
    RULESET.evolve(table.state, PlayEnded("T-2", 0))
    assert table.refused(0, "use_place", **wrong) == ("O-4.9", "wrong_fields")
    assert table.refused(1, "use_place", place="winery") == ("O-8.1", "game_over")
    assert table.refused(0, "give", item="good") == ("O-7.1", "wrong_fields")


def test_nothing_may_be_done_while_a_draw_is_due() -> None:
    """O-2: a state that waits for chance takes no commands."""
    table = Table()
    table.bag("farmer", seat=1)
    table.next_round()
    for event in RULESET.decide(table.state, 1, table.command("draw", count=1)):
        RULESET.evolve(table.state, event)
    assert table.to_act() == ()
    assert table.refused(1, "draw", count=0) == ("O-2", "draw_due")
    assert table.refused(0, "draw", count=0) == ("O-2", "draw_due")


def test_a_whole_round_of_actions_begins_with_the_start_seat() -> None:
    """O-2.5: clockwise from the start player."""
    table = Table(3, start_seat=2)
    for seat in range(3):
        table.man("scriptorium", seat=seat)
    table.plan()
    assert (table.state.step, table.state.seat) == (ACTIONS, 2)
    table.use("scriptorium", seat=2)
    table.use("scriptorium", seat=0)
    assert table.state.seat == 1
