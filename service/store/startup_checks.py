"""Start-up checks: whether the servers are fit to keep games and queues."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal
from urllib.parse import urlsplit, urlunsplit

import redis
from redis import exceptions
from redis.backoff import NoBackoff
from redis.crc import key_slot
from redis.retry import Retry

from .cluster import Cluster
from .keys import CHANNEL, partition_keys
from .redis_calls import Script
from .servers import open_servers
from .values import PARTITIONS, Acknowledgement, Unavailable

MIN_VERSION: Final = (7, 0)
MIN_VERSION_WITH_ACKS: Final = (7, 2)
MAX_CLOCK_DIFFERENCE: Final = 1.0
"""Seconds by which the clocks of a cluster's masters may differ."""

PERMISSIONS_ADVICE: Final = "ACL SETUSER … ~* &* +@all for the user that REDIS_URL names"

INFO_SECTIONS: Final = ("server", "memory", "persistence", "replication")


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem ("error": do not start) or a risk ("warning"), in one line, and in `advice` how to

    fix it.
    """

    level: Literal["error", "warning"]
    text: str
    advice: str = field(default="", compare=False)


def check_server(
    url: str, timeout: float = 5.0, acks: Acknowledgement | None = None
) -> list[Finding]:
    """Returns the problems of the server at a URL, or of those of its cluster, errors first.

    `acks` is what appends will wait for. Never raises because of a server.
    """
    try:
        servers = open_servers(url, timeout, 2)
    except ValueError as fault:
        return [_unreachable(fault)]
    except Unavailable as fault:
        if isinstance(fault.__cause__, exceptions.NoPermissionError):
            return [_not_permitted(fault)]
        return [_unreachable(fault)]
    try:
        if isinstance(servers, Cluster):
            found = _check_cluster(servers, acks)
        else:
            found = _check_node(servers.client, acks, PARTITIONS)
    finally:
        servers.close()
    return sorted(found, key=lambda finding: finding.level)


def check_queues(url: str, timeout: float = 5.0) -> list[Finding]:
    """Returns the problems of the queues' server. Never raises because of a server."""
    parts = urlsplit(url)
    if parts.scheme != "unix":
        url = urlunsplit(parts._replace(path=""))  # a cluster would refuse any other database
    try:
        with redis.Redis.from_url(
            url, socket_timeout=timeout, socket_connect_timeout=timeout, retry=Retry(NoBackoff(), 0)
        ) as client:
            info: Any = client.info("cluster")
    except (redis.RedisError, OSError, ValueError) as fault:
        text = f"no Redis or Valkey responds at QUEUE_URL: {fault}"
        return [Finding("error", text, "start the server, or correct QUEUE_URL")]
    if info.get("cluster_enabled"):
        text = "the queues can't be in a cluster: set QUEUE_URL to a single server"
        return [Finding("error", text, "start a single server for them: they are small")]
    return []


def check_info(info: dict[str, Any], acks: Acknowledgement | None = None) -> list[Finding]:
    """Returns the problems that a server's response to INFO shows."""
    found = []
    version = str(info.get("valkey_version") or info.get("redis_version", "0"))
    if _parse_version(version) < MIN_VERSION:
        text = f"the server is version {version}; 7.0 or later is needed"
        found.append(Finding("error", text, "upgrade it, or let REDIS_URL point to a newer one"))
    policy = info.get("maxmemory_policy", "noeviction")
    if policy != "noeviction":
        found.append(
            Finding(
                "error",
                f"maxmemory-policy is {policy}: games would be lost; set it to noeviction",
                "CONFIG SET maxmemory-policy noeviction, and the same in its configuration file",
            )
        )
    if not info.get("aof_enabled"):
        text = "the server keeps no append-only file: a crash loses games"
        advice = "CONFIG SET appendonly yes, and the same in its configuration file"
        found.append(Finding("warning", text, advice))
    elif info.get("aof_last_write_status", "ok") != "ok":
        text = "the server cannot write its append-only file"
        found.append(Finding("error", text, "look in the server's log for a full or faulty disk"))
    if info.get("role") == "slave":
        text = "the server is a read-only replica"
        found.append(
            Finding("error", text, "let REDIS_URL point to the primary, or promote this one")
        )
    elif acks is not None:
        found += _check_acks(info, acks)
    return found


def check_clocks(clocks: Sequence[float]) -> list[Finding]:
    """Returns a finding where clocks (seconds, read at one moment) differ too much."""
    difference = max(clocks) - min(clocks)
    if difference <= MAX_CLOCK_DIFFERENCE:
        return []
    text = f"the masters' clocks differ by {difference:.1f} s: deadlines would jump at a failover"
    return [Finding("warning", text, "synchronize all of them by NTP")]


def check_balance(counts: Sequence[int]) -> list[Finding]:
    """Returns a finding where some masters keep more than twice as many partitions as others."""
    if max(counts) <= 2 * min(counts):
        return []
    text = f"the masters keep {min(counts)} to {max(counts)} partitions each: some would idle"
    return [Finding("warning", text, "assign the slots as `bailli slots` shows")]


def _check_acks(info: dict[str, Any], acks: Acknowledgement) -> list[Finding]:
    # Valkey states here which Redis it is compatible with.
    if _parse_version(str(info.get("redis_version", "0"))) < MIN_VERSION_WITH_ACKS:
        text = "BAILLI_STORE_ACKS needs WAITAOF: Redis 7.2 or later, or Valkey"
        return [Finding("error", text, "upgrade the server, or unset BAILLI_STORE_ACKS")]
    found = []
    if acks.local and not info.get("aof_enabled"):
        text = "BAILLI_STORE_ACKS requires an append-only file, and the server keeps none"
        advice = "CONFIG SET appendonly yes, or let BAILLI_STORE_ACKS begin with 0"
        found.append(Finding("error", text, advice))
    present = int(info.get("connected_slaves", 0))
    if present < acks.replicas:
        text = f"BAILLI_STORE_ACKS requires {acks.replicas} replicas; there are {present} now"
        found.append(Finding("warning", text, "start them; until then appends are not durable"))
    return found


def _check_node(
    client: redis.Redis, acks: Acknowledgement | None, partitions: Sequence[str]
) -> list[Finding]:
    """Returns the problems of one server that keeps these partitions."""
    try:
        info: dict[str, Any] = {}
        for section in INFO_SECTIONS:
            info |= client.info(section)
        found = check_info(info, acks)
        if not _has_errors(found):
            found += _check_permissions(client, partitions)
    except exceptions.NoPermissionError as fault:
        return [_not_permitted(fault)]
    except (redis.RedisError, OSError) as fault:
        return [_unreachable(fault)]
    return found


def _check_cluster(cluster: Cluster, acks: Acknowledgement | None) -> list[Finding]:
    """Returns the problems of each master and replica, and those of the cluster as a whole."""
    findings: list[Finding] = []
    clocks: list[float] = []
    kept, uncovered = _map_partitions(cluster)
    if uncovered:
        text = f"no server of the cluster keeps the partitions {' '.join(uncovered)}"
        findings.append(Finding("error", text, "assign their slots to a master: `bailli slots`"))
    for nodes, partitions in kept.values():
        master, *replicas = nodes
        client = cluster.client.get_redis_connection(master)
        found = _check_node(client, acks, partitions)
        if not _has_errors(found):
            clocks.append(_clock_offset(client))
            found += _check_failover(client, replicas)
        findings += [_at(master, finding) for finding in found]
        for replica in replicas:
            findings += _check_replica(replica, cluster.client.get_redis_connection(replica))
    if kept:
        findings += check_balance([len(partitions) for _, partitions in kept.values()])
    return findings + (check_clocks(clocks) if clocks else [])


def _map_partitions(cluster: Cluster) -> tuple[dict[str, tuple[list[Any], list[str]]], list[str]]:
    """Returns each master's name → its nodes (itself first) and partitions; and those of none."""
    slots = cluster.client.nodes_manager.slots_cache
    kept: dict[str, tuple[list[Any], list[str]]] = {}
    uncovered = []
    for one in PARTITIONS:
        nodes = slots.get(key_slot(one.encode()))
        if nodes:
            kept.setdefault(nodes[0].name, (nodes, []))[1].append(one)
        else:
            uncovered.append(one)
    return kept, uncovered


def _check_replica(replica: Any, client: redis.Redis) -> list[Finding]:
    """Returns the problems that a replica would have if it became a master."""
    try:
        info = {**client.info("server"), **client.info("memory"), **client.info("persistence")}
    except (redis.RedisError, OSError) as fault:
        text = f"the replica does not respond: {fault}"
        return [_at(replica, Finding("warning", text, "start it, or remove it from the cluster"))]
    return [_at(replica, finding) for finding in check_info(info)]


def _check_failover(client: redis.Redis, replicas: Sequence[Any]) -> list[Finding]:
    """Returns what would keep games from being served while a master is down."""
    found = []
    if not replicas:
        text = "the master has no replica: its games can't be reached while it is down"
        found.append(Finding("warning", text, "add a replica (CLUSTER REPLICATE)"))
    with suppress(exceptions.ResponseError):  # the user may lack the permission
        setting = "cluster-require-full-coverage"
        if client.config_get(setting).get(setting) == "yes":
            text = f"{setting} is yes: one master that is down stops all games"
            found.append(Finding("warning", text, f"CONFIG SET {setting} no"))
    return found


def _clock_offset(client: redis.Redis) -> float:
    """Returns by how much a server's clock is ahead of this machine's (s)."""
    before = time.time()
    seconds, micros = client.time()
    return float(seconds) + float(micros) / 1e6 - (before + time.time()) / 2


def _check_permissions(client: redis.Redis, partitions: Sequence[str]) -> list[Finding]:
    """Returns a finding where the user may not call commands that the store uses."""
    script = Script("check_permissions").text.decode()
    for one in partitions:
        denied: Any = client.eval(script, 1, partition_keys(one)[0], CHANNEL)
        if denied:
            names = ", ".join(name.decode() for name in denied)
            text = f"the server's user may not call {names} on keys {{{one}}}:*"
            return [Finding("error", text, PERMISSIONS_ADVICE)]
    return []


def _has_errors(findings: Sequence[Finding]) -> bool:
    return any(finding.level == "error" for finding in findings)


def _at(node: Any, finding: Finding) -> Finding:
    return replace(finding, text=f"{node.host}:{node.port}: {finding.text}")


def _unreachable(fault: Exception) -> Finding:
    text = f"no Redis or Valkey responds at REDIS_URL: {fault}"
    return Finding("error", text, "start the server, or correct REDIS_URL")


def _not_permitted(fault: Exception) -> Finding:
    text = f"the server's user lacks a permission: {fault}"
    return Finding("error", text, PERMISSIONS_ADVICE)


def _parse_version(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
