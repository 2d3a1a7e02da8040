"""Bots: they answer with a listed command, leave the state alone, and easy plays better."""

from __future__ import annotations

import random
import sys
from types import ModuleType
from typing import Any

import pytest

from service.bot_levels import LEVELS, QUICK
from service.rules.chance import FreeChance, NoChance
from service.rules.described import dump_command
from service.rules.ruleset import AnyRuleset, rulesets, run, start
from tests.rules.toy import Pebbles, Take, Throw
from workers import bots
from workers.bots import easy_level, hints, random_level

ALL: list[Any] = [Pebbles(), *rulesets().values()]


def played(ruleset: AnyRuleset, levels: tuple[str, ...], seed: int) -> list[int]:
    """Plays a game of bots and returns the totals; each answer is checked on the way."""
    generator = random.Random(seed)
    chance = FreeChance(random.Random(seed + 1))
    state, _ = start(ruleset, len(levels), ruleset.options(), chance)
    while acting := ruleset.to_act(state):
        seat = acting[0]
        seen = ruleset.view(state)
        command = bots.choose(ruleset, state, seat, levels[seat], generator)
        assert command in ruleset.legal(state, seat)
        assert ruleset.view(state) == seen
        run(ruleset, state, seat, command, chance)
    return [seat.total for seat in ruleset.score(state).seats]


def test_every_level_of_the_table_has_a_bot() -> None:
    assert tuple(bots.LEVELS) == LEVELS


@pytest.mark.parametrize("ruleset", ALL, ids=lambda ruleset: ruleset.id)
@pytest.mark.parametrize("level", QUICK)
def test_a_bot_plays_a_game_by_listed_commands(ruleset: AnyRuleset, level: str) -> None:
    played(ruleset, (level,) * ruleset.seats[0], 5)


@pytest.mark.broad
@pytest.mark.parametrize("ruleset", ALL, ids=lambda ruleset: ruleset.id)
def test_the_same_generator_brings_the_same_game(ruleset: AnyRuleset) -> None:
    levels = ("easy", "random")
    assert played(ruleset, levels, 9) == played(ruleset, levels, 9)


@pytest.mark.broad
@pytest.mark.parametrize("ruleset", rulesets().values(), ids=lambda ruleset: ruleset.id)
def test_easy_beats_random(ruleset: AnyRuleset) -> None:
    wins = 0
    for seed in range(8):
        levels = ("easy", "random") if seed % 2 else ("random", "easy")
        totals = played(ruleset, levels, seed)
        wins += totals[levels.index("easy")] > totals[levels.index("random")]
    assert wins >= 7


def test_an_unknown_level_is_refused() -> None:
    ruleset = Pebbles()
    state, _ = start(ruleset, 2, ruleset.options(), FreeChance(random.Random(1)))
    with pytest.raises(bots.UnknownLevel):
        bots.choose(ruleset, state, 0, "brilliant", random.Random(1))


def test_random_uses_the_rulesets_own_sample() -> None:
    class Quick(Pebbles):
        def sample(self, state: Any, seat: int, generator: random.Random) -> Throw:
            return Throw()

    assert random_level.choose(Quick(), None, 0, random.Random(1)) == Throw()


def test_random_chooses_among_all() -> None:
    ruleset = Pebbles()
    state, _ = start(ruleset, 2, ruleset.options(), FreeChance(random.Random(1)))
    generator = random.Random(1)
    found = {
        str(dump_command(random_level.choose(ruleset, state, 0, generator))) for _ in range(200)
    }
    assert found == {str(dump_command(command)) for command in ruleset.legal(state, 0)}


def test_easy_prefers_points() -> None:
    """A pebble taken scores, one thrown away does not."""
    ruleset = Pebbles()
    state, _ = start(ruleset, 2, ruleset.options(), FreeChance(random.Random(1)))
    assert isinstance(easy_level.choose(ruleset, state, 0, random.Random(1)), Take)
    assert easy_level.value(ruleset, state, 0, Throw()) == 0
    assert easy_level.value(ruleset, state, 0, Take(state.middle)) == 1


def test_easy_does_not_think_about_the_only_command() -> None:
    class Single(Pebbles):
        def legal(self, state: Any, seat: int) -> list[Any]:
            return [Throw()]

    assert easy_level.choose(Single(), None, 0, random.Random(1)) == Throw()


def test_a_ruleset_may_have_the_ply_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bag is empty for a long look: nothing is drawn, so both seats' pebbles can be seen."""

    class Long(Pebbles):
        id = "long"

        def proceed(self, state: Any, chance: Any) -> list[Any]:
            return []

        def decide(self, state: Any, seat: int, command: Any) -> list[Any]:
            state.middle = state.middle or "red"
            return super().decide(state, seat, command)

        def legal(self, state: Any, seat: int) -> list[Any]:
            return [Take("red")] if sum(map(len, state.holes[0])) < 2 else []

        def evolve(self, state: Any, event: Any) -> None:
            super().evolve(state, event)
            state.turn = 0

    hint = ModuleType("workers.bots.long")
    hint.__spec__ = sys.modules["workers.bots.easy_level"].__spec__
    hint.ply_ends = lambda state, seat, command: False  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "workers.bots.long", hint)
    hints.ply_ends.cache_clear()
    ruleset = Long()
    state = ruleset.initial(2, ruleset.options())
    state.middle = "red"
    assert easy_level.value(ruleset, state, 0, Take("red")) == 2
    state.holes[0][0] = ["red"]
    assert easy_level.value(ruleset, state, 0, Take("red")) == 2
    hints.ply_ends.cache_clear()


def test_without_a_hint_every_command_ends_the_ply() -> None:
    ends = hints.ply_ends("pebbles")
    assert ends is hints.at_once
    assert ends(None, 0, Throw())


def test_a_ruleset_may_choose_for_easy(monkeypatch: pytest.MonkeyPatch) -> None:
    class Own(Pebbles):
        id = "own"

    hint = ModuleType("workers.bots.own")
    hint.__spec__ = sys.modules["workers.bots.easy_level"].__spec__
    hint.choose = lambda state, seat, generator: Throw()  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "workers.bots.own", hint)
    hints.chooser.cache_clear()
    state, _ = start(Own(), 2, Own().options(), FreeChance(random.Random(1)))
    assert easy_level.choose(Own(), state, 0, random.Random(1)) == Throw()
    assert isinstance(easy_level.choose(Pebbles(), state, 0, random.Random(1)), Take)
    hints.chooser.cache_clear()


def test_easy_draws_nothing() -> None:
    ruleset = Pebbles()
    state, _ = start(ruleset, 2, ruleset.options(), FreeChance(random.Random(1)))
    after = ruleset.clone(state)
    outcome = run(ruleset, after, 0, Take(state.middle), NoChance())
    assert outcome.stopped is not None
    assert outcome.draws == ()
