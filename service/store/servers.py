"""Where the keys are: on a single server, or on the masters of a Redis Cluster (see `cluster`).

Which of the two it is, is found out when the store is first used.
"""

from __future__ import annotations

import re
from typing import Any, Protocol
from urllib.parse import urlsplit

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from .cluster import Cluster
from .connections import CONNECTION_CLASSES, connection_options
from .redis_calls import Call, execute_call, translating_errors
from .values import StoreError, Unavailable


class Servers(Protocol):
    """One server or many. `client` is for plain reads, which may be repeated."""

    client: Any

    def execute(self, key: str, call: Call, broken: type[StoreError] = Unavailable) -> Any:
        """Executes a call on the server that keeps a key, once; where that server states that it

        did nothing and which one is responsible, on that one. Raises `Unavailable` where nothing
        was written, `broken` where the connection broke after it was made.
        """
        ...

    def listening_url(self) -> str:
        """Returns the URL of a server at which every append is announced."""
        ...

    def hears_appends(self, listener: redis.Redis) -> bool:
        """Returns whether every append is still announced at the server of such a client."""
        ...

    def close(self) -> None:
        """Closes all connections."""
        ...


def split_urls(urls: str) -> list[str]:
    """Returns the single URLs of a list separated by commas."""
    return re.split(r",(?=[a-z]+://)", urls)


def open_servers(url: str, timeout: float, connections: int) -> Servers:
    """Returns the server or the cluster at a URL, or at the first one of a list that responds.

    `timeout` (seconds) bounds connecting and each response; beyond `connections` to a server
    callers wait. Raises `Unavailable` where none responds.
    """
    fault: Unavailable | None = None
    for one in split_urls(url):
        server = SingleServer(one, timeout, connections)
        try:
            with translating_errors():
                info: Any = server.client.info("cluster")
                if not info.get("cluster_enabled"):
                    return server
                server.close()
                return Cluster(one, timeout, connections)
        except Unavailable as unavailable:
            server.close()
            fault = unavailable
    assert fault is not None  # noqa: S101
    raise fault


class SingleServer:
    """A server that keeps all keys."""

    def __init__(self, url: str, timeout: float, connections: int) -> None:
        self._url = url
        options = connection_options(timeout, connections)
        connection_class = CONNECTION_CLASSES.get(urlsplit(url).scheme)
        if connection_class is not None:
            options["connection_class"] = connection_class
        self._pool = redis.BlockingConnectionPool.from_url(
            url, retry=Retry(NoBackoff(), 0), **options
        )
        self.client = redis.Redis(connection_pool=self._pool)

    def execute(self, key: str, call: Call, broken: type[StoreError] = Unavailable) -> Any:
        return execute_call(self._pool, call, broken)

    def listening_url(self) -> str:
        return self._url

    def hears_appends(self, listener: redis.Redis) -> bool:
        return True

    def close(self) -> None:
        self._pool.disconnect()
