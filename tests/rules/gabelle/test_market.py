"""G-5: the market."""

from __future__ import annotations

import itertools

import pytest

from service.rules.gabelle.stock import fits, room, storage
from service.rules.gabelle.tables import CARD, MATERIALS

from .positions import run_of, table


def units(listed: list[dict[str, object]]) -> dict[str, int]:
    """Returns how many purchases are listed of each material."""
    names = [str(one["material"]) for one in listed]
    return {name: names.count(name) for name in MATERIALS if name in names}


def test_the_market_goes_in_reverse_order() -> None:
    """G-5.1: the last in order buys first."""
    shops = {seat: (number,) for seat, number in enumerate((4, 8, 10))}
    played = table("market", guilds=3, order=(1, 0, 2), shops=shops)
    seats = []
    while played.view["phase"] == "market":
        seats.append(played.seat)
        played.send("end_buying")
    assert seats == [2, 0, 1]


def test_each_unit_at_its_price() -> None:
    """G-5.1, G-1.3: 7 wood of 19: 2 L for the first, then 3, 3, 3, 4, 4, 4."""
    played = table("market", shops={1: (4, 8)}, shelves=(19, 18, 9, 4))
    played.send("buy", material="wood", units=7)
    (told,) = played.told("material_bought")
    assert told == {
        "seat": 1,
        "material": "wood",
        "units": 7,
        "prices": [2, 3, 3, 3, 4, 4, 4],
        "surcharge": 0,
        "cost": 23,
    }
    assert played.view["guilds"][1]["money"] == 27
    assert played.view["guilds"][1]["stock"]["wood"] == 7
    assert played.view["shelves"][0]["stock"] == 12


def test_salt_costs_two_more() -> None:
    """G-5.1: 2 L a unit."""
    played = table("market", shops={1: (11,)})
    played.send("buy", material="salt", units=2)
    (told,) = played.told("material_bought")
    assert (told["prices"], told["surcharge"], told["cost"]) == ([7, 7], 2, 18)


def test_any_number_of_purchases() -> None:
    """G-5.1: until the guild ends; each purchase is listed by its number of units."""
    played = table("market", shops={1: (3, 4)})
    assert units(played.listed("buy")) == {"wood": 4, "iron": 4}
    played.send("buy", material="iron", units=1)
    played.send("buy", material="wood", units=2)
    played.send("buy", material="wood", units=1)
    assert units(played.listed("buy")) == {"wood": 1, "iron": 3}
    played.send("end_buying")
    assert played.told("buying_ended")[0] == {"seat": 1, "why": None}


def test_nothing_to_buy() -> None:
    """G-5.1: passed over when there is nothing to afford and store, after a purchase too."""
    played = table("market", guilds=3, money=(50, 0, 50), shops={1: (4,), 2: (13,), 0: (9,)})
    ended = played.told("buying_ended")
    assert ended == [{"seat": seat, "why": "nothing_to_buy"} for seat in (2, 1)]
    assert played.seat == 0
    played.send("buy", material="iron", units=2)
    assert played.told("buying_ended") == [{"seat": 0, "why": "nothing_to_buy"}]


def test_what_cannot_be_paid() -> None:
    """G-5.1: as many units as the money buys."""
    played = table("market", money=7, shops={1: (3,)})
    assert units(played.listed("buy")) == {"iron": 2}
    assert played.refused("buy", material="iron", units=3) == ("G-5.1", "not_enough_money")


def test_what_is_not_there() -> None:
    """G-5.1: a shelf gives what it holds."""
    played = table("market", shops={1: (7, 16)}, shelves=(24, 2, 9, 4))
    assert units(played.listed("buy")) == {"iron": 2}
    assert played.refused("buy", material="iron", units=3) == ("G-5.1", "shelf_empty")
    played.send("buy", material="iron", units=2)
    assert played.told("buying_ended")[0]["why"] == "nothing_to_buy"


def test_other_guilds_wait() -> None:
    """G-5.1: one after the other."""
    played = table("market", shops={0: (3,), 1: (3,)})
    assert played.refused("end_buying", 0) == ("G-5.1", "not_your_turn")


def test_only_what_own_workshops_consume() -> None:
    """G-5.2: up to twice their consumption."""
    played = table("market", money=500, shops={1: (8, 10)}, stock={1: (3, 0, 0, 0)})
    assert units(played.listed("buy")) == {"wood": 7}
    assert played.refused("buy", material="wood", units=8) == ("G-5.2", "no_room")
    assert played.refused("buy", material="wool", units=1) == ("G-5.2", "not_consumed")


def test_hybrids_share_one_store() -> None:
    """G-5.2: twice the amount of both together."""
    played = table("market", shops={1: (5,)})
    assert units(played.listed("buy")) == {"wood": 4, "iron": 4}
    played.send("buy", material="wood", units=3)
    assert units(played.listed("buy")) == {"wood": 1, "iron": 1}
    assert played.refused("buy", material="iron", units=2) == ("G-5.2", "no_room")


def test_the_stock_is_one_pool() -> None:
    """G-5.2: wood moves over to its own workshop and makes room on the hybrid."""
    played = table("market", shops={1: (4, 5)}, stock={1: (4, 0, 0, 0)})
    assert units(played.listed("buy")) == {"wood": 4, "iron": 4}
    played.send("buy", material="wood", units=2)
    assert units(played.listed("buy")) == {"wood": 2, "iron": 2}


@pytest.mark.parametrize(
    "shops", [(), (13,), (5,), (3, 5), (4, 5), (3, 4, 5), (5, 12, 46), (6, 11, 29), (7, 8, 12)]
)
def test_room_is_what_can_be_laid_out(shops: tuple[int, ...]) -> None:
    """G-5.2: against laying units out on the workshops one by one."""

    def can_be_laid(wood: int, iron: int) -> bool:
        places = [CARD[shop]["uses"] for shop in shops for _ in range(2 * CARD[shop]["amount"])]
        alone_wood = sum(uses == ["wood"] for uses in places)
        alone_iron = sum(uses == ["iron"] for uses in places)
        both = sum(uses == ["wood", "iron"] for uses in places)
        return any(
            wood - on_both <= alone_wood and iron - (both - on_both) <= alone_iron
            for on_both in range(both + 1)
        )

    most = storage(shops)
    for wood, iron in itertools.product(range(16), range(16)):
        laid = can_be_laid(wood, iron)
        assert fits(shops, (wood, iron, 0, 0)) == laid
        if laid:
            more_wood, more_iron, _, _ = room(shops, (wood, iron, 0, 0))
            assert can_be_laid(wood + more_wood, iron)
            assert not can_be_laid(wood + more_wood + 1, iron)
            assert can_be_laid(wood, iron + more_iron)
            assert not can_be_laid(wood, iron + more_iron + 1)
    assert room(shops, (0, 0, 0, 0))[2:] == (most.wool, most.salt)


def test_shelves_are_refilled_at_the_end_of_the_round_only() -> None:
    """G-5.3: after production, not before."""
    played = table("market", "20", shops={1: (4,), 0: (50,)}, money=50, shelves=(10, 0, 0, 0))
    played.send("buy", material="wood", units=1)
    played.send("end_buying")
    assert [shelf["stock"] for shelf in played.view["shelves"]] == [9, 0, 0, 0]
    played.send("end_building")
    played.send("end_building")
    played.send("produce", 0, runs=[run_of(50)])
    assert "replenished" in played.types()
    assert [shelf["stock"] for shelf in played.view["shelves"]] == [14, 4, 3, 1]
