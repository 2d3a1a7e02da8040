"""`bailli demo`: the whole service for one game."""

from __future__ import annotations

from typing import Any

import pytest
from click.testing import CliRunner

from service.cli import demo, main
from service.cli.client import RequestFailed
from service.cli.local_service import CannotStart
from service.rules.ruleset import rulesets

NAME, LAW = next(iter(rulesets().items()))


def test_a_game_is_played_over_http_and_proved() -> None:
    shown = CliRunner().invoke(main, ["demo", "--level", "random"])
    assert shown.exit_code == 0, shown.output
    lines = shown.output.splitlines()
    assert lines[0].startswith("POST http://127.0.0.1:")
    assert " events in " in lines[1]
    assert any(line.startswith("1. bot ") for line in lines)
    assert lines[-1].startswith("Verified: ")


def test_an_unknown_ruleset_is_refused() -> None:
    assert CliRunner().invoke(main, ["demo", "dominion"]).exit_code == 2


def test_a_service_that_cannot_start_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(*_: Any) -> None:
        raise CannotStart("no server here")

    monkeypatch.setattr(demo, "LocalService", refuses)
    shown = CliRunner().invoke(main, ["demo"])
    assert (shown.exit_code, shown.output) == (1, "Error: no server here\n")


def test_a_service_that_does_not_answer_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = []

    class Dumb:
        url = "http://nowhere"

        def __init__(self, settings: Any) -> None:
            pass

        def start(self, stop: Any) -> None:
            raise CannotStart("the API does not answer")

        def close(self) -> None:
            ended.append(True)

    monkeypatch.setattr(demo, "LocalService", Dumb)
    shown = CliRunner().invoke(main, ["demo"])
    assert (shown.exit_code, ended) == (1, [True])


def test_a_game_that_does_not_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "MAX_SECONDS", 0.1)
    monkeypatch.setattr(demo, "call_api", lambda *_: {"status": "playing", "version": 3})
    with pytest.raises(RequestFailed, match="does not end"):
        demo.wait_until_finished("http://nowhere", "/v1/games/x")
