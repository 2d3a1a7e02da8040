"""The stores under test: in memory, on the embedded server, on the system's Redis, on a cluster."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Callable, Iterator

import pytest
from redis import Redis

from service.store import PARTITIONS, MemoryStore, Store
from service.store.embedded import EmbeddedServer
from service.store.redis_store import RedisStore, open_store

from .cluster import Cluster

REDIS = shutil.which("redis-server")
BACK_ENDS = ("memory", "embedded", "redis", "cluster")


@pytest.fixture(scope="session")
def other_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedServer]:
    """The system's Redis."""
    if REDIS is None:
        pytest.skip("there is no redis-server on the PATH")
    folder = tmp_path_factory.mktemp("redis")
    with EmbeddedServer(folder, binary=REDIS, fsync="everysec") as running:
        yield running


@pytest.fixture(params=BACK_ENDS)
def store(request: pytest.FixtureRequest) -> Iterator[Store]:
    """An empty store of each kind."""
    if request.param == "memory":
        yield MemoryStore()
        return
    if request.param == "cluster":
        yield from emptied(request.getfixturevalue("cluster"))
        return
    yield from _emptied(request, request.param)


@pytest.fixture(params=BACK_ENDS[1:3])
def direct(request: pytest.FixtureRequest) -> Iterator[RedisStore]:
    """An empty store on each server, of whose keys `client` is another view."""
    yield from _emptied(request, request.param)


@pytest.fixture
def client(direct: RedisStore) -> Iterator[Redis]:
    """The server of `direct` by hand."""
    with Redis.from_url(direct.url) as opened:
        yield opened


@pytest.fixture
def new_id() -> Callable[[], str]:
    """Makes game ids."""
    return lambda: "".join(secrets.choice(PARTITIONS) for _ in range(26))


def emptied(cluster: Cluster) -> Iterator[RedisStore]:
    """An empty store on a cluster."""
    cluster.empty()
    opened = open_store(cluster.url)
    yield opened
    opened.close()


def _emptied(request: pytest.FixtureRequest, name: str) -> Iterator[RedisStore]:
    fixture = "server" if name == "embedded" else "other_server"
    running: EmbeddedServer = request.getfixturevalue(fixture)
    with Redis.from_url(running.url) as client:
        client.flushall()
    opened = open_store(running.url)
    yield opened
    opened.close()
