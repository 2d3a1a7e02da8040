"""A cluster on loopback: masters, each with as many replicas, started and joined by hand."""

from __future__ import annotations

import contextlib
import itertools
import os
import random
import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from redis import Redis, RedisError
from redis.crc import key_slot

from service.store.cluster import divide_slots
from service.store.embedded import EmbeddedError, EmbeddedServer, server_binary

from .streams import port

UNSURE = {"handshake", "noaddr"}
"""Flags of servers that are not known yet, or not any more."""

PATIENCE = 60.0
"""Seconds that joining, or a promotion, may take."""


class Node:
    """A server of the cluster."""

    def __init__(
        self,
        folder: Path,
        binary: str | None,
        fsync: Literal["always", "everysec"],
        extra: tuple[str, ...],
    ) -> None:
        cluster = (
            *("--cluster-enabled", "yes", "--cluster-port", str(lasting_port())),
            *("--cluster-config-file", "nodes.conf", "--cluster-require-full-coverage", "no"),
            *("--cluster-replica-validity-factor", "0", "--repl-diskless-sync-delay", "0"),
            *("--repl-ping-replica-period", "1"),
        )
        self.bus = int(cluster[3])
        self.server = EmbeddedServer(
            folder, port=lasting_port(), binary=binary, fsync=fsync, extra=(*cluster, *extra)
        )

    @property
    def port(self) -> int:
        return port(self.server)

    def ask(self, *command: object) -> Any:
        """Returns the answer to a command."""
        with Redis.from_url(self.server.url, decode_responses=True) as client:
            return client.execute_command(*command)

    def info(self, part: str) -> dict[str, Any]:
        with Redis.from_url(self.server.url) as client:
            return client.info(part)

    @property
    def role(self) -> str:
        return str(self.info("replication")["role"])


class Cluster:
    """A running cluster. `nodes` are the masters first, then the first replica of each …"""

    def __init__(
        self,
        folder: Path,
        *,
        masters: int = 3,
        replicas: int = 1,
        binary: str | None = None,
        node_timeout: int = 30_000,
        fsync: Literal["always", "everysec"] = "everysec",
    ) -> None:
        self.masters = masters
        extra = ("--cluster-node-timeout", str(node_timeout))
        count = masters * (1 + replicas)
        self.nodes = [Node(folder / str(at), binary, fsync, extra) for at in range(count)]

    @property
    def url(self) -> str:
        """All addresses."""
        return ",".join(node.server.url for node in self.nodes)

    def start(self) -> None:
        threads = [threading.Thread(target=node.server.start) for node in self.nodes]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        masters = self.nodes[: self.masters]
        for number, (node, slots) in enumerate(
            zip(masters, divide_slots(self.masters), strict=True)
        ):
            node.ask("CLUSTER", "ADDSLOTSRANGE", slots[0], slots[-1])
            node.ask("CLUSTER", "SET-CONFIG-EPOCH", number + 1)
        for one, other in itertools.combinations(self.nodes, 2):
            one.ask("CLUSTER", "MEET", "127.0.0.1", other.port, other.bus)
        until(lambda: all(len(_known(node)) == len(self.nodes) for node in self.nodes))
        for number, node in enumerate(self.nodes[self.masters :]):
            master = masters[number % self.masters]
            node.ask("CLUSTER", "REPLICATE", master.ask("CLUSTER", "MYID"))
        until(self.whole)

    def whole(self) -> bool:
        """Whether every slot is served and every replica follows, in everybody's eyes."""
        return all(
            node.ask("CLUSTER INFO")["cluster_state"] == "ok"
            and (node.role == "master" or node.info("replication")["master_link_status"] == "up")
            and sum(len(kept) - 3 for kept in node.ask("CLUSTER SLOTS"))
            == len(self.nodes) - self.masters
            for node in self.nodes
        )

    def master_of(self, partition: str) -> Node:
        """Returns the node that keeps a partition, as a living node sees it."""
        slot = key_slot(partition.encode())
        for node in self.nodes:
            if node.server.pid:
                for first, last, master, *_ in node.ask("CLUSTER SLOTS"):
                    if first <= slot <= last:
                        return self.at(int(master[1]))
        raise LookupError(partition)

    def at(self, port: int) -> Node:
        return next(node for node in self.nodes if node.port == port)

    def empty(self) -> None:
        """Forgets all keys."""
        for node in self.nodes:
            if node.role == "master":
                node.ask("FLUSHALL")

    def keys(self) -> dict[int, set[str]]:
        """Returns the keys on each master, by its port."""
        return {
            node.port: set(node.ask("KEYS", "*")) for node in self.nodes if node.role == "master"
        }

    def stop(self) -> None:
        for node in self.nodes:
            node.server.kill()
            node.server.stop()


@contextlib.contextmanager
def running(folder: Path, **how: Any) -> Iterator[Cluster]:
    """A cluster that is gone afterwards; the test is skipped where there is no server for it."""
    how.setdefault("binary", packaged())
    cluster = Cluster(folder, **how)
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()


def packaged() -> str:
    """Returns the system's own Redis, else the embedded server; skips the test without either."""
    try:
        return shutil.which("redis-server") or server_binary()
    except EmbeddedError as fault:
        pytest.skip(str(fault))


# Test processes that run side by side have ports of their own.
_FIRST = 20_000 + 1_500 * (int(os.environ.get("PYTEST_XDIST_WORKER", "gw0")[2:]) % 8)
_PORTS = itertools.cycle(random.sample(range(_FIRST, _FIRST + 1_500), 1_500))


def lasting_port() -> int:
    """Returns a free port that the system gives to no client, so that a server that was killed can

    have it again; none twice soon, since nobody listens there at once.
    """
    while True:
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", next(_PORTS)))
            return int(probe.getsockname()[1])


def until(holds: Callable[[], bool]) -> None:
    """Waits until something holds."""
    limit = time.monotonic() + PATIENCE
    while True:
        with contextlib.suppress(RedisError, OSError):
            if holds():
                return
        assert time.monotonic() < limit, "the cluster does not come together"
        time.sleep(0.05)


def _known(node: Node) -> dict[str, Any]:
    known: dict[str, Any] = node.ask("CLUSTER NODES")
    return {
        name: about for name, about in known.items() if not set(about["flags"].split(",")) & UNSURE
    }
