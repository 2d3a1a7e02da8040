"""Whether servers are fit to keep games: asked once at the start."""

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

from .calls import Script
from .keys import CHANNEL, partition_keys
from .protocol import PARTITIONS, Acknowledgement, Unavailable
from .servers import Cluster, open_servers

OLDEST: Final = (7, 0)
OLDEST_WITH_ACKS: Final = (7, 2)
APART: Final = 1.0
"""Seconds by which the clocks of a cluster's masters may differ."""

RIGHTS: Final = "ACL SETUSER … ~* &* +@all for the user that REDIS_URL names"

PARTS: Final = ("server", "memory", "persistence", "replication")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong ("error": do not start) or unwise ("warning"), in one line; `advice`

    says what to do about it.
    """

    level: Literal["error", "warning"]
    text: str
    advice: str = field(default="", compare=False)


def check_server(
    url: str, timeout: float = 5.0, acks: Acknowledgement | None = None
) -> list[Finding]:
    """Returns what is wrong with the server at a URL, or with those of its cluster, errors first.

    `acks` is what appends shall wait for. Never raises for a server.
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
            wrong = _of_cluster(servers, acks)
        else:
            wrong = _of_node(servers.client, acks, PARTITIONS)
    finally:
        servers.close()
    return sorted(wrong, key=lambda found: found.level)


def check_queues(url: str, timeout: float = 5.0) -> list[Finding]:
    """Returns what is wrong with the server for the queues. Never raises for a server."""
    parts = urlsplit(url)
    if parts.scheme != "unix":
        url = urlunsplit(parts._replace(path=""))  # a cluster would refuse any other database
    try:
        with redis.Redis.from_url(
            url, socket_timeout=timeout, socket_connect_timeout=timeout, retry=Retry(NoBackoff(), 0)
        ) as client:
            about: Any = client.info("cluster")
    except (redis.RedisError, OSError, ValueError) as fault:
        text = f"no Redis or Valkey answers at QUEUE_URL: {fault}"
        return [Finding("error", text, "start the server, or correct QUEUE_URL")]
    if about.get("cluster_enabled"):
        text = "queues can't lie in a cluster: set QUEUE_URL to a single server"
        return [Finding("error", text, "start a server for them alone: they are small")]
    return []


def findings(info: dict[str, Any], acks: Acknowledgement | None = None) -> list[Finding]:
    """Returns what the server's own account of itself shows to be wrong."""
    found = []
    version = str(info.get("valkey_version") or info.get("redis_version", "0"))
    if _numbers(version) < OLDEST:
        text = f"the server is version {version}; 7.0 or later is needed"
        found.append(Finding("error", text, "upgrade it, or point REDIS_URL to a newer one"))
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
        found.append(Finding("error", text, "look for a full or broken disk in the server's log"))
    if info.get("role") == "slave":
        text = "the server is a read-only replica"
        found.append(Finding("error", text, "let REDIS_URL lead to the primary, or promote it"))
    elif acks is not None:
        found += _unconfirmed(info, acks)
    return found


def apart(clocks: Sequence[float]) -> list[Finding]:
    """Returns whether clocks (seconds, read at one moment) differ by more than they may."""
    difference = max(clocks) - min(clocks)
    if difference <= APART:
        return []
    text = f"the masters' clocks differ by {difference:.1f} s: deadlines would jump at a failover"
    return [Finding("warning", text, "let all of them take their time from one place (NTP)")]


def uneven(counts: Sequence[int]) -> list[Finding]:
    """Returns whether masters keep so different numbers of partitions that some would idle."""
    if max(counts) <= 2 * min(counts):
        return []
    text = f"masters keep {min(counts)} to {max(counts)} partitions: see `bailli slots`"
    return [Finding("warning", text, "give out the slots as `bailli slots` tells")]


def _unconfirmed(info: dict[str, Any], acks: Acknowledgement) -> list[Finding]:
    # Valkey tells here which Redis it is compatible with.
    if _numbers(str(info.get("redis_version", "0"))) < OLDEST_WITH_ACKS:
        text = "BAILLI_STORE_ACKS needs WAITAOF: Redis 7.2 or later, or Valkey"
        return [Finding("error", text, "upgrade the server, or unset BAILLI_STORE_ACKS")]
    found = []
    if acks.local and not info.get("aof_enabled"):
        text = "BAILLI_STORE_ACKS asks for an append-only file, and the server keeps none"
        advice = "CONFIG SET appendonly yes, or let BAILLI_STORE_ACKS begin with 0"
        found.append(Finding("error", text, advice))
    present = int(info.get("connected_slaves", 0))
    if present < acks.replicas:
        text = f"BAILLI_STORE_ACKS asks for {acks.replicas} replicas; there are {present} now"
        found.append(Finding("warning", text, "start them; until then appends are not durable"))
    return found


def _of_node(
    client: redis.Redis, acks: Acknowledgement | None, partitions: Sequence[str]
) -> list[Finding]:
    """Returns what is wrong with one server that is to keep these partitions."""
    try:
        info: dict[str, Any] = {}
        for part in PARTS:
            info |= client.info(part)
        wrong = findings(info, acks)
        if not any(finding.level == "error" for finding in wrong):
            wrong += _forbidden(client, partitions)
    except exceptions.NoPermissionError as fault:
        return [_not_permitted(fault)]
    except (redis.RedisError, OSError) as fault:
        return [_unreachable(fault)]
    return wrong


def _of_cluster(cluster: Cluster, acks: Acknowledgement | None) -> list[Finding]:
    """Returns what is wrong with the masters that keep partitions, their replicas, and together."""
    wrong: list[Finding] = []
    clocks: list[float] = []
    kept, uncovered = _kept(cluster)
    if uncovered:
        text = f"no server of the cluster keeps the partitions {' '.join(uncovered)}"
        wrong.append(Finding("error", text, "give their slots to a master: `bailli slots`"))
    for nodes, partitions in kept.values():
        master, *replicas = nodes
        client = cluster.client.get_redis_connection(master)
        found = _of_node(client, acks, partitions)
        if not any(finding.level == "error" for finding in found):
            clocks.append(_clock(client))
            found += _alone(client, replicas)
        wrong += [_at(master, finding) for finding in found]
        for replica in replicas:
            wrong += _of_replica(replica, cluster.client.get_redis_connection(replica))
    if kept:
        wrong += uneven([len(partitions) for _, partitions in kept.values()])
    return wrong + (apart(clocks) if clocks else [])


def _kept(cluster: Cluster) -> tuple[dict[str, tuple[list[Any], list[str]]], list[str]]:
    """Returns each master's name → it and its replicas, and its partitions; and those of none."""
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


def _of_replica(replica: Any, client: redis.Redis) -> list[Finding]:
    """Returns what would be wrong with a replica if it became a master."""
    try:
        info = {**client.info("server"), **client.info("memory"), **client.info("persistence")}
    except (redis.RedisError, OSError) as fault:
        text = f"the replica does not answer: {fault}"
        return [_at(replica, Finding("warning", text, "start it, or remove it from the cluster"))]
    return [_at(replica, finding) for finding in findings(info)]


def _alone(client: redis.Redis, replicas: Sequence[Any]) -> list[Finding]:
    found = []
    if not replicas:
        text = "the master has no replica: its games can't be reached while it is away"
        found.append(Finding("warning", text, "add a replica (CLUSTER REPLICATE)"))
    with suppress(exceptions.ResponseError):  # where the user may not ask, nothing is known
        setting = "cluster-require-full-coverage"
        if client.config_get(setting).get(setting) == "yes":
            text = f"{setting} is yes: one master that is away stops all games"
            found.append(Finding("warning", text, f"CONFIG SET {setting} no"))
    return found


def _clock(client: redis.Redis) -> float:
    """Returns by how much a server's clock is ahead of this machine's (s)."""
    before = time.time()
    seconds, micros = client.time()
    return float(seconds) + float(micros) / 1e6 - (before + time.time()) / 2


def _forbidden(client: redis.Redis, partitions: Sequence[str]) -> list[Finding]:
    """Returns what the present user may not do although the scripts must."""
    wanted = Script("allowed").text.decode()
    for one in partitions:
        denied: Any = client.eval(wanted, 1, partition_keys(one)[0], CHANNEL)
        if denied:
            names = ", ".join(name.decode() for name in denied)
            text = f"the server's user may not call {names} on keys {{{one}}}:*"
            return [Finding("error", text, RIGHTS)]
    return []


def _at(node: Any, finding: Finding) -> Finding:
    return replace(finding, text=f"{node.host}:{node.port}: {finding.text}")


def _unreachable(fault: Exception) -> Finding:
    text = f"no Redis or Valkey answers at REDIS_URL: {fault}"
    return Finding("error", text, "start the server, or correct REDIS_URL")


def _not_permitted(fault: Exception) -> Finding:
    text = f"the server's user may not do what is needed: {fault}"
    return Finding("error", text, RIGHTS)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
