"""G-7: production. G-8: the end of a round. G-9: the end of the game."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest

from service.rules.described import dump
from service.rules.gabelle import RULESET
from service.rules.gabelle.commands import Produce, Run
from service.rules.gabelle.stock import Stock, productions
from service.rules.gabelle.tables import CARD, LOW, NUMBERS

from .positions import Table, run_of, table

TWELVE = [
    *("paris", "lille", "rouen", "arras", "amiens", "dieppe"),
    *("calais", "bruges", "beauvais", "orleans", "reims", "troyes"),
]


def told_of(played: Table, seat: int) -> dict[str, Any]:
    """Returns what the last events tell of a guild's production."""
    return next(one for one in played.told("produced") if one["seat"] == seat)


def test_production() -> None:
    """G-7.1: consume, supply, be paid; the figures it comes from are told."""
    played = table(
        "production",
        shops={0: (19, 20, 44)},
        stock={0: (4, 0, 2, 0)},
        cities={0: TWELVE[:9]},
        stage=2,
    )
    played.send("produce", 0, runs=[run_of(19, wool=2), run_of(20, wood=3)])
    assert told_of(played, 0) == {
        "seat": 0,
        "runs": [run_of(19, wool=2), run_of(20, wood=3)],
        "capacity": 8,
        "network": 9,
        "quarantined": 0,
        "supplied": 8,
        "payment": 90,
        "fairs": 0,
        "bonus": 0,
        "income": 90,
        "why": None,
    }
    guild = played.view["guilds"][0]
    assert (guild["money"], guild["supplied"]) == (140, 8)
    assert guild["stock"] == {"wood": 1, "iron": 0, "wool": 0, "salt": 0}


def test_the_network_bounds_what_is_supplied() -> None:
    """G-7.1: min(capacities, network)."""
    played = table("production", shops={0: (50,)}, cities={0: TWELVE[:4]})
    played.send("produce", 0, runs=[run_of(50)])
    assert told_of(played, 0)["supplied"] == 4
    assert told_of(played, 0)["income"] == 54


def test_more_than_twenty_cities() -> None:
    """G-7.1: 21 supplied cities are paid as 20."""
    played = table("production", shops={0: (46, 38, 36)}, stock={0: (6, 0, 3, 0)}, stage=3, deck=0)
    state = played.state
    state.network[0] = (1 << 21) - 1
    runs = [run_of(36, wood=3), run_of(38, wool=3), run_of(46, wood=3)]
    played.send("produce", 0, runs=runs)
    assert told_of(played, 0)["supplied"] == 21
    assert told_of(played, 0)["income"] == 150


def test_a_guild_may_run_none() -> None:
    """G-7.1: the income for none is 10 L."""
    played = table("production", shops={0: (50,)}, cities={0: ["paris"]})
    played.send("produce", 0, runs=[])
    assert told_of(played, 0)["income"] == 10
    assert told_of(played, 0)["why"] is None


def test_a_workshop_runs_once() -> None:
    """G-7.1: refused: twice the same, out of order, not own, not its amount, not in stock."""
    played = table("production", shops={0: (4, 10, 12)}, stock={0: (6, 1, 0, 0)})
    for runs, code in (
        ([run_of(4, wood=2), run_of(4, wood=2)], "not_sorted"),
        ([run_of(10, wood=2), run_of(4, wood=2)], "not_sorted"),
        ([run_of(8, wood=3)], "not_your_workshop"),
        ([run_of(4, wood=1)], "wrong_amount"),
        ([run_of(4, wood=3)], "wrong_amount"),
        ([run_of(4, iron=2)], "wrong_amount"),
        ([run_of(12, wood=2, iron=1)], "wrong_amount"),
        ([run_of(12, wood=1)], "wrong_amount"),
        ([run_of(12, iron=2)], "not_in_stock"),
        ([run_of(4, wood=2), run_of(10, wood=2), run_of(12, wood=2, wool=1)], "wrong_amount"),
    ):
        assert played.refused("produce", 0, runs=runs) == ("G-7.1", code)


def test_hybrids_state_their_split() -> None:
    """G-7.1: every split that the pool allows, of every hybrid."""
    played = table("production", shops={0: (5, 12)}, stock={0: (3, 2, 0, 0)})
    assert [one["runs"] for one in played.listed("produce", 0)] == [
        [],
        [run_of(5, 0, 2)],
        [run_of(5, 0, 2), run_of(12, 2, 0)],
        [run_of(5, 1, 1)],
        [run_of(5, 1, 1), run_of(12, 1, 1)],
        [run_of(5, 1, 1), run_of(12, 2, 0)],
        [run_of(5, 2, 0)],
        [run_of(5, 2, 0), run_of(12, 0, 2)],
        [run_of(5, 2, 0), run_of(12, 1, 1)],
        [run_of(12, 0, 2)],
        [run_of(12, 1, 1)],
        [run_of(12, 2, 0)],
    ]


def test_the_pool_is_burnt_wherever_it_lies() -> None:
    """G-7.1: wood stored by the woodcutter runs the hybrid."""
    played = table("production", shops={0: (4, 5)}, stock={0: (2, 0, 0, 0)})
    assert {"runs": [run_of(5, wood=2)]} in played.listed("produce", 0)
    played.send("produce", 0, runs=[run_of(5, wood=2)])
    assert played.view["guilds"][0]["stock"]["wood"] == 0


def all_productions(shops: tuple[int, ...], stock: Stock) -> set[Produce]:
    """Returns every production, by trying all amounts of all subsets."""
    found = set()
    for size in range(len(shops) + 1):
        for chosen in itertools.combinations(shops, size):
            ways = []
            for shop in chosen:
                card = CARD[shop]
                ways.append(
                    [
                        Run(shop, *units)
                        for units in itertools.product(range(4), repeat=4)
                        if sum(units) == card["amount"]
                        and all(
                            name in card["uses"]
                            for name, unit in zip(
                                ("wood", "iron", "wool", "salt"), units, strict=True
                            )
                            if unit
                        )
                    ]
                )
            for runs in itertools.product(*ways):
                burns = [
                    sum(getattr(run, name) for run in runs)
                    for name in ("wood", "iron", "wool", "salt")
                ]
                if all(map(int.__le__, burns, stock)):
                    found.add(Produce(tuple(runs)))
    return found


@pytest.mark.parametrize("seed", range(40))
def test_productions_are_complete(seed: int) -> None:
    """G-7.1: against all there are, for random workshops and stocks."""
    generator = random.Random(seed)
    shops = tuple(sorted(generator.sample(NUMBERS, generator.randint(0, 3))))
    stock = tuple(generator.randint(0, 6) for _ in range(4))
    wood, iron, wool, salt = stock
    listed = list(productions(shops, (wood, iron, wool, salt)))
    assert set(listed) == all_productions(shops, (wood, iron, wool, salt))
    keys = [[list(run.values()) for run in dump(produce)["runs"]] for produce in listed]
    assert keys == sorted(keys)


def test_all_choose_at_once() -> None:
    """G-7.2: in any order; each choice is final and carried out as it comes."""
    played = table("production", "20", guilds=3, shops=dict.fromkeys((0,), (50,)) | {2: (44,)})
    assert RULESET.to_act(played.state) == (0, 2)
    assert told_of(played, 1)["why"] == "nothing_to_run"
    assert told_of(played, 1)["income"] == 10
    played.send("produce", 2, runs=[run_of(44)])
    assert RULESET.to_act(played.state) == (0,)
    assert played.view["guilds"][2]["money"] == 60
    assert played.refused("produce", 2, runs=[]) == ("G-7.2", "not_your_turn")
    assert RULESET.legal(played.state, 9) == []
    played.send("produce", 0, runs=[])
    assert played.types()[:2] == ["produced", "phase_began"]


def test_nobody_can_run_anything() -> None:
    """G-7.2: all are passed over, and the round goes on."""
    played = table("production", "20", guilds=8, shops={3: (4,)})
    assert [one["why"] for one in played.told("produced")] == ["nothing_to_run"] * 8
    assert [guild["money"] for guild in played.view["guilds"]] == [60] * 8
    assert played.view["round"] == 4


def test_the_end_of_a_round() -> None:
    """G-8.1, G-8.2: replenish, remove the lowest open card, draw one, set the order."""
    played = table("end_of_round", "20", guilds=4, stage=2, shelves=(20, 18, 9, 15))
    assert played.types()[:4] == ["replenished", "workshop_removed", "card_drawn", "order_set"]
    assert played.told("replenished")[0]["deliveries"] == [
        {"material": "wood", "due": 9, "famine": 0, "lost": 5, "added": 4},
        {"material": "iron", "due": 8, "famine": 0, "lost": 2, "added": 6},
        {"material": "wool", "due": 6, "famine": 0, "lost": 0, "added": 6},
        {"material": "salt", "due": 3, "famine": 0, "lost": 2, "added": 1},
    ]
    assert [shelf["stock"] for shelf in played.view["shelves"]] == [24, 24, 15, 16]
    assert played.told("workshop_removed") == [{"workshop": 3}]
    assert [card["workshop"] for card in played.view["open"]] == [4, 5, 6, 20]
    assert 3 in played.view["gone"]


def test_replenishment_goes_by_the_stage_in_force() -> None:
    """G-8.1: the stage that production began."""
    played = table(
        "expansion", "20", guilds=6, money=0, cities={0: TWELVE[:6]}, shelves=(0, 0, 0, 0)
    )
    assert played.view["stage"] == 2
    assert [shelf["stock"] for shelf in played.view["shelves"]] == [13, 11, 9, 4]


def test_without_a_deck_nothing_is_drawn() -> None:
    """G-8.2: the lowest open card leaves all the same; without open cards nothing happens."""
    played = table("end_of_round", deck=0, stage=3, row=(16, 17))
    assert played.told("workshop_removed") == [{"workshop": 16}]
    assert "card_drawn" not in played.types()
    assert [card["workshop"] for card in played.view["open"]] == [17]
    played = table("end_of_round", deck=0, stage=3, row=(), money=0, round=4)
    assert "workshop_removed" not in played.types()
    assert "order_set" in played.types()


@pytest.mark.parametrize(
    ("guilds", "target"), [(2, 12), (3, 12), (4, 10), (5, 10), (6, 8), (7, 8), (8, 8)]
)
def test_the_game_ends(guilds: int, target: int) -> None:
    """G-9.1: 12, 10 or 8 cities after expansion; the round is completed, G-8 included."""
    for cities in (target - 1, target):
        played = table(
            "expansion", "20", guilds=guilds, money=0, round=4, cities={0: TWELVE[:cities]}
        )
        assert RULESET.over(played.state) == (cities == target)
        if cities == target:
            assert played.types()[-4:] == [
                *("workshop_removed", "card_drawn", "order_set", "play_ended"),
            ]
            assert played.told("play_ended") == [{"rule": "G-9.1", "resigned": None}]
            assert played.refused("produce", 0, runs=[]) == ("G-9.1", "game_over")


def test_the_game_ends_after_round_30() -> None:
    """G-9.1: as if the target had been reached."""
    played = table("end_of_round", "20", "great_famine", round=29)
    assert played.view["round"] == 30
    assert not RULESET.over(played.state)
    played = table("end_of_round", "20", round=30)
    assert RULESET.over(played.state)


def final(money: list[int], supplied: list[int], networks: list[int]) -> list[int]:
    """Returns the ranks when a game ends so."""
    guilds = len(money)
    played = table("end_of_round", "20", guilds=guilds, round=30, money=money)
    played.state.supplied = supplied
    played.state.network = [(1 << cities) - 1 for cities in networks]
    return [line.rank for line in RULESET.score(played.state).seats]


def test_who_wins() -> None:
    """G-9.1: most supplied, then money, then network, then shared."""
    assert final([0, 90, 50], [7, 6, 5], [9, 12, 12]) == [1, 2, 3]
    assert final([40, 90, 90], [7, 7, 6], [9, 8, 12]) == [2, 1, 3]
    assert final([40, 40, 40], [7, 7, 7], [9, 10, 8]) == [2, 1, 3]
    assert final([40, 40, 30], [7, 7, 7], [9, 9, 12]) == [1, 1, 3]


def test_the_score_tells_its_figures() -> None:
    """G-9.1: cities supplied in the latest production, money after income."""
    played = table("production", guilds=2, shops={0: (50,)}, cities={0: TWELVE[:3]}, deck=5)
    played.send("produce", 0, runs=[run_of(50)])
    scoring = RULESET.score(played.state).plain()
    assert scoring["final"] is False
    assert scoring["seats"][0]["items"] == [
        {"name": "cities_supplied", "points": 3, "money": 94, "network": 3}
    ]
    assert RULESET.totals(played.state) == [3, 0]


def test_everything_but_what_is_to_come_lies_open() -> None:
    """G-9.2: money, material, what may still come; not what will."""
    played = table("auction", deck=7, stock={0: (1, 2, 0, 0)}, shops={0: (5,)})
    view = played.view
    assert view["guilds"][0]["stock"] == {"wood": 1, "iron": 2, "wool": 0, "salt": 0}
    assert view["guilds"][0]["storage"]["wood_or_iron"] == 4
    assert view["deck"]["size"] == 7
    assert len(view["deck"]["may_come"]) == 29
    assert not set(view["deck"]["may_come"]) & set(LOW)
    assert len(view["events_to_come"]) == 6
    assert table("auction", deck=0, stage=3).view["deck"]["may_come"] == []
