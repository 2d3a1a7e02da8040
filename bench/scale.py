"""Commands a second with one and two API processes, beside few and many games; latency under load.

python -m bench.scale [--quick]

Players, each a process with one connection, ask for the moves of a game and make one, as fast as
they are answered (closed loop). Latency is measured with an open loop: commands are due at a
constant rate, half of what the closed loop reached, and count from when they were due.
"""

from __future__ import annotations

import multiprocessing
import random
import statistics
import threading
import time
from collections.abc import Sequence
from multiprocessing.queues import SimpleQueue
from typing import Any

from redis import Redis

from service.games.tokens import new_token

from .api_server import Connection, Served, finish, lay, next_command, served
from .timing import markdown, show

HEADING = "Scale"
PLAYERS = 2
LATE = 5.0
"""The goal: the 99th percentile is at most so many medians."""


def closed(port: int, token: str, paths: Sequence[str], seconds: float, told: Any) -> None:
    """Makes moves in one game after the other, in random order, and tells how many."""
    connection = Connection(port, token)
    generator = random.Random(port + len(paths))
    end = time.monotonic() + seconds
    done = 0
    mine = list(paths)
    while time.monotonic() < end:
        path = mine[int(generator.random() * len(mine))]
        body = next_command(connection, path)
        if body is None:
            mine.append(lay(connection))
            mine.remove(path)
            continue
        connection.ask("POST", f"{path}/commands", body)
        if connection.status != 201:
            raise AssertionError(f"a command answered {connection.status}")
        done += 1
    told.put(done)


def rate(port: int, token: str, paths: Sequence[str], seconds: float) -> float:
    """Returns how many commands per second all players send together."""
    context = multiprocessing.get_context("fork")
    told: SimpleQueue[int] = context.SimpleQueue()
    begun = time.monotonic()
    working = [
        context.Process(target=closed, args=(port, token, paths[number::PLAYERS], seconds, told))
        for number in range(PLAYERS)
    ]
    finish(working)
    return sum(told.get() for _ in working) / (time.monotonic() - begun)


def latencies(place: Served, token: str, a_second: float, seconds: float) -> list[float]:
    """Sends commands at a constant rate; returns how long (ms) after it was due each was answered.

    Each of some connections has a game of its own and sends every so-manieth command.
    """
    connections = 8
    waits: list[float] = []
    faults: list[int] = []
    start = time.perf_counter() + 0.5

    def send(number: int) -> None:
        connection = place.connection(token)
        path = lay(connection)
        body = next_command(connection, path)
        for turn in range(int(seconds * a_second / connections)):
            due = start + (turn * connections + number) / a_second
            if body is None:
                path = lay(connection)
                body = next_command(connection, path)
            time.sleep(max(0.0, due - time.perf_counter()))
            connection.ask("POST", f"{path}/commands", body or b"")
            waits.append((time.perf_counter() - due) * 1000)
            if connection.status != 201:
                faults.append(connection.status)
            body = next_command(connection, path)
        connection.close()

    threads = [threading.Thread(target=send, args=(number,)) for number in range(connections)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if faults:
        raise AssertionError(f"commands answered {set(faults)}")
    return waits


def section(quick: bool) -> str:
    """Returns the section of the page of results."""
    seconds = 3.0 if quick else 15.0
    many = 2_000 if quick else 50_000
    rows = []
    token = new_token().text
    reached = 0.0
    for workers in (1, 2):
        with served(workers=workers) as place:
            connection = place.connection(token)
            client = Redis.from_url(place.redis_url)
            paths: list[str] = []
            for games in (10, 1_000, many):
                if games == many and workers == 1:
                    continue
                paths += [lay(connection) for _ in range(games - len(paths))]
                found = rate(place.port, token, paths[-games:], seconds)
                memory = client.info("memory")["used_memory"] / 2**20
                rows.append((str(workers), f"{games:,}", f"{found:,.0f}", f"{memory:,.0f}"))
                reached = max(reached, found)
            if workers == 2:
                waits = latencies(place, token, reached / 2, seconds)
    heads = ("API processes", "games", "commands per second", "MiB in the server")
    median, late = statistics.median(waits), statistics.quantiles(waits, n=1000)
    verdict = "met" if late[989] <= LATE * median else "missed"
    return "\n".join(
        (
            f"{PLAYERS} players, each fetching the moves of a random game before each command.",
            "",
            markdown(heads, rows),
            "",
            f"At half of this ({reached / 2:,.0f} commands per second, open loop): median "
            f"{median:.1f} ms, 95 % {late[949]:.1f}, 99 % {late[989]:.1f}, 99.9 % {late[998]:.1f}; "
            f"99 % within {LATE:.0f} medians: {verdict}.",
        )
    )


def main() -> None:
    """Runs from the command line."""
    show(section, __doc__)


if __name__ == "__main__":
    main()
