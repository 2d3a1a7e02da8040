"""`bailli games` and `bailli show`, and how they call: against a server that answers by heart."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from click.testing import CliRunner

from service.cli import client, games
from service.cli.client import RequestFailed, call_api, default_url

GAME = {
    "id": "g" * 26,
    "ruleset": {"id": "pebbles", "version": 1},
    "status": "playing",
    "version": 7,
    "created_at": 1_700_000_000_000,
    "seats": [
        {"seat": 0, "name": "Ann", "kind": "human"},
        {"seat": 1, "name": None, "kind": "human"},
    ],
    "to_act": [0],
    "board": {"middle": "red"},
}
SCORE = {
    "final": False,
    "seats": [
        {"seat": 0, "total": 4, "rank": 1, "tie_breaks": [], "items": []},
        {"seat": 1, "total": 2, "rank": 2, "tie_breaks": [], "items": []},
    ],
}


class Answers(http.server.BaseHTTPRequestHandler):
    """Answers from a table; notes what was asked."""

    table: dict[str, tuple[int, Any]]
    asked: list[tuple[str, str, str | None, bytes]]

    def do_GET(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        token = self.headers.get("Authorization")
        self.asked.append((self.command, self.path, token, self.rfile.read(length)))
        status, body = self.table.get(self.path, (404, {"title": "Not found"}))
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_POST = do_GET

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def url() -> Iterator[str]:
    Answers.table, Answers.asked = {}, []
    with http.server.HTTPServer(("127.0.0.1", 0), Answers) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_games_are_listed_in_lines(url: str) -> None:
    Answers.table["/v1/games?status=playing&limit=3"] = (200, {"games": [GAME]})
    command = ["--url", url, "--status", "playing", "--limit", "3"]
    shown = CliRunner().invoke(games.games, command)
    assert shown.exit_code == 0
    assert shown.output == f"{'g' * 26}  playing    pebbles  → Ann, (open)\n"


def test_a_game_is_shown_with_board_and_score(url: str) -> None:
    game = "g" * 26
    Answers.table = {
        f"/v1/games/{game}": (200, GAME),
        f"/v1/games/{game}/score": (200, SCORE),
    }
    shown = CliRunner().invoke(games.show, ["--url", url, game])
    assert shown.exit_code == 0
    assert shown.output.splitlines()[:2] == [
        "pebbles, playing, version 7",
        "created at 2023-11-14 22:13 UTC; → Ann, (open)",
    ]
    assert '"middle": "red"' in shown.output
    assert "1. Ann: 4 points" in shown.output


def test_a_game_that_has_not_started_has_no_board(url: str) -> None:
    Answers.table[f"/v1/games/{'g' * 26}"] = (200, {**GAME, "board": None})
    shown = CliRunner().invoke(games.show, ["--url", url, "g" * 26])
    assert len(shown.output.splitlines()) == 2


def test_a_refusal_is_one_line(url: str) -> None:
    Answers.table["/v1/games/x"] = (410, {"title": "Gone", "detail": "It was deleted."})
    shown = CliRunner().invoke(games.show, ["--url", url, "x"])
    assert shown.exit_code == 1
    assert shown.output == "Error: /v1/games/x: 410 It was deleted.\n"


@pytest.mark.parametrize(
    ("body", "said"),
    [({"title": "Gone"}, "410 Gone"), (b"<html>", "410 Gone"), ([], "410 Gone"), ({}, "410 Gone")],
)
def test_any_refusal_can_be_told(url: str, body: Any, said: str) -> None:
    Answers.table["/v1/x"] = (410, body)
    with pytest.raises(RequestFailed, match=said):
        call_api(url, "/v1/x")


def test_a_service_that_does_not_answer_is_one_line() -> None:
    with pytest.raises(RequestFailed, match=r"no response from http://127.0.0.1:1: .*refused"):
        call_api("http://127.0.0.1:1", "/v1/games")


def test_an_answer_that_is_not_json_is_refused(url: str) -> None:
    Answers.table["/v1/x"] = (200, b"<html>")
    with pytest.raises(RequestFailed, match="no response from"):
        call_api(url, "/v1/x")


def test_the_token_comes_from_the_caller_or_the_environment(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Answers.table["/v1/x"] = (200, {})
    call_api(url, "/v1/x")
    monkeypatch.setenv(client.TOKEN, "bl_environment")
    call_api(url, "/v1/x")
    call_api(url, "/v1/x", {"a": 1}, "bl_given")
    assert [line[2] for line in Answers.asked] == [None, "Bearer bl_environment", "Bearer bl_given"]
    assert Answers.asked[-1][0] == "POST"
    assert json.loads(Answers.asked[-1][3]) == {"a": 1}


def test_the_service_of_this_machine_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PORT", "8123")
    monkeypatch.delenv("HOST", raising=False)
    assert default_url() == "http://127.0.0.1:8123"
