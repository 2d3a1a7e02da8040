"""`bailli arena`: matches of bots from the command line."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from service.cli import main
from service.rules.ruleset import rulesets

RULESET = next(iter(rulesets()))


def test_levels_play_and_a_table_tells_how_it_went() -> None:
    done = CliRunner().invoke(
        main, ["arena", RULESET, "random", "random", "--games", "3", "--seconds"]
    )
    assert done.exit_code == 0, done.output
    *_, headings, one, other = done.output.splitlines()
    assert headings.split()[:2] == ["level", "won"]
    assert one.split()[0] == other.split()[0] == "random"
    assert "%" in one
    assert "%" not in other
    ranks = [float(line.split()[-3]) for line in (one, other)]
    assert sum(ranks) == pytest.approx(3)


def test_more_seats_and_processes() -> None:
    seats = max(rulesets()[RULESET].seats)
    command = ["arena", RULESET, "easy", "random", "--games", "1", "--seats", str(seats)]
    done = CliRunner().invoke(main, [*command, "--jobs", "2"])
    assert done.exit_code == 0, done.output
    assert f"{RULESET}, {seats} seats" in done.output


@pytest.mark.parametrize(
    "words",
    [
        ["nothing", "easy", "random"],
        [RULESET, "easy", "nobody"],
        [RULESET, "easy", "random", "--games", "0"],
        [RULESET, "easy", "random", "--seats", "99"],
        [RULESET, "easy", "random", "--seats", "1"],
        [RULESET, "easy", "random", "--seats", "0"],
    ],
)
def test_what_does_not_fit_is_refused_with_what_would(words: list[str]) -> None:
    done = CliRunner().invoke(main, ["arena", *words])
    assert done.exit_code == 2
    assert "Error: Invalid value" in done.output
