"""The toy game is known, and every store is tried: in memory and on a real server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis

from service.games import game as games
from service.games.records import format as record_format
from service.rules.ruleset import rulesets
from service.store import MemoryStore
from service.store.embedded import EmbeddedServer
from service.store.redis_store import open_store
from tests.rules.toy import PEBBLES

from .play import Clock, House


@pytest.fixture(autouse=True)
def _toy_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {**rulesets(), PEBBLES.id: PEBBLES}
    monkeypatch.setattr(games, "rulesets", lambda: known)
    monkeypatch.setattr(record_format, "rulesets", lambda: known)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedServer]:
    folder: Path = tmp_path_factory.mktemp("games")
    with EmbeddedServer(folder, fsync="everysec") as running:
        yield running


@pytest.fixture
def context() -> House:
    """A house on a memory store whose clock stands."""
    return House(MemoryStore(Clock()))


@pytest.fixture(params=["memory", "redis"])
def any_house(request: pytest.FixtureRequest) -> Iterator[House]:
    """A house on each kind of store."""
    if request.param == "memory":
        yield House(MemoryStore())
        return
    running: EmbeddedServer = request.getfixturevalue("server")
    with Redis.from_url(running.url) as client:
        client.flushall()
    store = open_store(running.url)
    yield House(store)
    store.close()
