"""The running service tells a receiver of a whole game, by relay, queue and worker."""

from __future__ import annotations

import itertools
import time
from pathlib import Path

import httpx

from service.games.tokens import new_token
from tests.api.http_client import RULESET, SEATS
from tests.workers.receiver import receiving

from .running import running


def test_a_game_of_bots_is_told_to_its_end(tmp_path: Path) -> None:
    headers = {"Authorization": f"Bearer {new_token().text}"}
    with (
        receiving() as receiver,
        running(tmp_path, BAILLI_HOOKS_LOCAL="1") as url,
        httpx.Client(base_url=url, headers=headers, timeout=20) as client,
    ):
        asked = {"ruleset": RULESET.id, "seats": [{"kind": "bot"}] * SEATS, "start": "host"}
        links = client.post("/v1/games", json=asked).json()["game"]["links"]
        made = client.post(links["webhooks"], json={"url": receiver.url})
        assert made.status_code == 201
        started = client.post(links["commands"], json={"command": {"type": "start"}})
        assert started.status_code == 201
        limit = time.monotonic() + 60
        while not any(got.told["type"] == "game.finished" for got in receiver.got):
            assert time.monotonic() < limit, "the end is not told"
            time.sleep(0.05)
        told = [got.told for got in receiver.got]
        version = client.get(links["self"]).json()["version"]
        counted = client.get("/metrics").text
    assert told[0]["type"] == "game.started"
    ranges = [each["data"] for each in told if each["type"] == "game.events"]
    for one, two in itertools.pairwise(ranges):
        assert one["version"] == two["after"]
    assert (ranges[0]["after"], ranges[-1]["version"]) == (1, version)
    assert 'bailli_hook_deliveries_total{outcome="delivered"}' in counted
    secret = made.json()["secret"]
    assert secret not in (tmp_path / "log").read_text()
