"""G-6: expansion and stages."""

from __future__ import annotations

from typing import Any

from .positions import table

SEVEN = ["paris", "lille", "rouen", "arras", "amiens", "dieppe", "calais"]


def test_expansion_goes_in_reverse_order() -> None:
    """G-6.1: the last in order builds first, any number of posts."""
    played = table("expansion", guilds=3, order=(1, 0, 2), money=100)
    assert played.seat == 2
    assert played.refused("end_building", 0) == ("G-6.1", "not_your_turn")
    for city in ("paris", "rouen", "orleans"):
        played.send("build", city=city)
        assert played.seat == 2
    played.send("end_building")
    assert played.told("building_ended") == [{"seat": 2, "why": None}]
    assert played.seat == 0


def test_what_a_post_costs() -> None:
    """G-6.1: tolls of the cheapest way and the octroi, each route told."""
    played = table("expansion", cities={1: ["paris"]}, money=100)
    played.send("build", city="nevers")
    assert played.told("post_built") == [
        {
            "seat": 1,
            "city": "nevers",
            "way": ["paris", "auxerre", "nevers"],
            "tolls": [9, 9],
            "slot": 1,
            "octroi": 10,
            "cost": 28,
        }
    ]
    assert played.view["guilds"][1]["money"] == 72
    assert played.view["guilds"][1]["cities"] == ["paris", "nevers"]


def test_equally_cheap_ways() -> None:
    """G-6.1: Paris to Nevers: by Auxerre or Orléans for 18 both; auxerre comes first."""
    played = table("expansion", cities={1: ["paris"]}, money=100)
    tolls = {(one["a"], one["b"]): one["toll"] for one in played.view["routes"]}
    by_auxerre = tolls["paris", "auxerre"] + tolls["auxerre", "nevers"]
    by_orleans = tolls["paris", "orleans"] + tolls["orleans", "nevers"]
    assert by_auxerre == by_orleans == 18
    played.send("build", city="nevers")
    assert played.told("post_built")[0]["way"] == ["paris", "auxerre", "nevers"]


def test_each_post_pays_its_whole_way() -> None:
    """G-6.1: from the nearest own city; a post just built shortens the next way."""
    played = table("expansion", cities={1: ["paris"]}, money=200)
    played.send("build", city="dijon")
    first = played.told("post_built")[0]
    assert (first["way"], first["tolls"]) == (["paris", "auxerre", "dijon"], [9, 11])
    played.send("build", city="auxerre")
    second = played.told("post_built")[0]
    assert (second["way"], second["cost"]) == (["paris", "auxerre"], 19)
    played.send("build", city="chalon")
    assert played.told("post_built")[0]["way"] == ["dijon", "chalon"]


def test_ways_lead_through_full_cities() -> None:
    """G-6.1: Auxerre is full and not own; the way to Nevers leads through it."""
    played = table("expansion", cities={1: ["paris"], 0: ["auxerre"]}, money=100)
    assert played.refused("build", city="auxerre") == ("G-6.1", "city_full")
    played.send("build", city="nevers")
    assert played.told("post_built")[0]["way"] == ["paris", "auxerre", "nevers"]


def test_octroi_by_slot() -> None:
    """G-6.1: 10, 15, 20 L for the first, second and third post of a city."""
    played = table("expansion", guilds=4, stage=3, deck=0, money=100)
    costs = []
    for _ in range(3):
        played.send("build", city="lyon")
        told = played.told("post_built")[0]
        costs.append((told["slot"], told["octroi"], told["cost"]))
        played.send("end_building")
    assert costs == [(1, 10, 10), (2, 15, 15), (3, 20, 20)]
    assert played.refused("build", city="lyon") == ("G-6.1", "city_full")
    lyon = next(city for city in played.view["cities"] if city["id"] == "lyon")
    assert (lyon["posts"], lyon["octroi"]) == ([3, 2, 1], None)


def test_where_one_may_not_build() -> None:
    """G-6.1: one post a guild and city, cities in play, what can be paid."""
    played = table("expansion", regions=("norte", "leste"), stage=2, cities={1: ["paris"]})
    assert played.refused("build", city="paris") == ("G-6.1", "own_city")
    assert played.refused("build", city="nantes") == ("G-6.1", "not_in_play")
    listed = [one["city"] for one in played.listed("build")]
    assert "orleans" in listed
    assert "nantes" not in listed
    poor = table("expansion", regions=("norte", "leste"), cities={1: ["paris"]}, money=19)
    assert poor.refused("build", city="dijon") == ("G-6.1", "not_enough_money")
    assert [one["city"] for one in poor.listed("build")] == [
        "rouen",
        "beauvais",
        "troyes",
        "auxerre",
    ]


def test_no_way_leads_out_of_play() -> None:
    """G-6.1: without the North the way from Caen to Troyes is a long one."""
    position: dict[str, Any] = {"cities": {1: ["caen"]}, "money": 200}
    everywhere = table("expansion", **position)
    everywhere.send("build", city="troyes")
    assert everywhere.told("post_built")[0]["way"] == ["caen", "rouen", "paris", "troyes"]
    without = table("expansion", regions=("oeste", "leste"), **position)
    in_play = {city["id"] for city in without.view["cities"]}
    without.send("build", city="troyes")
    told = without.told("post_built")[0]
    assert set(told["way"]) <= in_play
    assert sum(told["tolls"]) > 24


def test_nothing_to_build() -> None:
    """G-6.1: passed over without an affordable free city, after a post too."""
    played = table("expansion", money=(9, 25), cities={1: ["metz"]})
    played.send("build", city="verdun")
    assert played.told("building_ended") == [
        {"seat": 1, "why": "nothing_to_build"},
        {"seat": 0, "why": "nothing_to_build"},
    ]


def test_the_first_post() -> None:
    """G-6.2: any city in play, for its octroi only; the second pays its way."""
    played = table("expansion", regions=("leste", "sul"), money=30)
    assert len(played.listed("build")) == 21
    played.send("build", city="marseille")
    told = played.told("post_built")[0]
    assert (told["way"], told["tolls"], told["cost"]) == (["marseille"], [], 10)
    assert {one["city"] for one in played.listed("build")} == {
        "aigues_mortes",
        "avignon",
        "montpellier",
    }
    played.send("build", city="avignon")
    assert played.told("post_built")[0]["cost"] == 18


def test_stage_2_by_network() -> None:
    """G-6.3: tested after expansion, in force from production on: slots stay shut till then."""
    played = table("expansion", money=200, cities={1: SEVEN[:6], 0: ["reims"]})
    played.send("build", city=SEVEN[6])
    assert played.view["stage"] == 1
    played.send("end_building")
    assert played.refused("build", city="paris") == ("G-6.1", "city_full")
    played.send("end_building")
    assert played.told("stage_began") == [{"stage": 2, "why": "network", "cities": 7}]
    assert played.view["stage"] == 2
    paris = next(city for city in played.view["cities"] if city["id"] == "paris")
    assert paris["octroi"] == 15


def test_stage_2_thresholds() -> None:
    """G-6.3: 7 cities; with 6 guilds 6, with 7 and 8 guilds 5."""
    for guilds, needed in {2: 7, 3: 7, 4: 7, 5: 7, 6: 6, 7: 5, 8: 5}.items():
        for cities in (needed - 1, needed):
            played = table("expansion", guilds=guilds, money=0, cities={0: SEVEN[:cities]})
            assert played.told("phase_began")[0]["phase"] == "production"
            assert len(played.told("stage_began")) == (cities == needed)


def test_stage_2_is_not_tested_before_expansion_ends() -> None:
    """G-6.3: seven cities at the beginning of an auction change nothing yet."""
    played = table("market", "20", shops={1: (4,)}, cities={0: SEVEN}, money=(0, 1))
    assert played.view["stage"] == 1


def test_stage_3_with_the_next_phase() -> None:
    """G-6.3: drawn in the auction: from the market on; at the end of the round: the next round."""
    played = table("auction", "16", deck=1)
    played.send("name_workshop", workshop=6, bid=6)
    played.send("drop")
    played.send("decline")
    assert played.types()[-1] != "stage_began"
    began = [kind for kind in played.types() if kind in ("stage_began", "phase_began")]
    assert began[:2] == ["stage_began", "phase_began"]
    assert played.view["stage"] == 3

    played = table("end_of_round", "20", deck=1, round=4)
    assert played.types() == [
        *("replenished", "workshop_removed", "card_drawn", "order_set"),
        *("stage_began", "phase_began"),
    ]
    assert (played.view["round"], played.view["stage"]) == (5, 3)


def test_stage_3_comes_before_an_event() -> None:
    """G-6.3, G-3.1: the event phase of an even round is a phase too."""
    played = table("end_of_round", "20", "great_famine", deck=1, round=3)
    assert played.types()[-4:] == ["stage_began", "phase_began", "event_drawn", "phase_began"]


def test_stage_3_follows_stage_2_too() -> None:
    """G-6.3: whatever the stage was; and stage 2 never comes after it."""
    played = table("end_of_round", "20", deck=1, stage=2)
    assert played.told("stage_began") == [{"stage": 3, "why": "deck_empty", "cities": 0}]
    played = table("expansion", deck=0, stage=3, cities={0: SEVEN}, money=0)
    assert played.told("stage_began") == []
