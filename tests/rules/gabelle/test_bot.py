"""The bot `easy` plays Gabelle with sense: its games end in time, and what it does is legal."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from bench import tune
from service.rules.chance import FreeChance
from service.rules.described import Command
from service.rules.gabelle import RULESET, Options
from service.rules.gabelle.commands import KeepStock
from service.rules.gabelle.state import State
from service.rules.gabelle.tables import CITIES, CITY
from service.rules.ruleset import run, start
from workers import bots
from workers.bots import gabelle
from workers.bots.gabelle.worth import HABITS, remoteness

from .positions import table


def easy(state: State, seat: int, generator: random.Random) -> Command:
    """Returns what the bot does; checks that it is legal and changes nothing."""
    before = state.clone()
    command = bots.choose(RULESET, state, seat, "easy", generator)
    assert state == before
    assert command in RULESET.legal(state, seat)
    return command


def game(levels: tuple[str, ...], seed: int, options: Options | None = None) -> State:
    """Returns the end of a game of bots."""
    generator = random.Random(seed)
    chance = FreeChance(random.Random(seed + 1))
    state, _ = start(RULESET, len(levels), options or Options(), chance)
    while acting := RULESET.to_act(state):
        seat = acting[0]
        if levels[seat] == "easy":
            command = easy(state, seat, generator)
        else:
            command = bots.choose(RULESET, state, seat, levels[seat], generator)
        run(RULESET, state, seat, command, chance)
    return state


@pytest.mark.parametrize("guilds", RULESET.seats)
def test_games_of_easy_bots_end_in_time(guilds: int) -> None:
    """Networks grow and are supplied, so the game ends long before round 30 (G-9.1)."""
    ends = [game(("easy",) * guilds, seed) for seed in range(3)]
    assert all(4 <= state.round <= 12 for state in ends)
    assert max(max(state.supplied) for state in ends) >= gabelle.target(ends[0]) * 3 // 4


@pytest.mark.parametrize("guilds", RULESET.seats)
def test_games_of_random_bots_end_in_time(guilds: int) -> None:
    """Random bots choose type and card before the amount, so they grow too."""
    for seed in range(3):
        assert game(("random",) * guilds, seed).round <= 20


def test_all_options_are_played() -> None:
    for options in (Options(future_row=4), Options(decree="first_named")):
        assert game(("easy", "easy", "random"), 5, options).round <= 15


def test_easy_wins_among_random_guilds() -> None:
    for seed in range(4):
        levels = tuple("easy" if seat == seed else "random" for seat in range(4))
        state = game(levels, seed)
        assert RULESET.score(state).seats[seed].rank == 1


def test_shrewd_merchants_beat_plain_ones() -> None:
    """Who plays on in simulations spends less in the first auctions than `easy`."""
    shrewd, plain = gabelle.tuned(gabelle.FIGURES), gabelle.tuned(HABITS["plain"])
    mean, error = tune.trial(RULESET, shrewd, plain, 20, 0)
    assert mean > error > 0


def test_the_plain_merchant_is_easy() -> None:
    plain = gabelle.tuned(HABITS["plain"])
    state, _ = start(RULESET, 3, Options(), FreeChance(random.Random(3)))
    seat = RULESET.to_act(state)[0]
    (command,) = plain(state, seat, random.Random(1))
    assert command == bots.choose(RULESET, state, seat, "easy", random.Random(1))


def test_a_site_has_others_near() -> None:
    """Between cities that cost the same, the ways that begin there decide."""
    played = table("expansion", money=[60, 60], shops={0: (3,)}, stock={0: (2, 0, 0, 0)})
    (command,) = gabelle.policy(played.state, 0, random.Random(1))
    area = played.state.area
    cities = [city for city in range(len(CITIES)) if area >> city & 1]
    near = min(remoteness(area, False, city) for city in cities)
    assert remoteness(area, False, CITY[command.city]) == near  # type: ignore[attr-defined]


def test_random_ones_name_each_card_as_likely() -> None:
    """The card is chosen before the bid: a rich guild's many bids do not outweigh the cards."""
    state, _ = start(RULESET, 2, Options(), FreeChance(random.Random(1)))
    generator = random.Random(1)
    named = Counter(
        RULESET.sample(state, state.order[0], generator).workshop  # type: ignore[attr-defined]
        for _ in range(2000)
    )
    assert set(named) == set(state.on_sale)
    assert min(named.values()) > 400


def test_keeps_what_costs_more() -> None:
    """Wood is cheap on a full shelf and iron dear: on a hybrid the iron is kept."""
    played = table(
        "auction",
        row=(17, 22, 24, 26),
        deck=0,
        money=[60, 5],
        shops={0: (19, 20, 21)},
        stock={0: (3, 4, 0, 0)},
        shelves=(24, 6, 9, 4),
    )
    played.send("name_workshop", workshop=17, bid=17)
    played.send("discard_workshop", workshop=20)
    assert len(RULESET.legal(played.state, 0)) > 1
    kept = easy(played.state, 0, random.Random(1))
    assert isinstance(kept, KeepStock)
    assert (kept.wood, kept.iron) == (0, 4)
