"""Measuring what games take, and what follows for many of them."""

from __future__ import annotations

import pytest

from bench import memory
from service.rules.ruleset import rulesets


def test_capacity_follows_from_the_figures() -> None:
    _, _, *lines = memory.capacity(128 * 1024, 0.4, 3.6)
    assert len(lines) == len(memory.LIVE)
    assert lines[-1] == "| 1,000,000 | 3,333 | 122.1 GB | 8 | 3 | 24 |"


@pytest.mark.parametrize("most", [6, None], ids=["part", "whole"])
def test_a_game_is_measured(redis_url: str, most: int | None) -> None:
    ruleset = next(iter(rulesets().values()))
    cost = memory.measured(redis_url, ruleset, min(ruleset.seats), 1, most)
    assert cost.stream > cost.keys > 0
    assert cost.whole > cost.stream + cost.keys
    if most is None:
        assert cost.commands > 20
        assert 0 < cost.left < cost.file < cost.whole
    else:
        assert (cost.commands, cost.file, cost.left) == (6, 0, 0)
