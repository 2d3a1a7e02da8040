"""What games take in the server's memory, on disk and of processors, and what a million would take.

python -m bench.memory [--games N] [--request MS]

Games of every ruleset, with the minimum and maximum number of seats, are played by bots of the easy
level in seats for people, each command with a key: half a game, and to the end. The bytes of a game
are the MEMORY USAGE of all its keys, lists included; "used memory" is the growth of the server's
used_memory. `--request` is the time of an API process for a command and for fetching the moves
before it (bench.http).
"""

from __future__ import annotations

import argparse
import random
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from redis import Redis

from service.config import Settings
from service.games.commands.requests import Creation, RequestContext
from service.games.game import Game
from service.games.records.archive import archive_game
from service.games.table.events import SeatPlan
from service.games.tokens import new_token
from service.rules.ruleset import AnyRuleset, rulesets
from service.store import PARTITIONS
from service.store.embedded import EmbeddedServer
from service.store.redis_store import open_store
from workers import bots
from workers.context import WorkerContext, build_context

HEADING: Final = "Memory"
LEVEL: Final = "easy"
LIVE: Final = (1_000, 10_000, 100_000, 1_000_000)
PAUSE: Final = 300.0
"""Seconds between two commands of a live game, for the capacity table."""

ROOM: Final = 16 * 2**30
"""Bytes of games that one master is given, for the capacity table."""

BUSY: Final = 0.5
"""The share of a processor that is planned to be used."""


@dataclass
class Cost:
    """What was measured of games alike. Sizes in bytes of one game, times in ms of a command."""

    events: float
    commands: float
    stream: float
    keys: float
    whole: float
    told: float
    file: float
    left: float
    server: float
    caller: float


@dataclass
class Played:
    """A game, how many commands it had, and how long this process worked on them (s)."""

    game: Game
    commands: int = 0
    judging: float = 0.0


Measured: TypeAlias = "list[tuple[str, int, str, Cost]]"
"""Ruleset, seats, how far the games were played ("half", "finished"), what one costs."""


def play(
    context: WorkerContext,
    ruleset: AnyRuleset,
    seats: int,
    generator: random.Random,
    most: int | None,
) -> Played:
    """Plays a game, of at most so many commands."""
    host, command_handler = new_token(), context.command_handler
    plans = tuple(SeatPlan("human") for _ in range(seats))
    creation = Creation(ruleset, ruleset.options(), plans)
    written = command_handler.create(
        creation, host, RequestContext(host, key="table", fingerprint="f" * 64)
    )
    game = written.game
    for seat, code in written.codes.items():
        request = RequestContext(host, key=f"seat {seat}", fingerprint="f" * 64)
        game = command_handler.claim(game.id, seat, code, f"seat {seat}", "", request).game
    played = Played(game)
    while game.to_act() and played.commands != most:
        seat = game.to_act()[0]
        command = bots.choose(ruleset, game.state, seat, LEVEL, generator)
        request = RequestContext(host, key=f"move {played.commands}", fingerprint="f" * 64)
        begun = time.process_time()
        game = command_handler.send(game.id, seat, [command], request).game
        played.judging += time.process_time() - begun
        played.commands += 1
    played.game = game if most is not None else command_handler.append_result(game, "bench").game
    return played


def sizes(client: Redis, game: str) -> dict[str, int]:
    """Returns the bytes of each key of a game, by the key's last part."""
    found: Any = client.keys(f"{{{game[0]}}}:{game}:*")
    return {
        key.decode().rsplit(":", 1)[1]: int(client.memory_usage(key, samples=0) or 0)
        for key in found
    }


def lists(client: Redis) -> int:
    """Returns the bytes of all lists of all partitions."""
    total = 0
    for one in PARTITIONS:
        for name in ("due", "leases", "status:*", "client:*"):
            for key in client.scan_iter(f"{{{one}}}:{name}", count=1_000):
                total += int(client.memory_usage(key, samples=0) or 0)
    return total


def spent(client: Redis) -> float:
    """Returns the processor's time that the server has used (s)."""
    cpu: Any = client.info("cpu")
    return float(cpu["used_cpu_user"]) + float(cpu["used_cpu_sys"])


def measured(url: str, ruleset: AnyRuleset, seats: int, games: int, most: int | None) -> Cost:
    """Plays so many games and returns what one of them costs."""
    generator = random.Random(1)
    with Redis.from_url(url) as client, tempfile.TemporaryDirectory() as folder:
        client.flushall()
        store = open_store(url)
        context = build_context(store, Settings())
        play(context, ruleset, seats, generator, 1)
        client.flushall()
        before, listed = client.info("memory")["used_memory"], lists(client)
        used = spent(client)
        played = [play(context, ruleset, seats, generator, most) for _ in range(games)]
        used = spent(client) - used
        grown = client.info("memory")["used_memory"] - before
        commands = sum(one.commands for one in played)
        found = [sizes(client, one.game.id) for one in played]
        listed = lists(client) - listed
        files = [archive_game(store, one.game, Path(folder)) for one in played if most is None]
        left = sum(sum(sizes(client, one.game.id).values()) for one in played) if files else 0
        store.close()
        return Cost(
            events=statistics.mean(one.game.version for one in played),
            commands=commands / games,
            stream=statistics.mean(one["events"] for one in found),
            keys=statistics.mean(one["keys"] for one in found),
            whole=statistics.mean(sum(one.values()) for one in found) + listed / games,
            told=grown / games,
            file=statistics.mean(path.stat().st_size for path in files if path) if files else 0.0,
            left=left / games,
            server=used / commands * 1_000,
            caller=sum(one.judging for one in played) / commands * 1_000,
        )


def kilobytes(size: float) -> str:
    """Returns a size as it stands in the tables."""
    return f"{size / 1024:.1f}" if size else ""


def rows(found: Measured) -> list[str]:
    """Returns the lines of the table of games."""
    lines = [
        "| ruleset | seats | game | commands | events | stream kB | keys kB | all keys kB "
        "| used memory kB | archive file kB | left in store kB | server ms per command |",
        "|---|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {name} | {seats} | {how} | {cost.commands:.0f} | {cost.events:.0f} "
        f"| {kilobytes(cost.stream)} | {kilobytes(cost.keys)} | {kilobytes(cost.whole)} "
        f"| {kilobytes(cost.told)} | {kilobytes(cost.file)} | {kilobytes(cost.left)} "
        f"| {cost.server:.2f} |"
        for name, seats, how, cost in found
    ]
    return lines


def capacity(size: float, server: float, request: float) -> list[str]:
    """Returns the lines of the capacity table, for games of so many bytes and commands that take

    a master and an API process so many ms.
    """
    lines = [
        "| live games | commands per second | memory for games | masters by memory "
        "| masters by commands | API processes |",
        "|---:|---:|---:|---:|---:|---:|",
    ]
    for live in LIVE:
        a_second = live / PAUSE
        memory = live * size
        by_memory = -(-memory // ROOM)
        by_commands = -(-a_second * server // (1_000 * BUSY))
        processes = -(-a_second * request // (1_000 * BUSY))
        lines.append(
            f"| {live:,} | {a_second:,.0f} | {memory / 2**30:.1f} GB "
            f"| {by_memory:.0f} | {by_commands:.0f} | {processes:.0f} |"
        )
    return lines


def measure(games: int, seats: Callable[[Sequence[int]], Iterable[int]]) -> Measured:
    """Measures so many games of every ruleset, with those numbers of seats that are chosen."""
    found: Measured = []
    binary = shutil.which("redis-server")
    with (
        tempfile.TemporaryDirectory() as folder,
        EmbeddedServer(Path(folder), binary=binary) as server,
    ):
        for ruleset in rulesets().values():
            for number in seats(ruleset.seats):
                over = measured(server.url, ruleset, number, games, None)
                half = measured(server.url, ruleset, number, games, int(over.commands) // 2)
                found.append((ruleset.id, number, "half", half))
                found.append((ruleset.id, number, "finished", over))
    return found


def section(quick: bool) -> str:
    """Returns the section of the page of results."""
    found = measure(2, lambda seats: seats[:1]) if quick else measure(3, ends)
    intro = (
        "Games of bots in seats for people, each command with a key: the memory of each kind of "
        "key, and the growth\nof the server's used memory. [Scaling](../docs/scaling.md) draws the "
        "conclusions."
    )
    return "\n".join((intro, "", *rows(found)))


def ends(seats: Sequence[int]) -> tuple[int, int]:
    """Returns the fewest and the most of the numbers of seats."""
    return min(seats), max(seats)


def main() -> None:
    """Runs from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=5)
    parser.add_argument("--request", type=float, default=2.3)
    chosen = parser.parse_args()
    found = measure(chosen.games, ends)
    print("\n".join(rows(found)))
    live = [cost for _, _, how, cost in found if how == "half"]
    size = statistics.mean(cost.whole for cost in live)
    ms = statistics.mean(cost.server for cost in live)
    caller = statistics.mean(cost.caller for cost in live)
    print(f"\nA live game is half played: {size / 1024:.0f} kB; a command takes {ms:.2f} ms of a")
    print(f"master and {caller:.1f} ms of who judges it.\n")
    print("\n".join(capacity(size, ms, chosen.request)))


if __name__ == "__main__":
    main()
