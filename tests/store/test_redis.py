"""Faults of the server and of the way to it: nothing is doubled, nothing half written."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from redis import Redis
from redis.crc import key_slot

from service.store.certain import append_surely
from service.store.embedded import EmbeddedServer
from service.store.protocol import (
    NO_HASH,
    Append,
    Conflict,
    Corrupt,
    IndexChange,
    Key,
    KeyTaken,
    OutcomeUnknown,
    Unavailable,
    Won,
)
from service.store.redis_store import RedisStore, open_store

from .proxy import Proxy
from .streams import append_after, entries, words

NewId = Callable[[], str]


@pytest.fixture
def direct(server: EmbeddedServer, client: Redis) -> RedisStore:
    return open_store(server.url)


def port(server: EmbeddedServer) -> int:
    return int(server.url.split(":")[2].split("/")[0])


def kept(client: Redis) -> dict[bytes, bytes]:
    """Returns all that the server holds, byte by byte."""
    return {key: client.dump(key) for key in client.keys("*")}


def full(game: str, store: RedisStore) -> Append:
    """Returns an append that would write every kind of key."""
    index = IndexChange(5, None, "open", ("c1",))
    return append_after(store, game, "one", "two", key=Key("k", "b"), due={"bot": 1}, index=index)


def test_all_keys_of_an_append_lie_in_one_slot(
    direct: RedisStore, client: Redis, new_id: NewId
) -> None:
    game = new_id()
    direct.append(full(game, direct))
    direct.lease(game[0], {})
    names = client.keys("*")
    assert len(names) == 6
    assert {key_slot(name) for name in names} == {key_slot(game[0].encode())}
    assert all(name.startswith(b"{%s}:" % game[0].encode()) for name in names)


@pytest.mark.parametrize("key", ["events", "keys", "gone", "due", "leases", "status", "client"])
def test_a_key_of_another_type_is_refused(
    direct: RedisStore, client: Redis, new_id: NewId, key: str
) -> None:
    game = new_id()
    tag = f"{{{game[0]}}}:"
    names = {"status": "status:open", "client": "client:c1", "due": "due", "leases": "leases"}
    append = full(game, direct)
    client.set(tag + names.get(key, f"{game}:{key}"), "text")
    before = kept(client)
    with pytest.raises(Corrupt):
        direct.append(append)
    assert kept(client) == before


def test_what_is_refused_changes_no_key(direct: RedisStore, client: Redis, new_id: NewId) -> None:
    game = new_id()
    append = full(game, direct)
    direct.append(append)
    before = kept(client)
    assert isinstance(direct.append(append), KeyTaken)
    assert isinstance(direct.append(replace(append, key=Key("other", "b"))), Conflict)
    assert kept(client) == before


@pytest.mark.parametrize("name", ["2-0", "1-1", "5-0"])
def test_a_gap_is_corrupt(direct: RedisStore, client: Redis, new_id: NewId, name: str) -> None:
    game = new_id()
    client.xadd(
        f"{{{game[0]}}}:{game}:events", {"t": "x", "v": 1, "d": "", "m": "", "h": "h"}, name
    )
    with pytest.raises(Corrupt):
        direct.read(game)


def test_a_broken_entry_is_corrupt(direct: RedisStore, client: Redis, new_id: NewId) -> None:
    game = new_id()
    client.xadd(f"{{{game[0]}}}:{game}:events", {"t": "x"}, "1-0")
    with pytest.raises(Corrupt):
        direct.read(game)


def test_a_rewritten_stream_is_noticed(direct: RedisStore, client: Redis, new_id: NewId) -> None:
    game = new_id()
    direct.append(append_after(direct, game, "one"))
    late = append_after(direct, game, "two")
    client.delete(f"{{{game[0]}}}:{game}:events")
    direct.append(append_after(direct, game, "other"))
    assert direct.append(late) == Conflict(1)
    assert words(direct, game) == ["other"]


def test_out_of_memory(tmp_path: Path, new_id: NewId) -> None:
    with EmbeddedServer(tmp_path) as server, Redis.from_url(server.url) as client:
        store, game = open_store(server.url), new_id()
        store.append(append_after(store, game, "one"))
        append = full(game, store)
        client.config_set("maxmemory", 1)
        before = kept(client)
        with pytest.raises(Unavailable, match="memory"):
            append_surely(store, append)
        assert kept(client) == before
        assert words(store, game) == ["one"]
        client.config_set("maxmemory", 0)
        assert append_surely(store, append) == Won(3)


def test_a_read_only_replica(tmp_path: Path, server: EmbeddedServer, new_id: NewId) -> None:
    extra = ("--replicaof", "127.0.0.1", str(port(server)))
    with EmbeddedServer(tmp_path, extra=extra) as replica:
        store, game = open_store(replica.url), new_id()
        with pytest.raises(Unavailable):
            store.append(Append(game, 0, NO_HASH, entries(NO_HASH, "one")))


def test_too_few_replicas(tmp_path: Path, new_id: NewId) -> None:
    with EmbeddedServer(tmp_path, extra=("--min-replicas-to-write", "1")) as lonely:
        store, game = open_store(lonely.url), new_id()
        with pytest.raises(Unavailable, match="NOREPLICAS"):
            store.append(Append(game, 0, NO_HASH, entries(NO_HASH, "one")))
        assert words(store, game) == []


def test_no_server(new_id: NewId) -> None:
    store = open_store("redis://127.0.0.1:1/0")
    for attempt in (
        lambda: store.read(new_id()),
        lambda: store.append(Append(new_id(), 0, NO_HASH, entries(NO_HASH, "one"))),
        store.now,
        lambda: store.list_status("open", 1),
        lambda: store.due(new_id(), ["bot"]),
    ):
        with pytest.raises(Unavailable):
            attempt()


class TestConnections:
    """A connection that breaks around an append."""

    @pytest.mark.parametrize("fault", ["before", "after", "late"])
    def test_one_fault_doubles_nothing(
        self, server: EmbeddedServer, direct: RedisStore, new_id: NewId, fault: str
    ) -> None:
        game = new_id()
        with Proxy(port(server), delay=0.2) as proxy:
            store = open_store(f"redis://127.0.0.1:{proxy.port}/0", timeout=2)
            append_surely(store, append_after(store, game, "zero"))
            append = append_after(store, game, "one", "two", key=Key("k", "b"))
            proxy.requests, proxy.fault = 0, fault
            assert append_surely(store, append) == Won(3)
            time.sleep(0.4)
            assert words(direct, game) == ["zero", "one", "two"]
            store.close()

    def test_the_client_sends_once(
        self, server: EmbeddedServer, direct: RedisStore, new_id: NewId
    ) -> None:
        game = new_id()
        with Proxy(port(server)) as proxy:
            store = open_store(f"redis://127.0.0.1:{proxy.port}/0", timeout=2)
            append = append_after(store, game, "one")
            store.append(append_after(store, new_id(), "load"))
            proxy.requests, proxy.fault = 0, "after"
            with pytest.raises(OutcomeUnknown):
                store.append(append)
            assert proxy.requests == 1
            assert words(direct, game) == ["one"]
            store.close()

    def test_two_faults_leave_it_open(
        self, server: EmbeddedServer, direct: RedisStore, new_id: NewId
    ) -> None:
        game = new_id()
        with Proxy(port(server)) as proxy:
            broken = open_store(f"redis://127.0.0.1:{proxy.port}/0", timeout=2)
            broken.append(append_after(broken, new_id(), "load"))
            append = append_after(direct, game, "one")
            proxy.fault, proxy.lasting = "before", True

            class Halfway(RedisStore):
                """Reads by another way than it writes."""

                def __init__(self) -> None:
                    self.append = broken.append  # type: ignore[method-assign]
                    self.read = direct.read  # type: ignore[method-assign]

            with pytest.raises(OutcomeUnknown):
                append_surely(Halfway(), append)
            assert words(direct, game) == []
            broken.close()

    def test_somebody_else_was_faster(
        self, server: EmbeddedServer, direct: RedisStore, new_id: NewId
    ) -> None:
        """The first try is held up, another append wins: a proven conflict, and it stays lost."""
        game = new_id()
        with Proxy(port(server), delay=0.5) as proxy:
            store = open_store(f"redis://127.0.0.1:{proxy.port}/0", timeout=2)
            store.append(append_after(store, new_id(), "load"))
            mine, yours = (append_after(direct, game, word) for word in ("mine", "yours"))
            proxy.fault = "late"
            timer = threading.Timer(0.0, lambda: direct.append(yours))
            timer.start()
            timer.join()
            assert append_surely(store, mine) == Conflict(1)
            time.sleep(0.8)
            assert words(direct, game) == ["yours"]
            store.close()

    @pytest.mark.parametrize("rounds", [20, pytest.param(300, marks=pytest.mark.long)])
    def test_faults_at_random(
        self, server: EmbeddedServer, direct: RedisStore, new_id: NewId, rounds: int
    ) -> None:
        game = new_id()
        with Proxy(port(server), delay=0.05) as proxy:
            store = open_store(f"redis://127.0.0.1:{proxy.port}/0", timeout=2)
            for number in range(rounds):
                append = append_after(direct, game, f"n{number}", key=Key(f"k{number}", "b"))
                proxy.fault = (None, "before", "after", "late")[number % 4]
                assert append_surely(store, append) == Won(number + 1)
            time.sleep(0.3)
            store.close()
        assert words(direct, game) == [f"n{number}" for number in range(rounds)]


def test_a_restart_keeps_what_was_acknowledged(tmp_path: Path, new_id: NewId) -> None:
    game = new_id()
    server = EmbeddedServer(tmp_path)
    for number in range(3):
        server.start()
        store = open_store(server.url)
        assert store.append(append_after(store, game, f"n{number}")) == Won(number + 1)
        store.close()
        server.kill()
    with server:
        assert words(open_store(server.url), game) == ["n0", "n1", "n2"]
