"""Matches of bots: equal draws, seats passed round, what results come to."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.ruleset import rulesets
from workers import arena, bots


@pytest.mark.parametrize(
    ("wins", "games", "low", "high"),
    [(8, 10, 0.490, 0.943), (0, 5, 0.0, 0.434), (50, 50, 0.929, 1.0), (7.5, 15, 0.274, 0.726)],
)
def test_wilsons_interval(wins: float, games: int, low: float, high: float) -> None:
    assert arena.wilson_interval(wins, games) == pytest.approx((low, high), abs=0.001)


@pytest.mark.parametrize("ruleset", rulesets())
def test_a_game_can_be_played_again(ruleset: str) -> None:
    match = arena.Match(ruleset, "easy", "random", 3, 1)
    one, other = arena.play_match(match), arena.play_match(match)
    assert one["totals"] == other["totals"]
    assert one["moves"] == other["moves"]
    assert arena.Match(**{name: one[name] for name in match._fields}) == match
    assert set(one["ranks"]) in ({1, 2}, {1})


def test_the_level_measured_sits_in_each_seat_once_a_round() -> None:
    ruleset = next(name for name, law in rulesets().items() if 3 in law.seats)
    matches = list(arena.schedule(ruleset, "easy", "random", 2, 3))
    assert [(match.pair, match.seat) for match in matches] == [
        (0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2),
    ]  # fmt: skip
    results = [arena.play_match(match) for match in matches[:3]]
    assert all(len(result["ranks"]) == 3 and min(result["ranks"]) == 1 for result in results)
    found = arena.summarize(results)
    assert found.games == 3
    assert 1 <= found.ranks[0] <= 3
    assert found.ranks[0] + 2 * found.ranks[1] == pytest.approx(1 + 2 + 3)


def test_more_processes_bring_the_same_results() -> None:
    matches = list(arena.schedule(next(iter(rulesets())), "random", "random", 2))
    one, other = ([*arena.play_matches(matches, jobs)] for jobs in (1, 2))

    def told(results: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
        return sorted((r["pair"], r["seat"], *r["totals"], *r["moves"]) for r in results)

    assert told(one) == told(other)


def _result(ranks: list[int], totals: list[int]) -> dict[str, Any]:
    spent = {"cpu_s": [1.0, 0.5], "longest_s": [0.3, 0.1], "moves": [10, 20]}
    return {"ranks": ranks, "totals": totals, **spent}


def test_shared_wins_and_ranks_count_in_parts() -> None:
    found = arena.summarize([_result([1, 1], [50, 50]), _result([1, 2], [60, 40])])
    assert found.won == 0.75
    assert found.ranks == (1.25, 1.75)
    assert found.totals == (55, 45)
    assert found.milliseconds == (100, 25)
    assert found.longest == (0.3, 0.1)
    three = arena.summarize([_result([2, 1, 2], [30, 50, 30]), _result([1, 1, 1], [9, 9, 9])])
    assert three.won == pytest.approx(1 / 6)
    assert three.ranks[0] == (2.5 + 2) / 2


def test_what_cannot_be_played_is_refused() -> None:
    with pytest.raises(KeyError):
        arena.play_match(arena.Match("nothing", "easy", "easy", 0, 0))
    with pytest.raises(bots.UnknownLevel):
        arena.play_match(arena.Match(next(iter(rulesets())), "no level", "easy", 0, 0))
