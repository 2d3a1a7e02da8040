"""`bailli up` as a process, which may be killed and started again; its parts, which may be, too."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

from service.rules.ruleset import rulesets
from service.store.embedded import free_port
from tests.contract.running import UNLIMITED

RULESET = next(iter(rulesets()))
HOST = "bl_" + "h" * 43
KEPT = ("PATH", "HOME", "PYTHONPATH")
"""What the service has of this process's environment."""

MARKS = {
    "server": "-server ",
    "api": "wsgi:app",
    "relay": "service.cli relay",
    "fast worker": "worker fast",
    "slow worker": "worker slow",
}
"""By what in its command line (or title) a part of the service is known."""


def waited(seconds: float, true: Callable[[], Any], what: str) -> None:
    """Waits until something is so. Fails after so many seconds."""
    limit = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < limit, what
        time.sleep(0.02)


class Up:
    """The service in a folder, started as often as is asked for; settings are its environment."""

    def __init__(self, folder: Path, **settings: str) -> None:
        self.folder = folder
        self.port = free_port()
        self.log = folder.with_name("log")
        self.process: subprocess.Popen[bytes] | None = None
        self._settings = settings

    def start(self) -> None:
        """Starts the service and returns when it says where it listens."""
        environment = {
            **{name: os.environ[name] for name in KEPT if name in os.environ},
            **UNLIMITED,
            "PORT": str(self.port),
            "BAILLI_DATA": str(self.folder),
            "BAILLI_WEB_WORKERS": "1",
            **self._settings,
        }
        hello = f"Bailli listens at http://127.0.0.1:{self.port} "
        with self.log.open("ab") as log:
            said = log.tell()
            process = self.process = subprocess.Popen(
                [sys.executable, "-m", "service.cli", "up"],
                env=environment,
                stdout=log,
                stderr=log,
            )
        waited(60, lambda: hello in self.told(said) or process.poll() is not None, "no word of it")
        assert process.poll() is None, self.told(said)
        assert "curl -s" in self.told(said)

    def told(self, since: int = 0) -> str:
        """What the service has said, from a place in its log on."""
        return self.log.read_bytes()[since:].decode(errors="replace")

    def end(self, number: int) -> int:
        """Sends a signal and returns the exit code."""
        assert self.process is not None
        self.process.send_signal(number)
        return self.process.wait(30)

    @property
    def running(self) -> bool:
        return self.process is not None and self.process.poll() is None

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

    def part(self, name: str) -> int | None:
        """The process of a part (one of `MARKS`), None while there is none."""
        assert self.process is not None
        for child in children(self.process.pid):
            command = commanded(child)
            if MARKS[name] in command and "orphan_guard.py" not in command:
                return child
        return None

    def api_workers(self) -> list[int]:
        """The processes that answer requests."""
        master = self.part("api")
        found = [] if master is None else children(master)
        return [child for child in found if "orphan_guard.py" not in commanded(child)]

    def kill(self, name: str) -> None:
        """Ends a part as a crash would; one that is just being started again is waited for."""
        waited(20, lambda: self.part(name) is not None, f"{name} is not started again")
        pid = self.part(name)
        assert pid is not None
        os.kill(pid, signal.SIGKILL)


def children(pid: int) -> list[int]:
    """The processes that a process has started; none where it has gone."""
    try:
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except OSError:
        return []
    return [int(number) for number in text.split()]


def commanded(pid: int) -> str:
    """The command line of a process, empty where it has gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""
