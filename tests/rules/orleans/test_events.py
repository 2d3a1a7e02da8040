"""The six events (O-6)."""

from __future__ import annotations

import pytest

from service.rules.orleans import RULESET
from service.rules.orleans.tables import GOOD, KIND

from .invariants import conserved
from .table import Table


def test_pilgrimage_recruits_no_monks_and_does_nothing_else() -> None:
    """O-6.1: the round ends without more."""
    table = Table()
    table.resolve("pilgrimage")
    types = table.types()
    at = types.index("round_ended")
    assert types[at - 1] == "phase_began"
    assert [table.seat(seat).coins for seat in (0, 1)] == [5, 5]


def test_income_and_trading_day_are_not_the_same() -> None:
    """O-6.2, O-6.3: fault: Income and Trading Day swapped."""
    for event, wanted in (("income", [9, 6]), ("trading_day", [7, 5])):
        table = Table()
        table.seat(0).development = 15
        table.stations("tours", "blois")
        table.resolve(event)
        gains = [gain for gain in table.told("coins_gained") if gain["reason"] == event]
        assert [gain["seat"] for gain in gains] == [0, 1]
        assert [gain["count"] for gain in gains] == [wanted[0] - 5, wanted[1] - 5]
        assert [table.seat(seat).coins for seat in (0, 1)] == wanted


def test_harvest_of_a_choice() -> None:
    """O-6.4: one food of the seat's choice goes back to the goods market."""
    table = Table()
    table.goods(0, grain=1, cheese=1, wine=1, wool=1)
    table.goods(1, cheese=2, brocade=1)
    table.resolve("harvest")
    assert [c["good"] for c in table.listed("pay_harvest")] == ["grain", "cheese", "wine"]
    assert table.refused(0, "pay_harvest", good="wool") == ("O-6.4", "no_such_food")
    assert table.refused(0, "pay_harvest", good="brocade") == ("O-6.4", "no_such_food")
    wine = table.state.goods[GOOD["wine"]]
    table.send(0, "pay_harvest", good="wine")
    assert table.state.goods[GOOD["wine"]] == wine + 1
    assert table.told("harvest_paid") == [
        {"seat": 0, "good": "wine", "forced": False},
        {"seat": 1, "good": "cheese", "forced": True},
    ]
    assert [table.seat(seat).coins for seat in (0, 1)] == [5, 5]
    conserved(table.state)


def test_harvest_without_food() -> None:
    """O-6.4: who has none pays 5 coins; wool and brocade are no food."""
    table = Table()
    table.goods(0, wool=2, brocade=2)
    table.seat(1).coins = 50
    table.resolve("harvest")
    assert table.told("coins_paid")[0] == {
        "seat": 0, "event": "harvest", "goods": 4, "due": 5, "paid": 5, "missing": 0,
    }  # fmt: skip
    assert [table.seat(seat).coins for seat in (0, 1)] == [0, 45]


def test_harvest_torture() -> None:
    """O-6.4, O-7.1: a torture for each coin missing."""
    table = Table()
    table.seat().coins = 2
    table.resolve("harvest")
    assert RULESET.view(table.state)["torture"] == {"seat": 0, "missing": 3}
    assert table.seat().coins == 0


@pytest.mark.parametrize(
    ("goods", "due"),
    [({"grain": 2}, 0), ({"grain": 3}, 1), ({"wool": 5}, 1), ({"grain": 4, "brocade": 5}, 3)],
)
def test_taxes(goods: dict[str, int], due: int) -> None:
    """O-6.5: a coin for each 3 goods, rounded down."""
    table = Table()
    table.goods(0, **goods)
    table.resolve("taxes")
    first = table.told("coins_paid")[0]
    assert (first["goods"], first["due"], first["paid"]) == (sum(goods.values()), due, due)
    assert table.seat().coins == 5 - due


def test_taxes_torture() -> None:
    """O-6.5, O-7.1: all coins first, then items."""
    table = Table()
    table.goods(0, grain=9)
    table.seat().coins = 1
    table.resolve("taxes")
    assert table.told("coins_paid")[0]["missing"] == 2
    assert table.to_act() == (0,)
    for _ in range(2):
        table.send(0, "give", item="good", good="grain")
    assert table.view()["goods"]["grain"] == 7


def test_plague_takes_a_neutral_follower() -> None:
    """O-6.6: back to its supply, the track unchanged."""
    table = Table()
    table.bag("knight")
    table.seat().tracks[KIND["knight"]] = 1
    knights = table.state.supply[KIND["knight"]]
    table.event("plague")
    table.chance.wanted = ["knight"]
    table.plan()
    assert table.told("plague_struck")[0] == {"seat": 0, "follower": "knight", "starting": False}
    assert table.view()["bag"] == {}
    assert table.state.supply[KIND["knight"]] == knights + 1
    assert table.view()["tracks"]["knight"] == 1
    conserved(table.state)


def test_plague_leaves_starting_followers() -> None:
    """O-6.6: a starting follower goes back, nothing is lost."""
    table = Table()
    table.clear()
    table.bag("knight")
    table.event("plague")
    table.chance.wanted = ["starting_boatman"]
    table.plan()
    struck = table.told("plague_struck")[0]
    assert (struck["follower"], struck["starting"]) == ("boatman", True)
    assert table.seat().bag_size == 5
    assert table.last.draws[0].bound == 5


def test_plague_with_an_empty_bag() -> None:
    """O-6.6: nothing."""
    table = Table()
    table.resolve("plague")
    assert table.told("plague_spared") == [{"seat": 0}, {"seat": 1}]
    assert table.told("plague_struck") == []


def test_plague_may_set_aside() -> None:
    """O-6.6: it comes back to the bag when all have drawn in the next round."""
    table = Table(plague="set_aside")
    table.bag("knight", "monk")
    table.bag("farmer", seat=1)
    supply = list(table.state.supply)
    table.event("plague")
    table.chance.wanted = ["knight", "farmer", "income"]
    table.plan()
    assert table.view()["aside"] == "knight"
    assert table.state.supply == supply
    conserved(table.state)
    table.planning()
    assert table.told("follower_recovered") == [
        {"seat": 0, "follower": "knight"}, {"seat": 1, "follower": "farmer"},
    ]  # fmt: skip
    assert table.view()["bag"] == {"knight": 1, "monk": 1}
    assert table.view()["aside"] is None


def test_set_aside_followers_are_not_drawn_before_they_are_back() -> None:
    """O-6.6: the draw of the next round comes first."""
    table = Table(plague="set_aside")
    table.bag("knight")
    table.bag("farmer", "farmer", seat=1)
    table.event("plague")
    table.chance.wanted = ["knight", "farmer", "income"]
    table.plan()
    assert table.to_act() == (1,)
    assert len(table.listed("draw", seat=1)) == 2
    assert table.told("follower_recovered") == []
    table.send(1, "draw", count=1)
    assert table.view()["bag"] == {"knight": 1}


def test_no_harvest_elsewhere() -> None:
    """O-6.4: `pay_harvest` belongs to a Harvest with a choice."""
    table = Table()
    table.tile("sacristy")
    table.man("sacristy")
    table.goods(0, wool=3)
    table.resolve("taxes")
    assert table.in_event()
    assert table.refused(0, "pay_harvest", good="wool") == ("O-5.7", "sacristy_first")
    other = Table()
    other.seat().coins = 0
    other.resolve("harvest")
    assert other.refused(0, "pay_harvest", good="grain") == ("O-7.1", "torture_first")


def test_no_food_is_asked_for_while_a_draw_is_due() -> None:
    """O-6.4: in an event that waits for chance there is nothing to pay, nor to give."""
    table = Table()
    table.bag("knight")
    table.event("plague")
    for seat in (0, 1):
        for event in RULESET.decide(table.state, seat, table.command("end_planning")):
            RULESET.evolve(table.state, event)
    while not table.in_event():
        (event,) = RULESET.proceed(table.state, table.chance)
        RULESET.evolve(table.state, event)
    assert table.to_act() == ()
    assert table.refused(0, "pay_harvest", good="grain") == ("O-6.4", "no_harvest")
    assert table.refused(0, "give", item="development") == ("O-7.1", "nothing_owed")
    assert table.refused(0, "use_sacristy") == ("O-5.7", "not_asked")
