"""One running API for all that may share it, and one in this process."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from flask import Flask

from service.app import create_app
from service.config import RATE_LIMITED, Settings
from service.store.embedded import EmbeddedServer
from service.store.redis_store import RedisStore, open_store
from tests.live.api_server import Client, Served, served


@pytest.fixture(scope="session")
def api_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedServer]:
    """The shared API's own store."""
    with EmbeddedServer(tmp_path_factory.mktemp("live"), fsync="everysec") as running:
        yield running


@pytest.fixture(scope="session")
def api(api_server: EmbeddedServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(api_server.url, tmp_path_factory.mktemp("served")) as running:
        yield running


@pytest.fixture
def ana(api: Served) -> Client:
    return Client(api.port)


@pytest.fixture
def store(redis_url: str) -> Iterator[RedisStore]:
    opened = open_store(redis_url)
    yield opened
    opened.close()


@pytest.fixture
def app(store: RedisStore) -> Flask:
    """The application in this process, on a real server."""
    free = Settings(**{f"rate_{what}": 0 for what in RATE_LIMITED}, heartbeat_s=1)
    return create_app(free, store)
