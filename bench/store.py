"""Appends and replays against raw Redis commands, states cold and warm, memory a game.

python -m bench.store [--rounds N]
"""

from __future__ import annotations

import argparse
import random
import secrets
import statistics
import tempfile
import time
from pathlib import Path

from redis import Redis

from service.games.access import new_token
from service.games.events import SeatPlan
from service.games.game import Game, fold
from service.games.handling import Creation, Handling, Request
from service.games.repository import Repository
from service.rules.ruleset import AnyRuleset, rulesets
from service.store.embedded import EmbeddedServer
from service.store.protocol import NO_HASH, Append, chained
from service.store.redis_store import RedisStore, open_store

from .timing import calibration, rates, ratio, table

APPENDS = 300
LONG = 400
REPLAYS = 20


def _id() -> str:
    return "a" + "".join(random.choices("abcdefghijklmnopqrstuvwxyz234567", k=25))


def appends(store: RedisStore) -> int:
    """Appends single entries to a fresh stream."""
    game, head = _id(), NO_HASH
    for version in range(APPENDS):
        entry = chained(head, "tile_placed", 1, b'{"seat":1,"x":3,"y":-4,"rotation":2}', b"m" * 120)
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
    game, head = _id(), NO_HASH
    made = []
    for _ in range(LONG):
        made.append(
            chained(head, "tile_placed", 1, b'{"seat":1,"x":3,"y":-4,"rotation":2}', b"m" * 120)
        )
        head = made[-1].hash
    store.append(Append(game, 0, NO_HASH, tuple(made)))
    return game


def replays(store: RedisStore, game: str) -> int:
    """Reads a whole stream, checks its chain, several times. Returns how many entries that was."""
    for _ in range(REPLAYS):
        previous = NO_HASH
        for entry in store.read(game).entries:
            if chained(previous, entry.type, entry.schema, entry.data, entry.meta) != entry:
                raise RuntimeError("the chain is broken")
            previous = entry.hash
    return REPLAYS * LONG


def reads(store: RedisStore, game: str) -> int:
    """Reads a whole stream several times."""
    return sum(len(store.read(game).entries) for _ in range(REPLAYS))


def raw_reads(client: Redis, game: str) -> int:
    """Reads the same stream with bare XRANGE."""
    return sum(len(client.xrange(f"{{{game[0]}}}:{game}:events")) for _ in range(REPLAYS))


def played(handling: Handling, ruleset: AnyRuleset, least: int) -> Game:
    """Plays a random game of people through the write path, to `least` events or its end."""
    host = new_token()
    seats = tuple(SeatPlan("human") for _ in range(ruleset.seats[0]))
    written = handling.create(Creation(ruleset, ruleset.options(), seats), host, Request(host))
    game = written.game
    for seat, code in written.codes.items():
        game = handling.claim(game.id, seat, code, f"seat {seat}", "", Request(host)).game
    generator = random.Random(1)
    while game.version < least and game.to_act():
        seat = game.to_act()[0]
        command = generator.choice(ruleset.legal(game.law, seat))
        game = handling.send(game.id, seat, [command], Request(host)).game
    return game


def milliseconds(work: object, times: int = 50) -> float:
    """Returns the median time of a call (ms)."""
    spent = []
    for _ in range(times):
        begun = time.perf_counter()
        work()  # type: ignore[operator]
        spent.append((time.perf_counter() - begun) * 1000)
    return statistics.median(spent)


def games(store: RedisStore, client: Redis, ruleset: AnyRuleset) -> str:
    """Returns cold and warm loads of a long game, and what it takes in the server's memory."""
    handling = Handling(store, Repository(store))
    before = client.info("memory")["used_memory"]
    many = [played(handling, ruleset, LONG) for _ in range(5)]
    each = (client.info("memory")["used_memory"] - before) / len(many) / 1024
    game = many[-1]
    warm = Repository(store)
    warm.load(game.id)
    entries = store.read(game.id).entries
    cold = milliseconds(lambda: Repository(store).load(game.id))
    return "\n".join(
        (
            f"{ruleset.title}, a game of {game.version} events:",
            f"  cold {cold:.2f} ms (read {milliseconds(lambda: store.read(game.id)):.2f}, "
            f"fold {milliseconds(lambda: fold(None, entries)):.2f}), "
            f"warm {milliseconds(lambda: warm.load(game.id)):.3f} ms, "
            f"a PING {milliseconds(client.ping):.3f} ms",
            f"  {each:.0f} kB in the server",
        )
    )


def main() -> None:
    """Runs from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10)
    chosen = parser.parse_args()
    print(f"calibration loop: {calibration():.1f} ms")
    with tempfile.TemporaryDirectory() as folder:
        for fsync in ("always", "everysec"):
            with EmbeddedServer(Path(folder) / fsync, fsync=fsync) as server:  # type: ignore[arg-type]
                store, client = open_store(server.url), Redis.from_url(server.url)
                game = stream(store)
                found = rates(
                    {
                        "append": lambda store=store: appends(store),
                        "bare XADD": lambda client=client: raw_appends(client),
                        "read": lambda store=store, game=game: reads(store, game),
                        "read, chain checked": lambda store=store, game=game: replays(store, game),
                        "bare XRANGE": lambda client=client, game=game: raw_reads(client, game),
                    },
                    chosen.rounds,
                )
                print(f"\nappendfsync {fsync}")
                print(table(found, "entries a second"))
                print(f"append to bare XADD: {ratio(found, 'append', 'bare XADD'):.2f}")
                print(f"read to bare XRANGE: {ratio(found, 'read', 'bare XRANGE'):.2f}")
                if fsync == "everysec":
                    for ruleset in rulesets().values():
                        print(games(store, client, ruleset))


if __name__ == "__main__":
    main()
