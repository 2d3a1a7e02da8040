"""The service under gunicorn on its own server, to be measured, and a plain client of it."""

from __future__ import annotations

import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from service.config import RATE_LIMITED
from service.games.tokens import new_token
from service.rules.ruleset import AnyRuleset, rulesets
from service.store.embedded import EmbeddedServer, free_port

ROOT = Path(__file__).parents[1]
PATIENCE = 30.0
UNLIMITED = {
    **{f"BAILLI_RATE_{name.upper()}": "0" for name in RATE_LIMITED},
    "BAILLI_STREAMS_PER_CLIENT": "0",
    "BAILLI_GAMES_PER_TOKEN": "0",
    "BAILLI_BOTS_CLIENT": "0",
    "BAILLI_BOTS_ALL": "0",
}
"""The environment without limits."""


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
            more_of_it = self._socket.recv(65536)
            if not more_of_it:
                raise ConnectionError("the service hung up")
            got += more_of_it
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

    def close(self) -> None:
        self._socket.close()


@dataclass(frozen=True)
class Served:
    """A service that answers: its port and its store."""

    port: int
    redis_url: str

    def connection(self, token: str | None = None) -> Connection:
        """Returns a new connection of a client of its own, or of one that is known."""
        return Connection(self.port, token or new_token().text)


@contextmanager
def served(app: str = "wsgi:app", workers: int = 2, fsync: Any = "everysec") -> Iterator[Served]:
    """Runs an application under gunicorn beside an embedded server, without limits of rate."""
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        EmbeddedServer(Path(folder), fsync=fsync) as server,
    ):
        port = free_port()
        place = {
            "REDIS_URL": server.url,
            "PORT": str(port),
            "BAILLI_DATA": folder,
            "BAILLI_WEB_WORKERS": str(workers),
            "BAILLI_LOG": "warning",  # lines would stand between the figures
        }
        command = [sys.executable, "-m", "gunicorn", "--config", "gunicorn.conf.py", app]
        process = subprocess.Popen(command, env={**os.environ, **UNLIMITED, **place}, cwd=ROOT)
        try:
            _await(port)
            yield Served(port, server.url)
        finally:
            process.terminate()
            process.wait(20)


def _await(port: int) -> None:
    limit = time.monotonic() + PATIENCE
    while True:
        try:
            with closing(Connection(port, new_token().text)) as connection:
                connection.ask("GET", "/readyz")
            return
        except OSError:
            if time.monotonic() > limit:
                raise AssertionError("the service does not answer") from None
            time.sleep(0.1)


def finish(players: Sequence[BaseProcess]) -> None:
    """Starts players and waits until all have ended. Raises `AssertionError` where one failed."""
    for player in players:
        player.start()
    for player in players:
        player.join()
        if player.exitcode:
            raise AssertionError("a player failed")


def lay(connection: Connection, ruleset: AnyRuleset | None = None) -> str:
    """Lays a table of people, as small as can be, takes its seats; returns its path."""
    ruleset = ruleset or next(iter(rulesets().values()))
    wanted = {"ruleset": ruleset.id, "seats": [{"kind": "human"}] * min(ruleset.seats)}
    made = json.loads(connection.ask("POST", "/v1/games", json.dumps(wanted).encode()))
    path = str(made["game"]["links"]["self"])
    for each in made["claim_codes"]:
        claim = {"claim_code": each["claim_code"], "name": "Ana"}
        connection.ask("POST", f"{path}/seats/{each['seat']}", json.dumps(claim).encode())
    return path


def next_command(connection: Connection, path: str) -> bytes | None:
    """Returns the body of a legal command of a game, any one, None where nobody may move."""
    moves = json.loads(connection.ask("GET", f"{path}/moves"))["moves"]
    if not moves:
        return None
    chosen = random.choice(moves)
    return json.dumps({"seat": chosen["seat"], "command": chosen["command"]}).encode()
