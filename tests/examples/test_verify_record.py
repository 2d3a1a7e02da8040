"""The verifier of records proves what is right and names the place of what is not."""

from __future__ import annotations

import copy
import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from service.rules import chance, described
from service.rules.chance import ArrangedChance, Chance, SealedChance
from tests.rules.laws import play_out
from tests.rules.toy import PEBBLES, Options

SCRIPT = Path(__file__).resolve().parents[2] / "examples" / "verify_record.py"
SEED, BITS = bytes(range(32)), bytes(range(32, 64))
ENTROPIES = [b"mine", "já".encode(), b""]


def _record(made: Chance, told: dict[str, Any]) -> dict[str, Any]:
    steps = play_out(PEBBLES, 3, Options(), random.Random(3), chance=made)
    return {
        "format": 1,
        "ruleset": {"id": PEBBLES.id, "version": PEBBLES.version},
        "options": described.dump(Options()),
        "seats": [{"name": "A", "kind": "human", "level": None}] * 3,
        "chance": told,
        "steps": [
            {
                "seat": step.seat,
                "command": None if step.command is None else described.dump_command(step.command),
                "draws": [list(draw) for draw in step.outcome.draws],
                "events": [
                    {"type": event.type, "schema": event.schema, "data": described.dump(event)}
                    for event in step.outcome.events
                ],
            }
            for step in steps
        ],
        "final": PEBBLES.score(steps[-1].after).plain(),
    }


def sealed() -> dict[str, Any]:
    told = {
        "kind": "sealed",
        "id": "abc",
        "seed": SEED.hex(),
        "entropies": [entropy.hex() for entropy in ENTROPIES],
        "commitment": chance.commitment(SEED),
    }
    return _record(SealedChance(SEED, "abc", ENTROPIES), told)


def arranged() -> dict[str, Any]:
    outcomes = ["red", "blue", "red", "blue", "red", "blue", "red"]
    told = {
        "kind": "arranged",
        "bits": BITS.hex(),
        "outcomes": outcomes,
        "commitment": chance.arranged_commitment(BITS, outcomes),
    }
    return _record(ArrangedChance(outcomes), told)


def _run(*arguments: str, stdin: bytes = b"") -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(SCRIPT), *arguments],
        input=stdin,
        capture_output=True,
        check=False,
    )
    assert b"Traceback" not in done.stderr
    return done.returncode, (done.stdout + done.stderr).decode()


def _verify(record: Any) -> tuple[int, str]:
    return _run("-", stdin=json.dumps(record).encode())


def test_a_sealed_record_is_proved(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    path.write_text(json.dumps(sealed()))
    code, text = _run(str(path))
    assert code == 0
    assert "pebbles, 8 steps: all 7 draws follow from the seed" in text
    commitment = chance.commitment(SEED)
    assert commitment in text
    assert _run("--commitment", commitment.upper(), str(path))[0] == 0
    code, text = _run("--commitment", "00" * 32, str(path))
    assert code == 1
    assert f"/chance/commitment is {commitment}, not 0000" in text


def test_an_arranged_record_is_proved() -> None:
    code, text = _verify(arranged())
    assert code == 0
    assert "7 draws were arranged" in text


def _changed(record: dict[str, Any], pointer: str, value: Any) -> dict[str, Any]:
    changed = copy.deepcopy(record)
    *path, last = pointer.split("/")[1:]
    place: Any = changed
    for name in path:
        place = place[int(name)] if isinstance(place, list) else place[name]
    if value is None:
        del place[int(last) if isinstance(place, list) else last]
    else:
        place[int(last) if isinstance(place, list) else last] = value
    return changed


@pytest.mark.parametrize(
    ("pointer", "value", "told"),
    [
        ("/chance/seed", "00" * 32, "/chance/commitment is not the SHA-256 of the seed"),
        ("/chance/commitment", "00" * 32, "/chance/commitment is not the SHA-256 of the seed"),
        ("/chance/entropies/0", "00", "/steps/0/draws/0: draw 0 of 1 in 7 gives"),
        ("/chance/id", "abd", "gives"),
        ("/steps/3/draws/0/0", 4, "/steps/3/draws/0: draw 3 is due here, not draw 4"),
        ("/steps/3/draws/0/1", 0, "/steps/3/draws/0: a bound of 0 is impossible"),
        ("/steps/3/draws/0/2", -1, "/steps/3/draws/0: -1 lies outside 0 … 3"),
        ("/steps/3/draws/0/2", 4, "/steps/3/draws/0: 4 lies outside 0 … 3"),
        ("/steps/3/draws/0", None, "/steps/4/draws/0: draw 3 is due here, not draw 4"),
        ("/steps/2", None, "/steps/2/draws/0: draw 2 is due here, not draw 3"),
    ],
)
def test_what_was_tampered_with_is_told(pointer: str, value: Any, told: str) -> None:
    code, text = _verify(_changed(sealed(), pointer, value))
    assert code == 1
    assert told in text


def test_every_value_is_proved() -> None:
    record = sealed()
    for number, step in enumerate(record["steps"]):
        for index, (i, bound, value) in enumerate(step["draws"]):
            if bound > 1:
                pointer = f"/steps/{number}/draws/{index}/2"
                code, text = _verify(_changed(record, pointer, (value + 1) % bound))
                assert code == 1
                assert (
                    f"/steps/{number}/draws/{index}: draw {i} of 1 in {bound} gives {value}" in text
                )


@pytest.mark.parametrize(
    ("pointer", "value", "told"),
    [
        ("/chance/bits", "00" * 32, "is not the SHA-256 of bits and outcomes"),
        ("/chance/outcomes/0", "blue", "is not the SHA-256 of bits and outcomes"),
    ],
)
def test_arranged_outcomes_are_bound(pointer: str, value: Any, told: str) -> None:
    code, text = _verify(_changed(arranged(), pointer, value))
    assert code == 1
    assert told in text


@pytest.mark.parametrize(
    ("outcomes", "told"),
    [
        (["red"], "/steps/1/draws/0: there is no outcome for draw 1"),
        ([3, 4, 5, 6, 7, 8, 9], "/steps/0/draws/0: outcome 0 is 3, not 0"),
    ],
)
def test_arranged_draws_are_held_against_outcomes(outcomes: list[Any], told: str) -> None:
    record = arranged()
    record["chance"]["outcomes"] = outcomes
    record["chance"]["commitment"] = chance.arranged_commitment(BITS, outcomes)
    code, text = _verify(record)
    assert code == 1
    assert told in text


@pytest.mark.parametrize(
    ("pointer", "value", "told"),
    [
        ("/format", 2, "/format: only format 1"),
        ("/format", True, "/format must be of type int"),
        ("/chance", None, "/chance is missing"),
        ("/chance/kind", "open", "/chance/kind must be"),
        ("/chance/seed", "zz", "/chance/seed must be hexadecimal"),
        ("/chance/seed", "00", "/chance/seed must have 32 bytes"),
        ("/chance/id", "é", "/chance/id must be ASCII"),
        ("/chance/entropies/1", 7, "/chance/entropies/1 must be hexadecimal"),
        ("/chance/entropies/1", "00" * 65, "/chance/entropies/1 is longer than 64 bytes"),
        ("/chance/entropies/2", None, "/chance/entropies must have one for each of 3 seats"),
        ("/final", None, "/final is missing"),
        ("/steps", {}, "/steps must be of type list"),
        ("/steps/0", 3, "/steps/0 must be an object"),
        ("/steps/0/draws", None, "/steps/0/draws is missing"),
        ("/steps/0/draws/0", [0, 1], "/steps/0/draws/0 must be three whole numbers"),
        ("/steps/0/draws/0", [0, 1, False], "/steps/0/draws/0 must be three whole numbers"),
        ("/ruleset", "pebbles", "/ruleset must be of type dict"),
    ],
)
def test_what_is_no_record_is_told(pointer: str, value: Any, told: str) -> None:
    code, text = _verify(_changed(sealed(), pointer, value))
    assert code == 2
    assert told in text


@pytest.mark.parametrize(
    ("outcomes", "told"),
    [([None], "/chance/outcomes/0 must be"), (["\ud800"], "/chance/outcomes must be valid")],
)
def test_misshapen_outcomes_are_told(outcomes: list[Any], told: str) -> None:
    code, text = _verify(_changed(arranged(), "/chance/outcomes", outcomes))
    assert code == 2
    assert told in text


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        (b"", "is not JSON at line 1, column 1"),
        (json.dumps(sealed(), indent=1).encode()[:-700], "is not JSON at line "),
        (b'{"format": 1, "format": 1}', "a duplicate member"),
        (b'"\xff"', "is not UTF-8 at byte 1"),
        (b"[" * 100_000, "nested too deeply"),
        (b"9" * 10_000, "a number that is too long"),
        (b"[]", "the record must be an object"),
    ],
)
def test_what_is_not_even_json_is_told(raw: bytes, told: str) -> None:
    code, text = _run("-", stdin=raw)
    assert code == 2
    assert told in text


def test_usage_is_told(tmp_path: Path) -> None:
    assert _run() == (2, "usage: verify_record.py [--commitment HEX] RECORD.json | -\n")
    code, text = _run(str(tmp_path / "none.json"))
    assert code == 2
    assert "cannot be read" in text
