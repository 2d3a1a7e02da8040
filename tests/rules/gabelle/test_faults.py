"""Faults that engines of this family have had, one test each; the rules are tested beside."""

from __future__ import annotations

import random
from collections import Counter

from service.rules.chance import FreeChance
from service.rules.gabelle import RULESET, Options
from service.rules.gabelle.events import CardDrawn, EventDrawn, RegionsDrawn, WorkshopBought
from service.rules.gabelle.stock import productions
from service.rules.gabelle.tables import CARD, payment, replenishment
from service.rules.ruleset import Outcome, run, start

from .positions import events_of, run_of, table


def played_out(guilds: int, seed: int) -> list[Outcome]:
    """Returns what came of each command of a random game, the set-up first."""
    generator = random.Random(seed)
    chance = FreeChance(generator)
    state, outcome = start(RULESET, guilds, Options(), chance)
    outcomes = [outcome]
    while not RULESET.over(state):
        seat = RULESET.to_act(state)[0]
        command = RULESET.sample(state, seat, generator)
        outcomes.append(run(RULESET, state, seat, command, chance))
    return outcomes


def test_a_wrong_cell_of_the_payment_table() -> None:
    """G-7.1: 17 cities earn 142 L, between 138 and 145."""
    assert [payment(cities) for cities in (16, 17, 18)] == [138, 142, 145]


def test_replenishment_by_floats() -> None:
    """G-8.1: 5 × 2.2 is 11, not 11.000000000000002 made 12."""
    assert replenishment(6, 1, 0) == 11


def test_the_same_workshop_run_twice() -> None:
    """G-7.1: refused even where the stock would do for two runs."""
    played = table("production", shops={0: (25,)}, stock={0: (4, 0, 0, 0)})
    twice = [run_of(25, wood=2), run_of(25, wood=2)]
    assert played.refused("produce", 0, runs=twice) == ("G-7.1", "not_sorted")


def test_negative_stock() -> None:
    """G-7.1: two workshops may not burn the same two units."""
    played = table("production", shops={0: (4, 10)}, stock={0: (3, 0, 0, 0)})
    both = [run_of(4, wood=2), run_of(10, wood=2)]
    assert played.refused("produce", 0, runs=both) == ("G-7.1", "not_in_stock")


def test_material_kept_that_no_card_can_hold() -> None:
    """G-4.4: wool goes back with the last wool workshop, and so does what a mill replaces."""
    played = table("auction", "16", shops={0: (19, 13, 18)}, stock={0: (0, 0, 4, 0)})
    played.send("name_workshop", workshop=6, bid=6)
    played.send("drop")
    played.send("discard_workshop", workshop=19)
    assert played.told("stock_kept") == [
        {"seat": 0, "kept": [0, 0, 2, 0], "returned": [0, 0, 2, 0], "why": "only_way"}
    ]


def test_round_1_order_after_a_contested_auction() -> None:
    """G-1.4: guild 1 won the higher card against guild 0 and comes first now."""
    played = table("auction", "16", "17", round=1, order=(0, 1))
    played.send("name_workshop", workshop=6, bid=6)
    played.send("raise", bid=7)
    played.send("drop")
    played.send("name_workshop", workshop=5, bid=5)
    assert [one["seat"] for one in played.told("order_set")[0]["order"]] == [1, 0]
    assert played.view["order"] == [1, 0]


def test_two_refills_when_a_discard_follows() -> None:
    """G-4.4: one purchase, one card drawn, before the discard; none after it."""
    played = table("auction", "16", shops={0: (20, 21, 22)})
    played.send("name_workshop", workshop=6, bid=6)
    played.send("drop")
    assert len(played.told("card_drawn")) == 1
    played.send("discard_workshop", workshop=6)
    assert played.told("card_drawn") == []
    assert len(played.view["open"]) == 4


def test_no_refill_without_a_purchase() -> None:
    """G-4.1: in whole games, no more cards are drawn than were bought or removed."""
    for seed in range(6):
        for outcome in played_out(2 + seed, seed)[1:]:
            bought = len(events_of(outcome, WorkshopBought))
            removed = sum(event.type == "workshop_removed" for event in outcome.events)
            assert len(events_of(outcome, CardDrawn)) <= bought + removed
    played = table("auction")
    played.send("decline")
    played.send("decline")
    assert "card_drawn" not in played.types()


def test_hybrids_burn_exactly_their_amount() -> None:
    """G-7.1: in every listed production, for every stock."""
    for wood in range(7):
        for iron in range(7 - wood):
            for produce in productions((12, 46), (wood, iron, 0, 0)):
                for one in produce.runs:
                    assert one.wood + one.iron == CARD[one.workshop]["amount"]
                    assert one.wool == one.salt == 0


def test_a_poor_guild_in_round_1() -> None:
    """G-4.3: it may not pass and can afford nothing: it is passed over, and play goes on."""
    played = table("auction", "20", "gabelle", round=1, money=(1, 1))
    assert [one["why"] for one in played.told("declined")] == ["cannot_afford"] * 2
    assert played.view["round"] == 2
    assert played.seat == 0


def test_octroi_of_the_wrong_slot() -> None:
    """G-6.1: the second post costs 15, whatever else the guild has built."""
    played = table("expansion", stage=2, cities={0: ["paris"], 1: ["rouen", "lille"]}, money=100)
    assert played.seat == 1
    played.send("build", city="paris")
    told = played.told("post_built")[0]
    assert (told["slot"], told["octroi"], told["tolls"], told["cost"]) == (2, 15, [6], 21)
    played.send("build", city="orleans")
    assert played.told("post_built")[0]["octroi"] == 10


def test_no_toll_between_own_cities() -> None:
    """G-6.1: Paris to Dijon by Troyes, an own city: from there on only."""
    played = table("expansion", cities={1: ["paris", "troyes"]}, money=100)
    played.send("build", city="dijon")
    assert played.told("post_built")[0]["way"] == ["troyes", "dijon"]
    assert played.told("post_built")[0]["tolls"] == [12]


def test_stage_2_within_the_same_expansion() -> None:
    """G-6.3: the guild that builds after the seventh city finds the first slots only."""
    seven = ["paris", "lille", "rouen", "arras", "amiens", "dieppe", "calais"]
    played = table("expansion", cities={1: seven[:6], 0: ["beauvais"]}, money=100)
    played.send("build", city=seven[6])
    played.send("end_building")
    assert played.seat == 0
    assert played.refused("build", city="paris") == ("G-6.1", "city_full")


def test_the_sixth_event() -> None:
    """G-3.1: in whole games it comes, from a deck of six, and is not bound to be another one."""
    again = Counter[bool]()
    for seed in range(60):
        names = [event.event for out in played_out(2, seed) for event in events_of(out, EventDrawn)]
        assert len(set(names[:5])) == len(names[:5])
        if len(names) > 5:
            again[names[5] == names[4]] += 1
    assert again[True]
    assert again[False]


def test_regions_drawn_more_than_once() -> None:
    """G-1.1: one draw in the whole game."""
    for guilds, wanted in ((2, 1), (3, 1), (4, 0)):
        outcomes = played_out(guilds, guilds)
        assert sum(len(events_of(out, RegionsDrawn)) for out in outcomes) == wanted


def test_decree_still_on_after_its_card_is_sold() -> None:
    """G-3.7: no other card is cheaper then, the new lowest one neither."""
    played = table("auction", "16", event="royal_decree", round=2)
    played.send("name_workshop", workshop=3, bid=2)
    played.send("drop")
    assert played.refused("name_workshop", workshop=4, bid=2) == ("G-4.1", "bid_too_low")


def test_the_gabelle_caps_purchases_not_stock() -> None:
    """G-3.2: with two salt in store, two more may be bought."""
    position = {"event": "gabelle", "round": 2, "money": 60}
    played = table("market", shops={1: (11, 17)}, stock={1: (0, 0, 0, 2)}, **position)
    played.send("buy", material="salt", units=2)
    assert played.view["guilds"][1]["stock"]["salt"] == 4


def test_the_first_post_under_war() -> None:
    """G-6.2, G-3.5: 10 L, nothing doubled."""
    played = table("expansion", event="hundred_years_war", round=2, money=10)
    played.send("build", city="metz")
    assert played.view["guilds"][1]["money"] == 0


def test_the_salt_surcharge_after_the_event() -> None:
    """G-3.2: 2 L again in the round after."""
    played = table("end_of_round", "20", event="gabelle", round=2)
    assert played.view["shelves"][3]["surcharge"] == 2
    assert played.view["shelves"][3]["most_per_guild"] is None


def test_everybody_passed_over_in_production() -> None:
    """G-7.2: the game does not hang."""
    played = table("production", "20", "great_famine", guilds=4)
    assert played.view["round"] == 4
    assert played.seat == 0


def test_a_bid_of_all_the_money() -> None:
    """G-4.3: is allowed, to the namer and to a bidder."""
    played = table("auction", "16", money=(6, 7))
    played.send("name_workshop", workshop=6, bid=6)
    played.send("raise", bid=7)
    assert played.told("workshop_bought") == [{"seat": 1, "workshop": 6, "paid": 7}]


def test_ways_through_full_cities() -> None:
    """G-6.1: Orléans is full; Paris to Tours leads through it."""
    played = table("expansion", cities={1: ["paris"], 0: ["orleans"]}, money=100)
    played.send("build", city="tours")
    assert played.told("post_built")[0]["way"] == ["paris", "orleans", "tours"]
