"""`bailli up` as a process: it stops cleanly, leaves nothing behind, and games outlive it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis

from tests.faults.disturbances import REFUSING
from tests.faults.local_service import Up, children, waited


@pytest.fixture
def up(tmp_path: Path) -> Iterator[Up]:
    one = Up(tmp_path / "var")
    yield one
    if one.running:
        one.end(signal.SIGTERM)


@pytest.mark.parametrize(
    "number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.long)]
)
def test_a_signal_stops_all_of_it(up: Up, number: int) -> None:
    up.start()
    game = up.lay("random", "random")
    waited(20, lambda: up.call(game)["status"] == "finished", "the game does not end")
    assert up.end(number) == 0
    waited(3, lambda: up.processes() == [], "something is left behind")
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", up.port)) != 0


def test_games_outlive_a_killed_supervisor(up: Up) -> None:
    """The parts end by themselves; started again at once, the service goes on where it was."""
    up.start()
    waiting = up.lay("human", "easy")
    playing = up.lay("easy", "easy")
    seen = up.call(waiting)
    assert up.end(signal.SIGKILL) == -signal.SIGKILL
    up.start()
    assert up.call(waiting) == seen
    waited(20, lambda: up.call(playing)["status"] == "finished", "the bots' game does not end")
    moves = up.call(f"{waiting}/moves")["moves"]
    sent = up.call(
        f"{waiting}/commands", {"seat": moves[0]["seat"], "command": moves[0]["command"]}
    )
    assert sent["version"] > seen["version"]
    up.end(signal.SIGTERM)
    waited(3, lambda: up.processes() == [], "something is left behind")


@pytest.mark.long  # ten kills under load are in test_kills.py
def test_every_part_may_be_killed(up: Up) -> None:
    """API, relay, workers and server die in mid-game; what is acknowledged stays, games end."""
    up.start()
    assert up.process is not None
    game = up.lay("easy", "easy", "easy")
    parts = children(up.process.pid)
    assert len(parts) == 5
    for child in parts:
        os.kill(child, signal.SIGKILL)

    def over() -> bool:
        try:
            return bool(up.call(game)["status"] == "finished")
        except OSError:
            return False

    waited(30, over, "the game does not end")
    assert up.call(f"{game}/score")["recorded"]


def test_a_busy_port_is_one_line(up: Up) -> None:
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", up.port))
        busy.listen()
        done = subprocess.run(
            [sys.executable, "-m", "service.cli", "up"],
            env={"PORT": str(up.port), "BAILLI_DATA": str(up.folder)},
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "something listens there already" in done.stderr


@pytest.mark.parametrize(
    "name",
    [
        "full",
        *(
            pytest.param(each, marks=pytest.mark.long)
            for each in ("replica", "too few replicas", "busy")
        ),
    ],
)
def test_the_parts_outlive_a_server_in_trouble(up: Up, name: str) -> None:
    """For some seconds the server writes nothing; relay and workers go on by themselves after."""
    up.start()
    with Redis.from_url(f"unix://{up.folder}/redis.sock") as admin:
        games = [up.lay("easy", "random", "easy"), up.lay("random", "random")]
        with REFUSING[name](admin):
            time.sleep(2)
        assert admin.ping()

    def over() -> bool:
        return all(up.call(game)["status"] == "finished" for game in games)

    waited(30, over, "a game does not end")
    up.end(signal.SIGTERM)
