"""Measuring strength: runs that go on, the page of results, tuning."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bench import page, strength, tune
from service.bot_levels import LEVELS
from service.rules.ruleset import rulesets
from workers.bots import hints

TUNABLE = [name for name in rulesets() if hints.tunable(name)]


def test_a_run_goes_on_where_it_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Games that are known are not played again; the page has them, and keeps its other parts."""
    ruleset = next(iter(rulesets()))
    monkeypatch.setattr(strength, "RESULTS", tmp_path / "strength.jsonl")
    monkeypatch.setattr(page, "PAGE", tmp_path / "results.md")
    page.PAGE.write_text("# Results\n\n## Bots\nold\n\n## Others\nkept\n")
    for pairs in (1, 2, 2):
        run: list[Any] = ["strength", ruleset, "random", "random", "--pairs", pairs]
        monkeypatch.setattr("sys.argv", [*map(str, run), "--write"])
        strength.main()
    lines = [json.loads(line) for line in strength.RESULTS.read_text().splitlines()]
    assert sorted((line["pair"], line["seat"]) for line in lines) == [
        (0, 0), (0, 1), (1, 0), (1, 1),
    ]  # fmt: skip
    told = page.PAGE.read_text()
    assert f"| {ruleset} | 2 | random | random | 4 |" in told
    assert "## Others\nkept" in told
    assert "old" not in told
    assert "| 4 |" in capsys.readouterr().out


def test_pages_tell_all_levels_that_search() -> None:
    assert all(f"`{name}`" in strength.figures() for name in LEVELS[2:])


@pytest.mark.broad
@pytest.mark.parametrize(
    "name", [TUNABLE[0], *(pytest.param(name, marks=pytest.mark.long) for name in TUNABLE[1:])]
)
def test_hopeless_figures_are_given_up(name: str) -> None:
    """A player to whom all that is open seems to be completed loses; the trial stops early."""
    found = hints.tunable(name)
    assert found is not None
    figures, tuned = found
    blind = dict.fromkeys(figures, 1e-4)
    mean, error = tune.trial(rulesets()[name], tuned(blind), tuned(figures), 40, 0)
    assert mean < -error < 0
