"""The API under gunicorn, and clients that listen to it over plain sockets."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from service.games.tokens import new_token
from service.store.embedded import free_port
from tests.api.http_client import RULESET, SEATS
from tests.contract.running import UNLIMITED

ROOT = Path(__file__).parents[2]
PATIENCE = 20.0


class Served(NamedTuple):
    """A running API: its port and its process."""

    port: int
    process: subprocess.Popen[bytes]

    def leave(self) -> None:
        """Asks it to end."""
        self.process.send_signal(signal.SIGTERM)


@contextmanager
def served(
    redis_url: str,
    folder: Path,
    files: int | None = None,
    app: str = "wsgi:app",
    **settings: str,
) -> Iterator[Served]:
    """The API on a store, for as long as it is needed; allowed so many open files at first."""
    port = free_port()
    env = {
        **os.environ,
        **UNLIMITED,
        "REDIS_URL": redis_url,
        "PORT": str(port),
        "BAILLI_DATA": str(folder),
        "BAILLI_HEARTBEAT_S": "1",
        **settings,
    }
    command = [sys.executable, "-m", "gunicorn", "--config", "gunicorn.conf.py", app]
    if files is not None:
        command = ["/bin/sh", "-c", f'ulimit -S -n {files}; exec "$@"', "sh", *command]
    process = subprocess.Popen(command, env=env, cwd=ROOT)
    try:
        _await(port)
        yield Served(port, process)
    finally:
        process.terminate()
        process.wait(20)


def _await(port: int) -> None:
    limit = time.monotonic() + 30
    while True:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        try:
            with closing(connection):
                connection.request("GET", "/readyz")
                assert connection.getresponse().status == 200
            return
        except OSError:
            assert time.monotonic() < limit, "the API does not answer"
            time.sleep(0.1)


class Client:
    """Somebody with a token of their own, or another's."""

    def __init__(self, port: int, token: str | None = None) -> None:
        self.port = port
        self.token = token or new_token().text

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """Returns (status, headers, JSON) of an answer (bytes where it is none); keyword arguments

        are headers.
        """
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        sent["Authorization"] = f"Bearer {self.token}"
        data = None
        if body is not None:
            sent["Content-Type"] = "application/json"
            data = json.dumps(body)
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE + 30)
        with closing(connection):
            connection.request(method, path, data, sent)
            answer = connection.getresponse()
            raw = answer.read()
        told = (
            raw if answer.headers.get_content_subtype() == "svg+xml" else json.loads(raw or "null")
        )
        return answer.status, answer.headers, told

    def get(self, path: str, **headers: str) -> Any:
        """The JSON of what is at a path."""
        status, _, body = self.ask("GET", path, **headers)
        assert status == 200, body
        return body

    def play(self, seats: int = SEATS, **more: Any) -> dict[str, Any]:
        """Lays a table and takes all its seats; returns what the creation answered."""
        asked = {"ruleset": RULESET.id, "seats": [{"kind": "human"}] * seats, **more}
        status, _, made = self.ask("POST", "/v1/games", asked)
        assert status == 201, made
        for each in made["claim_codes"]:
            self.claim(made, each["seat"])
        return dict(made)

    def claim(self, made: dict[str, Any], seat: int) -> None:
        """Takes a seat."""
        codes = {each["seat"]: each["claim_code"] for each in made["claim_codes"]}
        claim = {"claim_code": codes[seat], "name": f"seat {seat}"}
        status, _, body = self.ask("POST", f"{path_of(made)}/seats/{seat}", claim)
        assert status == 201, body

    def send(self, path: str, command: Any, seat: int | None = None) -> int:
        """Sends a command; returns the version after it."""
        body = {"command": command} if seat is None else {"command": command, "seat": seat}
        status, _, answer = self.ask("POST", f"{path}/commands", body)
        assert status == 201, answer
        return int(answer["version"])

    def move(self, path: str) -> int:
        """Makes the first legal move."""
        first = self.get(f"{path}/moves")["moves"][0]
        return self.send(path, first["command"], first["seat"])


def path_of(made: dict[str, Any]) -> str:
    """The path of a game that was laid."""
    return str(made["game"]["links"]["self"])


class Message(NamedTuple):
    """A message of an event stream: what `id` was set to, the event's name, its data."""

    id: str
    event: str
    data: Any


class Listener:
    """An open event stream (or whatever else came of asking for one)."""

    def __init__(
        self,
        port: int,
        path: str,
        token: str | None = None,
        last: str | int | None = None,
        *,
        receive: int | None = None,
    ) -> None:
        self._socket = socket.socket()
        if receive is not None:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive)
        self._socket.settimeout(PATIENCE)
        self._socket.connect(("127.0.0.1", port))
        lines = [f"GET {path} HTTP/1.1", "Host: localhost", "Accept: text/event-stream"]
        if token is not None:
            lines.append(f"Authorization: Bearer {token}")
        if last is not None:
            lines.append(f"Last-Event-ID: {last}")
        self._socket.sendall("\r\n".join([*lines, "", ""]).encode())
        self._answer = http.client.HTTPResponse(self._socket)
        self._answer.begin()
        self.status = self._answer.status
        self.headers = self._answer.headers
        self.id = ""
        self.comments = 0
        self.retry: int | None = None

    def next(self) -> Message | None:
        """The next message, None where the stream has ended. Raises where it was cut."""
        event, data = "message", ""
        while line := self._answer.readline():
            text = line.decode().rstrip("\n")
            name, _, value = text.partition(": ")
            if not text:
                if data:
                    return Message(self.id, event, json.loads(data))
                event = "message"
            elif text.startswith(":"):
                self.comments += 1
            elif name == "id":
                self.id = value
            elif name == "retry":
                self.retry = int(value)
            elif name == "event":
                event = value
            else:
                assert name == "data"
                data += value
        return None

    def opened(self) -> None:
        """Reads as far as the id that is told at first, if no message comes with it."""
        while not self.id:
            line = self._answer.readline().decode()
            if line.startswith("id: "):
                self.id = line[4:].strip()

    def beat(self) -> None:
        """Waits for a heartbeat."""
        while not self._answer.readline().startswith(b":"):
            pass
        self.comments += 1

    def problem(self) -> dict[str, Any]:
        """The problem that came in its place."""
        return dict(json.loads(self._answer.read()))

    def close(self) -> None:
        """Hangs up."""
        self._answer.close()
        self._socket.close()

    def __enter__(self) -> Listener:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
