"""The stores under test: in memory, on the embedded server, on the system's own Redis."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Callable, Iterator

import pytest
from redis import Redis

from service.store.embedded import EmbeddedServer
from service.store.memory import MemoryStore
from service.store.protocol import PARTITIONS, Store
from service.store.redis_store import open_store

REDIS = shutil.which("redis-server")
BACK_ENDS = ("memory", "embedded", "redis")


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedServer]:
    """The embedded server."""
    with EmbeddedServer(tmp_path_factory.mktemp("embedded"), fsync="everysec") as running:
        yield running


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
    name = "server" if request.param == "embedded" else "other_server"
    running: EmbeddedServer = request.getfixturevalue(name)
    with Redis.from_url(running.url) as client:
        client.flushall()
    opened = open_store(running.url)
    yield opened
    opened.close()


@pytest.fixture
def client(server: EmbeddedServer) -> Iterator[Redis]:
    """The embedded server by hand, empty."""
    with Redis.from_url(server.url) as opened:
        opened.flushall()
        yield opened


@pytest.fixture
def new_id() -> Callable[[], str]:
    """Makes game ids."""
    return lambda: "".join(secrets.choice(PARTITIONS) for _ in range(26))
