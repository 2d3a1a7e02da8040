"""The example follows a game to its end, and says why where it may not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.live.api_server import Client, Served, path_of

SCRIPT = Path(__file__).parents[2] / "examples" / "follow.py"


def run(api: Served, path: str, token: str | None = None) -> subprocess.Popen[str]:
    env = {**os.environ, "BAILLI_TOKEN": token or ""}
    return subprocess.Popen(
        [sys.executable, "-S", str(SCRIPT), f"http://127.0.0.1:{api.port}{path}"],
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_private_game_is_followed_to_its_end(api: Served, ana: Client) -> None:
    made = ana.play(visibility="private")
    path = path_of(made)
    with run(api, path, made["watch_code"]) as following:
        assert following.stdout is not None
        first = following.stdout.readline()
        for _ in range(5):
            ana.move(path)
        last = ana.send(path, {"type": "abandon"})
        rest = following.stdout.read()
    assert following.returncode == 0
    lines = [line.split(" ", 2) for line in (first + rest).splitlines()]
    events = ana.get(f"{path}/events")["events"]
    assert [int(version) for version, _, _ in lines] == list(range(1, last + 1))
    assert [(kind, json.loads(data)) for _, kind, data in lines] == [
        (event["type"], event["data"]) for event in events
    ]
    with run(api, path, made["watch_code"]) as over:
        assert over.communicate(timeout=30)[0].count("\n") == last


def test_who_may_not_read_is_told_so(api: Served, ana: Client) -> None:
    path = path_of(ana.play(visibility="private"))
    with run(api, path, Client(api.port).token) as refused:
        _, errors = refused.communicate(timeout=30)
    assert refused.returncode == 1
    assert "The resource does not exist" in errors
