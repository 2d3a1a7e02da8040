"""A Redis for tests of queues and workers: one embedded server for the whole run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis

from service.store.embedded import EmbeddedServer


@pytest.fixture(scope="session")
def redis_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder: Path = tmp_path_factory.mktemp("redis")
    with EmbeddedServer(folder) as server:
        yield server.url


@pytest.fixture
def queues(redis_url: str) -> Iterator[Redis]:
    """The queues' database, empty."""
    with Redis.from_url(redis_url.removesuffix("/0") + "/1") as client:
        client.flushdb()
        yield client
