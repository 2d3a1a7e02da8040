"""From entries in the server to a state: cold and warm, and the cost of an event in longer games.

python -m bench.replay [RULESET]
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
from pathlib import Path

from redis import Redis

from service.games.commands.handler import CommandHandler
from service.games.commands.requests import Creation, RequestContext
from service.games.game import Game, fold
from service.games.repository import Repository
from service.games.table.commands import AcceptUndo, Undo
from service.games.table.events import SeatPlan
from service.games.tokens import new_token
from service.rules.ruleset import AnyRuleset, rulesets
from service.store.embedded import EmbeddedServer
from service.store.redis_store import RedisStore, open_store

from .timing import calibration, markdown, milliseconds, spread

HEADING = "Replay"
LONG = 400
GOAL_MS = 10.0
LENGTHS = (100, 500, 1_000, 2_000, 5_000)


def played(
    command_handler: CommandHandler, ruleset: AnyRuleset, seats: int, least: int, undo: float
) -> Game:
    """Plays a random game of people through the write path, to `least` events or its end.

    With probability `undo` a move is taken back at once, with the others' consent where that is
    needed, so that a game can be as long as wanted.
    """
    host = new_token()
    plan = tuple(SeatPlan("human") for _ in range(seats))
    written = command_handler.create(
        Creation(ruleset, ruleset.options(), plan), host, RequestContext(host)
    )
    game = written.game
    for seat, code in written.codes.items():
        game = command_handler.claim(
            game.id, seat, code, f"seat {seat}", "", RequestContext(host)
        ).game
    generator = random.Random(1)
    while game.version < least and game.to_act():
        seat = game.to_act()[0]
        command = generator.choice(ruleset.legal(game.state, seat))
        game = command_handler.send(game.id, seat, [command], RequestContext(host)).game
        if game.to_act() and generator.random() < undo:
            game = command_handler.send(game.id, seat, [Undo()], RequestContext(host)).game
            for other in range(seats):
                asked = game.table.take_back_request
                if asked is not None and asked.seat != other:
                    game = command_handler.send(
                        game.id, other, [AcceptUndo()], RequestContext(host)
                    ).game
    return game


def row(store: RedisStore, client: Redis, ruleset: AnyRuleset, times: int) -> tuple[str, ...]:
    """Returns a row of the table of cold and warm loads."""
    command_handler = CommandHandler(store, Repository(store))
    seats = ruleset.seats[-1]
    game = played(command_handler, ruleset, seats, LONG, 0.1)
    entries = store.read(game.id).entries
    warm = Repository(store)
    warm.load(game.id)
    cold = milliseconds(lambda: Repository(store).load(game.id), times)
    median = statistics.median(cold)
    return (
        ruleset.id,
        str(seats),
        str(game.version),
        spread(cold),
        f"{1000 * game.version / median:,.0f}",
        f"{statistics.median(milliseconds(lambda: store.read(game.id), times)):.2f}",
        f"{statistics.median(milliseconds(lambda: fold(None, entries), times)):.2f}",
        f"{statistics.median(milliseconds(lambda: warm.load(game.id), times)):.3f}",
        f"{statistics.median(milliseconds(client.ping, times)):.3f}",
        f"< {GOAL_MS:.0f} ms: {'met' if median < GOAL_MS else 'missed'}",
    )


def growth(store: RedisStore, ruleset: AnyRuleset, times: int, longest: int) -> tuple[str, ...]:
    """Returns a row of the table of the cost of an event (µs) in games of growing length."""
    command_handler = CommandHandler(store, Repository(store))
    game = played(command_handler, ruleset, ruleset.seats[-1], longest, 0.92)
    entries = store.read(game.id).entries
    cells = [ruleset.id]
    for length in LENGTHS:
        if length > len(entries):
            cells.append("–")
            continue
        spent = milliseconds(lambda length=length: fold(None, entries[:length]), times)
        cells.append(f"{1000 * statistics.median(spent) / length:.1f}")
    return tuple(cells)


def tables(names: list[str], times: int, longest: int) -> str:
    """Returns both tables."""
    with tempfile.TemporaryDirectory() as folder, EmbeddedServer(Path(folder)) as server:
        store, client = open_store(server.url), Redis.from_url(server.url)
        chosen = [rulesets()[name] for name in names]
        first = markdown(
            ("ruleset", "seats", "events", "cold, ms", "events per second", "read", "fold",
             "warm", "PING", "goal"),
            [row(store, client, ruleset, times) for ruleset in chosen],
        )  # fmt: skip
        second = markdown(
            ("µs per event, games of", *(f"{length:,} events" for length in LENGTHS)),
            [growth(store, ruleset, max(3, times // 5), longest) for ruleset in chosen],
        )
    return f"{first}\n\nCost per event in games that take-backs make this long:\n\n{second}"


def section(quick: bool) -> str:
    """Returns the section of the page of results."""
    return tables([*rulesets()], 20 if quick else 50, 1_000 if quick else 5_000)


def main() -> None:
    """Runs from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ruleset", nargs="?", choices=[*rulesets()])
    chosen = parser.parse_args()
    print(f"calibration loop: {calibration():.1f} ms")
    print(tables([chosen.ruleset] if chosen.ruleset else [*rulesets()], 50, LENGTHS[-1]))


if __name__ == "__main__":
    main()
