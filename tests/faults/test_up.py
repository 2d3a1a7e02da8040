"""`bailli up` as a process: it stops cleanly, leaves nothing behind, and games outlive it."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from service.rules.ruleset import rulesets
from service.store.embedded import free_port

RULESET = next(iter(rulesets()))
HOST = "bl_" + "h" * 43


class Up:
    """The service in a folder, started as often as is asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Starts the service and returns when it says where it listens."""
        kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        environment = {
            **kept,
            "PORT": str(self.port),
            "BAILLI_DATA": str(self.folder),
            "BAILLI_WEB_WORKERS": "1",
        }
        self.process = subprocess.Popen(
            [sys.executable, "-m", "service.cli", "up"],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert self.process.stdout is not None
        told = self.process.stdout.readline()
        assert told.startswith(f"Bailli listens at http://127.0.0.1:{self.port} "), told
        assert "curl -s" in self.process.stdout.readline()

    def end(self, number: int) -> int:
        """Sends a signal and returns the exit code."""
        assert self.process is not None
        assert self.process.stdout is not None
        self.process.send_signal(number)
        code = self.process.wait(30)
        self.process.stdout.close()
        return code

    def call(self, path: str, body: Any = None) -> Any:
        """Asks the service."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {HOST}"}
        asked = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data, headers)
        with urllib.request.urlopen(asked, timeout=10) as answer:  # noqa: S310
            return json.load(answer)

    def lay(self, *kinds: str) -> str:
        """Lays a table of bots ("random", "easy") and people ("human"); returns its path."""
        seats = [
            {"kind": "human"} if kind == "human" else {"kind": "bot", "level": kind, "name": kind}
            for kind in kinds
        ]
        made = self.call("/v1/games", {"ruleset": RULESET, "seats": seats})
        for code in made["claim_codes"]:
            body = {"claim_code": code["claim_code"], "name": "person"}
            self.call(f"/v1/games/{made['game']['id']}/seats/{code['seat']}", body)
        return f"/v1/games/{made['game']['id']}"

    def processes(self) -> list[int]:
        """The processes that still belong to the service: those that know its folder."""
        mark = f"BAILLI_DATA={self.folder}".encode()
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and int(entry.name) != os.getpid():
                try:
                    if mark in (entry / "environ").read_bytes().split(b"\0"):
                        found.append(int(entry.name))
                except OSError:
                    continue
        return found


@pytest.fixture
def up(tmp_path: Path) -> Iterator[Up]:
    one = Up(tmp_path / "var")
    yield one
    if one.process is not None and one.process.poll() is None:
        one.end(signal.SIGTERM)


def waited(seconds: float, true: Any, what: str) -> None:
    limit = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < limit, what
        time.sleep(0.05)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
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


def test_every_part_may_be_killed(up: Up) -> None:
    """API, relay, workers and server die in mid-game; what is acknowledged stays, games end."""
    up.start()
    assert up.process is not None
    game = up.lay("easy", "easy", "easy")
    for child in children(up.process.pid):
        os.kill(child, signal.SIGKILL)

    def over() -> bool:
        try:
            return bool(up.call(game)["status"] == "finished")
        except OSError:
            return False

    waited(30, over, "the game does not end")
    assert up.call(f"{game}/score")["recorded"]


def children(pid: int) -> list[int]:
    """The processes that a process has started."""
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    found = [int(number) for number in text.split()]
    assert len(found) == 5
    return found


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
