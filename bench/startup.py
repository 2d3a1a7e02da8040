"""The whole service as `bailli up` runs it: time to the first game, and bots' response times.

python -m bench.startup [--quick]
"""

from __future__ import annotations

import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from service.bot_levels import QUICK
from service.games.tokens import new_token
from service.rules.ruleset import AnyRuleset, rulesets
from service.store.embedded import free_port

from .api_server import ROOT, UNLIMITED, Connection, next_command
from .timing import markdown, show, spread

HEADING = "Whole service"
FIRST_S = 2.0
BOT_MS = 50.0


@contextmanager
def up() -> Iterator[tuple[Connection, float]]:
    """Runs `bailli up`; yields a connection and the seconds to the first game made (201)."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        port = free_port()
        place = {"PORT": str(port), "BAILLI_DATA": folder, "BAILLI_FSYNC": "everysec"}
        place["BAILLI_LOG"] = "warning"  # lines would stand between the figures
        begun = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-m", "service.cli", "up"],
            cwd=ROOT, env={**os.environ, **UNLIMITED, **place}, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            connection = _first(port, begun)
            yield connection, time.perf_counter() - begun
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(30)


def _first(port: int, begun: float) -> Connection:
    ruleset = next(iter(rulesets().values()))
    wanted = {"ruleset": ruleset.id, "seats": [{"kind": "human"}] * min(ruleset.seats)}
    while time.perf_counter() - begun < 60:
        try:
            connection = Connection(port, new_token().text)
            connection.ask("POST", "/v1/games", json.dumps(wanted).encode())
            if connection.status == 201:
                return connection
        except OSError:
            pass
        time.sleep(0.01)
    raise AssertionError("no game could be made")


def answers(connection: Connection, ruleset: AnyRuleset, level: str, moves: int) -> list[float]:
    """Returns how long (ms) bots took from a person's command to theirs, by the store's clock."""
    waits: list[float] = []
    while len(waits) < moves:
        seats: list[Any] = [{"kind": "human", "name": "Ana"}]
        seats += [{"kind": "bot", "level": level}] * (min(ruleset.seats) - 1)
        wanted = {"ruleset": ruleset.id, "seats": seats}
        made = json.loads(connection.ask("POST", "/v1/games", json.dumps(wanted).encode()))
        path = made["game"]["links"]["self"]
        for each in made["claim_codes"]:
            claim = {"claim_code": each["claim_code"], "name": "Ana"}
            connection.ask("POST", f"{path}/seats/{each['seat']}", json.dumps(claim).encode())
        while len(waits) < moves:
            body = _mine(connection, path)
            if body is None:
                break
            told = json.loads(connection.ask("POST", f"{path}/commands", body))
            waits += _answer(connection, path, told["version"], told["events"][-1]["at"])
    return waits


def _mine(connection: Connection, path: str) -> bytes | None:
    """Returns the next command of the person, None when the game is over."""
    while True:
        body = next_command(connection, path)
        if body is not None:
            return body
        if json.loads(connection.ask("GET", path))["status"] != "playing":
            return None
        time.sleep(0.005)


def _answer(connection: Connection, path: str, version: int, sent: int) -> list[float]:
    """Returns how long after `sent` the next append came, if a bot owed it; else nothing."""
    game = json.loads(connection.ask("GET", path))
    owed = any(game["seats"][seat]["kind"] == "bot" for seat in game["to_act"])
    if game["status"] != "playing" or not (owed or game["version"] > version):
        return []
    events: list[Any] = []
    while not events:
        page = f"{path}/events?after={version}&limit=1"
        events = json.loads(connection.ask("GET", page))["events"]
    return [events[0]["at"] - sent]


def imports() -> float:
    """Returns how long (s) importing the web process' application takes in a fresh interpreter."""
    script = (
        "import time; b = time.perf_counter(); import service.app; print(time.perf_counter() - b)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return float(done.stdout)


def installed() -> float:
    """Returns the size (MB) of what is installed for a service: itself and all that it needs."""
    wanted, known = ["bailli"], set()
    size = 0
    while wanted:
        name = wanted.pop()
        if name in known:
            continue
        known.add(name)
        found = distribution(name)
        size += sum(
            Path(str(file.locate())).stat().st_size
            for file in found.files or ()
            if Path(str(file.locate())).is_file()
        )
        needed = map(Requirement, found.requires or ())
        wanted += [
            canonicalize_name(each.name)
            for each in needed
            if each.marker is None or each.marker.evaluate({"extra": ""})
        ]
    return size / 1e6


def section(quick: bool) -> str:
    """Returns the section of the page of results."""
    starts = []
    for _ in range(2 if quick else 5):
        with up() as (_connection, seconds):
            starts.append(seconds)
    rows = []
    with up() as (connection, _):
        for name, ruleset in rulesets().items():
            for level in QUICK:
                waits = answers(connection, ruleset, level, 20 if quick else 100)
                verdict = "met" if statistics.median(waits) <= BOT_MS else "missed"
                rows.append((name, level, spread(waits, 0), f"≤ {BOT_MS:.0f} ms: {verdict}"))
    first = "met" if statistics.median(starts) < FIRST_S else "missed"
    loads = [imports() for _ in range(3)]
    return "\n".join(
        (
            f"- from `bailli up` to the first game created: {spread(starts)} s "
            f"(goal < {FIRST_S:.0f} s: {first})",
            f"- importing the application of an API process: {statistics.median(loads):.2f} s",
            f"- installed size, with all dependencies except Python: {installed():.0f} MB",
            "",
            markdown(("ruleset", "level", "a person's command to the bot's, ms", "goal"), rows),
        )
    )


def main() -> None:
    """Runs from the command line."""
    show(section, __doc__)


if __name__ == "__main__":
    main()
