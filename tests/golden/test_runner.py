"""The runner of golden games checks all that a game states, and refuses what it cannot check."""

from __future__ import annotations

import copy
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from service.rules.plain import Misshapen
from tests.rules.toy import PEBBLES

from .runner import Faulty, play, pointed, read

TOYS = {PEBBLES.id: PEBBLES}
TAKE = {"type": "take", "colour": "red", "hole": 0}
GAME: dict[str, Any] = {
    "format": 1,
    "id": "two-reds",
    "ruleset": "pebbles",
    "about": "Two red pebbles, one for each seat.",
    "rules": ["P-1", "P-2"],
    "seats": 2,
    "options": {"pebbles": {"red": 2}, "throwing": False},
    "chance": ["red", "red"],
    "setup": {"to_act": [0], "view": {"/bag/red": 1, "/middle": "red"}},
    "steps": [
        {
            "seat": 0,
            "command": TAKE,
            "expect": {
                "score": [1, 0],
                "ranks": [1, 2],
                "items": [{"seat": 0, "name": "pebbles", "points": 1, "held": [1, 0, 0]}],
                "legal": {
                    "1": {
                        "take": [
                            {"colour": "red", "hole": None},
                            *({"colour": "red", "hole": hole} for hole in range(3)),
                        ],
                        "throw": [],
                    },
                    "0": {"take": []},
                },
                "legal_counts": {"1": {"take": 4}, "0": {}},
                "events": [{"type": "taken", "seat": 0}, {"type": "drawn"}],
                "no_events": ["play_ended"],
                "refused": [
                    {"seat": 0, "command": TAKE, "rule": "P-2", "code": "not_your_turn"},
                    {"seat": 1, "command": {"type": "throw"}, "rule": "P-3"},
                ],
            },
        },
        {"seat": 1, "command": TAKE},
    ],
    "final": {"over": True, "stopped": False, "score": [1, 1]},
}


def _changed(path: str, value: Any) -> dict[str, Any]:
    game = copy.deepcopy(GAME)
    place, _, name = path.rpartition("/")
    pointed(game, place)[name] = value
    return game


def test_a_right_game_passes() -> None:
    assert play(GAME, TOYS) == 13


def test_sealed_chance_may_be_given() -> None:
    assert play(_changed("/chance", {"seed": "00"}), TOYS) == 13


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("/setup/to_act", [1]),
        ("/setup/view", {"/middle": "blue"}),
        ("/setup/view", {"/nothing": 1}),
        ("/setup/view", {"/seats/7": 1}),
        ("/steps/0/expect/score", [0, 0]),
        ("/steps/0/expect/ranks", [1, 1]),
        ("/steps/0/expect/items", [{"seat": 1, "name": "pebbles", "points": 1}]),
        ("/steps/0/expect/items", [{"seat": 0, "name": "pebbles", "points": 1, "held": []}]),
        ("/steps/0/expect/legal", {"1": {"take": []}}),
        ("/steps/0/expect/legal_counts", {"1": {}}),
        ("/steps/0/expect/events", [{"type": "drawn"}, {"type": "taken"}]),
        ("/steps/0/expect/events", [{"type": "drawn", "colour": "blue"}]),
        ("/steps/0/expect/no_events", ["drawn"]),
        ("/steps/0/expect/refused", [{"seat": 1, "command": TAKE, "rule": "P-2"}]),
        ("/steps/0/expect/refused", [{"seat": 0, "command": TAKE, "rule": "P-1"}]),
        ("/steps/0/expect/refused", [{"seat": 0, "command": TAKE, "rule": "P-2", "code": "no"}]),
        ("/steps/1/seat", 0),
        ("/final/over", False),
        ("/final/stopped", True),
        ("/chance", ["red", "red", "red"]),
        ("/chance", ["red"]),
    ],
)
def test_a_wrong_statement_fails(path: str, value: Any) -> None:
    with pytest.raises(AssertionError):
        play(_changed(path, value), TOYS)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("/format", 2),
        ("/rules", []),
        ("/rules", ["P-9"]),
        ("/remark", "unknown"),
        ("/chance", {"seed": "00", "id": "x"}),
        ("/setup/to_acts", [0]),
        ("/setup/view", {"middle": "red"}),
        ("/steps/0/expects", {}),
        ("/steps/0/expect/items", [{"name": "pebbles"}]),
        ("/steps/0/expect/legal", {"1": {"takes": []}}),
        ("/steps/0/expect/legal_counts", {"1": {"takes": 0}}),
        ("/steps/0/expect/events", [{"seat": 0}]),
        ("/steps/0/expect/no_events", ["nothing"]),
        ("/steps/0/expect/refused", [{"seat": 0, "command": TAKE}]),
        ("/steps/0/expect/refused", [7]),
    ],
)
def test_a_faulty_game_is_told(path: str, value: Any) -> None:
    with pytest.raises(Faulty):
        play(_changed(path, value), TOYS)


def test_a_game_that_states_nothing_is_faulty() -> None:
    game = {key: value for key, value in GAME.items() if key not in ("setup", "final")}
    game["steps"] = [{"seat": step["seat"], "command": step["command"]} for step in GAME["steps"]]
    with pytest.raises(Faulty, match="nothing is expected"):
        play(game, TOYS)


def test_what_cannot_come_is_told() -> None:
    with pytest.raises(Misshapen, match="cannot come"):
        play(_changed("/chance", ["red", "blue"]), TOYS)


def test_a_game_may_end_where_chance_does() -> None:
    game = _changed("/chance", ["red"])
    game["steps"] = [{"seat": 0, "command": TAKE, "expect": {"stopped": True, "to_act": []}}]
    del game["final"]
    assert play(game, TOYS) == 4
    del game["steps"][0]["expect"]["stopped"]
    with pytest.raises(AssertionError, match="stopped"):
        play(game, TOYS)


def test_files_may_be_compressed(tmp_path: Path) -> None:
    text = json.dumps(GAME)
    (tmp_path / "a.json").write_text(text)
    (tmp_path / "a.json.gz").write_bytes(gzip.compress(text.encode()))
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(f"{text}\n{text}\n".encode()))
    assert [len(list(read(path))) for path in sorted(tmp_path.iterdir())] == [1, 1, 2]
