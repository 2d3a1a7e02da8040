"""The embedded server that tests share, one for each process that runs tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from redis import Redis

from service.store.embedded import EmbeddedServer


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
