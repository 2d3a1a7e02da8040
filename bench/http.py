"""Our requests against a bare Flask route and a Flask route with one XADD, interleaved in one run.

python -m bench.http [--rounds N] [--requests N] [--fsync always|everysec] [--stages]

One gevent worker under gunicorn serves all of them, one connection asks, one request after the
other; the server's disk is asked to keep each write before it answers only with --fsync always.
Figures are medians over the rounds of each round's ratio of rates.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from service.config import LIMITS
from service.games.access import new_token
from service.rules.ruleset import rulesets
from service.store.embedded import EmbeddedServer, free_port

ROOT = Path(__file__).parents[1]
GOALS = {
    ("command", "bare"): 0.25,
    ("command", "xadd"): 0.5,
    ("game 304", "bare"): 0.5,
}


class Connection:
    """One kept connection, as fast as plain sockets are."""

    def __init__(self, port: int, token: str) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._head = f"Host: localhost\r\nAuthorization: Bearer {token}\r\n"
        self.status = 0
        self.headers = ""

    def ask(self, method: str, path: str, body: bytes = b"", more: str = "") -> bytes:
        head = f"{method} {path} HTTP/1.1\r\n{self._head}{more}"
        if method == "POST":
            head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        self._socket.sendall(head.encode() + b"\r\n" + body)
        got = b""
        while b"\r\n\r\n" not in got:
            got += self._socket.recv(65536)
        raw, _, rest = got.partition(b"\r\n\r\n")
        self.headers = raw.decode("latin-1")
        self.status = int(self.headers[9:12])
        length = 0
        for line in self.headers.split("\r\n"):
            if line.lower().startswith("content-length:"):
                length = int(line[15:])
        while len(rest) < length:
            rest += self._socket.recv(65536)
        return rest

    def header(self, name: str) -> str:
        for line in self.headers.split("\r\n"):
            if line.lower().startswith(name.lower() + ":"):
                return line.partition(":")[2].strip()
        raise LookupError(name)


class Play:
    """Games that never end: a new one is laid when one is over."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.ruleset = next(iter(rulesets().values()))
        self.seats = min(self.ruleset.seats)
        self.path = ""
        self.key = 0

    def lay(self) -> None:
        ask = self.connection.ask
        wanted = {"ruleset": self.ruleset.id, "seats": [{"kind": "human"}] * self.seats}
        made = json.loads(ask("POST", "/v1/games", json.dumps(wanted).encode()))
        self.path = made["game"]["links"]["self"]
        for each in made["claim_codes"]:
            claim = {"claim_code": each["claim_code"], "name": "Ana"}
            ask("POST", f"{self.path}/seats/{each['seat']}", json.dumps(claim).encode())

    def next(self) -> bytes:
        """The body of a legal command."""
        while True:
            if self.path:
                moves = json.loads(self.connection.ask("GET", f"{self.path}/moves"))["moves"]
                if moves:
                    chosen = moves[len(moves) // 2]
                    body = {"seat": chosen["seat"], "command": chosen["command"]}
                    return json.dumps(body).encode()
            self.lay()


def timed(ask: Callable[[], object]) -> float:
    began = time.perf_counter()
    ask()
    return time.perf_counter() - began


def one_round(connection: Connection, play: Play, requests: int) -> dict[str, float]:
    """Seconds a request, by what was asked."""
    spent: dict[str, float] = {}

    def take(
        name: str, status: int, method: str, path: str, body: bytes = b"", more: str = ""
    ) -> None:
        seconds = timed(lambda: connection.ask(method, path, body, more))
        if connection.status != status:
            raise AssertionError(f"{name} answered {connection.status}")
        spent[name] = spent.get(name, 0.0) + seconds

    for _ in range(requests):
        command = play.next()
        play.key += 1
        key = f"Idempotency-Key: b{play.key}\r\n"
        take("bare", 200, "POST", "/bare/hello", command)
        take("xadd", 201, "POST", "/bare/xadd", command)
        take("command", 201, "POST", f"{play.path}/commands", command, key)
        take("retried key", 201, "POST", f"{play.path}/commands", command, key)
        stale = 'If-Match: "1-0000000000000000"\r\n'
        take("stale version", 412, "POST", f"{play.path}/commands", command, stale)
        start = b'{"command":{"type":"start"}}'
        take("refusal", 409, "POST", f"{play.path}/commands", start)
        take("game 200", 200, "GET", play.path)
        tag = f"If-None-Match: {connection.header('ETag')}\r\n"
        take("game 304", 304, "GET", play.path, b"", tag)
        take("moves", 200, "GET", f"{play.path}/moves")
    return {name: seconds / requests for name, seconds in spent.items()}


def measure(rounds: int, requests: int, fsync: Any) -> list[dict[str, float]]:
    """Starts server and service, returns each round's figures after a first one that is dropped."""
    with (
        tempfile.TemporaryDirectory() as folder,
        EmbeddedServer(Path(folder), fsync=fsync) as server,
    ):
        port = free_port()
        limits = {f"BAILLI_RATE_{name.upper()}": "0" for name in LIMITS}
        env = {
            **os.environ,
            **limits,
            "REDIS_URL": server.url,
            "PORT": str(port),
            "BAILLI_DATA": folder,
            "BAILLI_WEB_WORKERS": "1",
        }
        command = [sys.executable, "-m", "gunicorn", "--config", "gunicorn.conf.py"]
        process = subprocess.Popen([*command, "bench.http_app:app"], env=env, cwd=ROOT)
        try:
            connection = _connected(port)
            play = Play(connection)
            return [one_round(connection, play, requests) for _ in range(rounds + 1)][1:]
        finally:
            process.terminate()
            process.wait(20)


def _connected(port: int) -> Connection:
    for _ in range(200):
        try:
            return Connection(port, new_token().text)
        except OSError:
            time.sleep(0.1)
    raise AssertionError("the service does not answer")


def report(found: list[dict[str, float]]) -> None:
    print(f"{'request':16}{'ms':>8}{'of bare':>10}{'of XADD':>10}   goals")
    for name in found[0]:
        to = {
            base: statistics.median(each[base] / each[name] for each in found)
            for base in ("bare", "xadd")
        }
        goals = "  ".join(
            f"{base} ≥ {goal}: {'met' if to[base] >= goal else 'missed'}"
            for (of, base), goal in GOALS.items()
            if of == name
        )
        milliseconds = 1000 * statistics.median(each[name] for each in found)
        print(f"{name:16}{milliseconds:8.2f}{to['bare']:10.2f}{to['xadd']:10.2f}   {goals}")


def stages(requests: int) -> None:
    """Tells where the time of a command goes, in one process without a network."""
    from .http_stages import table  # noqa: PLC0415

    for line in table(requests):
        print(line)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--requests", type=int, default=60)
    parser.add_argument("--fsync", choices=["always", "everysec"], default="everysec")
    parser.add_argument("--stages", action="store_true")
    asked = parser.parse_args()
    if asked.stages:
        stages(asked.requests * asked.rounds)
    else:
        report(measure(asked.rounds, asked.requests, asked.fsync))


if __name__ == "__main__":
    main()
