"""G-4: the auction."""

from __future__ import annotations

import pytest

from service.rules.gabelle import Options
from service.rules.gabelle.stock import fits, keeps

from .positions import Table, at, table


def bids(played: Table, workshop: int) -> list[int]:
    """Returns the bids listed for a card."""
    return [one["bid"] for one in played.listed("name_workshop") if one["workshop"] == workshop]


def test_the_namer_goes_by_round_order() -> None:
    """G-4.1: the first in order names; the others may do nothing."""
    played = table("auction", guilds=3, order=(2, 0, 1))
    assert played.seat == 2
    assert bids(played, 6) == list(range(6, 51))
    assert played.refused("name_workshop", 0, workshop=3, bid=3) == ("G-4.1", "not_your_turn")
    assert played.refused("raise", bid=4) == ("G-4.1", "no_card_is_up")
    assert played.refused("drop") == ("G-4.1", "no_card_is_up")
    assert played.refused("discard_workshop", workshop=3) == ("G-4.1", "no_card_is_up")
    assert played.refused("name_workshop", workshop=7, bid=7) == ("G-4.1", "not_on_sale")
    assert played.refused("name_workshop", workshop=4, bid=3) == ("G-4.1", "bid_too_low")


def test_bidding_goes_clockwise_from_the_namer() -> None:
    """G-4.1: by seat, not by round order; each raises by 1 L or more, or drops."""
    played = table("auction", "16", guilds=4, order=(2, 0, 1, 3))
    played.send("name_workshop", workshop=4, bid=5)
    assert played.seat == 3
    assert played.refused("name_workshop", workshop=5, bid=9) == ("G-4.1", "card_is_up")
    assert played.refused("raise", 2, bid=9) == ("G-4.1", "not_your_turn")
    assert [one["bid"] for one in played.listed("raise")] == list(range(6, 51))
    assert played.refused("raise", bid=5) == ("G-4.1", "bid_too_low")
    played.send("raise", bid=6)
    assert played.seat == 0
    played.send("drop")
    assert played.seat == 1
    played.send("raise", bid=10)
    assert played.seat == 2
    played.send("raise", bid=11)
    assert played.seat == 3
    played.send("drop")
    assert played.seat == 1, "guild 0 has dropped"
    played.send("drop")
    assert played.told("workshop_bought") == [{"seat": 2, "workshop": 4, "paid": 11}]
    assert played.types() == ["dropped", "workshop_bought", "card_drawn"]
    assert played.view["guilds"][2]["money"] == 39
    assert [card["workshop"] for card in played.view["open"]] == [3, 5, 6, 16]


def test_who_dropped_may_bid_for_the_next_card() -> None:
    """G-4.1: dropping is for this card only."""
    played = table("auction", "16", "17", guilds=3)
    played.send("name_workshop", workshop=4, bid=4)
    played.send("drop")
    played.send("drop")
    assert played.seat == 1
    played.send("name_workshop", workshop=5, bid=5)
    assert played.seat == 2
    assert played.view["auction"]["bidders"] == [1, 2]


def test_the_namer_goes_on_if_another_guild_won() -> None:
    """G-4.2: one card a round; the winner is out, the namer names again."""
    played = table("auction", "16", guilds=3)
    played.send("name_workshop", workshop=4, bid=4)
    played.send("raise", bid=7)
    played.send("drop")
    played.send("drop")
    assert played.told("workshop_bought") == [{"seat": 1, "workshop": 4, "paid": 7}]
    assert played.seat == 0
    assert played.view["done"] == [1]
    played.send("name_workshop", workshop=5, bid=5)
    assert played.seat == 2, "guild 1 has bought"


def test_alone_at_the_lowest_bid_only() -> None:
    """G-4.2: when all others have bought or passed."""
    played = table("auction", "16", guilds=3)
    played.send("decline")
    played.send("name_workshop", workshop=4, bid=4)
    played.send("drop")
    assert played.seat == 2
    assert played.listed("name_workshop") == [
        {"workshop": number, "bid": number} for number in (3, 5, 6, 16)
    ]
    assert played.refused("name_workshop", workshop=5, bid=6) == ("G-4.2", "lowest_bid_only")
    assert played.listed("decline") == [{}]


def test_no_passing_in_round_1() -> None:
    """G-4.3: a namer must name; alone too."""
    played = table("auction", "16", guilds=2, round=1)
    assert played.refused("decline") == ("G-4.3", "no_passing")
    played.send("name_workshop", workshop=6, bid=6)
    played.send("drop")
    assert played.refused("decline") == ("G-4.3", "no_passing")
    assert len(played.listed("name_workshop")) == 4


def test_nobody_bids_more_than_it_has() -> None:
    """G-4.3: all of it may be bid."""
    played = table("auction", "16", money=(10, 12))
    assert bids(played, 6) == [6, 7, 8, 9, 10]
    assert played.refused("name_workshop", workshop=6, bid=11) == ("G-4.3", "not_enough_money")
    played.send("name_workshop", workshop=6, bid=10)
    assert [one["bid"] for one in played.listed("raise")] == [11, 12]
    assert played.refused("raise", bid=13) == ("G-4.3", "not_enough_money")
    played.send("raise", bid=12)
    assert played.told("dropped") == [{"seat": 0, "workshop": 6, "why": "cannot_outbid"}]
    assert played.told("workshop_bought") == [{"seat": 1, "workshop": 6, "paid": 12}]
    assert played.view["guilds"][1]["money"] == 0


def test_who_cannot_outbid_drops() -> None:
    """G-4.3: by itself, and says why; also right after the naming."""
    played = table("auction", "16", guilds=3, money=(50, 20, 21))
    played.send("name_workshop", workshop=6, bid=20)
    assert played.told("dropped") == [{"seat": 1, "workshop": 6, "why": "cannot_outbid"}]
    assert played.seat == 2
    assert played.listed("raise") == [{"bid": 21}]


def test_who_can_afford_no_card_declines() -> None:
    """G-4.3: by itself, in round 1 too."""
    for number in (1, 3):
        played = table("auction", "16", guilds=3, round=number, money=(2, 50, 1))
        assert played.told("declined") == [{"seat": 0, "why": "cannot_afford"}]
        assert played.seat == 1
        played.send("name_workshop", workshop=5, bid=5)
        assert played.told("declined") == [{"seat": 2, "why": "cannot_afford"}]
        assert played.told("workshop_bought") == [{"seat": 1, "workshop": 5, "paid": 5}]


def test_the_fourth_workshop() -> None:
    """G-4.4: pay, card, one refill, discard; nobody else may act, nothing else may be done."""
    played = table("auction", "16", guilds=3, shops={0: (20, 21, 22)}, stage=1)
    played.send("name_workshop", workshop=6, bid=6)
    played.send("drop")
    played.send("drop")
    assert played.types() == ["dropped", "workshop_bought", "card_drawn"]
    assert [card["workshop"] for card in played.view["open"]] == [3, 4, 5, 16]
    assert (played.seat, played.view["step"]) == (0, "discard")
    assert played.listed("discard_workshop") == [{"workshop": one} for one in (6, 20, 21, 22)]
    assert played.refused("discard_workshop", workshop=5) == ("G-4.4", "not_your_workshop")
    assert played.refused("decline") == ("G-4.4", "discard_first")
    assert played.refused("decline", 1) == ("G-4.4", "guild_settles")
    played.send("discard_workshop", workshop=21)
    assert played.types() == ["workshop_discarded"]
    assert played.view["guilds"][0]["workshops"] == [6, 20, 22]
    assert 21 in played.view["gone"]
    assert played.seat == 1


def test_the_new_card_may_be_discarded() -> None:
    """G-4.4: it leaves the game, and the purchase of the round is used up."""
    played = table("auction", "16", guilds=3, shops={0: (20, 21, 22)})
    played.send("name_workshop", workshop=6, bid=6)
    played.send("drop")
    played.send("drop")
    played.send("discard_workshop", workshop=6)
    assert played.view["guilds"][0]["workshops"] == [20, 21, 22]
    assert played.view["guilds"][0]["money"] == 44
    assert played.view["done"] == [0]
    assert 6 not in [card["workshop"] for card in played.view["open"]]


def settling(stock: tuple[int, int, int, int], shops: tuple[int, ...], away: int) -> Table:
    """Returns a table where guild 0 has just discarded a workshop."""
    played = table("auction", "16", guilds=3, shops={0: shops}, stock={0: stock})
    played.send("name_workshop", workshop=6, bid=6)
    played.send("drop")
    played.send("drop")
    played.send("discard_workshop", workshop=away)
    return played


def test_stock_that_no_longer_fits_goes_back() -> None:
    """G-4.4: with one way only it happens by itself."""
    played = settling((6, 0, 2, 1), (20, 19, 17), 20)
    assert played.told("stock_kept") == [
        {"seat": 0, "kept": [0, 0, 2, 1], "returned": [6, 0, 0, 0], "why": "only_way"}
    ]
    assert played.view["shelves"][0]["stock"] == 24, "the supply is not the shelf"
    assert played.seat == 1


def test_hybrids_leave_a_choice() -> None:
    """G-4.4: each way to keep as much as can be kept, no other one."""
    played = settling((3, 4, 0, 1), (20, 21, 17), 20)
    # the hybrid 21 stores 4 of wood and iron; 20 stored wood
    assert played.view["step"] == "settle"
    assert played.listed("keep_stock") == [
        {"wood": wood, "iron": 4 - wood, "wool": 0, "salt": 1} for wood in (0, 1, 2, 3)
    ]
    keep = {"wood": 1, "iron": 3, "wool": 0, "salt": 1}
    assert played.refused("keep_stock", **(keep | {"salt": 0})) == ("G-4.4", "keep_more")
    assert played.refused("keep_stock", **(keep | {"iron": 2})) == ("G-4.4", "keep_more")
    assert played.refused("keep_stock", **(keep | {"iron": 4})) == ("G-4.4", "does_not_fit")
    assert played.refused("keep_stock", **(keep | {"wool": 1})) == ("G-4.4", "not_in_stock")
    assert played.refused("drop") == ("G-4.4", "settle_first")
    assert played.refused("decline", 2) == ("G-4.4", "guild_settles")
    played.send("keep_stock", **keep)
    assert played.told("stock_kept") == [
        {"seat": 0, "kept": [1, 3, 0, 1], "returned": [2, 1, 0, 0], "why": None}
    ]
    assert played.seat == 1


@pytest.mark.parametrize(
    ("shops", "stock", "ways"),
    [
        ((), (1, 2, 0, 0), [(0, 0, 0, 0)]),
        ((4,), (3, 0, 0, 0), [(3, 0, 0, 0)]),
        ((4,), (5, 1, 1, 1), [(4, 0, 0, 0)]),
        ((5,), (5, 1, 0, 0), [(3, 1, 0, 0), (4, 0, 0, 0)]),
        ((4, 5), (6, 3, 0, 0), [(5, 3, 0, 0), (6, 2, 0, 0)]),
        ((3, 5), (6, 6, 0, 0), [(2, 6, 0, 0), (3, 5, 0, 0), (4, 4, 0, 0)]),
        ((3, 4, 5), (4, 4, 0, 0), [(4, 4, 0, 0)]),
    ],
)
def test_keeps(
    shops: tuple[int, ...], stock: tuple[int, int, int, int], ways: list[tuple[int, ...]]
) -> None:
    """G-4.4, G-5.2: the stock is one pool on all workshops."""
    assert list(keeps(shops, stock)) == ways
    most = [
        (wood, iron, 0, 0)
        for wood in range(stock[0] + 1)
        for iron in range(stock[1] + 1)
        if fits(shops, (wood, iron, 0, 0))
    ]
    best = [
        way
        for way in most
        if not any(one != way and all(map(int.__ge__, one, way)) for one in most)
    ]
    assert best == [(wood, iron, 0, 0) for wood, iron, _, _ in ways]


def test_the_auction_goes_on_without_a_deck() -> None:
    """G-6.3: the last card was drawn; nothing is refilled, all go on with what is open."""
    played = table("auction", "16", guilds=3, deck=1)
    played.send("name_workshop", workshop=6, bid=6)
    played.send("drop")
    played.send("drop")
    assert played.told("card_drawn") == [{"workshop": 16, "left": 0}]
    assert played.view["stage"] == 1, "in force from the next phase on"
    played.send("name_workshop", workshop=5, bid=5)
    played.send("drop")
    assert "card_drawn" not in played.types()
    assert [card["workshop"] for card in played.view["open"]] == [3, 4, 16]
    played.send("decline")
    assert played.told("stage_began") == [{"stage": 3, "why": "deck_empty", "cities": 0}]


def test_no_open_card_is_left() -> None:
    """G-6.3: the rest of the auction is passed over, and the public is told."""
    played = table("auction", guilds=3, deck=0, row=(6,), stage=3)
    played.send("name_workshop", workshop=6, bid=6)
    played.send("drop")
    played.send("drop")
    assert played.told("auction_passed_over") == [{"seats": [1, 2]}]
    assert played.told("phase_began")[0]["phase"] == "market"


def test_the_future_row_opens_with_stage_3() -> None:
    """G-6.3, G-1.2: during the auction four are open; from the next phase on all."""
    options = Options(future_row=4)
    row = (3, 4, 5, 6, 16, 17, 18, 19)
    played = Table(at("auction", deck=1, row=row, options=options), ["20"])
    played.send("name_workshop", workshop=6, bid=6)
    played.send("drop")
    assert [card["workshop"] for card in played.view["open"]] == [3, 4, 5, 16]
    assert played.view["future"] == [17, 18, 19, 20]
    played.send("name_workshop", workshop=3, bid=3)
    assert [card["workshop"] for card in played.view["open"]] == [4, 5, 16, 17, 18, 19, 20]
    assert played.view["future"] == []
