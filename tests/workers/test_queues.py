"""Queues and workers on a real server."""

from __future__ import annotations

import signal
import threading
import time
from typing import Any

import pytest
from redis import Redis
from rq import Queue
from rq.job import Job
from rq.serializers import JSONSerializer

from service.config import Settings
from service.games import due_work
from service.games.table import state as table_state
from service.rules.ruleset import AnyRuleset, rulesets
from service.store import DueWork
from service.store.embedded import free_port
from service.store.redis_store import open_store
from workers import context
from workers import worker as workers
from workers.queues import ANALYSES, BOTS_ONLY, FAST, QUEUES, SLOW, QueueDoorbell
from workers.relay import Relay

from .tables import lay, newest

GAME = "g" * 26


def job_ids(queues: Redis, name: str) -> list[str]:
    return Queue(name, connection=queues, serializer=JSONSerializer).job_ids


def test_a_job_is_named_by_the_lease_and_holds_plain_data(queues: Redis) -> None:
    bells = QueueDoorbell(queues)
    assert bells.ring(DueWork(GAME, due_work.BOT_MOVE, 1234, 1))
    assert job_ids(queues, FAST) == [f"{GAME}-bot-1234-1"]
    job = Job.fetch(f"{GAME}-bot-1234-1", connection=queues, serializer=JSONSerializer)
    assert (job.func_name, job.args) == ("workers.jobs.work", ["bot", GAME, False])
    assert bells.depth(FAST) == 1


@pytest.mark.parametrize("kind", [*due_work.KINDS, due_work.IMPORT, due_work.ANALYSIS])
def test_each_kind_of_work_has_its_queue(queues: Redis, kind: str) -> None:
    QueueDoorbell(queues).ring(DueWork(GAME, kind, 1, 1))
    slow = kind in (due_work.BOT_SEARCH, due_work.IMPORT, due_work.BOTS_ONLY_SEARCH)
    taken = ANALYSES if kind == due_work.ANALYSIS else SLOW if slow else FAST
    if kind in (due_work.BOTS_ONLY_MOVE, due_work.BOTS_ONLY_SEARCH):
        taken = BOTS_ONLY[taken]
    assert {name: len(job_ids(queues, name)) for name in QUEUES if job_ids(queues, name)} == {
        taken: 1
    }


def test_a_job_that_still_waits_is_left(queues: Redis) -> None:
    bells = QueueDoorbell(queues)
    assert bells.ring(DueWork(GAME, due_work.BOT_MOVE, 1, 1))
    assert not bells.ring(DueWork(GAME, due_work.BOT_MOVE, 5001, 2))
    assert bells.ring(DueWork(GAME, due_work.SCORE, 5001, 1))
    assert len(job_ids(queues, FAST)) == 2


def test_a_job_that_somebody_took_and_lost_is_rung_for_again(queues: Redis) -> None:
    bells = QueueDoorbell(queues)
    bells.ring(DueWork(GAME, due_work.BOT_MOVE, 1, 1))
    queues.lpop(f"rq:queue:{FAST}")
    assert bells.ring(DueWork(GAME, due_work.BOT_MOVE, 5001, 2))
    assert job_ids(queues, FAST) == [f"{GAME}-bot-5001-2"]


def test_a_job_that_a_worker_was_lost_with_is_marked(queues: Redis) -> None:
    """It stood in no queue when it was rung for again, and the same work was still owed."""
    bells = QueueDoorbell(queues)

    def marked(lease: DueWork) -> bool:
        assert bells.ring(lease)
        queue = Queue(FAST, connection=queues, serializer=JSONSerializer)
        (job,) = queue.jobs
        queue.empty()
        return bool(job.args[2])

    assert not marked(DueWork(GAME, due_work.BOT_MOVE, 1, 1))
    assert marked(DueWork(GAME, due_work.BOT_MOVE, 5001, 2))
    assert not marked(DueWork(GAME, due_work.BOT_MOVE, 9000, 1)), "that is other work"
    assert not marked(DueWork("h" * 26, due_work.BOT_MOVE, 9000, 3)), "somebody else rang for it"


def test_only_so_much_of_bots_alone_waits(queues: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workers.queues.MAX_BOTS_ONLY", 2)
    bells = QueueDoorbell(queues)
    games = [letter * 26 for letter in "abc"]
    for kind, name in (
        (due_work.BOTS_ONLY_MOVE, BOTS_ONLY[FAST]),
        (due_work.BOTS_ONLY_SEARCH, BOTS_ONLY[SLOW]),
    ):
        assert [bells.ring(DueWork(game, kind, 1, 1)) for game in games] == [True, True, False]
        assert len(job_ids(queues, name)) == 2
    queues.delete(f"rq:queue:{BOTS_ONLY[FAST]}")
    assert bells.ring(DueWork(games[2], due_work.BOTS_ONLY_MOVE, 5001, 2))
    (job,) = Queue(BOTS_ONLY[FAST], connection=queues, serializer=JSONSerializer).jobs
    assert not job.args[2], "no worker was lost with it"
    for kind in (due_work.BOT_MOVE, due_work.BOT_SEARCH):
        assert all(bells.ring(DueWork(game, kind, 1, 1)) for game in games)


def test_bots_alone_come_last(redis_url: str, queues: Redis) -> None:
    """A worker takes what somebody waits for, whenever it came."""
    here = context.build_context(open_store(redis_url), Settings())
    games = [lay(here, "random", "random") for _ in range(3)]
    bells = QueueDoorbell(queues)
    for game in games[:2]:
        bells.ring(DueWork(game.id, due_work.BOTS_ONLY_MOVE, 1, 1))
    bells.ring(DueWork(games[2].id, due_work.BOT_MOVE, 1, 1))
    workers.run(FAST, here, queues, burst=True, max_jobs=1)
    statuses = [newest(here, game).table.status for game in games]
    assert statuses == [table_state.PLAYING, table_state.PLAYING, table_state.SCORING]


def test_bells_remember_only_so_much(queues: Redis) -> None:
    bells = QueueDoorbell(queues, limit=1)
    bells.ring(DueWork(GAME, due_work.BOT_MOVE, 1, 1))
    bells.ring(DueWork(GAME, due_work.SCORE, 1, 1))
    assert bells.ring(DueWork(GAME, due_work.BOT_MOVE, 5001, 2))


def test_a_worker_needs_one_of_the_queues(queues: Redis) -> None:
    with pytest.raises(ValueError, match="no queue"):
        workers.build_worker("other", None, queues)  # type: ignore[arg-type]


def test_a_worker_does_not_count_as_alive_for_long(queues: Redis) -> None:
    one: Any = workers.build_worker(FAST, None, queues)  # type: ignore[arg-type]
    job = Job.create("workers.jobs.work", connection=queues, timeout=30)
    assert one.get_heartbeat_ttl(job) == 35
    assert (one.worker_ttl, one.maintenance_interval, one.job_monitoring_interval) == (30, 10, 5)


def test_a_signal_in_mid_job_needs_no_server(queues: Redis) -> None:
    """Whatever is being done goes on, and is the worker's last, though the server has gone."""
    one = workers.build_worker(FAST, None, queues)  # type: ignore[arg-type]
    one.set_state("busy")
    kept = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    one.connection = Redis(port=free_port())
    try:
        one.request_stop(signal.SIGTERM, None)
    finally:
        for number, handler in zip((signal.SIGINT, signal.SIGTERM), kept, strict=True):
            signal.signal(number, handler)
    assert one._stop_requested


@pytest.mark.parametrize("levels", [("random", "easy"), ("easy", "easy", "random")])
def test_whole_games_by_relay_and_worker(
    redis_url: str, queues: Redis, levels: tuple[str, ...]
) -> None:
    """Games of bots alone are played to their result with nobody asking."""
    here = context.build_context(open_store(redis_url), Settings())
    games = [lay(here, *levels) for _ in range(3)]
    relay = Relay(here, QueueDoorbell(queues))
    limit = time.monotonic() + 20
    while any(newest(here, game).table.status != table_state.FINISHED for game in games):
        assert time.monotonic() < limit
        relay.poll()
        workers.run(FAST, here, queues, burst=True)
    for game in games:
        final = newest(here, game).table.result
        assert final is not None
        assert final.law_ended


@pytest.mark.parametrize("ruleset", rulesets().values(), ids=lambda ruleset: ruleset.id)
def test_every_ruleset_is_played_by_relay_and_worker(
    redis_url: str, queues: Redis, ruleset: AnyRuleset
) -> None:
    here = context.build_context(open_store(redis_url), Settings())
    levels = ("easy", "random") * ruleset.seats[0]
    game = lay(here, *levels[: ruleset.seats[0]], ruleset=ruleset)
    relay = Relay(here, QueueDoorbell(queues))
    limit = time.monotonic() + 90
    while newest(here, game).table.status != table_state.FINISHED:
        assert time.monotonic() < limit
        relay.poll()
        workers.run(FAST, here, queues, burst=True)
    final = newest(here, game).table.result
    assert final is not None
    assert final.law_ended


def test_a_failing_job_is_not_the_end_of_the_worker(
    redis_url: str, queues: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = context.build_context(open_store(redis_url), Settings())
    bells = QueueDoorbell(queues)
    bells.ring(DueWork(GAME, "nonsense", 1, 1))
    game = lay(here, "random", "random")
    bells.ring(DueWork(game.id, due_work.BOT_MOVE, 1, 1))
    workers.run(FAST, here, queues, burst=True)
    assert newest(here, game).table.status == table_state.SCORING


def test_relay_and_worker_answer_at_once(redis_url: str, queues: Redis) -> None:
    """From the last move to the result in far less than a poll's second."""
    here = context.build_context(open_store(redis_url), Settings())
    stop = threading.Event()
    relay = threading.Thread(target=Relay(here, QueueDoorbell(queues)).run, args=(stop,))
    relay.start()
    try:
        time.sleep(0.3)
        began = time.monotonic()
        game = lay(here, "random", "random")
        while newest(here, game).table.status != table_state.FINISHED:
            assert time.monotonic() < began + 5
            workers.run(FAST, here, queues, burst=True)
    finally:
        stop.set()
        relay.join(5)
    assert not relay.is_alive()
