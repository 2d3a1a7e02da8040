"""Random games of Orléans keep the laws, and nothing is lost or made in them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from service.rules import described, kinds
from service.rules.chance import FreeChance
from service.rules.described import Command
from service.rules.orleans import RULESET, Options
from service.rules.orleans.state import ACTIONS, EVENT, FOLLOWERS, PLANNING, State
from service.rules.orleans.tables import EVENTS, STACKS, bits
from service.rules.ruleset import Outcome, options_of, run, start
from tests.rules.laws import (
    Looks,
    Step,
    all_legal,
    any_type,
    check_canonical_order,
    check_clone,
    check_draws,
    check_ending,
    check_equal_draws,
    check_game,
    check_legal_is_decide,
    check_score,
    check_stopping,
    check_view,
    perft,
    stored,
)
from tests.rules.many import CHUNKS, check_many, numbers

from .invariants import conserved
from .table import Table

FIRST = options_of(RULESET, 1, {})
"""How version 1 played."""
VARIANTS = (
    Options(),
    Options(start_seat="chance", monks_on_deeds=False),
    Options(start_seat=1, plague="set_aside"),
    Options(monks_on_deeds=False, plague="set_aside", last_citizen=False),
    Options(planning="in_turn", bathhouse="two", recruit_without_reward="allowed"),
    FIRST,
)
NAMES = ("plain", "chance", "aside", "literal", "other", "first")
CHOICES: dict[str, tuple[Any, ...]] = {
    "start_seat": (0, 1, "chance"),
    "monks_on_deeds": (True, False),
    "plague": ("supply", "set_aside"),
    "last_citizen": (True, False),
    "status": ("reached", "present"),
    "development_back": ("free", "not_onto_coins"),
    "planning": ("open", "in_turn", "final"),
    "horse_wagon_good": (True, False),
    "bathhouse": ("up_to_two", "two"),
    "recruit_without_reward": ("refused", "allowed"),
}
"""Every value of every option."""


def any_options(generator: random.Random) -> Options:
    """Returns one of all combinations of options."""
    return Options(**{name: generator.choice(values) for name, values in CHOICES.items()})


def spiced(seats: int, options: Options, generator: random.Random) -> State:
    """Returns a state after the set-up with things handed out at random: few coins, many tiles."""
    state, _ = start(RULESET, seats, options, FreeChance(generator))
    tiles = list(bits(STACKS["II"]))
    generator.shuffle(tiles)
    for seat in state.seats:
        for _ in range(5):
            place = tiles.pop()
            state.tiles &= ~(1 << place)
            seat.gain_tile(place, options.monks_on_deeds)
        for kind in range(7):
            for _ in range(generator.randint(0, state.supply[kind] // seats)):
                state.supply[kind] -= 1
                seat.to_bag(kind)
        for good in range(5):
            count = generator.randint(0, min(2, state.goods[good]))
            state.goods[good] -= count
            seat.goods[good] += count
        seat.coins = generator.randint(0, 2)
        seat.development = generator.randint(0, 6)
        seat.tracks = [generator.randint(0, end) for end in (8, 5, 5, 5, 4, 5, 0)]
        seat.technology = generator.randint(0, 2)
        state.technology -= seat.technology
    return state


def lively(state: State, generator: random.Random, first: Outcome, before: State) -> Iterator[Step]:
    """Yields a game from a state on: often sensible moves, now and then any at all."""
    yield Step(before, None, None, first, state.clone())
    chance = FreeChance(generator, len(first.draws))
    while not RULESET.over(state):
        if generator.random() < 0.75:
            seat = generator.choice(RULESET.to_act(state))
            command: Command = RULESET.sample(state, seat, generator)
        else:
            seat, command = any_type(generator, all_legal(RULESET, state))
        before, state = state, state.clone()
        outcome = run(RULESET, state, seat, command, chance)
        yield Step(before, seat, command, outcome, state.clone())


def check(
    seats: int, options: Options, seed: int, *, spice: bool, every: int
) -> tuple[Counter[str], Counter[str]]:
    """Plays a lively game and checks all laws; returns refusals by rule and events by type."""
    generator = random.Random(seed)
    if spice:
        state, first = spiced(seats, options, generator), Outcome((), ())
        before = state.clone()
    else:
        before = RULESET.initial(seats, options)
        state, first = start(RULESET, seats, options, FreeChance(generator))
    steps = list(lively(state, generator, first, before))
    refused: Counter[str] = Counter()
    happened: Counter[str] = Counter()
    looks = Looks(RULESET)
    check_draws(steps)
    if not spice:
        check_equal_draws(RULESET, seats, options, steps, generator, forks=1)
    replayed = before.clone()
    for place, step in enumerate(steps):
        for event in step.outcome.events:
            happened[event.type] += 1
            RULESET.evolve(replayed, stored(RULESET, event))
        assert replayed == step.after
        conserved(step.after)
        assert RULESET.totals(step.after) == [
            line.total for line in RULESET.score(step.after).seats
        ]
        if step.command is not None and step.seat is not None:
            assert step.command in RULESET.legal(step.before, step.seat)
        if place % every and step is not steps[-1]:
            continue
        refused += check_legal_is_decide(RULESET, step.after, generator, 20)
        for seat in RULESET.to_act(step.after):
            check_canonical_order(RULESET, RULESET.legal(step.after, seat))
        check_view(RULESET, step.after)
        looks.add(step.after)
        looks.add_other_orders(step.after, generator)
        check_score(RULESET, step.after)
        check_stopping(RULESET, step)
        check_clone(RULESET, step)
        check_ending(RULESET, step.after)
    return refused, happened


@pytest.mark.parametrize("seats", numbers(RULESET.seats))
@pytest.mark.parametrize("options", VARIANTS, ids=NAMES)
def test_lively_games_keep_the_laws(seats: int, options: Options) -> None:
    for spice in (False, True):
        refused, happened = check(seats, options, seats, spice=spice, every=8)
        assert refused["O-2"]
        assert happened["play_ended"] == 1


@pytest.mark.parametrize("seats", numbers(RULESET.seats))
def test_blind_games_keep_the_laws(seats: int) -> None:
    check_game(RULESET, seats, Options(), seats, every=25, invariant=conserved)


@pytest.mark.parametrize("seeds", CHUNKS)
def test_very_many_games(seeds: range) -> None:
    happened = check_many(RULESET, VARIANTS, seeds, conserved)
    assert happened["play_ended"] == len(seeds)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(120))
def test_many_games_keep_the_laws(seed: int) -> None:
    options = any_options(random.Random(seed))
    check(RULESET.seats[seed % 3], options, 1000 + seed, spice=seed % 2 == 1, every=1)


@pytest.mark.broad
@pytest.mark.parametrize("seed", range(30))
def test_all_combinations_of_options_keep_the_laws(seed: int) -> None:
    options = any_options(random.Random(f"options {seed}"))
    check(RULESET.seats[seed % 3], options, seed, spice=seed % 2 == 0, every=25)


def test_every_value_of_every_option_is_tried() -> None:
    for field in described.fields(Options):
        for value in CHOICES[field.name]:
            assert field.kind.parse(value, "") == value
        if isinstance(field.kind, kinds.OneOf):
            assert CHOICES[field.name] == field.kind.values


@pytest.mark.broad
def test_lively_games_show_everything() -> None:
    """Whatever can happen does happen in games of these tests, and every command is used."""
    happened: Counter[str] = Counter()
    used: Counter[str] = Counter()
    for seed in range(60):
        generator = random.Random(seed)
        seats, options = RULESET.seats[seed // 4 % 3], VARIANTS[seed // 3 % len(VARIANTS)]
        if seed % 3:
            state, first = spiced(seats, options, generator), Outcome((), ())
        else:
            state, first = start(RULESET, seats, options, FreeChance(generator))
        for step in lively(state, generator, first, state):
            happened.update(event.type for event in step.outcome.events)
            if step.command is not None:
                used[step.command.type] += 1
    assert set(happened) == set(RULESET.events)
    assert set(used) == set(RULESET.commands)


@pytest.mark.parametrize("seats", RULESET.seats)
def test_sampled_commands_are_listed(seats: int) -> None:
    for seed in range(3):
        generator = random.Random(seed)
        chance = FreeChance(generator)
        state = spiced(seats, Options(), generator)
        while not RULESET.over(state):
            for seat in RULESET.to_act(state):
                command = RULESET.sample(state, seat, generator)
                assert command in RULESET.legal(state, seat)
            run(RULESET, state, seat, command, chance)


def test_a_sample_makes_room_in_a_full_market() -> None:
    """Six knights wait: now and then one goes where it completes nothing."""
    table = Table()
    table.clear()
    table.market(*["knight"] * 6)
    table.man("town_hall", "farmer", "farmer")
    generator = random.Random(1)
    found = [RULESET.sample(table.state, 0, generator) for _ in range(200)]
    assert {command.type for command in found} == {"place_follower", "end_planning"}
    assert set(found) <= set(RULESET.legal(table.state, 0))


def test_a_sample_uses_the_followers_of_the_tower() -> None:
    table = Table()
    table.clear()
    table.tile("gunpowder_tower", "brewery")
    table.man("gunpowder_tower", "monk", "scholar")
    command = RULESET.sample(table.state, 0, random.Random(1))
    assert command in RULESET.legal(table.state, 0)
    assert command.type == "place_follower"


@pytest.mark.parametrize("event", EVENTS)
def test_a_state_between_two_events_can_be_looked_at(event: str) -> None:
    """What happens by itself may be viewed event by event: nothing raises, nobody acts twice."""
    for seed in range(3):
        generator = random.Random(seed)
        state = spiced(3, Options(), generator)
        state.hourglass[state.event] += 1
        state.event = EVENTS.index(event)
        state.hourglass[state.event] -= 1
        chance = FreeChance(generator)
        while state.round < 3:
            seat = RULESET.to_act(state)[0]
            between = state.clone()
            command = RULESET.sample(state, seat, generator)
            for told in run(RULESET, state, seat, command, chance).events:
                RULESET.evolve(between, told)
                view = RULESET.view(between)
                assert (view["waiting_for"] is None) == (not RULESET.to_act(between))
                waiting = RULESET.to_act(between)
                acting = [other for other in range(3) if RULESET.legal(between, other)]
                assert set(waiting) <= set(acting)
                assert waiting or not acting
            assert between == state


@pytest.mark.parametrize(
    ("seats", "options", "counts"),
    [
        (2, FIRST, [38, 1274, 37888]),
        (3, FIRST, [57, 2994]),
        (2, Options(), [38, 1276, 38072]),
        (3, Options(), [57, 2997]),
        (3, Options(planning="in_turn"), [19, 295]),
    ],
)
def test_perft_from_the_set_up(seats: int, options: Options, counts: list[int]) -> None:
    """The first figures are those of version 1, which still play out so."""
    state, _ = start(RULESET, seats, options, FreeChance(random.Random(seats)))
    assert perft(RULESET, state, len(counts)) == counts


@pytest.mark.parametrize(
    ("seats", "step", "counts"),
    [
        (2, FOLLOWERS, [20, 236, 11523]),
        (3, PLANNING, [167, 24796]),
        (2, ACTIONS, [23, 368, 2718, 10824]),
        (4, ACTIONS, [6, 174, 1566, 27108]),
        (3, EVENT, [2, 4, 48, 1244]),
    ],
)
def test_perft_in_the_middle(seats: int, step: int, counts: list[int]) -> None:
    """Figures of version 1."""
    generator = random.Random(seats)
    state = spiced(seats, FIRST, generator)
    chance = FreeChance(generator)
    while state.round < 5 or state.step != step:
        seat = RULESET.to_act(state)[-1]
        run(RULESET, state, seat, RULESET.sample(state, seat, generator), chance)
    assert perft(RULESET, state, len(counts)) == counts
