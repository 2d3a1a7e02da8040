"""Appends and reads against raw Redis commands.

python -m bench.store [--rounds N]
"""

from __future__ import annotations

import argparse
import random
import secrets
import tempfile
from pathlib import Path
from typing import Any

from redis import Redis

from service.store import GENESIS_HASH, Append, chain_entry
from service.store.embedded import EmbeddedServer
from service.store.redis_store import RedisStore, open_store

from .timing import calibration, markdown, rates, ratio, spread, table

HEADING = "Store"
APPENDS = 300
LONG = 400
REPLAYS = 20


def _id() -> str:
    return "a" + "".join(random.choices("abcdefghijklmnopqrstuvwxyz234567", k=25))


def appends(store: RedisStore) -> int:
    """Appends single entries to a fresh stream."""
    game, head = _id(), GENESIS_HASH
    for version in range(APPENDS):
        entry = chain_entry(
            head, "tile_placed", 1, b'{"seat":1,"x":3,"y":-4,"rotation":2}', b"m" * 120
        )
        store.append(Append(game, version, head, (entry,), None, {"bot": version, "idle": None}))
        head = entry.hash
    return APPENDS


def raw_appends(client: Redis) -> int:
    """Adds entries of the same size with bare XADD."""
    key = f"{{a}}:{secrets.token_hex(8)}"
    fields = {"t": "tile_placed", "v": 1, "d": "d" * 36, "m": "m" * 120, "h": b"h" * 32}
    for version in range(1, APPENDS + 1):
        client.xadd(key, fields, f"{version}-0")
    return APPENDS


def stream(store: RedisStore) -> str:
    """Appends a stream of as many entries; returns its game."""
    game, head = _id(), GENESIS_HASH
    made = []
    for _ in range(LONG):
        made.append(
            chain_entry(head, "tile_placed", 1, b'{"seat":1,"x":3,"y":-4,"rotation":2}', b"m" * 120)
        )
        head = made[-1].hash
    store.append(Append(game, 0, GENESIS_HASH, tuple(made)))
    return game


def replays(store: RedisStore, game: str) -> int:
    """Reads a whole stream, checks its chain, several times. Returns how many entries that was."""
    for _ in range(REPLAYS):
        previous = GENESIS_HASH
        for entry in store.read(game).entries:
            if chain_entry(previous, entry.type, entry.schema, entry.data, entry.meta) != entry:
                raise RuntimeError("the chain is broken")
            previous = entry.hash
    return REPLAYS * LONG


def reads(store: RedisStore, game: str) -> int:
    """Reads a whole stream several times."""
    return sum(len(store.read(game).entries) for _ in range(REPLAYS))


def raw_reads(client: Redis, game: str) -> int:
    """Reads the same stream with bare XRANGE."""
    return sum(len(client.xrange(f"{{{game[0]}}}:{game}:events")) for _ in range(REPLAYS))


def measure(folder: Path, fsync: Any, rounds: int) -> dict[str, list[float]]:
    """Returns the rates of all works in each round, on a server of their own."""
    with EmbeddedServer(folder / fsync, fsync=fsync) as server:
        store, client = open_store(server.url), Redis.from_url(server.url)
        game = stream(store)
        return rates(
            {
                "append": lambda: appends(store),
                "bare XADD": lambda: raw_appends(client),
                "read": lambda: reads(store, game),
                "read, chain checked": lambda: replays(store, game),
                "bare XRANGE": lambda: raw_reads(client, game),
            },
            rounds,
        )


def section(quick: bool) -> str:
    """Returns the section of the page of results."""
    told = []
    with tempfile.TemporaryDirectory() as folder:
        for fsync in ("always", "everysec"):
            found = measure(Path(folder), fsync, 3 if quick else 10)
            for name, values in found.items():
                bare = {"append": "bare XADD", "bare XADD": ""}.get(name, "bare XRANGE")
                of = "" if bare in ("", name) else f"{ratio(found, name, bare):.2f} of {bare}"
                told.append((fsync, name, spread(values, 0), of))
    return markdown(("appendfsync", "work", "entries per second", "ratio"), told)


def main() -> None:
    """Runs from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10)
    chosen = parser.parse_args()
    print(f"calibration loop: {calibration():.1f} ms")
    with tempfile.TemporaryDirectory() as folder:
        for fsync in ("always", "everysec"):
            found = measure(Path(folder), fsync, chosen.rounds)
            print(f"\nappendfsync {fsync}")
            print(table(found, "entries per second"))
            print(f"append to bare XADD: {ratio(found, 'append', 'bare XADD'):.2f}")
            print(f"read to bare XRANGE: {ratio(found, 'read', 'bare XRANGE'):.2f}")


if __name__ == "__main__":
    main()
