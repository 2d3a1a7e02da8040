"""What bots know of Carcassonne: prospects that follow are those made anew, turns are legal."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest

from service.rules.carcassonne import RULESET, Options
from service.rules.carcassonne.state import FOLLOW, PLACE, State
from service.rules.chance import FreeChance, NoChance
from service.rules.ruleset import run, start
from workers.bots import carcassonne as known
from workers.bots.carcassonne.evaluation import FIGURES, WEIGHTS, Prospect


def positions(seed: int, seats: int = 2, options: Options | None = None) -> Iterator[State]:
    """Yields the states of a game of good players, before each command; the last is over."""
    generator = random.Random(seed)
    chance = FreeChance(random.Random(seed + 1))
    state, _ = start(RULESET, seats, options or Options(), chance)
    while acting := RULESET.to_act(state):
        seat = acting[0]
        for command in known.policy(state, seat, generator):
            yield state
            assert command in RULESET.legal(state, seat)
            run(RULESET, state, seat, command, chance)
    yield state


@pytest.mark.parametrize("seats", [2, 5])
def test_what_a_tile_does_not_change_is_taken_over(seats: int) -> None:
    """The prospect that follows from the one before is the prospect of the state alone."""
    generator = random.Random(seats)
    for number, state in enumerate(positions(seats, seats)):
        if state.step != PLACE or number % 3:
            continue
        now = Prospect(state)
        now.seats()
        for placement in generator.sample(RULESET.legal(state, state.seat), 2):
            after = state.clone()
            run(RULESET, after, state.seat, placement, NoChance())
            following, anew = now.after_tile(after), Prospect(after)
            assert following.seats() == pytest.approx(anew.seats())
            for root in {after.root(part) for part in range(len(after.parent))}:
                assert following.of(root) == pytest.approx(anew.of(root))


def test_a_follower_is_valued_as_the_position_after_it() -> None:
    """Up to what chance and scoring change: a follower that comes back at once is free again."""
    compared = 0
    for state in positions(4):
        if state.step != FOLLOW or sum(state.pile) == 0:
            continue
        for worth, command in known.followers(Prospect(state), state.seat):
            after = state.clone()
            run(RULESET, after, state.seat, command, NoChance())
            lead = known.lead(known.evaluate(after), state.seat)
            assert worth == pytest.approx(lead)
            compared += 1
    assert compared > 50


@pytest.mark.parametrize("options", [Options(), Options(field_scoring="first_edition")])
def test_at_the_end_hopes_are_the_score(options: Options) -> None:
    *_, last = positions(6, options=options)
    assert RULESET.over(last)
    assert known.evaluate(last) == RULESET.totals(last)


def test_more_fitting_tiles_make_a_city_likelier() -> None:
    """Nothing to come: what is open stays open."""
    for state in positions(7):
        if len(state.tiles) == 30:
            break
    empty = state.clone()
    empty.pile = [0] * len(state.pile)
    many, none = Prospect(state), Prospect(empty)
    opened = [part for part in range(len(state.parent)) if state.open[part] > 0]
    features = {state.root(part) for part in opened if state.open[state.root(part)] > 0}
    assert all(none.of(root)[1] == 0 for root in features)
    assert all(many.of(root)[0] >= none.of(root)[0] for root in features)
    assert any(many.of(root)[1] > 0 for root in features)
    assert none.worth_of_free(3) == 0 < many.worth_of_free(3) < many.worth_of_free(4)


def test_turns_are_over_one_after_the_other() -> None:
    moments = [known.moment(state) for state in positions(8)]
    assert moments == sorted(moments)
    assert moments[0] == 1
    assert moments[-1] <= 72


def test_options_are_all_placements_then_all_followers() -> None:
    generator = random.Random(0)
    for state in positions(9):
        if RULESET.over(state):
            break
        found = known.options(state, state.seat, generator)
        commands = [option.commands[0] for option in found]
        assert sorted(map(str, commands)) == sorted(map(str, RULESET.legal(state, state.seat)))


def test_other_figures_make_another_player() -> None:
    assert known.tuned(FIGURES) is not known.tuned(FIGURES)
    changed = known.tuned({**FIGURES, "city_cell": 1000.0, "follower_turn": 0.0})
    differing = 0
    for state in positions(10):
        if state.step == PLACE:
            generator = random.Random(0)
            usual = known.policy(state, state.seat, generator)
            differing += changed(state, state.seat, generator) != usual
    assert differing
    assert replace(WEIGHTS, city_cell=1.0) != WEIGHTS
