"""Which servers are fit to keep games."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from redis import Redis

from service.store.checks import Finding, check_server, findings
from service.store.embedded import EmbeddedServer, free_port
from service.store.redis_store import RedisStore

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
        ({"redis_mode": "cluster"}, "error", "cluster"),
        ({"server_mode": "cluster"}, "error", "cluster"),
        ({}, None, ""),
    ],
)
def test_findings(change: dict[str, Any], level: str | None, text: str) -> None:
    found = findings({**FINE, **change})
    assert [finding.level for finding in found] == ([] if level is None else [level])
    assert all(text in finding.text for finding in found)


def test_no_server_is_found_out() -> None:
    (found,) = check_server(f"redis://127.0.0.1:{free_port()}/0")
    assert found == Finding("error", found.text)
    assert "no Redis or Valkey answers" in found.text


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


@pytest.mark.parametrize("binary", [None, REDIS], ids=["embedded", "redis"])
def test_a_cluster(tmp_path: Path, binary: str | None) -> None:
    extra = ("--cluster-enabled", "yes", "--cluster-port", str(free_port()))
    with EmbeddedServer(tmp_path, extra=extra, binary=binary) as server:
        (found,) = check_server(server.url)
        assert "cluster" in found.text


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
        assert "may not do what is needed" in found.text
    finally:
        client.acl_deluser("half")
