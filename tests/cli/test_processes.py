"""`bailli worker` and `bailli relay` in this process, against a real server."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from redis import Redis

from service.cli import configuration, relay, worker
from service.config import Settings
from service.games import due_work
from service.games.table import state as table_state
from service.rules.ruleset import rulesets
from service.store import DueWork
from service.store.embedded import EmbeddedServer
from service.store.redis_store import open_store
from tests.workers.tables import lay, newest
from workers.context import WorkerContext, build_context
from workers.queues import BOTS_ONLY, FAST, QueueDoorbell


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WorkerContext]:
    with EmbeddedServer(tmp_path) as server:
        monkeypatch.setenv("REDIS_URL", server.url)
        yield build_context(open_store(server.url), Settings())


@pytest.fixture
def queues(here: WorkerContext) -> Redis:
    return configuration.set_up_worker().queues


def test_a_worker_plays(here: WorkerContext, queues: Redis) -> None:
    game = lay(here, "random", "random", ruleset=next(iter(rulesets().values())))
    for count in range(100):
        if newest(here, game).table.status == table_state.SCORING:
            break
        QueueDoorbell(queues).ring(DueWork(game.id, due_work.BOTS_ONLY_MOVE, 1, count))
        shown = CliRunner().invoke(worker.worker, ["fast", "--burst"])
        assert shown.exit_code == 0
    assert newest(here, game).table.status == table_state.SCORING


def test_a_relay_rings_until_it_is_told_to_stop(here: WorkerContext, queues: Redis) -> None:
    lay(here, "random", "random", ruleset=next(iter(rulesets().values())))
    bells = QueueDoorbell(queues)

    def end_when_rung() -> None:
        limit = time.monotonic() + 10
        while bells.depth(BOTS_ONLY[FAST]) == 0 and time.monotonic() < limit:
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGTERM)

    kept = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    thread = threading.Thread(target=end_when_rung)
    thread.start()
    try:
        shown = CliRunner().invoke(relay.relay)
    finally:
        thread.join()
        for number, handler in kept.items():
            signal.signal(number, handler)
    assert shown.exit_code == 0
    assert bells.depth(BOTS_ONLY[FAST]) == 1


def test_an_unknown_queue_is_refused() -> None:
    assert CliRunner().invoke(worker.worker, ["middling"]).exit_code == 2
