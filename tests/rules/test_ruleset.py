"""The protocol's few lines: setting up, running, ranking, finding rulesets."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import pytest

from service.rules.chance import ArrangedChance, NoChance
from service.rules.plain import Misshapen, Plain
from service.rules.ruleset import (
    Item,
    PlayEnded,
    RuleViolation,
    advance,
    options_of,
    ranked,
    rulesets,
    run,
    start,
)

from .toy import PEBBLES, Drawn, Options, Pebbles, Take, Taken, Throw


def test_a_game_runs_to_its_end() -> None:
    options = Options((("red", 2),))
    state, outcome = start(PEBBLES, 2, options, ArrangedChance(["red", "red"]))
    assert outcome.events == (Drawn("red"),)
    assert [tuple(draw) for draw in outcome.draws] == [(0, 2, 0)]
    chance = ArrangedChance(["red", "red"], 1)
    outcome = run(PEBBLES, state, 0, Take("red"), chance)
    assert outcome.events == (Taken(0, 0, ("red",)), Drawn("red"))
    assert [tuple(draw) for draw in outcome.draws] == [(1, 1, 0)]
    outcome = run(PEBBLES, state, 1, Throw(), chance)
    assert outcome.events[-1] == PlayEnded("P-4")
    assert outcome.draws == ()
    assert PEBBLES.over(state)
    assert PEBBLES.score(state).final


def test_a_stopped_game_goes_on_later() -> None:
    state, outcome = start(PEBBLES, 2, Options(), NoChance())
    assert outcome.stopped is not None
    assert (outcome.stopped.bound, outcome.stopped.ids, outcome.stopped.counts) == (
        7, ("red", "blue"), (4, 3),
    )  # fmt: skip
    assert (outcome.events, outcome.draws) == ((), ())
    assert PEBBLES.to_act(state) == ()
    assert advance(PEBBLES, state, ArrangedChance(["blue"])).events == (Drawn("blue"),)
    assert PEBBLES.to_act(state) == (0,)


def test_a_refusal_leaves_the_state() -> None:
    state, _ = start(PEBBLES, 2, Options(), ArrangedChance(["red"]))
    kept = PEBBLES.clone(state)
    with pytest.raises(RuleViolation) as caught:
        run(PEBBLES, state, 1, Take("red"), NoChance())
    assert state == kept
    refusal = caught.value
    assert (refusal.code, refusal.rule, refusal.facts) == ("not_your_turn", "P-2", {"seat": 0})
    assert refusal.detail == "It is seat 0's turn."
    assert refusal.template == "It is seat {seat}'s turn."
    assert str(refusal) == "P-2 not_your_turn: It is seat 0's turn."


class Later(Pebbles):
    """A second version, which knows how the first one played."""

    version = 2
    earlier: Mapping[int, Mapping[str, Plain]] = MappingProxyType({1: {"throwing": False}})


def test_options_are_as_the_version_played() -> None:
    assert options_of(Later(), 1, {}) == Options(throwing=False)
    assert options_of(Later(), 1, {"throwing": True}) == Options()
    assert options_of(Later(), 2, {}) == options_of(Later(), 7, {}) == Options()
    assert options_of(PEBBLES, 1, {}) == Options()
    for wrong, pointer in (({"throwing": 3}, "/options/throwing"), ([], "/options")):
        with pytest.raises(Misshapen) as caught:
            options_of(Later(), 1, wrong, "/options")
        assert caught.value.pointer == pointer


def test_what_does_not_fit_is_misshapen() -> None:
    with pytest.raises(Misshapen, match="/seats"):
        start(PEBBLES, 4, Options(), NoChance())


def test_ranks_follow_totals_then_ties() -> None:
    lines = [[Item("a", points, {"why": points})] for points in (5, 7, 5, 7)]
    assert [seat.rank for seat in ranked(True, lines).seats] == [3, 1, 3, 1]
    scoring = ranked(False, lines, [[1], [0], [2], [3]])
    assert [seat.rank for seat in scoring.seats] == [4, 2, 3, 1]
    assert not scoring.final
    assert scoring.plain()["seats"][3] == {
        "seat": 3,
        "total": 7,
        "rank": 1,
        "tie_breaks": [3],
        "items": [{"name": "a", "points": 7, "why": 7}],
    }


def test_each_package_brings_a_ruleset() -> None:
    found = rulesets()
    assert list(found) == sorted(found)
    assert all(ruleset.id == name for name, ruleset in found.items())
    assert found is rulesets()
