"""Our requests against a bare Flask route and a Flask route with one XADD, interleaved in one run.

python -m bench.http [--rounds N] [--requests N] [--fsync always|everysec] [--stages]

One gevent worker under gunicorn serves all of them, one connection asks, one request after the
other; the server's disk is asked to keep each write before it answers only with --fsync always.
Figures are medians over the rounds of each round's ratio of rates.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from contextlib import closing
from typing import Any

from .api_server import Connection, lay, next_command, served
from .timing import markdown, spread

HEADING = "HTTP"
GOALS = {
    ("command", "bare"): 0.30,
    ("command", "xadd"): 0.60,
    ("game 304", "bare"): 0.60,
}


class Play:
    """Games that never end: a new one is laid when one is over."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.path = ""
        self.key = 0

    def next(self) -> bytes:
        """The body of a legal command."""
        found = next_command(self.connection, self.path) if self.path else None
        while found is None:
            self.path = lay(self.connection)
            found = next_command(self.connection, self.path)
        return found


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
        served("bench.http_app:app", workers=1, fsync=fsync) as place,
        closing(place.connection()) as connection,
    ):
        play = Play(connection)
        return [one_round(connection, play, requests) for _ in range(rounds + 1)][1:]


def rows(found: list[dict[str, float]]) -> list[tuple[str, ...]]:
    """Returns a row for each request: milliseconds, its rate of the bare route's and of XADD's

    (each with its interval), and whether goals were met.
    """
    told = []
    for name in found[0]:
        of = {base: [each[base] / each[name] for each in found] for base in ("bare", "xadd")}
        goals = ", ".join(
            f"of {base} ≥ {goal:.2f}: "
            + ("met" if statistics.median(of[base]) >= goal else "missed")
            for (request, base), goal in GOALS.items()
            if request == name
        )
        milliseconds = 1000 * statistics.median(each[name] for each in found)
        spreads = (spread(of["bare"]), spread(of["xadd"]))
        told.append((name, f"{milliseconds:.2f}", *spreads, goals))
    return told


def section(quick: bool) -> str:
    """Returns the section of the page of results."""
    found = measure(3 if quick else 10, 20 if quick else 60, "everysec")
    intro = (
        "One gevent worker, one connection, one request at a time, all kinds in turn. Rates are "
        "fractions of those of a\nbare Flask route and of a Flask route with one XADD, in the "
        "same process."
    )
    heads = ("request", "ms", "of bare", "of one XADD", "goals")
    return f"{intro}\n\n{markdown(heads, rows(found))}"


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
        for row in rows(measure(asked.rounds, asked.requests, asked.fsync)):
            print("{:16}{:>8}  {:24}{:24}{}".format(*row))


if __name__ == "__main__":
    main()
