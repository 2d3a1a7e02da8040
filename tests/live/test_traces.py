"""One id leads from a request over the due list and a worker's job to what the job appended."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest

from service.games.codec import Meta, decode_meta
from service.games.tokens import new_token
from service.store.redis_store import open_store
from tests.api.http_client import RULESET, SEATS
from tests.contract.running import running
from tests.live.api_server import Client, path_of

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT = f"00-{TRACE}-00f067aa0ba902b7-01"
PATIENCE = 30.0


class Place(NamedTuple):
    """A running service and its folder."""

    port: int
    folder: Path

    def lines(self) -> list[dict[str, Any]]:
        """What all its processes have written down, line by line, but for what it greets with."""
        text = (self.folder / "log").read_text()
        return [json.loads(line) for line in text.splitlines() if line.startswith("{")]

    def metas(self, game: str) -> list[Meta]:
        """What each append of a game says of itself."""
        with closing(open_store(f"unix://{self.folder}/redis.sock")) as store:
            metas = [decode_meta(entry) for entry in store.read(game).entries]
        return [meta for meta in metas if meta is not None]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("traced")
    with running(folder, BAILLI_WEB_WORKERS="1") as url:
        yield Place(int(urlsplit(url).port or 0), folder)


@pytest.fixture
def ana(place: Place) -> Client:
    return Client(place.port)


def bots_answer(ana: Client, **headers: str) -> str:
    """Ana plays against bots until a command of hers is answered by one. Returns the game's id.

    `headers` go with her commands.
    """
    seats = [{"kind": "human"}, *[{"kind": "bot", "level": "random"}] * (SEATS - 1)]
    made = ana.ask("POST", "/v1/games", {"ruleset": RULESET.id, "seats": seats})[2]
    ana.claim(made, 0)
    path = path_of(made)
    limit = time.monotonic() + PATIENCE
    while time.monotonic() < limit:
        moves = ana.get(f"{path}/moves")["moves"]
        if not moves:
            time.sleep(0.05)
            continue
        body = {"command": moves[0]["command"]}
        status, told, answer = ana.ask("POST", f"{path}/commands", body, **headers)
        assert status == 201
        assert told["X-Request-Id"] in (*headers.values(), TRACE)
        if 0 not in ana.get(path)["to_act"]:
            break
    while ana.get(path)["version"] == answer["version"]:
        assert time.monotonic() < limit, "no bot answers"
        time.sleep(0.05)
    return str(made["game"]["id"])


@pytest.mark.parametrize(
    ("headers", "name"),
    [({"X_Request_Id": "from-ana.1"}, "from-ana.1"), ({"traceparent": PARENT}, TRACE)],
)
def test_one_id_from_request_to_the_append_of_a_job(
    place: Place, ana: Client, headers: dict[str, str], name: str
) -> None:
    game = bots_answer(ana, **headers)
    metas = [meta for meta in place.metas(game) if meta.request == name]
    assert {None, "random"} <= {meta.sent_by for meta in metas}, "hers and the bot's"

    def told(event: str, **facts: Any) -> list[dict[str, Any]]:
        wanted = {"event": event, "game": game, **facts}
        return [line for line in place.lines() if wanted.items() <= line.items()]

    limit = time.monotonic() + PATIENCE
    while not told("worked", request=name):
        assert time.monotonic() < limit
        time.sleep(0.05)
    asked = told("answered", request=name)[0]
    assert (asked["method"], asked["status"], asked["seat"]) == ("POST", 201, 0)
    assert asked["version"] > 1
    assert asked["route"] == "/v1/games/<game_id:game_id>/commands"
    assert asked["level"] == "info"
    assert asked["logger"] == "service.api.http.response_headers"
    job = told("worked", request=name)[0]
    assert {"kind", "job", "ms", "time"} <= job.keys()
    (rung,) = told("rang", job=job["job"])
    assert rung["due"] > 0
    assert rung["kind"] == job["kind"]
    appended = told("appended", request=name)
    made = [line for line in appended if line.get("job") == job["job"]]
    assert made
    assert all(line["by"] == "random" and line["seat"] > 0 for line in made)
    assert {line["logger"] for line in appended} == {"service.games.commands.conflict_retry"}


def test_an_id_that_could_be_a_secret_is_none(place: Place, ana: Client) -> None:
    """A token in the wrong header is neither written down nor sent back."""
    token = new_token().text
    _, told, _ = ana.ask("GET", "/v1/turns", X_Request_Id=token)
    assert told["X-Request-Id"] != token
    _, told, _ = ana.ask("GET", f"/v1/games/{token}", X_Request_Id="after")
    while not any(line.get("request") == "after" for line in place.lines()):
        time.sleep(0.05)
    assert token[3:] not in (place.folder / "log").read_text()


def test_nobody_reads_of_what_machines_ask(place: Place, ana: Client) -> None:
    ana.get("/livez", X_Request_Id="quiet")
    ana.get("/v1/rulesets", X_Request_Id="loud")
    while not any(line.get("request") == "loud" for line in place.lines()):
        time.sleep(0.05)
    assert not any(line.get("request") == "quiet" for line in place.lines())
