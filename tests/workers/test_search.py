"""Tree search: bounded, the same for the same generator, blind to chance, and worth its time."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest

from service.bot_levels import LEVELS, SEARCH, Level, SearchParameters, levels
from service.rules.chance import FreeChance
from service.rules.described import dump_command
from service.rules.ruleset import AnyRuleset, rulesets, run, start
from tests.rules.toy import Pebbles
from workers import bots
from workers.bots import hints
from workers.bots.knowledge import knowledge
from workers.bots.search import Search, search

ALL: list[Any] = [Pebbles(), *rulesets().values()]
SEARCHING = [name for name, level in levels().items() if level.method == SEARCH]

TINY = SearchParameters(
    simulations=3, seconds=60.0, width=3, drop=50.0, ahead=1, explore=2.0, trust=1.0, win=1.0,
    spread=10.0, depth=4,
)  # fmt: skip


def laid(ruleset: AnyRuleset, seats: int, moves: int, seed: int = 1) -> Any:
    """Returns the state after some random moves."""
    generator = random.Random(seed)
    chance = FreeChance(random.Random(seed + 1))
    state, _ = start(ruleset, seats, ruleset.options(), chance)
    for _ in range(moves):
        seat = ruleset.to_act(state)[0]
        run(ruleset, state, seat, bots.choose(ruleset, state, seat, "easy", generator), chance)
    return state


def found(
    ruleset: AnyRuleset, state: Any, figures: SearchParameters = TINY, seed: int = 1
) -> bots.Advice:
    """Returns what a search of the first seat that must act finds."""
    seat = ruleset.to_act(state)[0]
    generator = random.Random(seed)
    return search(ruleset, knowledge(ruleset), figures, state, seat, generator, bots.stopped_clock)


def tiny(ruleset: AnyRuleset, figures: SearchParameters = TINY) -> bots.Chooser:
    """Returns a bot of few simulations."""
    return bots.search_chooser(Level("tiny", SEARCH, figures, {}))


@pytest.mark.parametrize("ruleset", ALL, ids=lambda ruleset: ruleset.id)
def test_whole_games_by_legal_lines(ruleset: AnyRuleset) -> None:
    """Each command of a line is legal after those before; all but the last draw nothing."""
    think = tiny(ruleset, replace(TINY, simulations=2, width=2))
    generator = random.Random(3)
    chance = FreeChance(random.Random(4))
    state, _ = start(ruleset, ruleset.seats[0], ruleset.options(), chance)
    choose_decision = 0
    while acting := ruleset.to_act(state):
        seat = acting[-1]
        thinking = choose_decision % 4 == 0 or ruleset.id == "pebbles"
        choose_decision += 1
        level = "easy"
        line: tuple[Any, ...] = (bots.choose(ruleset, state, seat, level, generator),)
        if thinking:
            seen = ruleset.view(state)
            line = think(ruleset, state, seat, generator, bots.stopped_clock).line
            assert ruleset.view(state) == seen
        for number, command in enumerate(line):
            assert command in ruleset.legal(state, seat)
            draws = run(ruleset, state, seat, command, chance).draws
            assert not draws or number == len(line) - 1
    assert ruleset.over(state)


@pytest.mark.parametrize("ruleset", ALL, ids=lambda ruleset: ruleset.id)
@pytest.mark.parametrize("moves", [0, 3])
def test_an_advice_tells_what_was_looked_at(ruleset: AnyRuleset, moves: int) -> None:
    state = laid(ruleset, ruleset.seats[1], moves)
    seat = ruleset.to_act(state)[0]
    legal = ruleset.legal(state, seat)
    figures = replace(TINY, simulations=8, drop=10_000.0)
    advice = found(ruleset, state, figures)
    only = len(advice.ranked) == 1
    assert advice.simulations == (1 if only else 8)
    assert sum(one.visits for one in advice.ranked) == advice.simulations
    values = [one.value for one in advice.ranked]
    assert values == sorted(values, reverse=True)
    assert advice.line[0] == advice.ranked[0].command
    assert 1 <= len(advice.ranked) <= figures.width
    for one in advice.ranked:
        assert one.command in legal
        assert 0 <= one.win <= 1
        assert len(one.points) == ruleset.seats[1]


@pytest.mark.parametrize("ruleset", ALL, ids=lambda ruleset: ruleset.id)
def test_the_same_generator_brings_the_same_advice(ruleset: AnyRuleset) -> None:
    """Whatever chance will bring: a search knows a state, and its own generator."""
    one, other = laid(ruleset, 2, 2), ruleset.clone(laid(ruleset, 2, 2))
    assert found(ruleset, one) == found(ruleset, other)


def test_other_generators_bring_other_simulations() -> None:
    ruleset = Pebbles()
    state = laid(ruleset, 2, 3)
    figures = replace(TINY, simulations=20)
    assert len({found(ruleset, state, figures, seed).ranked for seed in range(4)}) > 1


@pytest.mark.parametrize("ruleset", ALL, ids=lambda ruleset: ruleset.id)
def test_a_clock_ends_a_search(ruleset: AnyRuleset) -> None:
    """At least one simulation is made; none is begun when the seconds are over."""
    state = laid(ruleset, 2, 0)
    seat = ruleset.to_act(state)[0]
    ticks = iter(range(1000))
    figures = replace(TINY, simulations=1000, seconds=4.0)
    tree = Search(ruleset, knowledge(ruleset), figures, state, seat, random.Random(1))
    advice = tree.run(lambda: float(next(ticks)))
    assert advice.simulations == (1 if tree.only_choice else 4)


def test_a_search_goes_deeper_where_it_comes_again() -> None:
    """With many simulations each outcome of a draw has a tree of its own below the first choice."""
    ruleset = Pebbles()
    state = laid(ruleset, 2, 0)
    tree = Search(
        ruleset, knowledge(ruleset), replace(TINY, simulations=300), state, 0, random.Random(1)
    )
    tree.run(bots.stopped_clock)
    edges = tree._root.edges or []
    assert max(len(edge.after) for edge in edges) > 1
    assert any(node.edges for edge in edges for node in edge.after.values())


def test_a_single_choice_needs_no_search() -> None:
    ruleset = Pebbles()
    state = laid(ruleset, 2, 0)
    tree = Search(ruleset, knowledge(ruleset), replace(TINY, width=1), state, 0, random.Random(1))
    assert len(tree.only_choice) == 1
    think = tiny(ruleset, replace(TINY, width=1))
    assert think(ruleset, state, 0, random.Random(1), bots.stopped_clock).line == tree.only_choice


def test_a_choice_never_simulated_is_valued_as_it_looks() -> None:
    ruleset = Pebbles()
    advice = found(ruleset, laid(ruleset, 2, 2), replace(TINY, simulations=1))
    assert [one.visits for one in advice.ranked].count(0) == len(advice.ranked) - 1
    assert all(len(one.points) == 2 for one in advice.ranked)


@pytest.mark.broad
def test_searching_beats_chance() -> None:
    """A handful of games, with the fewest simulations."""
    for ruleset in rulesets().values():
        ahead = 1 if hints.tunable(ruleset.id) else 2
        think = tiny(ruleset, replace(TINY, ahead=ahead))
        generator = random.Random(8)
        chance = FreeChance(random.Random(9))
        state, _ = start(ruleset, 2, ruleset.options(), chance)
        while acting := ruleset.to_act(state):
            seat = acting[0]
            if seat:
                line = (bots.choose(ruleset, state, seat, "random", generator),)
            else:
                line = think(ruleset, state, seat, generator, bots.stopped_clock).line
            for command in line:
                run(ruleset, state, seat, command, chance)
        assert ruleset.score(state).seats[0].rank == 1, ruleset.id


@pytest.mark.parametrize("level", SEARCHING)
def test_levels_that_search_answer_and_advise(level: str) -> None:
    ruleset = Pebbles()
    state = laid(ruleset, 2, 1)
    seat = ruleset.to_act(state)[0]
    command = bots.choose(ruleset, state, seat, level, random.Random(1))
    advice = bots.search_advice(ruleset, state, seat, level, random.Random(1))
    assert command == advice.ranked[0].command
    assert dump_command(command)


@pytest.mark.parametrize("level", ["random", "easy", "brilliant"])
def test_levels_that_do_not_search_advise_nothing(level: str) -> None:
    ruleset = Pebbles()
    state = laid(ruleset, 2, 0)
    with pytest.raises(bots.UnknownLevel):
        bots.search_advice(ruleset, state, 0, level, random.Random(1))


def test_levels_are_told() -> None:
    for ruleset in rulesets():
        told = [level.describe(ruleset) for level in levels().values()]
        assert [one["name"] for one in told] == list(LEVELS)
        for one in told:
            assert (one["simulations"] is not None) == (one["method"] == SEARCH)
            assert one["seconds"] is None or 0 < one["seconds"] <= 2


def test_higher_levels_search_more() -> None:
    for ruleset in rulesets():
        searched = [level.parameters_for(ruleset) for level in levels().values()]
        bounds = [figures.simulations for figures in searched if figures]
        assert bounds == sorted(set(bounds))
        assert len(bounds) == len(SEARCHING)
