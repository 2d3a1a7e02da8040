"""The servers that tests share, one of each for each process that runs tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from redis import Redis

from service.store.embedded import EmbeddedServer

from .store.cluster import Cluster, running


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedServer]:
    """The embedded server, with whatever earlier tests left there."""
    with EmbeddedServer(tmp_path_factory.mktemp("embedded"), fsync="everysec") as running:
        yield running


@pytest.fixture
def redis_url(server: EmbeddedServer) -> str:
    """Where the embedded server is, emptied."""
    with Redis.from_url(server.url) as client:
        client.flushall()
    return server.url


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Three masters with a replica each, which no failure is to be noticed of."""
    with running(tmp_path_factory.mktemp("cluster")) as three:
        yield three
