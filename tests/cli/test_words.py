"""What the command line writes: progress, scores, the list of commands."""

from __future__ import annotations

import io
import itertools

import pytest
from click.testing import CliRunner

from service.cli import COMMANDS, main, scores
from service.cli import progress as progresses
from service.cli.progress import Progress
from service.store import PARTITIONS


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_one_line_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progresses, "PAUSE", 0.0)
    stream = Terminal()
    line = Progress(stream)
    line.show("10 moves")
    line.show("9")
    line.clear()
    assert stream.getvalue() == "\r10 moves\r9       \r \r"


def test_progress_does_not_hurry() -> None:
    stream = Terminal()
    line = Progress(stream)
    line.show("one")
    line.show("two")
    assert stream.getvalue() == "\rone"


def test_progress_is_silent_elsewhere() -> None:
    stream = io.StringIO()
    line = Progress(stream)
    line.show("10 moves")
    line.clear()
    assert stream.getvalue() == ""


def test_scores_are_told_by_rank_and_itemised() -> None:
    scoring = {
        "final": True,
        "seats": [
            {"seat": 0, "total": 4, "rank": 2, "tie_breaks": [], "items": []},
            {
                "seat": 1,
                "total": 9,
                "rank": 1,
                "tie_breaks": [3, -1],
                "items": [
                    {"name": "big_city", "points": 8, "tiles": [3, 4], "owners": {"1": 2, "0": 1}},
                    {"name": "road", "points": 1, "closed_by": None},
                ],
            },
        ],
    }
    assert scores.format_score(scoring, ["Ann", "Ben"]) == [
        "1. Ben: 9 points (then 3, -1)",
        "      8  big city (tiles 3 4, owners 1 2; 0 1)",
        "      1  road (closed by none)",
        "2. Ann: 4 points",
    ]


def test_help_names_every_command() -> None:
    shown = CliRunner().invoke(main, ["--help"])
    assert shown.exit_code == 0
    for name in COMMANDS:
        assert f"\n  {name} " in shown.output


def test_slots_are_given_out_evenly() -> None:
    shown = CliRunner().invoke(main, ["slots", "3"]).output.splitlines()
    given = [line.split() for line in shown]
    bounds = [(int(line[0]), int(line[1])) for line in given]
    assert (bounds[0][0], bounds[2][1]) == (0, 16_383)
    assert all(one[1] + 1 == other[0] for one, other in itertools.pairwise(bounds))
    assert sorted("".join("".join(line[2:]) for line in given)) == sorted(PARTITIONS)
    assert [len(line) - 2 for line in given] == [10, 11, 11]
    assert CliRunner().invoke(main, ["slots", "33"]).exit_code == 2


def test_an_unknown_command_is_refused() -> None:
    assert CliRunner().invoke(main, ["dance"]).exit_code == 2


def test_the_version_is_told() -> None:
    shown = CliRunner().invoke(main, ["--version"])
    assert shown.output.startswith("bailli ")
