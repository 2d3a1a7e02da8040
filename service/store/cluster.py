"""A Redis Cluster: the masters among which the partitions are divided, and how to reach them.

redis-py's own client knows the nodes, keeps the slot map and the connections, and reads. A script
or a transaction is executed by `Cluster.execute` on a connection of the responsible node, because
that client would send an append again by itself, and releases a connection before `WAITAOF` can be
sent on it.
"""

from __future__ import annotations

import itertools
import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final
from urllib.parse import urlsplit, urlunsplit

import redis
from redis import exceptions
from redis.backoff import NoBackoff
from redis.cluster import ClusterNode, RedisCluster
from redis.crc import key_slot
from redis.retry import Retry

from .connections import connection_options
from .redis_calls import Call, execute_call
from .values import PARTITIONS, StoreError, Unavailable

SLOTS: Final = 16_384
MAX_REDIRECTIONS: Final = 16
"""How often a call is sent to another node, or again while keys migrate."""

MIGRATION_PAUSE: Final = 0.05
"""Seconds before a call is sent again while keys migrate."""

REFRESH_PAUSE: Final = 0.25
"""Seconds between two refreshes of the slot map: one takes milliseconds."""

REFRESH_FAULTS: Final = (
    exceptions.RedisClusterException,
    exceptions.RedisError,
    OSError,
    IndexError,  # redis-py's own, where a cluster has no slots yet
)
"""The exceptions that a refresh of the slot map may end with."""


class Cluster:
    """The masters of a cluster; does what `servers.Servers` promises.

    Raises redis-py's errors where the cluster can't be joined.
    """

    def __init__(self, url: str, timeout: float, connections: int) -> None:
        self._url = url
        self._refreshed = 0.0
        self._refreshing = threading.Lock()
        with _joining():
            self.client = RedisCluster(
                url=url,
                # Reads only: these may be repeated, with the slot map as it is then.
                retry=Retry(NoBackoff(), 1),
                # One part that can't be served is no reason to refuse the others.
                require_full_coverage=False,
                connection_pool_class=redis.BlockingConnectionPool,
                **connection_options(timeout, connections),
            )
        self._nodes = self.client.nodes_manager

    def execute(self, key: str, call: Call, broken: type[StoreError] = Unavailable) -> Any:
        slot = key_slot(key.encode())
        importing: ClusterNode | None = None
        for _ in range(MAX_REDIRECTIONS):
            node = importing or self._node_of(slot)
            pool = self.client.get_redis_connection(node).connection_pool
            try:
                return execute_call(pool, call, broken, asking=importing is not None)
            except StoreError as refused:
                importing = self._redirect(slot, node, refused)
        raise Unavailable("the cluster redirects from one server to another")

    def listening_url(self) -> str:
        node = random.choice(list(self._nodes.nodes_cache.values()))
        return sibling_url(self._url, str(node.host), int(node.port))

    def hears_appends(self, listener: redis.Redis) -> bool:
        # A node that was cut off from most of the others reports it, and responds all the same.
        client: Any = listener
        info = client.execute_command("CLUSTER INFO")
        return bool(info["cluster_state"] == "ok")

    def close(self) -> None:
        for node in list(self._nodes.nodes_cache.values()):
            if node.redis_connection is not None:
                node.redis_connection.connection_pool.disconnect()

    def _node_of(self, slot: int) -> ClusterNode:
        """Returns the node that keeps a slot, as far as is known."""
        for _ in range(2):
            with suppress(exceptions.SlotNotCoveredError):
                return self._nodes.get_node_from_slot(slot)
            self._refresh(None)
        raise Unavailable("no server of the cluster keeps this partition")

    def _redirect(self, slot: int, node: ClusterNode, refused: StoreError) -> ClusterNode | None:
        """Returns the node that is importing the slot and to be asked with ASKING; None: the node

        that the slot map names. Raises `refused` where the call is not to be sent again.
        """
        cause = refused.__cause__
        if isinstance(cause, exceptions.MovedError):
            with suppress(KeyError):  # the slot may have left the map meanwhile
                self._nodes.move_slot(cause)
        elif isinstance(cause, exceptions.AskError):
            known = self._nodes.get_node(cause.host, cause.port)
            return known or _new_node(cause.host, cause.port)
        elif isinstance(cause, exceptions.TryAgainError):
            time.sleep(MIGRATION_PAUSE)
        elif isinstance(cause, exceptions.ClusterDownError):
            self._refresh(None)
            raise refused
        elif isinstance(cause, exceptions.ResponseError):
            raise refused
        else:
            self._refresh(node)
            if not isinstance(refused, Unavailable) or self._node_of(slot).name == node.name:
                raise refused
        return None

    def _refresh(self, failed: ClusterNode | None) -> None:
        """Refreshes the slot map, unless that was done a moment ago."""
        with self._refreshing:
            if time.monotonic() - self._refreshed < REFRESH_PAUSE:
                return
            with suppress(*REFRESH_FAULTS):
                self._nodes.initialize(
                    disconnect_startup_nodes_pools=False,
                    last_failed_node_name=None if failed is None else failed.name,
                )
            self._refreshed = time.monotonic()


def sibling_url(url: str, host: str, port: int) -> str:
    """Returns the URL of another server of the same cluster."""
    parts = urlsplit(url)
    user, sign, _ = parts.netloc.rpartition("@")
    shown = f"[{host}]" if ":" in host else host
    return urlunsplit(parts._replace(netloc=f"{user}{sign}{shown}:{port}"))


def divide_slots(masters: int) -> list[range]:
    """Returns the slots to assign to each of so many masters (1 to 32), so that each keeps as many

    partitions as any other, or one more.
    """
    kept = sorted(key_slot(one.encode()) for one in PARTITIONS)
    firsts = [kept[len(kept) * number // masters] for number in range(1, masters)]
    cuts = [0, *firsts, SLOTS]
    return [range(first, beyond) for first, beyond in itertools.pairwise(cuts)]


def _new_node(host: str, port: int) -> ClusterNode:
    make: Any = ClusterNode
    node: ClusterNode = make(host, port)
    return node


@contextmanager
def _joining() -> Iterator[None]:
    try:
        yield
    except IndexError as fault:  # redis-py's own, where a cluster has no slots yet
        raise Unavailable("no server of the cluster keeps anything") from fault
