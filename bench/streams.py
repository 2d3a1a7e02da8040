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
import re
import selectors
import socket
import statistics
import threading
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from service.games.tokens import new_token

from .api_server import Connection, finish, lay, next_command, served
from .timing import calibration, ratio, spread

HEADING = "Event streams"
MEDIAN_MS = 100.0
KEPT_RATE = 0.7
PATIENCE = 30.0

_AT = re.compile(rb'"at":(\d+)')
_ID = re.compile(rb"(?:^|\n)id: (\d+)\n")


class Load(NamedTuple):
    """What is measured: streams, spread over games, players at a time, commands a round."""

    streams: int = 500
    games: int = 250
    players: int = 2
    rounds: int = 5
    commands: int = 1_000


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


def play(port: int, token: str, paths: Sequence[str], commands: int) -> None:
    """Makes so many moves, game after game."""
    connection = Connection(port, token)
    for number in range(commands):
        path = paths[number % len(paths)]
        connection.ask("POST", f"{path}/commands", next_command(connection, path) or b"")
        if connection.status != 201:
            raise AssertionError(f"a command answered {connection.status}")


def rate(port: int, token: str, paths: Sequence[str], players: int, commands: int) -> float:
    """Returns how many commands per second the players send together."""
    context = multiprocessing.get_context("fork")
    shares = [paths[number::players] for number in range(players)]
    each = commands // players
    begun = time.perf_counter()
    working = [context.Process(target=play, args=(port, token, mine, each)) for mine in shares]
    finish(working)
    return each * players / (time.perf_counter() - begun)


def version_of(connection: Connection, path: str) -> int:
    return int(json.loads(connection.ask("GET", path))["version"])


def measure(asked: Load, port: int) -> dict[str, Any]:
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


def lines(found: dict[str, Any], streams: int) -> list[str]:
    """Returns what was measured, a line each."""
    rates, waits, returns = found["rates"], found["waits"], found["returns"]
    median, kept = statistics.median(waits), ratio(rates, "with streams", "without")
    late = statistics.quantiles(waits, n=100)[98]
    commands = ", ".join(f"{spread(values, 0)} {name}" for name, values in rates.items())
    return [
        f"{streams} streams, {len(waits):,} deliveries: median {median:.1f} ms, p99 {late:.1f} ms "
        f"(goal {MEDIAN_MS:.0f}: {verdict(median <= MEDIAN_MS)})",
        f"commands per second: {commands}; ratio {kept:.2f} (goal {KEPT_RATE}: "
        f"{verdict(kept >= KEPT_RATE)})",
        f"all reconnect at once: {len(returns):,} of {len(returns):,} served, median "
        f"{statistics.median(returns):.0f} ms, last {max(returns):.0f} ms",
    ]


def verdict(met: bool) -> str:
    return "met" if met else "missed"


def section(quick: bool) -> str:
    """Returns the section of the page of results."""
    told = []
    for games, readers in ((250, 2), (50, 10)):
        asked = Load(games * readers, games, 2, 1 if quick else 3, 300 if quick else 1_000)
        with served() as place:
            found = lines(measure(asked, place.port), asked.streams)
        told.append(f"{games} games with {readers} subscribers each:\n")
        told += [f"- {line}" for line in found]
        told.append("")
    return "\n".join(told)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in Load()._asdict().items():
        parser.add_argument(f"--{name}", type=int, default=default)
    asked = Load(**vars(parser.parse_args()))
    print(f"calibration loop: {calibration():.1f} ms")
    with served() as place:
        print("\n".join(lines(measure(asked, place.port), asked.streams)))


if __name__ == "__main__":
    main()
