"""Random games of Carcassonne keep the laws, and agree with a slow second computation."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from service.rules.carcassonne import RULESET
from service.rules.carcassonne.options import Options
from service.rules.carcassonne.state import State
from service.rules.carcassonne.tiles import FACES, FEATURES, FIELD, MONASTERY, unpack
from service.rules.chance import FreeChance
from service.rules.ruleset import run, start
from tests.rules.laws import check_game, perft, play_random
from tests.rules.many import CHUNKS, check_many, numbers

from . import slow

VARIANTS = (
    Options(),
    Options(start_seat="chance", two_tile_city=2),
    Options(extra_start_tile=True, field_scoring="first_edition"),
    Options(tiles=(("A", 2), ("D", 6), ("H", 5), ("S", 4), ("W", 3), ("X", 2))),
)


def conserved(state: State) -> None:
    """Asserts what never changes: 7 followers a seat, all tiles somewhere, tables that agree."""
    on_table = [seat for seat, _, _ in state.followers]
    for seat in range(state.seats):
        assert state.reserves[seat] + on_table.count(seat) == 7
        packed = sum(
            state.shares(root)[seat]
            for root in range(len(state.parent))
            if state.root(root) == root
        )
        assert packed == on_table.count(seat)
    total = 1 + sum(1 for _ in _drawn(state.options))
    held = state.drawn >= 0
    assert len(state.tiles) + len(state.discarded) + sum(state.pile) + held == total
    assert not set(state.frontier) & set(state.board)


def _drawn(options: Options) -> Iterator[str]:
    named = dict(options.tiles) if options.tiles is not None else None
    for tile in slow.DATA["tiles"]:
        count = tile["count"] - (tile["id"] == "D" and not options.extra_start_tile)
        yield from [tile["id"]] * (count if named is None else named.get(tile["id"], 0))


@pytest.mark.parametrize("seats", numbers(RULESET.seats))
@pytest.mark.parametrize("options", VARIANTS, ids=("plain", "chance", "extra", "tiles"))
def test_random_games_keep_the_laws(seats: int, options: Options) -> None:
    refused = check_game(RULESET, seats, options, seats, every=9, invariant=conserved)
    assert set(refused) == {"C-2.1", "C-2.3", "C-2.4", "C-2.5", "C-4.1"}


@pytest.mark.parametrize("seeds", CHUNKS)
def test_very_many_games(seeds: range) -> None:
    happened = check_many(RULESET, VARIANTS, seeds, conserved)
    assert happened["play_ended"] == len(seeds)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(120))
def test_many_random_games_keep_the_laws(seed: int) -> None:
    options = VARIANTS[seed // 4 % 4]
    check_game(RULESET, RULESET.seats[seed % 4], options, 1000 + seed, invariant=conserved)


@pytest.mark.broad
@pytest.mark.parametrize("options", VARIANTS[:3], ids=("plain", "first", "extra"))
@pytest.mark.parametrize("seats", [2, 5])
def test_the_slow_computation_agrees(seats: int, options: Options) -> None:
    first = options.field_scoring == "first_edition"
    for step in play_random(RULESET, seats, options, random.Random(seats)):
        state, view = step.after, RULESET.view(step.after)
        listed: list[Any]
        totals = [line.total for line in RULESET.score(state).seats]
        assert totals == slow.final(view, options.two_tile_city, first)
        assert totals == RULESET.totals(state)
        if view["step"] == "place_tile":
            listed = list(RULESET.legal(state, view["seat"]))
            found = [(command.x, command.y, command.rotation) for command in listed]
            assert found == slow.placements(slow.board_of(view), view["drawn"])
        elif view["step"] == "place_follower":
            listed = list(RULESET.legal(state, view["seat"]))
            assert listed.pop().type == "skip_follower"
            named = [(command.feature, command.slot) for command in listed]
            assert set(named) == slow.spots(view)
            assert len(set(named)) == len(named)


def wholes(state: State) -> dict[frozenset[Any], slow.Whole]:
    """Returns what the state keeps of its cities, roads and fields, as `slow.wholes` does."""
    members: dict[int, list[Any]] = {}
    for position, face, base, _ in state.tiles:
        for number in range(len(FACES[face].nodes)):
            root = state.root(base + number)
            members.setdefault(root, []).append((unpack(position), number))
    return {
        frozenset(parts): (
            FEATURES[state.feature[root]],
            state.feature[root] != FIELD and state.open[root] == 0,
            state.covers[root].bit_count(),
            state.shields[root],
        )
        for root, parts in members.items()
        if state.feature[root] != MONASTERY
    }


@pytest.mark.parametrize("seats", RULESET.seats)
def test_features_are_what_a_flood_fills(seats: int) -> None:
    for place, step in enumerate(play_random(RULESET, seats, Options(), random.Random(70 + seats))):
        if place % 5 == 0:
            assert wholes(step.after) == slow.wholes(RULESET.view(step.after))
    assert RULESET.over(step.after)


def test_sampled_commands_are_listed() -> None:
    generator = random.Random(5)
    chance = FreeChance(generator)
    state, _ = start(RULESET, 3, Options(tiles=(("C", 20), ("B", 10), ("X", 10))), chance)
    while not RULESET.over(state):
        (seat,) = RULESET.to_act(state)
        command = RULESET.sample(state, seat, generator)
        assert command in RULESET.legal(state, seat)
        run(RULESET, state, seat, command, chance)


@pytest.mark.parametrize(
    ("kinds", "counts"),
    [
        ("DDUUVV", [6, 24, 208, 946]),
        ("EEHHRR", [4, 16, 128, 360]),
        ("AABBXX", [8, 72, 504, 1896]),
    ],
)
def test_perft(kinds: str, counts: list[int]) -> None:
    tiles = tuple((kind, kinds.count(kind)) for kind in sorted(set(kinds)))
    chance = FreeChance(random.Random(kinds))
    state, _ = start(RULESET, 2, Options(tiles=tiles), chance)
    assert perft(RULESET, state, len(counts)) == counts


def test_three_hundred_tiles() -> None:
    """C-1.3: the largest pile that may be asked for plays to its end."""
    options = Options(tiles=(("U", 100), ("V", 100), ("W", 60), ("E", 40)))
    generator = random.Random(3)
    chance = FreeChance(generator)
    state, _ = start(RULESET, 2, options, chance)
    while not RULESET.over(state):
        (seat,) = RULESET.to_act(state)
        run(RULESET, state, seat, RULESET.sample(state, seat, generator), chance)
    assert len(state.tiles) + len(state.discarded) == 301
