"""The law checks pass on a sound ruleset and catch each kind of fault."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from service.rules import described, kinds
from service.rules.chance import Chance
from service.rules.described import Command, Event
from service.rules.plain import Misshapen
from service.rules.ruleset import AnyRuleset, PlayEnded

from . import laws, samples
from .toy import COLOURS, PEBBLES, Drawn, Options, Pebbles, State, Take


@pytest.mark.parametrize("seats", PEBBLES.seats)
@pytest.mark.parametrize("seed", range(5))
def test_a_sound_ruleset_keeps_all_laws(seats: int, seed: int) -> None:
    refused = laws.check_game(PEBBLES, seats, Options(), seed, choose=laws.any_type)
    assert refused["P-4"] > 0
    assert refused["P-2"] > 0


def _fails(ruleset: AnyRuleset, match: str) -> None:
    with pytest.raises(AssertionError, match=match):
        _check_games(ruleset)


def _check_games(ruleset: AnyRuleset) -> None:
    for seed in range(10):
        laws.check_game(ruleset, 2, Options(), seed, unlisted=25)


def test_a_missing_command_is_caught() -> None:
    class Short(Pebbles):
        def legal(self, state: State, seat: int) -> list[Command]:
            return super().legal(state, seat)[1:]

    _fails(Short(), r"accepted but not listed|nobody may")


def test_a_command_listed_twice_is_caught() -> None:
    class Twice(Pebbles):
        def legal(self, state: State, seat: int) -> list[Command]:
            return super().legal(state, seat)[:1] + super().legal(state, seat)

    _fails(Twice(), "a command twice")


def test_another_order_is_caught() -> None:
    class Backwards(Pebbles):
        def legal(self, state: State, seat: int) -> list[Command]:
            return super().legal(state, seat)[::-1]

    _fails(Backwards(), "canonical order")


def test_judging_that_changes_the_state_is_caught() -> None:
    class Hasty(Pebbles):
        def decide(self, state: State, seat: int, command: Command) -> list[Event]:
            events = super().decide(state, seat, command)
            state.bag = [9, 9]
            return events

    state = next(laws.play_random(PEBBLES, 2, Options(), random.Random(0))).after
    with pytest.raises(AssertionError, match="changed the state"):
        laws.check_legal_is_decide(Hasty(), state, random.Random(0))


def test_a_shallow_clone_is_caught() -> None:
    class Shallow(Pebbles):
        def clone(self, state: State) -> State:
            copy = super().clone(state)
            copy.bag = state.bag
            return copy

    _fails(Shallow(), "clone|state|replay")


def test_a_view_that_shares_is_caught() -> None:
    class Sharing(Pebbles):
        def view(self, state: State) -> dict[str, Any]:
            return {**super().view(state), "bag": state.bag}

    _fails(Sharing(), "shares something")


def test_a_view_that_hides_something_is_caught() -> None:
    """Two positions that differ in who has thrown look alike where the view leaves that out."""

    class Hiding(Pebbles):
        def view(self, state: State) -> dict[str, Any]:
            view: Any = super().view(state)
            for seat in view["seats"]:
                del seat["thrown"]
            return dict(view)

    state = next(laws.play_random(PEBBLES, 2, Options(), random.Random(0))).after
    other = PEBBLES.clone(state)
    other.thrown[state.turn] = True
    looks = laws.Looks(PEBBLES)
    looks.add(state)
    looks.add(other)
    looks.add(PEBBLES.clone(state))
    assert looks.alike == 1
    hidden = laws.Looks(Hiding())
    hidden.add(state)
    with pytest.raises(AssertionError, match="look alike"):
        hidden.add(other)


def test_a_seat_with_nothing_to_do_is_caught() -> None:
    class Waiting(Pebbles):
        def to_act(self, state: State) -> tuple[int, ...]:
            return tuple(range(2)) if super().to_act(state) else ()

        def legal(self, state: State, seat: int) -> list[Command]:
            return PEBBLES.legal(state, seat)

    state = next(laws.play_random(PEBBLES, 2, Options(), random.Random(0))).after
    with pytest.raises(AssertionError, match="has no command"):
        laws.check_legal_is_decide(Waiting(), state, random.Random(0))


def test_a_command_that_nobody_waits_for_is_caught() -> None:
    class Resting(Pebbles):
        def to_act(self, state: State) -> tuple[int, ...]:
            return ()

        def legal(self, state: State, seat: int) -> list[Command]:
            return PEBBLES.legal(state, seat)

    state = next(laws.play_random(PEBBLES, 2, Options(), random.Random(0))).after
    with pytest.raises(AssertionError, match="waits for nobody"):
        laws.check_legal_is_decide(Resting(), state, random.Random(0))


def test_peeking_at_chance_is_caught() -> None:
    class Peeking(Pebbles):
        seen = 0

        def proceed(self, state: State, chance: Chance) -> list[Event]:
            self.seen = len(getattr(chance, "_first", ()))
            return super().proceed(state, chance)

        def view(self, state: State) -> dict[str, Any]:
            return {**super().view(state), "next": self.seen}

    steps = laws.play_out(Peeking(), 2, Options(), random.Random(1))
    with pytest.raises(AssertionError, match="tells of the future"):
        laws.check_equal_draws(Peeking(), 2, Options(), steps, random.Random(5))


def test_two_draws_in_one_step_are_caught() -> None:
    class Greedy(Pebbles):
        def proceed(self, state: State, chance: Chance) -> list[Event]:
            events = super().proceed(state, chance)
            if events:
                chance.number(2)
            return events

    steps = laws.play_out(Greedy(), 2, Options(), random.Random(1))
    with pytest.raises(Misshapen, match="must be draw 1"):
        laws.check_stopping(Greedy(), steps[0])


def test_a_state_that_events_do_not_rebuild_is_caught() -> None:
    class Leaky(Pebbles):
        def proceed(self, state: State, chance: Chance) -> list[Event]:
            events = super().proceed(state, chance)
            if any(isinstance(event, Drawn) for event in events):
                state.throwing = not state.throwing
            return events

    _fails(Leaky(), "replay differs")


def test_play_ends_and_is_told_once() -> None:
    steps = laws.play_out(PEBBLES, 3, Options(), random.Random(4))
    ends = [event for step in steps for event in step.outcome.events if type(event) is PlayEnded]
    assert ends == [PlayEnded("P-4")]


def test_samples_are_well_shaped() -> None:
    generator = random.Random(2)
    every_kind = (
        kinds.Text(9, 2),
        kinds.Either((kinds.Whole(0, 5), kinds.OneOf(("chance", "none")))),
        kinds.Many(kinds.Maybe(kinds.Flag()), 6, 1),
        kinds.Counts(COLOURS, 0, 3),
        described.Structure(Options),
        described.Structure(Take),
        kinds.Free(),
    )
    for kind in every_kind:
        value = samples.well_shaped(kind, generator)
        seen = set()
        for _ in range(300):
            sent = json.loads(json.dumps(kind.dump(value)))
            assert kind.parse(sent, "") == value
            seen.add(json.dumps(sent))
            value = samples.near(kind, value, generator)
        assert len(seen) > 2


def test_neighbours_differ_in_one_field() -> None:
    generator = random.Random(3)
    listed: list[Command] = [Take("red", 1)]
    source = samples.candidates(PEBBLES, listed, generator)
    assert len({next(source) for _ in range(400)}) >= 20
    for _ in range(100):
        other = samples.neighbour(Take("red", 1), generator)
        assert (other.colour == "red") or (other.hole == 1)


def test_paths_are_counted() -> None:
    state = next(laws.play_random(PEBBLES, 2, Options(), random.Random(0))).after
    counts = laws.perft(PEBBLES, state, 3)
    assert counts[0] == 5
    assert counts[1] == 25
    assert counts == laws.perft(PEBBLES, state, 3)


def test_a_rule_is_not_named_by_a_longer_id() -> None:
    assert not laws.names("P-2.1: a hole", "P-2")
    assert not laws.names("P-21", "P-2")
    assert laws.names("as P-2.1 and P-2. say", "P-2")
    with pytest.raises(pytest.fail.Exception, match=r"P-2$"):
        laws.check_rules_named(PEBBLES, ["P-1 P-2.1 P-3 P-4"])
