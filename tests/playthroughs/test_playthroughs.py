"""Every playthrough comes out as its file says. BAILLI_WRITE=1 writes the files anew.

`specs.json` lists them: `{"ruleset", "name", "seats", "options", "seed"}`; where the text shall end
early, `most` commands; where the ruleset's own samples help, `sampled` of a hundred.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from service.rules.ruleset import rulesets
from tests.rules.toy import PEBBLES

from .playthrough import MOST, playthrough

HERE = Path(__file__).parent
SPECS: list[dict[str, Any]] = json.loads((HERE / "specs.json").read_text())


def _name(spec: dict[str, Any]) -> str:
    return f"{spec['ruleset']}_{spec['name']}"


@pytest.mark.parametrize("spec", SPECS, ids=_name)
def test_playthrough(spec: dict[str, Any]) -> None:
    named = set(spec) - {"version", "most", "sampled"}
    assert named == {"ruleset", "name", "seats", "options", "seed"}
    ruleset = rulesets()[spec["ruleset"]]
    most, sampled, version = spec.get("most", MOST), spec.get("sampled", 0), spec.get("version")
    text = playthrough(
        ruleset, spec["seats"], spec["options"], spec["seed"], most, sampled, version
    )
    path = HERE / f"{_name(spec)}.txt"
    if os.environ.get("BAILLI_WRITE") == "1":
        path.write_text(text)
    assert path.read_text().splitlines() == text.splitlines()


def test_every_file_has_a_spec() -> None:
    assert {path.stem for path in HERE.glob("*.txt")} == set(map(_name, SPECS))
    assert len(set(map(_name, SPECS))) == len(SPECS)


def test_every_ruleset_has_a_playthrough() -> None:
    assert set(rulesets()) == {spec["ruleset"] for spec in SPECS}


def test_the_text_follows_from_the_seed_alone() -> None:
    text = playthrough(PEBBLES, 2, {}, "one")
    assert text == playthrough(PEBBLES, 2, {}, "one")
    assert text != playthrough(PEBBLES, 2, {}, "two")
    assert text.startswith("pebbles 1, 2 seats, seed one\n")
    assert "\n\n1. seat 0 may: take 4, throw 1\n" in text
    assert "\nover\nseat 0: rank " in text


def test_a_text_may_end_early() -> None:
    text = playthrough(PEBBLES, 2, {}, "one", 2)
    assert "\n2. seat 1" in text
    assert "\n3. seat" not in text
    assert "not over; the text ends here" in text
