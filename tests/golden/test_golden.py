"""Every golden game comes out as it states."""

from __future__ import annotations

from pathlib import Path

import pytest

from service.rules.ruleset import rulesets

from .runner import play, read

HERE = Path(__file__).parent
FILES = sorted(path for end in ("json", "json.gz", "jsonl.gz") for path in HERE.glob(f"*/*.{end}"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_golden(path: Path) -> None:
    games = list(read(path))
    assert games
    assert len({game["id"] for game in games}) == len(games)
    for game in games:
        assert game["ruleset"] == path.parent.name
        try:
            assert play(game, rulesets()) > 0
        except AssertionError as fault:
            raise AssertionError(f"{game['id']}: {fault}") from fault


def test_ids_are_unique() -> None:
    names = [(game["ruleset"], game["id"]) for path in FILES for game in read(path)]
    assert len(set(names)) == len(names)
