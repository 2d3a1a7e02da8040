"""Every position of every ruleset can be drawn, always in the same way."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from service import render
from service.render.look import Look
from service.rules.ruleset import rulesets

from .pictures import checked, drawn, positions

EVERY = [(name, seats) for name, ruleset in rulesets().items() for seats in ruleset.seats]


@pytest.mark.broad
@pytest.mark.parametrize(("name", "seats"), EVERY)
def test_positions_of_random_games_are_drawn(name: str, seats: int) -> None:
    count = 0
    for view, moves in positions(rulesets()[name], seats, seats, every=37):
        drawn(name, view, ["Ana", None, "<&>\x01", "x" * 80][:seats], moves)
        count += 1
    assert count > 2


@pytest.mark.long
@pytest.mark.parametrize(("name", "seats"), EVERY)
def test_all_positions_of_random_games_are_drawn(name: str, seats: int) -> None:
    for seed in range(2):
        for view, moves in positions(rulesets()[name], seats, seed):
            drawn(name, view, (), moves)


@pytest.mark.parametrize("name", rulesets())
def test_drawing_changes_nothing_and_is_the_same_twice(name: str) -> None:
    ruleset = rulesets()[name]
    for view, moves in positions(ruleset, ruleset.seats[0], 5, every=40):
        before = json.dumps([view, moves])
        first = render.svg(name, view, Look((), moves))
        assert json.dumps([view, moves]) == before
        again_view, again_moves = json.loads(before)
        assert render.svg(name, again_view, Look((), again_moves)) == first


@pytest.mark.integration
def test_another_process_draws_the_same_bytes() -> None:
    script = "from tests.render.test_pictures import digest; print(digest())"
    for seed in ("0", "1"):
        done = subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=Path(__file__).parents[2],
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.strip() == digest()


def digest() -> str:
    found = hashlib.sha256()
    for name, ruleset in rulesets().items():
        for view, moves in positions(ruleset, ruleset.seats[-1], 7, every=50):
            found.update(render.svg(name, view, Look(("Ana",), moves)).encode())
    return found.hexdigest()


@pytest.mark.parametrize("name", rulesets())
def test_the_documentation_shows_one_of_each(name: str) -> None:
    docs = Path(__file__).parents[2] / "docs"
    assert f"(pictures/{name}.svg)" in (docs / "pictures.md").read_text()
    checked((docs / "pictures" / f"{name}.svg").read_text())


@pytest.mark.parametrize("name", rulesets())
def test_the_style_sheet_is_always_the_same(name: str) -> None:
    sheets = {drawn(name, view)[2].text for view, _ in positions(rulesets()[name], 2, 1, every=60)}
    assert len(sheets) == 1
