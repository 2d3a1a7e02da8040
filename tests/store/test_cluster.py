"""What only a cluster can do to a store: keys in many places, and keys that move."""

from __future__ import annotations

import itertools
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from redis.crc import key_slot

from service.store import (
    LISTENING,
    PARTITIONS,
    Appended,
    DueWork,
    IndexChange,
    ListedGame,
    Unavailable,
)
from service.store import cluster as redis_cluster
from service.store.cluster import SLOTS, divide_slots, sibling_url
from service.store.embedded import free_port
from service.store.redis_store import RedisStore, open_store
from service.store.servers import split_urls
from service.store.startup_checks import Finding, check_server

from .cluster import Cluster, Node, lasting_port, packaged, running, until
from .conftest import REDIS, emptied
from .streams import append_after, full, tls, words

NewId = Callable[[], str]


@pytest.fixture
def store(cluster: Cluster) -> Iterator[RedisStore]:
    """An empty store on the cluster."""
    yield from emptied(cluster)


@pytest.fixture
def games(new_id: NewId) -> list[str]:
    """A game in each partition."""
    return [one + new_id()[1:] for one in PARTITIONS]


def test_games_are_spread_over_all_masters(
    store: RedisStore, cluster: Cluster, games: list[str]
) -> None:
    for game in games:
        assert store.append(full(game, store)) == Appended(2)
    found = cluster.keys()
    streams = {port: {key for key in keys if ":events" in key} for port, keys in found.items()}
    assert sorted(map(len, streams.values())) == [10, 11, 11]
    for game in games:
        own = [port for port, keys in found.items() if any(game in key for key in keys)]
        assert own == [cluster.master_of(game[0]).port], "all keys of a game are on one master"
    assert all(words(store, game) == ["one", "two"] for game in games)


def test_what_is_merged_comes_from_all_masters(store: RedisStore, games: list[str]) -> None:
    for since, game in enumerate(games):
        index = IndexChange(since, None, "open", ("c1",))
        store.append(append_after(store, game, "one", due={"bot": since}, index=index))
    listed = [ListedGame(game, since) for since, game in reversed(list(enumerate(games)))]
    assert store.list_by_status("open", 50) == store.list_by_client("c1", 50) == listed
    assert store.list_by_status("open", 5, listed[6]) == listed[7:12]
    taken = [lease for one in PARTITIONS for lease in store.lease_due(one, {"bot": 60_000}).work]
    assert taken == [DueWork(game, "bot", since, 1) for since, game in enumerate(games)]


def test_one_listener_hears_of_all_masters(store: RedisStore, games: list[str]) -> None:
    watching = store.listen()
    assert next(watching) == LISTENING
    for game in games:
        store.append(append_after(store, game, "one"))
    told = [next(watching) for _ in games]
    assert sorted(told, key=str) == sorted([(game, 1) for game in games], key=str)
    watching.close()  # type: ignore[attr-defined]


def test_any_of_the_servers_leads_to_all(cluster: Cluster, games: list[str]) -> None:
    for node in cluster.nodes:
        store = open_store(f"redis://127.0.0.1:{free_port()}/0,{node.server.url}")
        assert all(words(store, game) == [] for game in games)
        store.close()


def test_nobody_answers() -> None:
    store = open_store(",".join(f"redis://127.0.0.1:{free_port()}/0" for _ in range(2)))
    with pytest.raises(Unavailable):
        store.now()
    assert next(store.listen()) is None
    store.close()


@pytest.mark.parametrize("masters", range(1, 33))
def test_slots_can_be_given_out_evenly(masters: int) -> None:
    given = divide_slots(masters)
    assert (given[0].start, given[-1].stop) == (0, SLOTS)
    assert all(one.stop == other.start for one, other in itertools.pairwise(given))
    kept = [sum(key_slot(one.encode()) in slots for one in PARTITIONS) for slots in given]
    assert sum(kept) == 32
    assert max(kept) - min(kept) <= 1


def test_addresses() -> None:
    one, other = "redis://u:p,w@h:1/0", "rediss://[::1]:2/0?ssl_ca_certs=/x"
    assert split_urls(f"{one},{other}") == [one, other]
    assert sibling_url(one, "other", 7) == "redis://u:p,w@other:7/0"
    assert sibling_url(other, "::2", 7) == "rediss://[::2]:7/0?ssl_ca_certs=/x"


class Move:
    """A partition on its way from one master to another, and back."""

    def __init__(self, cluster: Cluster, partition: str, target: Node | None = None) -> None:
        self.slot = key_slot(partition.encode())
        self.masters = [node for node in cluster.nodes if node.role == "master"]
        self.source = cluster.master_of(partition)
        self.target = target or next(node for node in self.masters if node is not self.source)

    def begin(self) -> None:
        self._set(self.target, "IMPORTING", self.source)
        self._set(self.source, "MIGRATING", self.target)

    def carry(self, *keys: str) -> None:
        """Carries these keys over; all that are left where none is named."""
        names = keys or self.source.ask("CLUSTER", "GETKEYSINSLOT", self.slot, 1_000)
        for key in names:
            self.source.ask("MIGRATE", "127.0.0.1", self.target.port, key, 0, 5_000)

    def end(self) -> None:
        self.carry()
        for node in (self.target, *self.masters):
            self._set(node, "NODE", self.target)

    def back(self) -> None:
        """Undoes all that was done, whatever it was."""
        for node in (self.source, self.target):
            if node.ask("CLUSTER", "COUNTKEYSINSLOT", self.slot):
                node.ask("FLUSHALL")
        for node in (self.source, *self.masters):
            self._set(node, "NODE", self.source)

    def _set(self, node: Node, how: str, other: Node) -> None:
        node.ask("CLUSTER", "SETSLOT", self.slot, how, other.ask("CLUSTER", "MYID"))


@pytest.fixture
def move(store: RedisStore, cluster: Cluster) -> Iterator[Move]:
    """The partition "a", about to move."""
    moving = Move(cluster, "a")
    yield moving
    moving.back()


class TestMoving:
    """Partitions are given to other masters while games go on."""

    GAME = "a" * 26
    DUE = ("{a}:due", "{a}:leases")

    def test_a_partition_that_has_moved_is_found(
        self, store: RedisStore, cluster: Cluster, move: Move
    ) -> None:
        assert store.append(full(self.GAME, store)) == Appended(2)
        move.begin()
        move.end()
        assert store.append(append_after(store, self.GAME, "three")) == Appended(3)
        assert words(store, self.GAME) == ["one", "two", "three"]
        assert store.get_due(self.GAME, ["bot"]) == {"bot": 1}
        assert cluster.master_of("a") is move.target
        assert store.append(append_after(store, "b" * 26, "elsewhere")) == Appended(1)

    def test_keys_that_are_over_already_are_asked_for_there(
        self, store: RedisStore, move: Move
    ) -> None:
        store.lease_due("a", {})
        store.append(append_after(store, self.GAME, "one", due={"bot": 1}))
        store.lease_due("a", {"bot": 60_000})
        move.begin()
        move.carry(*self.DUE)
        move.target.ask("SCRIPT", "FLUSH")
        for due in (5, 7):
            store.set_due(self.GAME, "idle", due)
            assert store.get_due(self.GAME, ["idle"]) == {"idle": due}
        store.add_counts({"counted": 1})
        assert store.get_counts() == {"counted": 1}
        move.end()
        assert store.get_due(self.GAME, ["idle"]) == {"idle": 7}
        assert words(store, self.GAME) == ["one"]

    def test_a_game_of_which_half_is_over_is_refused_for_so_long(
        self, store: RedisStore, move: Move, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(redis_cluster, "MIGRATION_PAUSE", 0.001)
        append = full(self.GAME, store)
        store.append(append)
        more = append_after(store, self.GAME, "three")
        move.begin()
        move.carry(f"{{a}}:{self.GAME}:events")
        with pytest.raises(Unavailable):
            store.append(more)
        move.end()
        assert store.append(more) == Appended(3)

    def test_it_may_be_over_before_the_question_is_given_up(
        self, store: RedisStore, move: Move
    ) -> None:
        store.append(full(self.GAME, store))
        more = append_after(store, self.GAME, "three")
        move.begin()
        move.carry(f"{{a}}:{self.GAME}:events")
        timer = threading.Timer(0.1, move.end)
        timer.start()
        assert store.append(more) == Appended(3)
        timer.join()

    def test_servers_that_send_one_in_circles(self, store: RedisStore, move: Move) -> None:
        """Each says that the other has it."""
        append = append_after(store, self.GAME, "one")
        for node, other in ((move.source, move.target), (move.target, move.source)):
            node.ask("CLUSTER", "SETSLOT", move.slot, "NODE", other.ask("CLUSTER", "MYID"))
        with pytest.raises(Unavailable, match="from one server to another"):
            store.append(append)


def test_slots_that_nobody_keeps(store: RedisStore, cluster: Cluster, new_id: NewId) -> None:
    """Games there are refused, others go on, and all is well when the slots are given out again."""
    lost, well = "a" + new_id()[1:], next(one for one in PARTITIONS if one != "a") + new_id()[1:]
    slot, keeper = key_slot(b"a"), cluster.master_of("a")
    store.append(append_after(store, lost, "one"))
    append = append_after(store, lost, "two")
    for node in cluster.nodes:
        node.ask("CLUSTER", "DELSLOTS", slot)
    try:
        wrong, *_ = check_server(cluster.url)
        assert wrong == Finding("error", "no server of the cluster keeps the partitions a")
        fresh = open_store(cluster.url)
        for one in (store, fresh):
            with pytest.raises(Unavailable):
                one.append(append)
            with pytest.raises(Unavailable):
                one.get_temporary(lost)
            with pytest.raises(Unavailable):
                one.list_by_status("open", 5)
        assert isinstance(fresh.append(append_after(fresh, well, "one")), Appended)
    finally:
        for node in cluster.nodes:
            if node.role == "master":
                node.ask("CLUSTER", "SETSLOT", slot, "NODE", keeper.ask("CLUSTER", "MYID"))
    time.sleep(redis_cluster.REFRESH_PAUSE)
    assert fresh.append(append) == Appended(2)
    assert words(store, lost) == ["one", "two"]
    fresh.close()


def test_a_master_that_has_just_joined(tmp_path: Path) -> None:
    """What it is given is found there, although no map had it."""
    game = "a" * 26
    with running(tmp_path, replicas=0) as cluster:
        store = open_store(cluster.url)
        store.append(append_after(store, game, "one", due={"bot": 1}))
        store.lease_due("a", {"bot": 60_000})
        newcomer = Node(tmp_path / "new", packaged(), "everysec", ())
        newcomer.server.start()
        cluster.nodes.append(newcomer)
        for node in cluster.nodes[:3]:
            node.ask("CLUSTER", "MEET", "127.0.0.1", newcomer.port, newcomer.bus)
        until(lambda: all(_joined(node) for node in cluster.nodes))
        move = Move(cluster, "a", newcomer)
        move.begin()
        move.carry(*TestMoving.DUE)
        store.set_due(game, "idle", 7)
        move.end()
        assert store.append(append_after(store, game, "two")) == Appended(2)
        assert store.get_due(game, ["idle"]) == {"idle": 7}
        assert cluster.master_of("a") is newcomer
        store.close()


def _joined(node: Node) -> bool:
    """Whether a server knows all four, and who keeps what."""
    about = node.ask("CLUSTER INFO")
    wanted = {
        "cluster_known_nodes": "4",
        "cluster_state": "ok",
        "cluster_slots_assigned": str(SLOTS),
    }
    return bool(wanted.items() <= about.items())


@pytest.mark.skipif(REDIS is None, reason="there is no redis-server on the PATH")
@pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no openssl on the PATH")
def test_a_cluster_behind_tls(tmp_path: Path, new_id: NewId) -> None:
    """Where the other servers are is told by their ports for TLS."""
    file, extra = tls(tmp_path)
    port = lasting_port()
    options = (*extra, "--tls-port", str(port), "--tls-cluster", "yes")
    node = Node(tmp_path / "data", REDIS, "everysec", options)
    node.server.start()
    try:
        node.ask("CLUSTER", "ADDSLOTSRANGE", 0, SLOTS - 1)
        until(lambda: node.ask("CLUSTER INFO")["cluster_state"] == "ok")
        store = open_store(f"rediss://127.0.0.1:{port}/0?ssl_ca_certs={file}")
        game = new_id()
        assert store.append(append_after(store, game, "one")) == Appended(1)
        assert words(store, game) == ["one"]
        assert next(store.listen()) == LISTENING
        assert store.list_by_status("open", 1) == []
        store.close()
        untrusted = open_store(f"rediss://127.0.0.1:{port}/0")
        with pytest.raises(Unavailable):
            untrusted.now()
    finally:
        node.server.stop()
