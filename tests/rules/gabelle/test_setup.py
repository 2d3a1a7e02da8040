"""G-1: setup, options, round order. G-2: phases."""

from __future__ import annotations

import random
from typing import Any

import pytest

from service.rules.chance import ArrangedChance, FreeChance, Stopped
from service.rules.gabelle import RULESET, Options
from service.rules.gabelle.tables import BY_GUILDS, HIGH, LOW
from service.rules.plain import Misshapen
from service.rules.ruleset import PlayEnded, advance, start

from .positions import Table, at, table

FIRST = ["norte+leste", "1", "0", "9", "3", "12", "5"]


def test_what_each_guild_begins_with() -> None:
    """G-1.1: 50 L, no workshop, no post, no material."""
    for guilds in RULESET.seats:
        state, _ = start(RULESET, guilds, Options(), FreeChance(random.Random(guilds)))
        view = RULESET.view(state)
        assert len(view["guilds"]) == guilds
        for guild in view["guilds"]:
            assert guild["money"] == 50
            assert guild["workshops"] == guild["cities"] == []
            assert set(guild["stock"].values()) == {0}
        assert all(city["posts"] == [] for city in view["cities"])
        assert [shelf["stock"] for shelf in view["shelves"]] == [24, 18, 9, 4]


@pytest.mark.parametrize("guilds", RULESET.seats)
def test_regions_are_drawn_once(guilds: int) -> None:
    """G-1.1: as many regions as the guilds need, drawn once; all four are not drawn at all."""
    state = RULESET.initial(guilds, Options())
    chance = FreeChance(random.Random(5))
    outcome = advance(RULESET, state, chance)
    drawn = [event for event in outcome.events if event.type == "regions_drawn"]
    assert len(drawn) == (guilds < 4)
    assert len(state.regions) == BY_GUILDS[guilds]["regions"]
    assert outcome.draws[0].bound == {2: 5, 3: 4}.get(guilds, guilds)
    assert [draw.bound for draw in outcome.draws][-4 - guilds : -4] == [*range(guilds, 0, -1)]


def test_regions_by_option() -> None:
    """G-1.1: named regions are in play, more than needed too, and nothing is drawn for them."""
    options = Options(regions=("sul", "leste", "oeste"))
    state, outcome = start(RULESET, 2, options, ArrangedChance(["0", "1", "3", "4", "5", "6"]))
    assert RULESET.view(state)["regions"] == ["oeste", "leste", "sul"]
    assert not any(event.type == "regions_drawn" for event in outcome.events)
    assert len(RULESET.view(state)["cities"]) == 32


@pytest.mark.parametrize(
    ("guilds", "regions", "pointer"),
    [
        (1, None, "/seats"),
        (9, None, "/seats"),
        (2, ("norte", "sul"), "/options/regions"),
        (2, ("norte",), "/options/regions"),
        (3, ("norte", "leste"), "/options/regions"),
        (5, ("norte", "leste", "sul"), "/options/regions"),
        (2, ("norte", "leste", "norte"), "/options/regions"),
    ],
)
def test_options_that_do_not_fit(
    guilds: int, regions: tuple[str, ...] | None, pointer: str
) -> None:
    """G-1.1: at least as many regions as needed, touching, none twice."""
    with pytest.raises(Misshapen) as caught:
        RULESET.initial(guilds, Options(regions=regions))
    assert caught.value.pointer == pointer


def test_order_is_drawn_before_the_first_auction() -> None:
    """G-1.4: one place after the other."""
    state, outcome = start(RULESET, 2, Options(), ArrangedChance(FIRST))
    assert state.order == (1, 0)
    assert [event.type for event in outcome.events] == [
        "regions_drawn",
        *["place_drawn"] * 2,
        *["card_drawn"] * 4,
        "phase_began",
    ]
    assert RULESET.to_act(state) == (1,)


def test_four_open_cards_of_the_low_tier() -> None:
    """G-1.2: four open cards, sorted; those removed unseen are among what may be drawn."""
    state, outcome = start(RULESET, 2, Options(), ArrangedChance(FIRST))
    assert state.row == (3, 5, 9, 12)
    assert [draw.bound for draw in outcome.draws][-4:] == [13, 12, 11, 10]
    assert RULESET.view(state)["deck"]["size"] == 26 - 4
    assert RULESET.view(state)["deck"]["low"] == 8


def test_the_low_tier_ends_at_its_size() -> None:
    """G-1.2: with 3 guilds 11 low cards come, whichever; then high ones only; 2 + 10 never."""
    options = Options(regions=("norte", "oeste", "leste"))
    for seed in range(5):
        generator = random.Random(seed)
        state, outcome = start(RULESET, 3, options, FreeChance(generator))
        cards = [event.workshop for event in outcome.events if event.type == "card_drawn"]
        while not RULESET.over(state) and state.deck:
            seat = RULESET.to_act(state)[0]
            command = RULESET.sample(state, seat, generator)
            for event in RULESET.decide(state, seat, command):
                RULESET.evolve(state, event)
            more = advance(RULESET, state, FreeChance(generator))
            cards += [event.workshop for event in more.events if event.type == "card_drawn"]
        assert not state.deck
        assert set(cards[:11]) <= set(LOW)
        assert set(cards[11:]) <= set(HIGH)
        assert len(set(cards)) == len(cards) == 42 - 12
        assert state.low.bit_count() == 2
        assert state.high.bit_count() == 10


def test_future_row() -> None:
    """G-1.2: four more cards are shown; the lowest four of the row are open at all times."""
    chance = ArrangedChance(["norte+leste", "0", "1", *map(str, (9, 3, 12, 5, 14, 4, 10, 13))])
    state, _ = start(RULESET, 2, Options(future_row=4), chance)
    view = RULESET.view(state)
    assert [card["workshop"] for card in view["open"]] == [3, 4, 5, 9]
    assert view["future"] == [10, 12, 13, 14]
    played = Table(state, ["6", "7"])
    assert played.refused("name_workshop", workshop=10, bid=10) == ("G-4.1", "not_on_sale")
    played.send("name_workshop", workshop=3, bid=50)
    assert [card["workshop"] for card in played.view["open"]] == [4, 5, 6, 9]
    assert played.view["future"] == [10, 12, 13, 14]


def test_shelf_prices() -> None:
    """G-1.3: what the next units cost, the tax on salt included."""
    shelves = {shelf["material"]: shelf for shelf in table("market").view["shelves"]}
    assert shelves["wood"]["prices"][:4] == [1, 1, 1, 2]
    assert shelves["iron"]["prices"][:4] == [3, 3, 3, 4]
    assert shelves["wool"]["prices"] == [6, 6, 6, 7, 7, 7, 8, 8, 8]
    assert shelves["salt"]["prices"] == [9, 9, 10, 10]
    assert shelves["salt"]["surcharge"] == 2


def test_order_by_cities_then_workshops() -> None:
    """G-1.4: most cities, then the highest workshop, 0 without any; equals keep their places."""
    played = table(
        "end_of_round",
        "20",
        guilds=5,
        order=(4, 3, 2, 1, 0),
        shops={0: (10, 30), 1: (31,), 2: (9,)},
        cities={0: ["paris"], 1: ["paris", "lille"][:1], 2: ["lyon", "metz"]},
        stage=2,
    )
    (told,) = played.told("order_set")
    assert told["order"] == [
        {"seat": 2, "cities": 2, "workshop": 9},
        {"seat": 1, "cities": 1, "workshop": 31},
        {"seat": 0, "cities": 1, "workshop": 30},
        {"seat": 4, "cities": 0, "workshop": 0},
        {"seat": 3, "cities": 0, "workshop": 0},
    ]


def test_order_is_set_anew_after_the_first_auction() -> None:
    """G-1.4: round 1, after the auction phase, contested or not; the market goes in reverse."""
    played = table("auction", "16", "17", guilds=2, round=1, order=(0, 1))
    played.send("name_workshop", workshop=3, bid=3)
    played.send("raise", bid=4)
    played.send("drop")
    played.send("name_workshop", workshop=5, bid=5)  # alone now: guild 0 has no card yet
    assert played.view["order"] == [0, 1]
    assert "order_set" in played.types()
    assert played.view["phase"] == "market"
    assert played.seat == 1

    played = table("auction", "16", "17", guilds=2, round=1, order=(0, 1))
    played.send("name_workshop", workshop=3, bid=3)
    played.send("drop")
    played.send("name_workshop", workshop=6, bid=6)
    assert played.view["order"] == [1, 0]
    assert played.seat == 0


def test_order_stays_within_later_rounds() -> None:
    """G-1.4: after the auction of a later round the order is that of the round's beginning."""
    played = table("auction", "16", guilds=2, round=3, order=(0, 1), shops={0: (10,), 1: (20,)})
    played.send("decline")
    played.send("decline")
    assert "order_set" not in played.types()
    assert played.view["order"] == [0, 1]


def test_phases_follow_each_other() -> None:
    """G-2: event in even rounds, auction, market, expansion, production, end of round."""
    generator = random.Random(4)
    chance = FreeChance(generator)
    state, outcome = start(RULESET, 3, Options(), chance)
    events = list(outcome.events)
    while state.round < 5 and not RULESET.over(state):
        seat = RULESET.to_act(state)[0]
        for event in RULESET.decide(state, seat, RULESET.sample(state, seat, generator)):
            RULESET.evolve(state, event)
            events.append(event)
        events += advance(RULESET, state, chance).events
    began: Any = [(one.round, one.phase) for one in events if one.type == "phase_began"]
    rest = ["auction", "market", "expansion", "production", "end_of_round"]
    wanted = [
        (number, phase)
        for number in range(1, 5)
        for phase in ([] if number % 2 else ["event"]) + rest
    ]
    assert began[: len(wanted)] == wanted


def test_commands_of_other_phases() -> None:
    """G-2: refused with the phase's rule, whatever the phase."""
    played = table("market", shops={1: (4,)})
    assert played.refused("decline") == ("G-2", "wrong_phase")
    assert played.refused("build", city="paris") == ("G-2", "wrong_phase")
    assert played.refused("produce", runs=[]) == ("G-2", "wrong_phase")
    played = table("expansion")
    assert played.refused("end_buying") == ("G-2", "wrong_phase")


def test_nobody_acts_before_a_draw() -> None:
    """G-2: as long as something is to be drawn all commands are refused."""
    state = at("event", round=2)
    with pytest.raises(Stopped):
        RULESET.proceed(state, ArrangedChance([]))
    assert RULESET.to_act(state) == ()
    assert RULESET.legal(state, 0) == []
    played = Table(state)
    assert played.last.stopped is not None
    assert played.refused("decline", seat=0) == ("G-2", "wrong_phase")


def test_play_ends_in_the_set_up() -> None:
    """G-9.1: the table may end play at any time, before anything was drawn too."""
    state = RULESET.initial(2, Options())
    RULESET.view(state)
    RULESET.evolve(state, PlayEnded("T-3"))
    assert RULESET.over(state)
    assert RULESET.view(state)["phase"] == "setup"
