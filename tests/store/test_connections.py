"""Faults on the way to the server: nothing is doubled, nothing lost, nothing claimed untruly."""

from __future__ import annotations

import select
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from redis import Redis

from service.store import (
    LISTENING,
    Appended,
    Conflict,
    IdempotencyKey,
    KeyTaken,
    KeyUse,
    OutcomeUnknown,
    Unavailable,
    append_and_resolve,
)
from service.store.embedded import EmbeddedServer
from service.store.redis_store import RedisStore, open_store

from .proxy import Fault, Proxy
from .streams import append_after, full, kept, words

NewId = Callable[[], str]

CUTS = ("before", "half", "inside", "after", "late")


@pytest.fixture
def proxy(direct: RedisStore) -> Iterator[Proxy]:
    with Proxy(int(direct.url.split(":")[2].split("/")[0])) as running:
        yield running


@pytest.fixture
def store(proxy: Proxy) -> Iterator[RedisStore]:
    """A store on the other side of the proxy."""
    opened = open_store(f"redis://127.0.0.1:{proxy.port}/0", timeout=2)
    opened.append(append_after(opened, "z" * 26, "loads the scripts"))
    yield opened
    opened.close()


@pytest.mark.parametrize("fault", CUTS)
def test_one_fault_doubles_nothing(
    store: RedisStore, direct: RedisStore, proxy: Proxy, new_id: NewId, fault: Fault
) -> None:
    game = new_id()
    append_and_resolve(store, append_after(store, game, "zero"))
    append = full(game, store)
    proxy.meet(fault)
    assert append_and_resolve(store, append) == Appended(3)
    time.sleep(0.3)
    assert words(direct, game) == ["zero", "one", "two"]
    assert direct.read(game, 1, "k").key_use == KeyUse("b", 2, 3)


@pytest.mark.parametrize("first", CUTS)
@pytest.mark.parametrize("second", CUTS)
def test_two_faults_in_a_row(
    store: RedisStore,
    direct: RedisStore,
    proxy: Proxy,
    new_id: NewId,
    first: Fault,
    second: Fault,
) -> None:
    """The sendings meet faults, the looks between them do not."""
    game = new_id()
    append = full(game, store)
    proxy.meet(first, None, second)
    try:
        assert append_and_resolve(store, append) == Appended(2)
    except OutcomeUnknown:
        # What was cut off while the script runs is found by the look that follows, or later.
        assert first in {"before", "half", "late", "inside"}
        assert second in {"before", "half", "late", "inside"}
    time.sleep(0.3)
    stream = words(direct, game)
    assert stream in ([], ["one", "two"])
    if {first, second} <= {"before", "half"}:
        assert stream == []


@pytest.mark.parametrize("fault", [*CUTS, "slow"])
def test_the_client_sends_once(
    direct: RedisStore, proxy: Proxy, new_id: NewId, fault: Fault
) -> None:
    game = new_id()
    impatient = open_store(f"redis://127.0.0.1:{proxy.port}/0", timeout=0.1)
    append = append_after(direct, game, "one")
    direct.append(append_after(direct, new_id(), "loads the script"))
    proxy.meet(fault)
    with pytest.raises(OutcomeUnknown):
        impatient.append(append)
    impatient.close()
    time.sleep(0.3)
    assert proxy.requests == 1
    assert words(direct, game) == ([] if fault in ("before", "half") else ["one"])


@pytest.mark.parametrize("fault", ["before", "after"])
def test_a_script_the_server_forgot_is_sent_along_once(
    store: RedisStore, client: Redis, proxy: Proxy, new_id: NewId, fault: Fault
) -> None:
    game, other = new_id(), new_id()
    append, later = append_after(store, game, "one"), append_after(store, other, "one")
    client.script_flush()
    proxy.meet()
    assert store.append(append) == Appended(1)
    assert proxy.requests == 2
    client.script_flush()
    proxy.meet(None, fault)
    with pytest.raises(OutcomeUnknown):
        store.append(later)
    assert proxy.requests == 2


def test_a_server_out_of_reach_after_a_sending_proves_nothing(
    store: RedisStore, direct: RedisStore, proxy: Proxy, new_id: NewId
) -> None:
    """The append stands although no later question was answered: that is no refusal."""
    game = new_id()
    append = append_after(direct, game, "one")
    proxy.meet("after")
    proxy.always = "before"
    with pytest.raises(OutcomeUnknown):
        append_and_resolve(store, append)
    proxy.always = None
    assert words(direct, game) == ["one"]
    assert append_and_resolve(store, append) == Appended(1)


@pytest.mark.parametrize(
    "answer",
    [
        b"-LOADING Redis is loading the dataset in memory\r\n",
        b"-BUSY Redis is busy running a script\r\n",
        b"-CLUSTERDOWN The cluster is down\r\n",
        b"-MASTERDOWN Link with MASTER is down\r\n",
        b"-MISCONF Errors writing to the AOF file: No space left on device\r\n",
        b"-MOVED 3999 127.0.0.1:6381\r\n",
        b"-TRYAGAIN Multiple keys request during rehashing of slot\r\n",
        b"-NOAUTH Authentication required.\r\n",
        b"-NOPERM this user has no permissions to run the 'evalsha' command\r\n",
        b"-OOM command not allowed when used memory > 'maxmemory'.\r\n",
        b"-READONLY You can't write against a read only replica.\r\n",
        b"-NOREPLICAS Not enough good replicas to write.\r\n",
        b"-ERR unknown command 'EVALSHA'\r\n",
    ],
    ids=lambda answer: answer.split()[0].decode(),
)
def test_a_refusal_is_one(
    store: RedisStore, client: Redis, proxy: Proxy, new_id: NewId, answer: bytes
) -> None:
    """Whatever the server says no to, it was sent once and wrote nothing; the next one works."""
    append = full(new_id(), store)
    before = kept(client)
    proxy.meet(answer)
    with pytest.raises(Unavailable):
        append_and_resolve(store, append)
    assert proxy.requests == 1
    assert kept(client) == before
    assert store.append(append) == Appended(2)


def test_an_answer_that_is_none_leaves_it_open(
    store: RedisStore, direct: RedisStore, proxy: Proxy, new_id: NewId
) -> None:
    append = append_after(store, new_id(), "one")
    proxy.meet(b"what?\r\n")
    with pytest.raises(OutcomeUnknown):
        store.append(append)
    assert store.append(append) == Appended(1)


def test_a_read_that_fails_is_no_question_of_outcome(
    store: RedisStore, proxy: Proxy, new_id: NewId
) -> None:
    for fault in CUTS:
        proxy.meet(fault)
        with pytest.raises(Unavailable):
            store.read(new_id())


def test_somebody_else_was_faster(
    store: RedisStore, direct: RedisStore, proxy: Proxy, new_id: NewId
) -> None:
    """The first try is held up, another append wins: a proven conflict, and it stays lost."""
    game = new_id()
    mine, yours = (append_after(direct, game, word) for word in ("mine", "yours"))
    proxy.meet("late")
    direct.append(yours)
    assert append_and_resolve(store, mine) == Conflict(1)
    time.sleep(0.3)
    assert words(direct, game) == ["yours"]


def test_somebody_else_took_the_key(
    store: RedisStore, direct: RedisStore, proxy: Proxy, new_id: NewId
) -> None:
    game = new_id()
    mine, yours = (
        append_after(direct, game, word, key=IdempotencyKey("k", word)) for word in ("a", "b")
    )
    proxy.meet("late")
    direct.append(yours)
    assert append_and_resolve(store, mine) == KeyTaken(KeyUse("b", 1, 1))
    time.sleep(0.3)
    assert words(direct, game) == ["b"]


@pytest.mark.parametrize("rounds", [24, pytest.param(300, marks=pytest.mark.long)])
def test_many_faults(
    store: RedisStore, direct: RedisStore, proxy: Proxy, new_id: NewId, rounds: int
) -> None:
    game = new_id()
    for number in range(rounds):
        append = append_after(direct, game, f"n{number}", key=IdempotencyKey(f"k{number}", "b"))
        proxy.meet((None, *CUTS)[number % 6])
        assert append_and_resolve(store, append) == Appended(number + 1)
    time.sleep(0.3)
    assert words(direct, game) == [f"n{number}" for number in range(rounds)]


@pytest.mark.parametrize(
    ("writers", "each"), [(4, 8), pytest.param(16, 60, marks=pytest.mark.long)]
)
def test_many_writers_on_a_bad_way(
    store: RedisStore, direct: RedisStore, proxy: Proxy, new_id: NewId, writers: int, each: int
) -> None:
    """Each goes on trying with new appends after a proven refusal, and with the same otherwise."""
    game = new_id()

    def write(name: int) -> None:
        for number in range(each):
            while True:
                append = append_after(direct, game, f"{name}-{number}")
                while (answer := _tried(store, append)) is None:
                    pass
                if isinstance(answer, Appended):
                    break

    threads = [threading.Thread(target=write, args=(name,)) for name in range(writers)]
    for thread in threads:
        thread.start()
    turn = 0
    while any(thread.is_alive() for thread in threads):
        proxy.meet(CUTS[turn % len(CUTS)])
        turn += 1
        time.sleep(0.01)
    time.sleep(0.3)
    wanted = [f"{name}-{number}" for name in range(writers) for number in range(each)]
    assert sorted(words(direct, game)) == sorted(wanted)


def _tried(store: RedisStore, append: object) -> object:
    try:
        return append_and_resolve(store, append)  # type: ignore[arg-type]
    except (OutcomeUnknown, Unavailable):
        return None


class InterruptedWork(Exception):
    """What a time-out of the caller may be."""


class TestRestarts:
    """The server goes and comes back."""

    def test_what_was_acknowledged_is_kept(self, tmp_path: Path, new_id: NewId) -> None:
        game = new_id()
        server = EmbeddedServer(tmp_path)
        server.start()
        store = open_store(server.url)
        for number in range(3):
            assert store.append(append_after(store, game, f"n{number}")) == Appended(number + 1)
            server.kill()
            with pytest.raises(Unavailable):
                store.read(game)
            server.start()
        assert words(store, game) == ["n0", "n1", "n2"]
        store.close()
        server.stop()

    def test_an_idle_connection_is_not_trusted(self, tmp_path: Path, new_id: NewId) -> None:
        """A restart between two appends makes no outcome unknown."""
        with EmbeddedServer(tmp_path) as server:
            store, game = open_store(server.url), new_id()
            store.append(append_after(store, game, "one"))
            append = append_after(store, game, "two")
            server.kill()
            server.start()
            assert store.append(append) == Appended(2)
            store.close()

    @pytest.mark.parametrize("socket", [None, "s"])
    def test_what_nobody_waited_for_is_not_taken_for_an_answer(
        self, tmp_path: Path, new_id: NewId, socket: str | None
    ) -> None:
        """A connection that comes back with an answer unread is not used again."""
        with EmbeddedServer(tmp_path, socket_path=socket and tmp_path / socket) as server:
            store, game = open_store(server.url), new_id()
            store.append(append_after(store, game, "one"))
            pool = store._client.connection_pool
            connection = pool.get_connection()
            connection.send_command("PING")
            select.select([connection._sock], [], [], 5)
            assert connection.can_read()
            assert connection.can_read(1)
            pool.release(connection)
            assert words(store, game) == ["one"]
            connection = pool.get_connection()
            assert not connection.can_read()
            pool.release(connection)
            store.close()

    @pytest.mark.parametrize("taken", [0, 1, 2])
    def test_who_stops_waiting_leaves_nothing_unread(
        self, tmp_path: Path, new_id: NewId, taken: int
    ) -> None:
        """A job's time is up in the middle of a transaction's answers."""
        with EmbeddedServer(tmp_path) as server:
            store, game = open_store(server.url), new_id()
            store.append(append_after(store, game, "one"))

            def question(connection: Any, asking: bool) -> None:
                packed = connection.pack_commands([("MULTI",), ("TIME",), ("EXEC",)])
                connection.send_packed_command(packed)
                for _ in range(taken):
                    connection.read_response()
                raise InterruptedWork

            with pytest.raises(InterruptedWork):
                store._servers.execute(game, question)
            assert words(store, game) == ["one"]
            store.close()

    def test_what_the_client_has_received_counts(self, tmp_path: Path, new_id: NewId) -> None:
        """An answer that lies in the client's buffer, no longer in the socket's."""
        with EmbeddedServer(tmp_path) as server:
            store, game = open_store(server.url), new_id()
            store.append(append_after(store, game, "one"))
            pool = store._client.connection_pool
            connection = pool.get_connection()
            connection.send_packed_command(connection.pack_commands([("PING",), ("PING",)]))
            time.sleep(0.05)  # both answers come by one receive
            connection.read_response()
            assert connection.can_read()
            pool.release(connection)
            assert words(store, game) == ["one"]
            store.close()

    def test_watching_goes_on(self, tmp_path: Path, new_id: NewId) -> None:
        with EmbeddedServer(tmp_path) as server:
            store, game = open_store(server.url), new_id()
            watching = store.listen()
            assert next(watching) == LISTENING
            server.kill()
            assert next(watching) is None
            server.start()
            while next(watching) != LISTENING:
                pass
            store.append(append_after(store, game, "word"))
            assert next(watching) == (game, 1)
            watching.close()  # type: ignore[attr-defined]
            store.close()
