"""Which servers are fit to keep games."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from redis import Redis

from service.store import Acknowledgement
from service.store.embedded import EmbeddedServer, free_port
from service.store.redis_store import RedisStore
from service.store.startup_checks import (
    Finding,
    check_balance,
    check_clocks,
    check_info,
    check_queues,
    check_server,
)

from .cluster import Cluster
from .conftest import REDIS

FINE = {"redis_version": "7.2.0", "maxmemory_policy": "noeviction", "aof_enabled": 1}
EVICTIONS = (
    "allkeys-lru", "allkeys-lfu", "allkeys-random", "volatile-lru", "volatile-lfu",
    "volatile-random", "volatile-ttl",
)  # fmt: skip


@pytest.mark.parametrize(
    ("change", "level", "text"),
    [
        ({"redis_version": "6.2.1"}, "error", "7.0 or later"),
        ({"valkey_version": "8.0.0", "redis_version": "6.0.0"}, None, ""),
        *(({"maxmemory_policy": policy}, "error", "noeviction") for policy in EVICTIONS),
        ({"aof_enabled": 0}, "warning", "append-only"),
        ({"aof_last_write_status": "err"}, "error", "cannot write"),
        ({"role": "slave"}, "error", "replica"),
        ({}, None, ""),
    ],
)
def test_check_info(change: dict[str, Any], level: str | None, text: str) -> None:
    found = check_info({**FINE, **change})
    assert [finding.level for finding in found] == ([] if level is None else [level])
    assert all(text in finding.text for finding in found)


def test_no_server_is_found_out() -> None:
    (found,) = check_server(f"redis://127.0.0.1:{free_port()}/0")
    assert found == Finding("error", found.text)
    assert "no Redis or Valkey responds" in found.text


@pytest.mark.parametrize("url", ["http://127.0.0.1/", "redis://127.0.0.1:port/0", ""])
def test_an_address_that_is_none(url: str) -> None:
    (found,) = check_server(url)
    assert (found.level, "\n" in found.text) == ("error", False)


def test_a_fine_server(direct: RedisStore) -> None:
    assert check_server(direct.url) == []


@pytest.mark.parametrize("policy", ["allkeys-lru", "volatile-ttl"])
def test_an_evicting_server(direct: RedisStore, client: Redis, policy: str) -> None:
    client.config_set("maxmemory-policy", policy)
    try:
        (found,) = check_server(direct.url)
        assert found.level == "error"
        assert policy in found.text
    finally:
        client.config_set("maxmemory-policy", "noeviction")


def test_errors_come_before_warnings(direct: RedisStore, client: Redis) -> None:
    client.config_set("appendonly", "no")
    client.config_set("maxmemory-policy", "allkeys-lfu")
    try:
        assert [found.level for found in check_server(direct.url)] == ["error", "warning"]
    finally:
        client.config_set("maxmemory-policy", "noeviction")
        client.config_set("appendonly", "yes")


@pytest.mark.parametrize(
    ("change", "level", "text"),
    [
        ({"redis_version": "7.0.15"}, "error", "WAITAOF"),
        ({"redis_version": "7.2.4", "valkey_version": "9.0.0"}, None, ""),
        ({"connected_slaves": 1}, "warning", "requires 2 replicas; there are 1 now"),
    ],
)
def test_what_cannot_be_confirmed(change: dict[str, Any], level: str | None, text: str) -> None:
    found = check_info({**FINE, "connected_slaves": 2, **change}, Acknowledgement(1, 2, 100))
    assert [finding.level for finding in found] == ([] if level is None else [level])
    assert all(text in finding.text for finding in found)


def test_a_file_that_is_asked_for_and_not_kept() -> None:
    found = check_info({**FINE, "aof_enabled": 0}, Acknowledgement(1, 0, 100))
    assert [finding.level for finding in found] == ["warning", "error"]
    assert "and the server keeps none" in found[1].text


def test_clocks_of_several_masters() -> None:
    assert check_clocks([0.0]) == check_clocks([0.1, -0.2, 0.8]) == []
    (found,) = check_clocks([0.5, 3.0, 0.0])
    assert (found.level, "differ by 3.0 s" in found.text) == ("warning", True)


def test_partitions_of_several_masters() -> None:
    assert check_balance([32]) == check_balance([8, 10, 14]) == check_balance([10, 11, 11]) == []
    (found,) = check_balance([1, 7])
    assert (found.level, "keep 1 to 7 partitions" in found.text) == ("warning", True)


@pytest.mark.parametrize("binary", [None, REDIS], ids=["embedded", "redis"])
def test_a_cluster_that_keeps_nothing(tmp_path: Path, binary: str | None) -> None:
    extra = ("--cluster-enabled", "yes", "--cluster-port", str(free_port()))
    with EmbeddedServer(tmp_path, extra=extra, binary=binary) as server:
        (found,) = check_server(server.url)
        assert (found.level, "keeps anything" in found.text) == ("error", True)


def test_a_fine_cluster(cluster: Cluster) -> None:
    assert check_server(cluster.url) == []
    assert check_server(cluster.nodes[-1].server.url) == [], "a replica tells where the masters are"


def test_each_server_of_a_cluster_is_looked_at(cluster: Cluster) -> None:
    master, replica = cluster.nodes[1], cluster.nodes[-1]
    master.ask("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
    master.ask("CONFIG", "SET", "cluster-require-full-coverage", "yes")
    replica.ask("CONFIG", "SET", "appendonly", "no")
    try:
        wrong, unwise = check_server(cluster.url)
        assert (wrong.level, unwise.level) == ("error", "warning")
        assert wrong.text.startswith(f"127.0.0.1:{master.port}: maxmemory-policy is allkeys-lru")
        assert unwise.text.startswith(f"127.0.0.1:{replica.port}: the server keeps no append-only")
        master.ask("CONFIG", "SET", "maxmemory-policy", "noeviction")
        told = [finding.text for finding in check_server(cluster.url)]
        coverage = f"127.0.0.1:{master.port}: cluster-require-full-coverage is yes"
        assert [text.startswith(coverage) for text in told].count(True) == 1
    finally:
        master.ask("CONFIG", "SET", "maxmemory-policy", "noeviction")
        master.ask("CONFIG", "SET", "cluster-require-full-coverage", "no")
        replica.ask("CONFIG", "SET", "appendonly", "yes")


def test_a_user_who_may_not_do_all_on_one_master(cluster: Cluster) -> None:
    for node in cluster.nodes:
        rights = "-xadd" if node is cluster.nodes[2] else "+xadd"
        node.ask("ACL", "SETUSER", "half", "on", ">p", "~*", "&*", "+@all", rights)
    try:
        url = cluster.url.replace("://", "://half:p@")
        (found,) = check_server(url)
        assert found.text.startswith(f"127.0.0.1:{cluster.nodes[2].port}: ")
        assert "may not call XADD on keys" in found.text
    finally:
        for node in cluster.nodes:
            node.ask("ACL", "DELUSER", "half")


@pytest.mark.parametrize(("number", "level"), [(0, "error"), (2, "error"), (5, "warning")])
def test_a_user_who_may_not_ask(cluster: Cluster, number: int, level: str) -> None:
    for node in cluster.nodes:
        rights = "-info" if node is cluster.nodes[number] else "+info"
        node.ask("ACL", "SETUSER", "half", "on", ">p", "~*", "&*", "+@all", rights)
    try:
        first = cluster.nodes[number and 1].server.url.replace("://", "://half:p@")
        (found,) = check_server(first)
        assert found.level == level
        assert "info" in found.text
    finally:
        for node in cluster.nodes:
            node.ask("ACL", "DELUSER", "half")


def test_queues_behind_a_socket(tmp_path: Path) -> None:
    with EmbeddedServer(tmp_path, socket_path=tmp_path / "s") as server:
        assert check_queues(f"{server.url}?db=1") == []


def test_where_queues_may_lie(direct: RedisStore, cluster: Cluster) -> None:
    assert check_queues(direct.url.replace("/0", "/1")) == []
    (wrong,) = check_queues(cluster.nodes[0].server.url.replace("/0", "/1"))
    assert wrong == Finding("error", wrong.text)
    assert "set QUEUE_URL to a single server" in wrong.text
    (missing,) = check_queues(f"redis://127.0.0.1:{free_port()}/0")
    assert "responds at QUEUE_URL" in missing.text


@pytest.mark.parametrize(
    ("rights", "named"),
    [
        (["+@all", "-xadd"], "XADD"),
        (["+@all", "-zadd", "-hdel"], "HDEL, ZADD"),
        (["+@all", "-publish"], "PUBLISH"),
        (["+@all", "-evalsha"], "EVALSHA"),
        (["+@all"], ""),
    ],
)
def test_a_user_who_may_not_do_all(
    direct: RedisStore, client: Redis, rights: list[str], named: str
) -> None:
    client.acl_setuser(
        "half", enabled=True, passwords=["+p"], keys=["*"], channels=["*"], commands=rights
    )
    try:
        found = check_server(direct.url.replace("://", "://half:p@"))
        assert [finding.level for finding in found] == (["error"] if named else [])
        assert all(f"may not call {named} on" in finding.text for finding in found)
    finally:
        client.acl_deluser("half")


def test_a_user_who_may_not_touch_all_keys(direct: RedisStore, client: Redis) -> None:
    client.acl_setuser(
        "half", enabled=True, passwords=["+p"], keys=["{a}:*"], channels=["*"], commands=["+@all"]
    )
    try:
        (found,) = check_server(direct.url.replace("://", "://half:p@"))
        assert found == Finding("error", found.text)
        assert "lacks a permission" in found.text
    finally:
        client.acl_deluser("half")
