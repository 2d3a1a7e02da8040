"""Server, relay and worker as processes of their own, kept running like the service's."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from service.cli.supervisor import ManagedProcess, Supervisor
from service.config import Settings, next_database_url
from service.games.commands.requests import Creation, RequestContext
from service.games.game import Game
from service.games.table.events import SeatPlan
from service.games.tokens import Token
from service.rules.ruleset import AnyRuleset
from service.store.embedded import EmbeddedServer
from service.store.redis_store import open_store
from tests.faults.direct_players import patiently
from workers.context import WorkerContext, build_context

BAILLI: Final = (sys.executable, "-m", "service.cli")
FAST: Final = (*BAILLI, "worker", "fast")
SLOW: Final = (*BAILLI, "worker", "slow")


class Place:
    """A running place for games. `house` is a client of it in this process.

    `workers` are the command lines of its workers, the first one is `worker`.
    """

    def __init__(self, folder: Path, workers: Sequence[Sequence[str]] = (FAST,)) -> None:
        self._server = EmbeddedServer(folder)
        self._supervisor = Supervisor()
        self._stop = threading.Event()
        self.server = ManagedProcess("server", self._server.command(), stop_last=True)
        self._supervisor.add(self.server)
        self._server.wait()
        url = self._server.url
        environment = {"REDIS_URL": url, "QUEUE_URL": next_database_url(url)}
        self.relay = ManagedProcess("relay", [*BAILLI, "relay"], environment)
        self.workers = [ManagedProcess("worker", command, environment) for command in workers]
        self.worker = self.workers[0]
        for part in (self.relay, *self.workers):
            self._supervisor.add(part)
        self._thread = threading.Thread(target=self._supervisor.run, args=(self._stop, 0.02))
        self._thread.start()
        self.context: WorkerContext = build_context(open_store(url, timeout=2), Settings())

    def kill(self, part: ManagedProcess) -> None:
        """Ends a part as a crash would; one that is just being started again is waited for."""
        while (process := part.process) is None or process.poll() is not None:
            time.sleep(0.01)
        os.kill(process.pid, signal.SIGKILL)

    @property
    def starts(self) -> int:
        """How often parts were started."""
        return sum(part.starts for part in (self.server, self.relay, *self.workers))

    def close(self) -> None:
        self._stop.set()
        self._thread.join()
        self._supervisor.close()
        self._server.stop()


@contextlib.contextmanager
def running(folder: Path, workers: Sequence[Sequence[str]] = (FAST,)) -> Iterator[Place]:
    """A place that is gone afterwards."""
    place = Place(folder, workers)
    try:
        yield place
    finally:
        place.close()


def laid(place: Place, ruleset: AnyRuleset, host: Token, key: str, *levels: str | None) -> str:
    """Lays a table with bots of these levels; None is a seat for a person."""
    seats = tuple(
        SeatPlan("human") if level is None else SeatPlan("bot", level, level) for level in levels
    )
    creation = Creation(ruleset, ruleset.options(), seats)
    create = place.context.command_handler.create
    game: Game = patiently(create, creation, host, RequestContext(host, key=key)).game
    return game.id
