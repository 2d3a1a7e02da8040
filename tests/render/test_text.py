"""Boards as text: by the ruleset's own picture, else as data."""

from __future__ import annotations

import json
import random

import pytest

from service import render
from service.render.carcassonne.text import SLOTS, TILES, board, picture, pile, text
from service.rules.chance import FreeChance
from service.rules.ruleset import rulesets, run, start


def test_without_a_picture_the_data_are_shown() -> None:
    view = {"holes": [1, 2], "name": "ú"}
    assert json.loads(render.text("pebbles", view)) == view


@pytest.mark.parametrize("name", list(rulesets()))
def test_every_position_of_a_game_can_be_shown(name: str) -> None:
    ruleset = rulesets()[name]
    chance = FreeChance(random.Random(1))
    generator = random.Random(2)
    state, _ = start(ruleset, ruleset.seats[-1], ruleset.options(), chance)
    while acting := ruleset.to_act(state):
        shown = render.text(name, ruleset.view(state))
        assert shown == shown.rstrip("\n")
        assert shown
        seat = acting[0]
        run(ruleset, state, seat, generator.choice(ruleset.legal(state, seat)), chance)
    assert render.text(name, ruleset.view(state))


def rows(kind: str, rotation: int) -> list[str]:
    return ["".join(row) for row in picture(kind, rotation)]


@pytest.mark.parametrize(
    ("kind", "rotation", "expected"),
    [
        ("D", 0, ["·###·", "─────", "·····"]),
        ("D", 1, ["··│·#", "··│·#", "··│·#"]),
        ("A", 0, ["·····", "··M··", "··│··"]),
        ("B", 2, ["·····", "··M··", "·····"]),
        ("C", 0, ["#####", "#####", "#####"]),
        ("X", 0, ["··│··", "──┼──", "··│··"]),
        ("V", 0, ["·····", "──┐··", "··│··"]),
    ],
)
def test_a_tile(kind: str, rotation: int, expected: list[str]) -> None:
    assert rows(kind, rotation) == expected


def test_a_turned_tile_is_the_tile_turned() -> None:
    """Four quarter turns of the edge slots come back to where they began."""
    for tile in TILES:
        for rotation in range(4):
            shown = picture(tile["id"], rotation)
            before = picture(tile["id"], 0)
            for slot, (row, column) in enumerate(SLOTS):
                source = before[SLOTS[(slot - 3 * rotation) % 12][0]][
                    SLOTS[(slot - 3 * rotation) % 12][1]
                ]
                turned = {"─": "│", "│": "─"}.get(source, source) if rotation % 2 else source
                assert shown[row][column] == turned


def test_the_board_numbers_columns_and_rows_and_shows_followers() -> None:
    view = {
        "tiles": [
            {"x": 0, "y": 0, "kind": "D", "rotation": 0, "seat": None},
            {"x": 1, "y": 0, "kind": "U", "rotation": 1, "seat": 0},
            {"x": 0, "y": 1, "kind": "B", "rotation": 0, "seat": 1},
        ],
        "followers": [
            {"seat": 0, "x": 1, "y": 0, "feature": "road", "slot": 7},
            {"seat": 1, "x": 0, "y": 1, "feature": "monastery", "slot": None},
        ],
        "scores": [3, 0],
        "reserves": [6, 6],
        "pile": {"size": 1, "kinds": {"A": 1}},
        "drawn": "A",
    }
    assert board(view) == [
        "       0    1",
        "     ·###···│··",
        "   0 ─────··│··",
        "     ·······0··",
        "     ·····",
        "   1 ··1··",
        "     ·····",
    ]
    assert text(view).splitlines()[-3:] == [
        "seat 0: 3 points, 6 followers in reserve",
        "seat 1: 0 points, 6 followers in reserve",
        "1 tiles in the pile; tile A is to be placed",
    ]


def test_nothing_is_said_of_a_tile_that_was_not_drawn() -> None:
    assert pile({"drawn": None, "pile": {"size": 0}}) == "0 tiles in the pile"
