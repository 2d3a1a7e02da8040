"""The relay: what is due is rung for once a lease, and a result comes even without workers."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from redis.exceptions import ConnectionError as NotConnected

from service.games import due_work
from service.games.commands.requests import RequestContext
from service.games.table import state as table_state
from service.games.tokens import claim_code
from service.store import PARTITIONS, DueWork, Unavailable
from workers import jobs, relay
from workers.relay import Relay

from .tables import HOST, START, Clock, context, lay, newest, owes


class Rung:
    """Notes what is rung for."""

    def __init__(self) -> None:
        self.leases: list[DueWork] = []

    def ring(self, lease: DueWork) -> bool:
        self.leases.append(lease)
        return True


@pytest.fixture
def bells() -> Rung:
    return Rung()


def until(true: Callable[[], bool], seconds: float = 5.0) -> None:
    """Waits until something is true."""
    limit = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < limit, "it did not come true in time"
        time.sleep(0.005)


def test_due_work_is_rung_for_once_a_lease(clock: Clock, bells: Rung) -> None:
    here = context(clock)
    game = lay(here, "random", "random")
    look = Relay(here, bells).poll
    assert (look(), look()) == (1, 0)
    clock.now += jobs.LEASE
    assert look() == 1
    assert bells.leases == [
        DueWork(game.id, due_work.BOTS_ONLY_MOVE, START, 1),
        DueWork(game.id, due_work.BOTS_ONLY_MOVE, START + jobs.LEASE, 2),
    ]


def test_thinking_has_a_longer_lease(
    clock: Clock, bells: Rung, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = context(clock)
    monkeypatch.setattr(due_work, "QUICK_LEVELS", ())
    game = lay(here, "easy", "easy")
    Relay(here, bells).poll()
    assert owes(here, game)[due_work.BOTS_ONLY_SEARCH] == START + jobs.SEARCH_LEASE


def test_only_the_partitions_asked_for_are_looked_at(clock: Clock, bells: Rung) -> None:
    here = context(clock)
    game = lay(here, "random", "random")
    other = "a" if game.id[0] != "a" else "b"
    assert Relay(here, bells).poll(other) == 0
    assert Relay(here, bells).poll(game.id[0]) == 1


def test_all_that_is_due_is_taken_however_much(
    clock: Clock, bells: Rung, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = context(clock)
    monkeypatch.setattr(relay, "MAX_LEASES", 2)
    for game in range(5):
        here.command_handler.store.set_due("a" * 25 + "234567"[game], due_work.BOT_MOVE, START)
    assert Relay(here, bells).poll("a") == 5


def test_what_somebody_waits_for_is_rung_for_first(clock: Clock, bells: Rung) -> None:
    here = context(clock)
    kinds = (
        due_work.BOTS_ONLY_MOVE,
        due_work.BOTS_ONLY_SEARCH,
        due_work.BOT_MOVE,
        due_work.BOT_SEARCH,
        due_work.BOTS_ONLY_MOVE,
        due_work.SCORE,
    )
    for place, kind in enumerate(kinds):
        here.command_handler.store.set_due("a" * 25 + "234567"[place], kind, START + place - 10)
    Relay(here, bells).poll("a")
    rung = [lease.kind for lease in bells.leases]
    assert rung == [
        due_work.BOT_MOVE,
        due_work.BOT_SEARCH,
        due_work.SCORE,
        due_work.BOTS_ONLY_MOVE,
        due_work.BOTS_ONLY_SEARCH,
        due_work.BOTS_ONLY_MOVE,
    ]


def test_partitions_that_are_away_do_not_hold_up_the_others(
    clock: Clock, bells: Rung, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = context(clock)
    away = {"a", "b", "m"}
    asked: list[str] = []
    lease = here.command_handler.store.lease_due

    def leased(letter: str, *more: Any) -> list[DueWork]:
        asked.append(letter)
        if letter in away:
            raise Unavailable(letter)
        return lease(letter, *more)

    monkeypatch.setattr(here.command_handler.store, "lease_due", leased)
    passed = Relay(here, bells)
    with pytest.raises(Unavailable):
        passed.poll()
    assert asked == list(PARTITIONS)
    asked.clear()
    with pytest.raises(Unavailable):
        passed.poll()
    others = [letter for letter in PARTITIONS if letter not in away]
    assert asked[:-1] == others
    assert asked[-1] in away, "one of them is tried, last"
    back, away = away, set()
    asked.clear()
    passed.poll()
    assert asked[:-3] == others
    assert set(asked[-3:]) == back
    asked.clear()
    passed.poll()
    assert asked == list(PARTITIONS)


def test_the_relay_appends_a_result_that_no_worker_takes(clock: Clock, bells: Rung) -> None:
    here = context(clock)
    game = lay(here, "random", "random")
    jobs.do_work(here, due_work.BOT_MOVE, game.id)
    look = Relay(here, bells).poll
    for _ in range(relay.MAX_FRUITLESS_LEASES):
        look()
        assert newest(here, game).table.status == table_state.SCORING
        clock.now += jobs.LEASE
    look()
    assert newest(here, game).table.status == table_state.FINISHED
    assert [lease.attempts for lease in bells.leases] == [1, 2]


@pytest.fixture
def running() -> Iterator[Callable[[Relay], None]]:
    """Runs relays until the test ends."""
    stop = threading.Event()
    threads: list[threading.Thread] = []

    def run(one: Relay) -> None:
        threads.append(threading.Thread(target=one.run, args=(stop,)))
        threads[-1].start()

    yield run
    stop.set()
    for thread in threads:
        thread.join(5)
        assert not thread.is_alive()


def test_an_append_wakes_the_relay(
    clock: Clock,
    bells: Rung,
    running: Callable[[Relay], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Polling alone would come far too late here."""
    monkeypatch.setattr(relay, "POLL_INTERVAL", 3.0)
    here = context(clock)
    looked = []
    lease = here.command_handler.store.lease_due

    def noted(partition: str, *others: Any) -> list[DueWork]:
        looked.append(partition)
        return lease(partition, *others)

    monkeypatch.setattr(here.command_handler.store, "lease_due", noted)
    running(Relay(here, bells))
    until(lambda: len(looked) == 32)
    time.sleep(0.05)
    game = lay(here, "random", "random")
    until(lambda: bool(bells.leases), 1.5)
    assert bells.leases[0].game == game.id
    assert looked[32:] == [game.id[0]]


def test_the_relay_looks_by_itself_too(
    clock: Clock,
    bells: Rung,
    running: Callable[[Relay], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What becomes due by time alone is announced by nobody."""
    monkeypatch.setattr(relay, "POLL_INTERVAL", 0.05)
    here = context(clock)
    game = lay(here, "random", None)
    running(Relay(here, bells))
    time.sleep(0.1)
    assert bells.leases == []
    clock.now += here.life.expire
    until(lambda: bool(bells.leases))
    assert bells.leases[0] == DueWork(game.id, due_work.EXPIRE, START + here.life.expire, 1)


def test_what_comes_due_soon_is_not_left_to_the_poll(
    bells: Rung, running: Callable[[Relay], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Polling alone would come far too late here, and nothing is announced when it is due."""
    monkeypatch.setattr(relay, "POLL_INTERVAL", 3.0)
    begun = time.monotonic()
    here = context(lambda: START + int(1000 * (time.monotonic() - begun)))  # type: ignore[arg-type]
    running(Relay(here, bells))
    time.sleep(0.1)
    store = here.command_handler.store
    game = lay(here, "random", None)
    store.set_due(game.id, due_work.SCORE, store.now() + 300)
    code = claim_code(HOST, game.id, 1, 0)
    here.command_handler.claim(
        game.id, 1, code, "Guest", "", RequestContext(HOST)
    )  # wakes the relay
    until(lambda: due_work.SCORE in [lease.kind for lease in bells.leases], 1.5)


@pytest.mark.parametrize("fault", [Unavailable("gone"), NotConnected("gone"), OSError("gone")])
def test_the_relay_outlives_a_store_that_is_away(
    clock: Clock,
    bells: Rung,
    running: Callable[[Relay], None],
    monkeypatch: pytest.MonkeyPatch,
    fault: Exception,
) -> None:
    monkeypatch.setattr(relay, "POLL_INTERVAL", 0.02)
    here = context(clock)
    lay(here, "random", "random")
    failures = iter([fault, fault])
    watches = iter([fault])
    lease, watch = here.command_handler.store.lease_due, here.command_handler.store.listen

    def failing(*args: Any) -> list[DueWork]:
        for failure in failures:
            raise failure
        return lease(*args)

    def deaf() -> Iterator[Any]:
        for failure in watches:
            raise failure
        return watch()

    monkeypatch.setattr(here.command_handler.store, "lease_due", failing)
    monkeypatch.setattr(here.command_handler.store, "listen", deaf)
    running(Relay(here, bells))
    until(lambda: bool(bells.leases))
    assert next(watches, None) is None
