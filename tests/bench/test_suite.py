"""The suite of measurements: the page it writes, and a guard against requests that grow slow."""

from __future__ import annotations

import statistics
from pathlib import Path

import pytest

from bench import __main__ as suite
from bench import functions, http, machine, page, timing
from service.rules.ruleset import rulesets


def test_sections_are_replaced_in_their_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page, "PAGE", tmp_path / "results.md")
    for heading, text in (("A", "one"), ("B", "two\n\n| x |"), ("C", "three"), ("B", "four")):
        page.write(heading, text)
    assert page.PAGE.read_text() == "# Results\n\n## A\none\n\n## B\nfour\n\n## C\nthree\n"


def test_medians_stand_within_their_intervals() -> None:
    median, low, high = timing.middle([5.0, 1.0, 2.0, 3.0, 4.0])
    assert median == 3.0
    assert 1.0 <= low < median < high <= 5.0
    assert timing.spread([2.0, 2.0]) == "2.00 (2.00 – 2.00)"


def test_a_part_that_fails_does_not_stop_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Broken:
        HEADING = "Broken"

        @staticmethod
        def section(quick: bool) -> str:
            raise AssertionError("it does not go")

    monkeypatch.setattr(page, "PAGE", tmp_path / "results.md")
    monkeypatch.setattr(suite, "PARTS", {"broken": Broken, "strength": suite.PARTS["strength"]})
    monkeypatch.setattr("sys.argv", ["bench", "--quick"])
    assert suite.main() == 1
    told = page.PAGE.read_text()
    assert "## Machine" in told
    assert "## Bots" in told
    assert "Broken" not in told
    assert "it does not go" in capsys.readouterr().err


def test_the_machine_is_told() -> None:
    told = machine.describe(8.0)
    assert "calibration loop" in told
    assert "flask" in told
    assert "server" in told.lower()


def test_every_function_of_every_ruleset_is_timed() -> None:
    told = functions.report(1)
    assert all(f"| {name} |" in told for name in rulesets())
    for ruleset in rulesets().values():
        watch = functions.watched(ruleset, ruleset.seats[0], 1)
        assert all(watch.calls[name] for name in (*functions.PLAYED, *functions.BESIDE))
        assert sum(map(watch.share, functions.PLAYED)) == pytest.approx(1.0)


def test_requests_have_not_grown_slow_beside_a_bare_route() -> None:
    """Rates to a bare route's in the same run. Goals are three times as high: what fails here is

    not noise, but work that was added to every request.
    """
    found = http.measure(5, 12, "everysec")
    to_bare = {
        name: statistics.median(each["bare"] / each[name] for each in found)
        for name in ("command", "game 304", "game 200", "moves")
    }
    assert to_bare["command"] > 0.08
    assert to_bare["game 304"] > 0.2
    assert to_bare["game 200"] > 0.12
    assert to_bare["moves"] > 0.06
