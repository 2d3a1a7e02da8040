"""G-3: the six events."""

from __future__ import annotations

import random
from typing import Any

import pytest

from service.rules.chance import FreeChance
from service.rules.gabelle import RULESET, Options
from service.rules.gabelle.tables import EVENT_IDS
from service.rules.ruleset import advance

from .positions import Table, at, run_of, table


def drawn_in_a_row(number: int, generator: random.Random) -> list[tuple[str, bool, int]]:
    """Returns so many events: what came, whether after a reshuffle, of how many."""
    state = RULESET.initial(2, Options(regions=("norte", "leste")))
    found = []
    for _ in range(number):
        state.step = at("event", round=2).step
        chance = FreeChance(generator)
        (event,) = RULESET.proceed(state, chance)
        RULESET.evolve(state, event)
        told: Any = event
        found.append((told.event, told.reshuffled, chance.draws[0].bound))
    return found


def test_five_events_differ_and_the_sixth_is_free() -> None:
    """G-3.1: at one card left all six are shuffled again, before the next draw."""
    sixth = set()
    for seed in range(120):
        found = drawn_in_a_row(11, random.Random(seed))
        names = [name for name, _, _ in found]
        assert len(set(names[:5])) == len(set(names[5:10])) == 5
        assert [again for _, again, _ in found] == [place in (5, 10) for place in range(11)]
        assert [bound for _, _, bound in found] == [6, 5, 4, 3, 2, 6, 5, 4, 3, 2, 6]
        sixth.add((names.index(names[5]) if names[5] in names[:5] else None, names[5]))
    assert {name for _, name in sixth} == set(EVENT_IDS), "each event may be the sixth"
    assert {place for place, _ in sixth} == {0, 1, 2, 3, 4, None}, "the fifth may come again"


def test_events_come_in_even_rounds_and_end_with_them() -> None:
    """G-3.1: drawn before the auction of round 2; gone when round 3 begins."""
    played = table("event", "great_famine", round=2)
    assert played.types() == ["event_drawn", "phase_began"]
    assert played.view["event"] == {"id": "great_famine", "region": None}
    assert played.view["phase"] == "auction"
    assert "great_famine" not in played.view["events_to_come"]
    played = table("end_of_round", "20", round=2, event="great_famine")
    assert played.view["round"] == 3
    assert played.view["event"] is None


def test_gabelle_price() -> None:
    """G-3.2: 6 L a unit on top of the usual 2: the ladder's price + 8."""
    played = table("market", event="gabelle", shops={1: (11,)}, shelves=(24, 18, 9, 4))
    played.send("buy", material="salt", units=2)
    (told,) = played.told("material_bought")
    assert (told["prices"], told["surcharge"], told["cost"]) == ([7, 7], 8, 30)
    shelf = played.view["shelves"][3]
    assert (shelf["surcharge"], shelf["most_per_guild"], shelf["prices"]) == (8, 2, [16, 16])


def test_gabelle_cap_counts_purchases() -> None:
    """G-3.2: two units bought, one after the other too; units in stock do not count."""
    position: dict[str, Any] = {
        "event": "gabelle",
        "money": 100,
        "shops": {1: (11, 17), 0: (23,)},
        "stock": {1: (0, 0, 0, 2)},
        "shelves": (24, 18, 9, 16),
    }
    played = table("market", **position)
    assert played.listed("buy") == [{"material": "salt", "units": units} for units in (1, 2)]
    assert played.refused("buy", material="salt", units=3) == ("G-5.2", "no_room")
    played.send("buy", material="salt", units=1)
    assert played.listed("buy") == [{"material": "salt", "units": 1}]
    assert played.refused("buy", material="salt", units=2) == ("G-5.2", "no_room")
    played.send("buy", material="salt", units=1)
    assert played.seat == 0, "guild 1 can buy no more"
    assert played.listed("buy") == [{"material": "salt", "units": units} for units in (1, 2)]
    position["stock"] = {}
    assert table("market", **position).refused("buy", material="salt", units=3) == (
        "G-3.2",
        "gabelle",
    )


def test_salt_bought_under_gabelle_shows() -> None:
    """G-3.2: how much salt the guild has bought, since its stock does not tell; else nothing."""
    played = table("market", shops={1: (11,)}, event="gabelle")
    salt = played.view["shelves"][3]
    assert (salt["most_per_guild"], salt["bought"]) == (2, 0)
    played.send("buy", material="salt", units=1)
    assert played.view["shelves"][3]["bought"] == 1
    assert {shelf["bought"] for shelf in played.view["shelves"][:3]} == {None}
    assert table("market", shops={1: (11,)}).view["shelves"][3]["bought"] is None


def test_gabelle_is_counted_by_guild() -> None:
    """G-3.2: what one guild bought does not count for the next."""
    position: Any = {"event": "gabelle", "money": 200, "shops": {0: (11,), 1: (17, 23)}}
    played = table("market", shelves=(24, 18, 9, 16), **position)
    played.send("buy", material="salt", units=1)
    played.send("end_buying")
    assert played.seat == 0
    assert len(played.listed("buy")) == 2


def test_salt_in_stock_is_free_to_use() -> None:
    """G-3.2: the Gabelle taxes purchases only."""
    played = table("production", event="gabelle", shops={0: (39,)}, stock={0: (0, 0, 0, 2)}, deck=5)
    assert [len(one["runs"]) for one in played.listed("produce", 0)] == [0, 1]


def test_the_surcharge_ends_with_the_event() -> None:
    """G-3.2: a round later salt costs 2 L more, as ever, and there is no cap."""
    played = table(
        "end_of_round",
        "20",
        round=2,
        event="gabelle",
        shops={1: (11, 17)},
        shelves=(24, 18, 9, 16),
    )
    played.send("decline")
    played.send("decline")
    assert played.view["shelves"][3]["surcharge"] == 2
    assert len(played.listed("buy")) == 4
    played.send("buy", material="salt", units=3)
    assert played.told("material_bought")[0]["cost"] == 1 + 1 + 2 + 6


def test_black_death_draws_a_region_in_play() -> None:
    """G-3.3: one of the regions in play, announced with the event."""
    played = table("event", "black_death", "leste", round=2, regions=("norte", "leste"))
    assert played.types() == ["event_drawn", "quarantine_drawn", "phase_began"]
    assert [draw.bound for draw in played.last.draws] == [6, 2]
    assert played.view["event"] == {"id": "black_death", "region": "leste"}
    quarantined = {city["id"] for city in played.view["cities"] if city["quarantined"]}
    assert quarantined == {
        city["id"] for city in played.view["cities"] if city["region"] == "leste"
    }


def test_quarantine() -> None:
    """G-3.3: posts there are not supplied and earn nothing."""
    played = table(
        "production",
        event="black_death",
        quarantine="norte",
        shops={0: (44,)},
        cities={0: ["paris", "lille", "lyon"], 1: ["paris"]},
        stage=2,
    )
    played.send("produce", 0, runs=[run_of(44)])
    told = next(one for one in played.told("produced") if one["seat"] == 0)
    assert (told["network"], told["quarantined"], told["supplied"]) == (3, 2, 1)
    assert told["income"] == 22


def test_quarantined_posts_count_for_order_and_end() -> None:
    """G-3.3: they still count for order, stage and end; one may build there and pass through."""
    played = table(
        "expansion",
        event="black_death",
        quarantine="norte",
        round=2,
        cities={
            0: ["paris", "lille", "rouen", "arras", "amiens", "dieppe", "calais"],
            1: ["reims"],
        },
        money=100,
    )
    played.send("build", city="beauvais")
    (told,) = played.told("post_built")
    assert told["way"] == ["reims", "beauvais"]
    played.send("build", city="orleans")
    assert played.told("post_built")[0]["way"] == ["beauvais", "paris", "orleans"]
    played.send("end_building")
    played.send("end_building")
    assert played.told("stage_began") == [{"stage": 2, "why": "network", "cities": 7}]


def fair(supplied: int, fairs: int, event: str = "fairs_of_champagne") -> dict[str, Any]:
    """Returns what production tells for so many cities supplied, so many of them fair towns."""
    others = ["lille", "arras", "lyon", "dijon", "metz", "nantes", "tours"]
    towns = ["paris", "reims", "troyes"][:fairs] + others[: supplied - fairs]
    played = table(
        "production", event=event, round=2, shops={0: (44, 50)}, cities={0: towns}, deck=5
    )
    played.send("produce", 0, runs=[run_of(44), run_of(50)])
    return next(one for one in played.told("produced") if one["seat"] == 0)


@pytest.mark.parametrize(
    ("supplied", "fairs", "payment", "bonus"),
    [(7, 2, 82, 12), (5, 3, 64, 19), (1, 1, 22, 11), (0, 0, 10, 0), (6, 0, 73, 0)],
)
def test_fairs(supplied: int, fairs: int, payment: int, bonus: int) -> None:
    """G-3.4: the book's examples as they are paid."""
    told = fair(supplied, fairs)
    assert (told["supplied"], told["fairs"]) == (supplied, fairs)
    assert (told["payment"], told["bonus"]) == (payment, bonus)
    assert told["income"] == payment + bonus


def test_no_fair_without_the_event() -> None:
    """G-3.4: fair towns earn more while the fairs are on only."""
    told = fair(7, 2, "great_famine")
    assert (told["fairs"], told["bonus"], told["income"]) == (0, 0, 82)


def test_fair_towns_are_supplied_first() -> None:
    """G-3.4: k = min(n, own fair towns)."""
    played = table(
        "production",
        event="fairs_of_champagne",
        round=2,
        shops={0: (18,)},
        cities={0: ["lille", "arras", "paris", "reims", "troyes"]},
    )
    played.send("produce", 0, runs=[run_of(18)])
    told = next(one for one in played.told("produced") if one["seat"] == 0)
    assert (told["capacity"], told["supplied"], told["fairs"]) == (2, 2, 2)
    assert (told["bonus"], told["income"]) == (17, 50)


def test_fairs_without_fair_towns_in_play() -> None:
    """G-3.4: with West and South in play the event has no effect."""
    played = table(
        "production",
        event="fairs_of_champagne",
        regions=("oeste", "sul"),
        shops={0: (50,)},
        cities={0: ["nantes", "tours"]},
    )
    played.send("produce", 0, runs=[run_of(50)])
    told = next(one for one in played.told("produced") if one["seat"] == 0)
    assert (told["bonus"], told["income"]) == (0, 33)


def test_war_doubles_roads_not_rivers_nor_octroi() -> None:
    """G-3.5: inside the search, so that the way may change."""
    played = table(
        "expansion", event="hundred_years_war", round=2, cities={1: ["orleans"]}, money=100
    )
    played.send("build", city="le_mans")
    (told,) = played.told("post_built")
    assert told["way"] == ["orleans", "tours", "angers", "le_mans"]
    assert (told["tolls"], told["octroi"], told["cost"]) == ([6, 5, 5], 10, 26)
    tolls = {(one["a"], one["b"]): one["toll"] for one in played.view["routes"]}
    assert tolls["paris", "orleans"] == 20
    assert tolls["rouen", "paris"] == 6


def test_war_begins_and_ends_with_its_round() -> None:
    """G-3.5: tolls are worked out anew when the war is drawn and when it is over."""
    played = table("event", "hundred_years_war", round=2, cities={0: ["paris"]})
    war = at("auction", event="hundred_years_war", cities={0: ["paris"]}).reach[0]
    assert played.state.reach[0] == war
    peace = at("auction", cities={0: ["paris"]}).reach[0]
    assert war != peace
    played = table("end_of_round", "20", event="hundred_years_war", round=2, cities={0: ["paris"]})
    assert played.state.reach[0] == peace


def test_first_post_in_war() -> None:
    """G-3.5, G-6.2: a first post costs its octroi only, in war too."""
    played = table("expansion", event="hundred_years_war", round=2, money=10)
    assert len(played.listed("build")) == 42
    played.send("build", city="lyon")
    assert played.told("post_built")[0]["cost"] == 10


@pytest.mark.parametrize(
    ("guilds", "wood", "wool"), [(2, (5, 3, 2), (3, 2, 1)), (6, (11, 6, 5), (7, 4, 3))]
)
def test_famine(guilds: int, wood: tuple[int, int, int], wool: tuple[int, int, int]) -> None:
    """G-3.6: halved and rounded down after the multiplier; due, taken, added."""
    played = table(
        "end_of_round", "20", event="great_famine", round=2, guilds=guilds, shelves=(0, 0, 0, 0)
    )
    (told,) = played.told("replenished")
    for delivery, (due, taken, added) in zip(told["deliveries"][::2], (wood, wool), strict=True):
        assert (delivery["due"], delivery["famine"], delivery["added"]) == (due, taken, added)
    assert [delivery["famine"] for delivery in told["deliveries"][1::2]] == [0, 0]


@pytest.mark.parametrize(("card", "half"), [(3, 2), (15, 8), (20, 10)])
def test_decree_halves_the_lowest_bid(card: int, half: int) -> None:
    """G-3.7: of the lowest open card, rounded up."""
    played = table("auction", event="royal_decree", round=2, row=(card, 30, 31, 32))
    assert played.view["open"][0] == {"workshop": card, "lowest_bid": half, "decree": True}
    bids = [one["bid"] for one in played.listed("name_workshop") if one["workshop"] == card]
    assert bids == list(range(half, 51))
    assert played.refused("name_workshop", workshop=card, bid=half - 1) == ("G-4.1", "bid_too_low")
    assert played.refused("name_workshop", workshop=30, bid=15) == ("G-4.1", "bid_too_low")
    played.send("name_workshop", workshop=card, bid=half)
    told = played.told("workshop_named")[0]
    assert (told["lowest"], told["decree"]) == (half, True)


def test_decree_ends_when_its_card_is_sold() -> None:
    """G-3.7: the next lowest card costs its number."""
    played = table("auction", "16", event="royal_decree", round=2)
    played.send("name_workshop", workshop=3, bid=2)
    played.send("drop")
    assert all(card["lowest_bid"] == card["workshop"] for card in played.view["open"])
    assert played.view["auction"]["decree"] is None


def test_decree_stays_with_its_card() -> None:
    """G-3.7: a lower card that is drawn later is not the decree's."""
    played = table("auction", "16", guilds=3, event="royal_decree", round=2, row=(17, 20, 30, 31))
    played.send("name_workshop", workshop=20, bid=50)
    lowest = {card["workshop"]: card["lowest_bid"] for card in played.view["open"]}
    assert lowest == {16: 16, 17: 9, 30: 30, 31: 31}


def test_decree_ends_with_the_auction() -> None:
    """G-3.7: unsold, it is over when the phase ends."""
    played = table("auction", event="royal_decree", round=2)
    played.send("decline")
    played.send("decline")
    assert played.view["open"][0] == {"workshop": 3, "lowest_bid": 3, "decree": False}


def test_decree_first_named() -> None:
    """G-3.7: by option, whichever card is put up first; until then each opens at half."""
    options = Options(decree="first_named")
    played = table("auction", "16", guilds=3, event="royal_decree", round=2, options=options)
    assert [card["lowest_bid"] for card in played.view["open"]] == [2, 2, 3, 3]
    assert played.view["auction"]["decree_waits"] is True
    played.send("name_workshop", workshop=5, bid=3)
    assert played.view["auction"]["decree"] == 5
    played.send("drop")
    played.send("drop")
    assert [card["lowest_bid"] for card in played.view["open"]] == [3, 4, 6, 16]
    assert played.view["auction"]["decree_waits"] is False


def test_decree_for_a_guild_alone() -> None:
    """G-3.7, G-4.2: alone in the phase it opens at the halved bid."""
    played = table("auction", event="royal_decree", round=2)
    played.send("decline")
    assert {one["workshop"]: one["bid"] for one in played.listed("name_workshop")} == {
        3: 2,
        4: 4,
        5: 5,
        6: 6,
    }


def test_decree_lets_the_poor_buy() -> None:
    """G-3.7: a guild that can afford the halved card only is not passed over."""
    played = table("auction", event="royal_decree", round=2, row=(20, 30, 31, 32), money=10)
    assert played.listed("name_workshop") == [{"workshop": 20, "bid": 10}]


def test_decree_without_open_cards() -> None:
    """G-3.7, G-6.3: nothing to halve when no card is open."""
    played = table("auction", event="royal_decree", round=2, row=(), deck=0, stage=3)
    assert played.types()[0] == "auction_passed_over"


def test_events_do_not_hold_before_the_draw() -> None:
    """G-3.1: until the draw of round 2 nothing is in force."""
    played = Table(at("event", round=2))
    assert played.view["event"] is None
    assert advance(RULESET, played.state, FreeChance(random.Random(1))).stopped is None
