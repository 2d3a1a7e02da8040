"""A Redis for tests of queues and workers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from redis import Redis


@pytest.fixture
def queues(redis_url: str) -> Iterator[Redis]:
    """The queues' database, empty."""
    with Redis.from_url(redis_url.removesuffix("/0") + "/1") as client:
        client.flushdb()
        yield client
