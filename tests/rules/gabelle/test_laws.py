"""Random games of Gabelle keep the laws; fixed positions have fixed numbers of paths."""

from __future__ import annotations

import random
import time
from typing import Any

import pytest

from service.rules.chance import FreeChance, SealedChance
from service.rules.described import Command
from service.rules.gabelle import RULESET, Options
from service.rules.gabelle.routes import reach_of
from service.rules.gabelle.state import SETTLE, SETTLE_ALONE, State, cities_of
from service.rules.gabelle.stock import fits
from service.rules.gabelle.tables import BIG, CAPACITY, CITIES, HIGH, LOW, NUMBERS, OCTROI
from service.rules.ruleset import run, start
from tests.rules.laws import any_command, any_type, check_game, perft
from tests.rules.many import CHUNKS, check_many, numbers

from .positions import at

VARIANTS = (
    Options(),
    Options(future_row=4),
    Options(decree="first_named", regions=("sul", "oeste", "leste", "norte")),
)


def conserved(state: State) -> None:
    """Asserts what is so in every state: 42 cards, no debts, stock that fits, tables that agree."""
    undrawn = [
        number
        for numbers, left in ((LOW, state.low), (HIGH, state.high))
        for place, number in enumerate(numbers)
        if left >> place & 1
    ]
    held = [number for shops in state.shops for number in shops]
    assert sorted([*undrawn, *held, *state.row, *state.gone]) == list(NUMBERS)
    assert 0 <= state.low_left <= state.low.bit_count()
    assert 0 <= state.high_left <= state.high.bit_count()
    assert min(state.money) >= 0
    for seat in range(state.guilds):
        assert len(state.shops[seat]) <= 3 + (state.seat == seat)
        assert min(state.stock[seat]) >= 0
        if state.seat != seat or state.step not in (SETTLE, SETTLE_ALONE):
            assert fits(state.shops[seat], state.stock[seat])
        network = cities_of(state.network[seat])
        assert state.network[seat] & ~state.area == 0
        assert list(state.reach[seat]) == list(reach_of(state.area, state.war, network))
        assert network == tuple(city for city, posts in enumerate(state.posts) if seat in posts)
    for stock, capacity in zip(state.shelves, CAPACITY, strict=True):
        assert 0 <= stock <= capacity
    for city in range(len(CITIES)):
        posts = state.posts[city]
        assert len(set(posts)) == len(posts) <= state.stage
        free = state.area >> city & 1 and len(posts) < state.stage
        assert state.fees[city] == (OCTROI[len(posts)] if free else BIG)
    assert list(state.row) == sorted(state.row)
    assert sorted(state.order) == list(range(state.guilds))


@pytest.mark.parametrize("guilds", numbers(RULESET.seats))
@pytest.mark.parametrize("options", VARIANTS, ids=("plain", "future", "first_named"))
def test_random_games_keep_the_laws(guilds: int, options: Options) -> None:
    """G-2, G-9.2: legal is decide, replay is live, nothing to come shows, all is conserved."""
    choose = any_type if guilds % 2 else any_command
    refused = check_game(
        RULESET, guilds, options, guilds, every=17, choose=choose, invariant=conserved
    )
    assert {"G-2", "G-4.1", "G-9.1"} <= set(refused)


@pytest.mark.parametrize("seeds", CHUNKS)
def test_very_many_games(seeds: range) -> None:
    happened = check_many(RULESET, VARIANTS, seeds, conserved)
    assert happened["play_ended"] == len(seeds)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(120))
def test_many_random_games_keep_the_laws(seed: int) -> None:
    guilds = RULESET.seats[seed % 7]
    choose = any_type if seed % 2 else any_command
    options = VARIANTS[seed // 7 % 3]
    check_game(RULESET, guilds, options, 1000 + seed, choose=choose, invariant=conserved)


@pytest.mark.parametrize("guilds", RULESET.seats)
def test_sampled_commands_are_listed(guilds: int) -> None:
    """G-2: choosing what to do before how much never leaves the list; games come to their end."""
    generator = random.Random(guilds)
    chance = FreeChance(generator)
    kinds = set()
    for _ in range(3):
        state, _ = start(RULESET, guilds, Options(), chance)
        while not RULESET.over(state):
            seat = generator.choice(RULESET.to_act(state))
            command = RULESET.sample(state, seat, generator)
            kinds.add(command.type)
            assert command in RULESET.legal(state, seat)
            run(RULESET, state, seat, command, chance)
            conserved(state)
    assert kinds >= set(RULESET.commands) - {"keep_stock", "discard_workshop"}


AUCTION: dict[str, Any] = {
    "money": (6, 5, 7),
    "guilds": 3,
    "deck": 2,
    "shops": {1: (17, 18, 19)},
    "stock": {1: (0, 0, 3, 1)},
}
MARKET: dict[str, Any] = {
    "money": (20, 23),
    "event": "gabelle",
    "round": 4,
    "shops": {0: (5, 11), 1: (8, 12)},
    "stock": {1: (2, 1, 0, 0)},
    "cities": {0: ["metz"], 1: ["lyon"]},
    "regions": ("leste", "sul"),
}
EXPANSION: dict[str, Any] = {
    "money": (45, 50),
    "event": "hundred_years_war",
    "round": 2,
    "shops": {0: (12, 21, 50), 1: (5,)},
    "stock": {0: (3, 2, 0, 0), 1: (1, 1, 0, 0)},
    "cities": {0: ["paris"], 1: ["lyon"]},
    "regions": ("norte", "leste"),
    "stage": 2,
}


@pytest.mark.parametrize(
    ("phase", "position", "counts"),
    [
        ("auction", AUCTION, [11, 31, 172, 566, 2431]),
        ("market", MARKET, [11, 83, 525, 3054]),
        ("expansion", EXPANSION, [5, 46, 830, 5500]),
    ],
    ids=("auction", "market", "expansion"),
)
def test_perft(phase: str, position: dict[str, Any], counts: list[int]) -> None:
    """G-2: how many paths of legal commands lead on from fixed positions."""
    state = at(phase, **position)
    assert perft(RULESET, state, len(counts)) == counts


def test_a_long_game_replays_quickly() -> None:
    """G-2: some 300 moves in a few milliseconds (bounded generously: machines differ)."""
    generator = random.Random(3)
    chance = SealedChance(bytes(32), "replay")
    state, outcome = start(RULESET, 5, Options(), chance)
    events = list(outcome.events)
    moves = 0
    while not RULESET.over(state):
        seat = RULESET.to_act(state)[0]
        command: Command = RULESET.sample(state, seat, generator)
        events += run(RULESET, state, seat, command, chance).events
        moves += 1
    assert moves > 200
    best = 1.0
    for _ in range(5):
        begun = time.perf_counter()
        replayed = RULESET.initial(5, Options())
        for event in events:
            RULESET.evolve(replayed, event)
        best = min(best, time.perf_counter() - begun)
    assert replayed == state
    assert best < 0.1
