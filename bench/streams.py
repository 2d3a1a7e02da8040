"""Event streams beside a load of commands, and all clients coming back at once.

python -m bench.streams [--streams N] [--games N] [--players N] [--rounds N] [--commands N]

The service runs as it does for its users (two API processes under gunicorn, the embedded server).
Players, each a process with one connection, ask for the moves of their games and make one, game
after game, as fast as they are answered: with all streams open, and with none, in turns. A delivery
is timed from the event's own time (the store's clock, when the command was judged) to its last byte
at the client; the clients of all streams are one process more on the same machine.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import re
import selectors
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from service.config import LIMITS
from service.games.access import new_token
from service.rules.ruleset import rulesets
from service.store.embedded import EmbeddedServer, free_port

from .http import Connection
from .timing import calibration, ratio, table

ROOT = Path(__file__).parents[1]
MEDIAN_MS = 100.0
KEPT_RATE = 0.7
PATIENCE = 30.0

_AT = re.compile(rb'"at":(\d+)')
_ID = re.compile(rb"(?:^|\n)id: (\d+)\n")


class Stream:
    """A client's end of one stream: its socket, the last id, what has come since the last line."""

    def __init__(self, port: int, path: str, last: int) -> None:
        self.path = path
        self.last = last
        self.opened: float | None = None
        self.rest = b""
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.sendall(
            f"GET {path}/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
            f"Last-Event-ID: {last}\r\n\r\n".encode()
        )


class Crowd:
    """Clients that listen, all in one thread; `waits` has each delivery's time (ms)."""

    def __init__(self, port: int, paths: Sequence[tuple[str, int]]) -> None:
        self.waits: list[float] = []
        self.begun = time.perf_counter()
        self.streams = [Stream(port, path, last) for path, last in paths]
        self._selector = selectors.DefaultSelector()
        self._leaving = threading.Event()
        for stream in self.streams:
            self._selector.register(stream.socket, selectors.EVENT_READ, stream)
        self._thread = threading.Thread(target=self._listen)
        self._thread.start()

    def opened(self) -> list[float]:
        """Waits until every stream has begun; returns after how long each did (ms)."""
        limit = time.monotonic() + PATIENCE
        while any(stream.opened is None for stream in self.streams):
            if time.monotonic() > limit:
                missing = sum(stream.opened is None for stream in self.streams)
                raise AssertionError(f"{missing} streams were not served")
            time.sleep(0.005)
        return [1000 * ((stream.opened or 0.0) - self.begun) for stream in self.streams]

    def close(self) -> list[tuple[str, int]]:
        """Hangs up; returns where each stream was."""
        self._leaving.set()
        self._thread.join()
        for stream in self.streams:
            stream.socket.close()
        self._selector.close()
        return [(stream.path, stream.last) for stream in self.streams]

    def _listen(self) -> None:
        while not self._leaving.is_set():
            for key, _ in self._selector.select(0.05):
                self._read(key.data)

    def _read(self, stream: Stream) -> None:
        got = stream.socket.recv(1 << 16)
        if not got:
            self._selector.unregister(stream.socket)
            return
        now = time.time() * 1000
        if stream.opened is None:
            stream.rest += got
            if not _ID.search(stream.rest):
                return
            if not stream.rest.startswith(b"HTTP/1.1 200"):
                raise AssertionError(stream.rest[:80])
            stream.opened = time.perf_counter()
            stream.rest = b""
            return
        whole, _, stream.rest = (stream.rest + got).rpartition(b"\n\n")
        self.waits += [now - int(at) for at in _AT.findall(whole)]
        for found in _ID.findall(whole):
            if int(found) != stream.last + 1:
                raise AssertionError(f"{found!r} follows {stream.last}")
            stream.last = int(found)


def lay(connection: Connection) -> str:
    """Lays a table, takes its seats; returns its path."""
    ruleset = next(iter(rulesets().values()))
    wanted = {"ruleset": ruleset.id, "seats": [{"kind": "human"}] * min(ruleset.seats)}
    made = json.loads(connection.ask("POST", "/v1/games", json.dumps(wanted).encode()))
    path = str(made["game"]["links"]["self"])
    for each in made["claim_codes"]:
        claim = {"claim_code": each["claim_code"], "name": "Ana"}
        connection.ask("POST", f"{path}/seats/{each['seat']}", json.dumps(claim).encode())
    return path


def play(port: int, token: str, paths: Sequence[str], commands: int) -> None:
    """Makes so many moves, game after game."""
    connection = Connection(port, token)
    for number in range(commands):
        path = paths[number % len(paths)]
        moves = json.loads(connection.ask("GET", f"{path}/moves"))["moves"]
        chosen = moves[len(moves) // 2]
        body = {"seat": chosen["seat"], "command": chosen["command"]}
        connection.ask("POST", f"{path}/commands", json.dumps(body).encode())
        if connection.status != 201:
            raise AssertionError(f"a command answered {connection.status}")


def rate(port: int, token: str, paths: Sequence[str], players: int, commands: int) -> float:
    """Returns how many commands a second the players send together."""
    context = multiprocessing.get_context("fork")
    shares = [paths[number::players] for number in range(players)]
    each = commands // players
    begun = time.perf_counter()
    working = [context.Process(target=play, args=(port, token, mine, each)) for mine in shares]
    for process in working:
        process.start()
    for process in working:
        process.join()
        if process.exitcode:
            raise AssertionError("a player failed")
    return each * players / (time.perf_counter() - begun)


def version_of(connection: Connection, path: str) -> int:
    return int(json.loads(connection.ask("GET", path))["version"])


def measure(asked: argparse.Namespace, port: int) -> dict[str, Any]:
    """Returns the rates by round, all deliveries' times, and the times to come back."""
    token = new_token().text
    rates: dict[str, list[float]] = {"with streams": [], "without": []}
    waits: list[float] = []
    returns: list[float] = []
    for round_ in range(asked.rounds + 1):
        connection = Connection(port, token)
        paths = [lay(connection) for _ in range(asked.games)]
        for name in sorted(rates, reverse=bool(round_ % 2)):
            crowd = None
            if name == "with streams":
                places = [(path, version_of(connection, path)) for path in paths]
                crowd = Crowd(port, [places[n % len(places)] for n in range(asked.streams)])
                crowd.opened()
            found = rate(port, token, paths, asked.players, asked.commands)
            if crowd is not None:
                time.sleep(0.5)
                left = crowd.close()
                again = Crowd(port, left)
                if round_:
                    waits += crowd.waits
                    returns += again.opened()
                again.close()
            if round_:
                rates[name].append(found)
    return {"rates": rates, "waits": waits, "returns": returns}


def report(found: dict[str, Any], streams: int) -> None:
    rates, waits, returns = found["rates"], found["waits"], found["returns"]
    median, kept = statistics.median(waits), ratio(rates, "with streams", "without")
    late = statistics.quantiles(waits, n=100)[98]
    print(f"calibration loop: {calibration():.1f} ms")
    print(f"{streams} streams, {len(waits):,} deliveries")
    print(f"delivery: median {median:.1f} ms, p99 {late:.1f} ms   {verdict(median <= MEDIAN_MS)}")
    print(table(rates))
    print(f"commands with streams to without: {kept:.2f}   {verdict(kept >= KEPT_RATE)}")
    print(
        f"all come back at once: {len(returns):,} of {len(returns):,} served, "
        f"median {statistics.median(returns):.0f} ms, last {max(returns):.0f} ms"
    )


def verdict(met: bool) -> str:
    return "met" if met else "missed"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--streams", type=int, default=500)
    parser.add_argument("--games", type=int, default=250)
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--commands", type=int, default=1_000)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, EmbeddedServer(Path(folder)) as server:
        port = free_port()
        limits = {f"BAILLI_RATE_{name.upper()}": "0" for name in LIMITS}
        limits |= {"BAILLI_STREAMS_PER_CLIENT": "0", "BAILLI_GAMES_PER_TOKEN": "0"}
        place = {"REDIS_URL": server.url, "PORT": str(port), "BAILLI_DATA": folder}
        command = [sys.executable, "-m", "gunicorn", "--config", "gunicorn.conf.py", "wsgi:app"]
        process = subprocess.Popen(command, env={**os.environ, **limits, **place}, cwd=ROOT)
        try:
            _await(port)
            report(measure(asked, port), asked.streams)
        finally:
            process.terminate()
            process.wait(20)


def _await(port: int) -> None:
    limit = time.monotonic() + PATIENCE
    while True:
        try:
            Connection(port, new_token().text).ask("GET", "/readyz")
            return
        except OSError:
            if time.monotonic() > limit:
                raise AssertionError("the service does not answer") from None
            time.sleep(0.1)


if __name__ == "__main__":
    main()
