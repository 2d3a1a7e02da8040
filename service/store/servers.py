"""Where the keys lie: one server, or the masters of a cluster.

Which of the two it is, is asked when first something is wanted. In a cluster redis-py's own client
knows the nodes, keeps the map of slots and the connections, and reads; a script or a transaction is
put by `ask` on the connection of the node that it names, because that client would send an append
again by itself, and gives a connection away before `WAITAOF` can be asked on it.
"""

from __future__ import annotations

import itertools
import random
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final, Protocol, TypeAlias
from urllib.parse import urlsplit, urlunsplit

import redis
from redis import exceptions
from redis.backoff import NoBackoff
from redis.cluster import ClusterNode, RedisCluster
from redis.crc import key_slot
from redis.maint_notifications import MaintNotificationsConfig
from redis.retry import Retry

from .calls import Call, execute, translating_errors
from .connections import KINDS
from .protocol import PARTITIONS, StoreError, Unavailable

SLOTS: Final = 16_384
REDIRECTIONS: Final = 16
"""So often a question is put elsewhere, or again where keys are just moving."""

MOVING: Final = 0.05
LOOK_AGAIN: Final = 0.25
"""Seconds before a question is put again, and between two looks at the map of slots."""

Client: TypeAlias = "redis.Redis | RedisCluster"

NOT_FOUND: Final = (
    exceptions.RedisClusterException,
    exceptions.RedisError,
    OSError,
    IndexError,  # redis-py's own, where a cluster has no slots yet
)
"""What a look at the map of slots may end with."""


class Servers(Protocol):
    """One server or many. `client` is for single reads: a broken connection does no harm there."""

    client: Any

    def ask(self, key: str, question: Call, broken: type[StoreError] = Unavailable) -> Any:
        """Puts a question to the server that keeps a key, once; where that server says that it did

        nothing and who does, to that one. Raises `Unavailable` where nothing was written, `broken`
        where the connection broke after it was made.
        """
        ...

    def address(self) -> str:
        """Returns the URL of a server that hears of every append."""
        ...

    def hears(self, listener: redis.Redis) -> bool:
        """Returns whether the server of such a client still hears of every append."""
        ...

    def close(self) -> None:
        """Closes all connections."""
        ...


def addresses(url: str) -> list[str]:
    """Returns the single addresses of a list with commas between them."""
    return re.split(r",(?=[a-z]+://)", url)


def open_servers(url: str, timeout: float, connections: int) -> Servers:
    """Returns what lies at an address, or at the first one of a list that answers.

    `timeout` (seconds) bounds connecting and each answer; beyond `connections` to a server callers
    wait. Raises `Unavailable` where none answers.
    """
    fault: Unavailable | None = None
    for one in addresses(url):
        server = OneServer(one, timeout, connections)
        try:
            with translating_errors():
                about: Any = server.client.info("cluster")
                if not about.get("cluster_enabled"):
                    return server
                server.close()
                return Cluster(one, timeout, connections)
        except Unavailable as wrong:
            server.close()
            fault = wrong
    assert fault is not None  # noqa: S101
    raise fault


class OneServer:
    """A server that keeps everything."""

    def __init__(self, url: str, timeout: float, connections: int) -> None:
        self._url = url
        manner = _connection_options(timeout, connections)
        kind = KINDS.get(urlsplit(url).scheme)
        if kind is not None:
            manner["connection_class"] = kind
        self._pool = redis.BlockingConnectionPool.from_url(
            url, retry=Retry(NoBackoff(), 0), **manner
        )
        self.client = redis.Redis(connection_pool=self._pool)

    def ask(self, key: str, question: Call, broken: type[StoreError] = Unavailable) -> Any:
        return execute(self._pool, question, broken)

    def address(self) -> str:
        return self._url

    def hears(self, listener: redis.Redis) -> bool:
        return True

    def close(self) -> None:
        self._pool.disconnect()


class Cluster:
    """The masters of a cluster. Raises what redis-py does where it can't be joined."""

    def __init__(self, url: str, timeout: float, connections: int) -> None:
        self._url = url
        self._looked = 0.0
        self._looking = threading.Lock()
        with _joining():
            self.client = RedisCluster(
                url=url,
                # Reads only: these may be repeated, on the map as it is then.
                retry=Retry(NoBackoff(), 1),
                # A part that can't be served is no reason to refuse the others.
                require_full_coverage=False,
                connection_pool_class=redis.BlockingConnectionPool,
                **_connection_options(timeout, connections),
            )
        self._nodes = self.client.nodes_manager

    def ask(self, key: str, question: Call, broken: type[StoreError] = Unavailable) -> Any:
        slot = key_slot(key.encode())
        asked: ClusterNode | None = None
        for _ in range(REDIRECTIONS):
            node = asked or self._keeper(slot)
            pool = self.client.get_redis_connection(node).connection_pool
            try:
                return execute(pool, question, broken, asking=asked is not None)
            except StoreError as refused:
                asked = self._elsewhere(slot, node, refused)
        raise Unavailable("the cluster sends from one server to another")

    def address(self) -> str:
        node = random.choice(list(self._nodes.nodes_cache.values()))
        return server_address(self._url, str(node.host), int(node.port))

    def hears(self, listener: redis.Redis) -> bool:
        # One that was cut off from most of the others says so, and answers all the same.
        asked: Any = listener
        about = asked.execute_command("CLUSTER INFO")
        return bool(about["cluster_state"] == "ok")

    def close(self) -> None:
        for node in list(self._nodes.nodes_cache.values()):
            if node.redis_connection is not None:
                node.redis_connection.connection_pool.disconnect()

    def _keeper(self, slot: int) -> ClusterNode:
        """Returns the node that keeps a slot, as far as is known."""
        for _ in range(2):
            with suppress(exceptions.SlotNotCoveredError):
                return self._nodes.get_node_from_slot(slot)
            self._look(None)
        raise Unavailable("no server of the cluster keeps this partition")

    def _elsewhere(self, slot: int, node: ClusterNode, refused: StoreError) -> ClusterNode | None:
        """Returns where the question is to be put although it isn't kept there yet; None: where

        the map says. Raises what was refused where it is not to be put again.
        """
        cause = refused.__cause__
        if isinstance(cause, exceptions.MovedError):
            with suppress(KeyError):  # the slot may have left the map meanwhile
                self._nodes.move_slot(cause)
        elif isinstance(cause, exceptions.AskError):
            known = self._nodes.get_node(cause.host, cause.port)
            return known or _newcomer(cause.host, cause.port)
        elif isinstance(cause, exceptions.TryAgainError):
            time.sleep(MOVING)
        elif isinstance(cause, exceptions.ClusterDownError):
            self._look(None)
            raise refused
        elif isinstance(cause, exceptions.ResponseError):
            raise refused
        else:
            self._look(node)
            if not isinstance(refused, Unavailable) or self._keeper(slot).name == node.name:
                raise refused
        return None

    def _look(self, failed: ClusterNode | None) -> None:
        """Asks the cluster anew who keeps what, but not all the time: it costs milliseconds."""
        with self._looking:
            if time.monotonic() - self._looked < LOOK_AGAIN:
                return
            with suppress(*NOT_FOUND):
                self._nodes.initialize(
                    disconnect_startup_nodes_pools=False,
                    last_failed_node_name=None if failed is None else failed.name,
                )
            self._looked = time.monotonic()


def server_address(url: str, host: str, port: int) -> str:
    """Returns the address of another server of the same cluster."""
    parts = urlsplit(url)
    user, sign, _ = parts.netloc.rpartition("@")
    shown = f"[{host}]" if ":" in host else host
    return urlunsplit(parts._replace(netloc=f"{user}{sign}{shown}:{port}"))


def spread_slots(masters: int) -> list[range]:
    """Returns the slots to give to each of so many masters (1 to 32), so that each keeps as many

    partitions as any other, or one more.
    """
    kept = sorted(key_slot(one.encode()) for one in PARTITIONS)
    firsts = [kept[len(kept) * number // masters] for number in range(1, masters)]
    cuts = [0, *firsts, SLOTS]
    return [range(first, beyond) for first, beyond in itertools.pairwise(cuts)]


def _connection_options(timeout: float, connections: int) -> dict[str, Any]:
    """Returns how connections behave: they never send anything twice by themselves."""
    return {
        "max_connections": connections,
        "timeout": timeout,
        "socket_timeout": timeout,
        "socket_connect_timeout": timeout,
        # With these on, the pool would hand out connections that still hold unread data.
        "maint_notifications_config": MaintNotificationsConfig(enabled=False),
    }


def _newcomer(host: str, port: int) -> ClusterNode:
    made: Any = ClusterNode
    node: ClusterNode = made(host, port)
    return node


@contextmanager
def _joining() -> Iterator[None]:
    try:
        yield
    except IndexError as fault:  # redis-py's own, where a cluster has no slots yet
        raise Unavailable("no server of the cluster keeps anything") from fault
