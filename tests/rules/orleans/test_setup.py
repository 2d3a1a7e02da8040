"""Setting up a game of Orléans (O-1), and what everybody may see (O-9)."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from service.rules.chance import FreeChance
from service.rules.orleans import RULESET, Options
from service.rules.orleans.tables import GOODS_COUNTS, LINK_SPACES, LINKS
from service.rules.plain import Misshapen
from service.rules.ruleset import start

from .invariants import conserved
from .table import Table


def test_seats_begin_alike() -> None:
    """O-1.1: 5 coins, 10 stations, the merchant in Orléans, all markers on 0."""
    table = Table(3)
    for seat in RULESET.view(table.state)["seats"]:
        assert seat["coins"] == 5
        assert seat["stations"] == {"built": 0, "reserve": 10, "gone": 0}
        assert seat["merchant"] == "orleans"
        assert seat["tracks"] == dict.fromkeys(
            ("farmer", "boatman", "craftsman", "trader", "knight", "scholar"), 0
        )
        assert seat["development"] == {"space": 0, "status": 1}
        assert seat["technology"] == seat["citizens"] == 0


def test_starting_followers_stand_on_the_market() -> None:
    """O-1.2: one farmer, boatman, craftsman, trader of the own colour; the bag is empty."""
    table = Table(4)
    for seat in range(4):
        assert table.view(seat)["market"] == {
            "starting_farmer": 1, "starting_boatman": 1,
            "starting_craftsman": 1, "starting_trader": 1,
        }  # fmt: skip
        assert table.view(seat)["bag"] == {}


@pytest.mark.parametrize(
    ("seats", "supply"),
    [
        (2, [12, 6, 6, 6, 8, 8, 8]),
        (3, [14, 8, 8, 8, 11, 11, 11]),
        (4, [16, 10, 10, 10, 14, 14, 14]),
    ],
)
def test_the_supply_depends_on_the_seats(seats: int, supply: list[int]) -> None:
    """O-1.3: neutral followers for each number of seats, and 16 technology tiles."""
    view = RULESET.view(Table(seats).state)
    assert list(view["supply"].values()) == supply
    assert view["technology"] == 16


def test_the_first_event_is_a_pilgrimage() -> None:
    """O-1.4: Pilgrimage first; two more of it and three of each other kind are left."""
    table = Table()
    view = RULESET.view(table.state)
    assert (view["round"], view["event"]) == (1, "pilgrimage")
    assert list(view["hourglass"].values()) == [2, 3, 3, 3, 3, 3]
    assert not any(draw.bound == 18 for draw in table.last.draws)


@pytest.mark.parametrize(
    ("seats", "removed", "laid", "market"), [(2, 12, 43, 35), (3, 6, 48, 36), (4, 0, 52, 38)]
)
def test_goods_are_laid_out(seats: int, removed: int, laid: int, market: int) -> None:
    """O-1.5: goods removed unseen, one on each space, the rest in the goods market."""
    table = Table(seats)
    types = Counter(table.types())
    assert (types["good_removed"], types["good_laid"]) == (removed, laid)
    assert len(table.last.draws) == removed + laid
    assert [draw.bound for draw in table.last.draws] == list(range(90, 90 - removed - laid, -1))
    view = RULESET.view(table.state)
    assert sum(view["goods_market"].values()) == market
    lying = [good for goods in view["goods"].values() for good in goods if good is not None]
    assert len(lying) == laid
    gone = view["gone"]["goods"]
    for good, count in zip(view["goods_market"], GOODS_COUNTS, strict=True):
        assert view["goods_market"][good] + lying.count(good) + gone[good] == count
    conserved(table.state)


def test_the_order_of_goods_follows_the_draws() -> None:
    """O-1.5: first those removed, then the spaces link by link."""
    wanted = ["grain"] * 12 + ["cheese", "wine", "brocade"]
    table = Table(2, wanted)
    assert RULESET.view(table.state)["gone"]["goods"]["grain"] == 12
    laid = table.told("good_laid")
    assert [event["good"] for event in laid[:3]] == ["cheese", "wine", "brocade"]
    assert [event["link"] for event in laid] == list(LINKS)


def test_place_tiles_and_citizens_lie_ready() -> None:
    """O-1.6: 12 tiles in stack I, 8 in stack II, all 14 citizens unowned."""
    view = RULESET.view(Table().state)
    assert {stack: len(tiles) for stack, tiles in view["place_tiles"].items()} == {"I": 12, "II": 8}
    assert list(view["citizens"].values()) == [None] * 14
    assert list(view["citizens"]) == [
        "boatman", "knight", "development_3", "development_18", "development_28", "city_wall",
        "papal_conclave", "defeating_the_plague", "astronomy", "boatmen_guild", "cathedral",
        "peace_treaty", "canalization", "trading_stations",
    ]  # fmt: skip


def test_the_start_seat_is_named() -> None:
    """O-1.7: the option names the first start player."""
    table = Table(3, start_seat=2)
    assert RULESET.view(table.state)["start_seat"] == 2
    assert table.told("hourglass_turned")[0]["start_seat"] == 2


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_chance_names_the_start_seat(seats: int) -> None:
    """O-1.7, O-1.8: with `chance` the first draw of all names it."""
    table = Table(seats, ["1"], start_seat="chance")
    assert table.told("start_seat_drawn") == [{"seat": 1}]
    assert table.last.draws[0].bound == seats
    assert table.state.start == 1


@pytest.mark.parametrize(
    ("seats", "options", "pointer"),
    [
        (1, {}, "/seats"),
        (5, {}, "/seats"),
        (2, {"start_seat": 2}, "/options/start_seat"),
        (3, {"start_seat": 3}, "/options/start_seat"),
    ],
)
def test_what_does_not_fit_is_refused(seats: int, options: dict[str, Any], pointer: str) -> None:
    """O-1.1, O-1.8: two to four seats; the start seat is one of them."""
    with pytest.raises(Misshapen) as caught:
        RULESET.initial(seats, Options(**options))
    assert caught.value.pointer == pointer


def test_defaults() -> None:
    """O-1.8: what holds where nothing is said."""
    assert Options() == Options(0, True, "supply", True)


def test_everything_is_open_but_what_comes() -> None:
    """O-9.1: bags are seen by all; the order of the hourglass, goods and draws by nobody."""
    table = Table()
    table.bag("monk", "knight")
    view = RULESET.view(table.state)
    assert view["seats"][0]["bag"] == {"knight": 1, "monk": 1}
    one, _ = start(RULESET, 2, Options(), FreeChance(random.Random(1)))
    two = one.clone()
    assert RULESET.view(one) == RULESET.view(two)
    assert sum(view["hourglass"].values()) == 17


def test_goods_spaces_marked_for_more_seats_stay_empty() -> None:
    """O-1.5: with two seats no link has two goods, with four seats nine have."""
    for seats, double in ((2, 0), (3, 5), (4, 9)):
        goods = RULESET.view(Table(seats).state)["goods"]
        assert sum(len([g for g in on if g is not None]) == 2 for on in goods.values()) == double
        assert sum(len(spaces) for spaces in LINK_SPACES) == 52
