"""Servers of a cluster die under load: what is lost, what is not, and what callers are told."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from redis import Redis

from service.store import (
    GENESIS_HASH,
    LISTENING,
    PARTITIONS,
    Acknowledgement,
    Append,
    Appended,
    IdempotencyKey,
    OutcomeUnknown,
    Store,
    Unavailable,
    announcements,
    append_and_resolve,
    chain_entry,
)
from service.store.embedded import EmbeddedServer, server_binary
from service.store.redis_store import RedisStore, open_store
from service.store.startup_checks import check_server

from .cluster import Cluster, Node, running, until
from .streams import append_after, entries, words

ACKS = Acknowledgement(1, 1, 1_000)
PATIENT = Acknowledgement(1, 1, 4_000)
GAMES = [one * 26 for one in PARTITIONS]
AWAY = (Unavailable, OutcomeUnknown)


@dataclass
class Writer:
    """Appends to some games as fast as it is let, and remembers what it was told."""

    store: Store
    games: list[str]
    confirmed: list[tuple[str, bytes]] = field(default_factory=list)
    unconfirmed: list[tuple[str, bytes]] = field(default_factory=list)
    refused: int = 0
    last: float = 0.0
    longest: float = 0.0
    fault: BaseException | None = None

    def write(self, stop: threading.Event) -> None:
        number = 0
        self.last = time.monotonic()
        try:
            while not stop.is_set():
                number += 1
                self._one(random.choice(self.games), number)
        except BaseException as fault:
            self.fault = fault

    def _one(self, game: str, number: int) -> None:
        try:
            stream = self.store.read(game).entries
            head = stream[-1].hash if stream else GENESIS_HASH
            made = entries(head, f"n{number}")
            append = Append(game, len(stream), head, made)
            answer = append_and_resolve(self.store, append)
        except AWAY:
            self.refused += 1
            time.sleep(0.02)
            return
        if isinstance(answer, Appended):
            told = self.confirmed if answer.durable else self.unconfirmed
            told.append((game, made[0].hash))
            self.longest = max(self.longest, time.monotonic() - self.last)
            self.last = time.monotonic()


def lost(store: Store, told: list[tuple[str, bytes]]) -> int:
    """Returns how many of these appends the streams do not have; checks that streams are whole."""
    kept: dict[str, set[bytes]] = {}
    for game in GAMES:
        previous = GENESIS_HASH
        for entry in store.read(game).entries:
            again = chain_entry(previous, entry.type, entry.schema, entry.data, entry.meta)
            assert again == entry, "versions run from 1 without gaps, and the chain is whole"
            previous = entry.hash
            kept.setdefault(game, set()).add(entry.hash)
    return sum(hashed not in kept.get(game, set()) for game, hashed in told)


def under_load(store: RedisStore, cluster: Cluster, kills: int) -> list[Writer]:
    """Kills masters one after the other while writers write; each comes back as a replica."""
    stop = threading.Event()
    writers = [Writer(store, GAMES[number::4]) for number in range(4)]
    threads = [threading.Thread(target=writer.write, args=(stop,)) for writer in writers]
    for thread in threads:
        thread.start()
    try:
        for _ in range(kills):
            time.sleep(1.0)
            victim = cluster.master_of(random.choice(PARTITIONS))
            victim.server.kill()
            until(lambda gone=victim: _served(cluster, gone))
            before = time.monotonic()
            until(lambda since=before: all(writer.last > since for writer in writers))
            victim.server.start()
            until(cluster.whole)
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    for writer in writers:
        assert writer.fault is None
    return writers


def _served(cluster: Cluster, gone: Node) -> bool:
    """Whether another has taken over all that a dead master kept."""
    return all(cluster.master_of(one) is not gone for one in PARTITIONS)


@pytest.mark.long
@pytest.mark.parametrize(("acks", "kills"), [(None, 4), (ACKS, 4)])
def test_masters_die_under_load(tmp_path: Path, acks: Acknowledgement | None, kills: int) -> None:
    how = {"binary": server_binary(), "node_timeout": 2_000, "fsync": "always"}
    with running(tmp_path, **how) as cluster:
        store = open_store(cluster.url, timeout=3, acks=acks)
        writers = under_load(store, cluster, kills)
        confirmed = [told for writer in writers for told in writer.confirmed]
        unconfirmed = [told for writer in writers for told in writer.unconfirmed]
        assert sum(writer.refused for writer in writers) > 0, "somebody noticed"
        gone = lost(store, confirmed)
        print(
            f"{acks}: {kills} masters killed, {len(confirmed)} appends confirmed, {gone} lost; "
            f"{len(unconfirmed)} not confirmed, {lost(store, unconfirmed)} lost; longest wait "
            f"{max(writer.longest for writer in writers):.1f} s"
        )
        if acks is not None:
            assert gone == 0
        store.close()


@pytest.fixture
def lonely(tmp_path: Path) -> Iterator[Cluster]:
    """Three masters without replicas."""
    with running(tmp_path, replicas=0, node_timeout=1_000) as cluster:
        yield cluster


def test_a_master_without_replica_stops_its_own_games_only(lonely: Cluster) -> None:
    store = open_store(lonely.url, timeout=2)
    watching = store.listen()
    assert next(watching) == LISTENING
    for game in GAMES:
        assert store.append(append_after(store, game, "one")) == Appended(1)
    told = [finding.text for finding in check_server(lonely.url)]
    assert len(told) == sum("the master has no replica" in text for text in told) == 3
    victim = lonely.master_of("a")
    own = {game for game in GAMES if lonely.master_of(game[0]) is victim}
    appends = {game: append_after(store, game, "two") for game in GAMES}
    victim.server.kill()
    assert 0 < len(own) < len(GAMES)
    for game in GAMES:
        if game in own:
            with pytest.raises(AWAY):
                append_and_resolve(store, appends[game])
            with pytest.raises(Unavailable):
                store.read(game)
        else:
            assert store.append(appends[game]) == Appended(2)
    wrong, *_ = check_server(lonely.url)
    assert (wrong.level, wrong.text.startswith(f"127.0.0.1:{victim.port}: ")) == ("error", True)
    with pytest.raises(Unavailable):
        store.list_by_status("open", 5)
    assert store.now() > 0, "any of the others tells the time"
    victim.server.start()
    until(lambda: _answers(store))
    for game in GAMES:
        assert append_and_resolve(store, appends[game]) == Appended(2), (
            "what was acknowledged is there"
        )
        assert words(store, game) == ["one", "two"]
    watching.close()  # type: ignore[attr-defined]
    store.close()


def test_a_listener_leaves_a_server_that_is_cut_off(
    lonely: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It answers, but hears nothing of what the others write."""
    monkeypatch.setattr(announcements, "CHECK_SECONDS", 0.1)
    store = open_store(lonely.nodes[0].server.url, timeout=1)
    monkeypatch.setattr(store._servers, "listening_url", lambda: lonely.nodes[0].server.url)
    watching = store.listen()
    assert [next(watching) for _ in range(3)] == [LISTENING, None, None]
    for node in lonely.nodes[1:]:
        node.server.kill()
    until(lambda: lonely.nodes[0].ask("CLUSTER INFO")["cluster_state"] == "fail")
    assert LISTENING in [next(watching) for _ in range(4)], "it looks for another"
    watching.close()  # type: ignore[attr-defined]
    store.close()


def _answers(store: RedisStore) -> bool:
    try:
        return store.list_by_status("open", 5) == []
    except Unavailable:
        return False


class Pair:
    """A server and its replica."""

    def __init__(self, folder: Path) -> None:
        extra = ("--repl-diskless-sync-delay", "0", "--repl-ping-replica-period", "1")
        binary = server_binary()
        self.primary = EmbeddedServer(folder / "one", binary=binary, extra=extra)
        self.primary.start()
        port = self.primary.url.split(":")[2].split("/")[0]
        follow = ("--replicaof", "127.0.0.1", port)
        self.replica = EmbeddedServer(folder / "two", binary=binary, extra=(*extra, *follow))
        self.replica.start()
        until(self._followed)

    def _followed(self) -> bool:
        """Whether what is written now reaches both files; a replica first copies all there is."""
        with Redis.from_url(self.primary.url, single_connection_client=True) as client:
            client.set("pair", "1")
            return bool(client.waitaof(1, 1, 100) == [1, 1])

    def hold_up(self) -> None:
        """Lets the replica do nothing, and cuts it off."""
        os.kill(self.replica.pid, signal.SIGSTOP)
        with Redis.from_url(self.primary.url) as client:
            client.client_kill_filter(_type="replica")

    def let_go(self) -> None:
        os.kill(self.replica.pid, signal.SIGCONT)

    def promote(self) -> None:
        with Redis.from_url(self.replica.url) as client:
            client.replicaof("NO", "ONE")

    def close(self) -> None:
        if self.replica.pid:
            self.let_go()
        self.primary.stop()
        self.replica.stop()


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Pair]:
    made = Pair(tmp_path)
    yield made
    made.close()


class TestPair:
    """One primary and one replica, with and without waiting for the replica."""

    QUICK = Acknowledgement(1, 1, 100)
    GAME = "a" * 26

    def test_an_append_waits_until_the_replica_has_it(self, pair: Pair) -> None:
        store = open_store(pair.primary.url, acks=PATIENT)
        append = append_after(store, self.GAME, "one", key=IdempotencyKey("k", "b"))
        assert store.append(append) == Appended(1, durable=True)
        assert store.confirm_durable(self.GAME)
        assert store.append(
            append_after(store, self.GAME, "no", key=IdempotencyKey("k", "b"))
        ) != Appended(2)
        pair.primary.kill()
        pair.promote()
        other = open_store(pair.replica.url)
        assert words(other, self.GAME) == ["one"]
        assert not store.confirm_durable(self.GAME), "nobody is there to confirm anything"
        store.close()
        other.close()

    def test_what_was_not_confirmed_stands_and_may_be_lost(self, pair: Pair) -> None:
        store = open_store(pair.primary.url, acks=self.QUICK)
        store.append(append_after(store, self.GAME, "one"))
        until(lambda: store.confirm_durable(self.GAME))
        pair.hold_up()
        append = append_after(store, self.GAME, "two")
        assert append_and_resolve(store, append) == Appended(2, durable=False)
        before = store.now()
        about = store.estimate_now(self.GAME)
        assert about is not None
        assert about >= before - self.QUICK.timeout_ms // 2, (
            "waiting for the replica is no part of it"
        )
        assert words(store, self.GAME) == ["one", "two"]
        assert not store.confirm_durable(self.GAME)
        pair.primary.kill()
        pair.let_go()
        pair.promote()
        other = open_store(pair.replica.url)
        assert words(other, self.GAME) == ["one"], "it was acknowledged, and is lost"
        assert append_and_resolve(other, append) == Appended(2), "sent again, it stands once"
        assert words(other, self.GAME) == ["one", "two"]
        store.close()
        other.close()

    def test_it_is_confirmed_as_soon_as_the_replica_is_back(self, pair: Pair) -> None:
        store = open_store(pair.primary.url, acks=self.QUICK)
        store.append(append_after(store, self.GAME, "one"))
        pair.hold_up()
        assert store.append(append_after(store, self.GAME, "two")) == Appended(2, durable=False)
        pair.let_go()
        until(lambda: store.confirm_durable(self.GAME))
        patient = open_store(pair.primary.url, acks=PATIENT)
        append = append_after(store, self.GAME, "three")
        assert patient.append(append) == Appended(3, durable=True)
        patient.close()
        store.close()

    def test_an_append_found_after_a_broken_connection_is_asked_about(self, pair: Pair) -> None:
        store = Deaf(open_store(pair.primary.url, acks=PATIENT))
        assert append_and_resolve(store, append_after(store.inner, self.GAME, "one")) == Appended(1)
        store.inner.close()
        store = Deaf(open_store(pair.primary.url, acks=self.QUICK))
        pair.hold_up()
        found = append_and_resolve(store, append_after(store.inner, self.GAME, "two"))
        assert found == Appended(2, durable=False)
        store.inner.close()

    def test_a_server_that_goes_while_it_is_waited_for(self, pair: Pair) -> None:
        store = open_store(pair.primary.url, acks=ACKS)
        store.append(append_after(store, self.GAME, "one"))
        pair.hold_up()
        append = append_after(store, self.GAME, "two")
        timer = threading.Timer(0.3, pair.primary.kill)
        timer.start()
        assert store.append(append) == Appended(2, durable=False), "its answer had come"
        timer.join()
        store.close()

    def test_what_is_not_asked_for_is_not_waited_for(self, pair: Pair) -> None:
        store = open_store(pair.primary.url)
        pair.hold_up()
        assert store.append(append_after(store, self.GAME, "one")) == Appended(1, durable=True)
        assert store.confirm_durable(self.GAME)
        store.close()

    def test_a_file_that_is_not_kept_confirms_nothing(self, pair: Pair) -> None:
        with Redis.from_url(pair.primary.url) as client:
            client.config_set("appendonly", "no")
        store = open_store(pair.primary.url, acks=Acknowledgement(1, 0, 100))
        assert store.append(append_after(store, self.GAME, "one")) == Appended(1, durable=False)
        assert words(store, self.GAME) == ["one"]
        store.close()


class Deaf:
    """A store whose answers to appends are not heard."""

    def __init__(self, inner: RedisStore) -> None:
        self.inner = inner

    def __getattr__(self, name: str) -> object:
        return getattr(self.inner, name)

    def append(self, append: Append) -> Appended:
        self.inner.append(append)
        raise OutcomeUnknown("not heard")
