"""Deadlines by workers: once, never too early, and by the relay where no worker is."""

from __future__ import annotations

import time

import pytest
from prometheus_client import REGISTRY
from redis import Redis

from service.config import Settings
from service.games import due_work, history
from service.games.commands.requests import Creation, RequestContext
from service.games.game import Game
from service.games.table import state as table_state
from service.games.table.clocks import Deadline
from service.games.table.events import Expired, SeatPlan
from service.games.tokens import Token, claim_code
from service.store.redis_store import open_store
from tests.rules.toy import Options, Pebbles, Take
from tests.workers.tables import HOST, START, Clock, bys, context, newest, owes
from tests.workers.test_relay import Rung
from workers import expiry, jobs, relay
from workers import worker as workers
from workers.context import WorkerContext, build_context
from workers.queues import FAST, QueueDoorbell
from workers.relay import Relay

TEN = Deadline("bot", per_move_seconds=10, level="random")
GUEST = Token("bl_" + "g" * 43)


def seated(a_house: WorkerContext, deadline: Deadline, seats: int = 2) -> Game:
    """A game in play; one person holds all seats."""
    options = Options((("red", 6), ("blue", 0)))
    plans = (SeatPlan("human"),) * seats
    creation = Creation(Pebbles(), options, plans, deadline=deadline)
    game = a_house.command_handler.create(creation, HOST, RequestContext(HOST)).game
    for seat in range(seats):
        code = claim_code(HOST, game.id, seat, 0)
        game = a_house.command_handler.claim(
            game.id, seat, code, "Guest", "", RequestContext(GUEST)
        ).game
    return game


def expired(a_house: WorkerContext, game: Game) -> list[Expired]:
    """What the record says of times that ran out."""
    last = newest(a_house, game)
    lines = history.load_events(a_house.command_handler.repository, last, 1, last.version)
    return [line.event for line in lines if isinstance(line.event, Expired)]


def counted(following: str) -> float:
    labels = {"following": following}
    return REGISTRY.get_sample_value("bailli_deadlines_expired_total", labels) or 0.0


def measured(name: str) -> float:
    return REGISTRY.get_sample_value(f"bailli_deadline_lag_seconds_{name}") or 0.0


def test_a_job_lets_follow_what_was_chosen_once(clock: Clock) -> None:
    here = context(clock)
    game = seated(here, TEN)
    before = (counted("bot"), measured("count"), measured("sum"))
    clock.now += 10_250
    assert jobs.do_work(here, due_work.DEADLINE, game.id)
    assert not jobs.do_work(here, due_work.DEADLINE, game.id)
    assert expired(here, game) == [Expired(0, "bot")]
    assert bys(here, game)[-1] == "worker"
    assert set(owes(here, game)) == {due_work.BOT_MOVE, due_work.IDLE}
    after = (counted("bot"), measured("count"), measured("sum"))
    assert [b - a for a, b in zip(before, after, strict=True)] == [1, 1, pytest.approx(0.25)]


def test_a_job_that_comes_too_early_is_owed_at_the_right_time(clock: Clock) -> None:
    here = context(clock)
    game = seated(here, TEN)
    here.command_handler.store.set_due(game.id, due_work.DEADLINE, START)
    clock.now += 9_999
    assert not jobs.do_work(here, due_work.DEADLINE, game.id)
    assert owes(here, game)[due_work.DEADLINE] == START + 10_000
    assert expired(here, game) == []


def test_a_job_for_a_move_that_was_made_finds_nothing(clock: Clock) -> None:
    here = context(clock)
    game = seated(here, TEN)
    clock.now += 10_000
    here.command_handler.send(game.id, 0, [Take("red")], RequestContext(GUEST))
    assert not jobs.do_work(here, due_work.DEADLINE, game.id)
    assert owes(here, game)[due_work.DEADLINE] == START + 20_000
    assert not expiry.expire_seat(here, house_without_clocks(clock), "worker")


def house_without_clocks(clock: Clock) -> Game:
    """A game in which nothing can run out."""
    here = context(clock)
    creation = Creation(Pebbles(), Options(), (SeatPlan("human"),) * 2)
    return here.command_handler.create(creation, HOST, RequestContext(HOST)).game


def test_a_move_made_in_between_wins(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    here = context(clock)
    game = seated(here, TEN)
    clock.now += 10_000
    expire = here.command_handler.expire_seat

    def beaten(*asked: object) -> object:
        here.command_handler.send(game.id, 0, [Take("red")], RequestContext(GUEST))
        return expire(*asked)  # type: ignore[arg-type]

    monkeypatch.setattr(here.command_handler, "expire_seat", beaten)
    assert not jobs.do_work(here, due_work.DEADLINE, game.id)
    assert expired(here, game) == []


def test_the_relay_does_it_where_no_worker_does(clock: Clock) -> None:
    here, bells = context(clock), Rung()
    game = seated(here, Deadline("resign", total_seconds=10))
    look = Relay(here, bells).poll
    assert look() == 0
    clock.now += 10_000
    for _ in range(relay.MAX_FRUITLESS_LEASES):
        look()
        assert expired(here, game) == []
        clock.now += jobs.LEASE
    look()
    assert expired(here, game) == [Expired(0, "resign")]
    assert bys(here, game)[-1] == "relay"
    assert newest(here, game).table.status == table_state.SCORING


def test_whole_games_run_out_by_relay_and_worker(redis_url: str, queues: Redis) -> None:
    """Nobody moves: every seat is passed, resigned or played for, and the games end."""
    here = build_context(open_store(redis_url), Settings())
    choices = (
        Deadline("bot", per_move_seconds=1, level="random"),
        Deadline("resign", total_seconds=1, increment_seconds=1),
        Deadline("pass", total_seconds=1, level="random"),
    )
    games = [seated(here, deadline) for deadline in choices]
    bell = Relay(here, QueueDoorbell(queues))
    limit = time.monotonic() + 30
    while any(newest(here, game).table.status != table_state.FINISHED for game in games):
        assert time.monotonic() < limit
        bell.poll()
        workers.run(FAST, here, queues, burst=True)
        time.sleep(0.02)
    following = [[each.following for each in expired(here, game)] for game in games]
    assert following == [["bot", "bot"], ["resign"], ["pass", "pass", "bot", "bot"]]
    for game in games:
        last = newest(here, game)
        lines = history.load_events(here.command_handler.repository, last, 1, last.version)
        begun = next(line.at for line in lines if line.event.type == "game_started")
        assert next(line.at for line in lines if line.event.type == "expired") >= begun + 1_000
