"""The toy game is known, and every store is tried: in memory and on a real server."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from service.games import game as games
from service.games.records import format as record_format
from service.rules.ruleset import rulesets
from service.store import MemoryStore
from service.store.redis_store import open_store
from tests.rules.toy import PEBBLES

from .play import Clock, House


@pytest.fixture(autouse=True)
def _toy_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {**rulesets(), PEBBLES.id: PEBBLES}
    monkeypatch.setattr(games, "rulesets", lambda: known)
    monkeypatch.setattr(record_format, "rulesets", lambda: known)


@pytest.fixture
def context() -> House:
    """A house on a memory store whose clock stands."""
    return House(MemoryStore(Clock()))


@pytest.fixture(params=["memory", pytest.param("redis", marks=pytest.mark.integration)])
def any_house(request: pytest.FixtureRequest) -> Iterator[House]:
    """A house on each kind of store."""
    if request.param == "memory":
        yield House(MemoryStore())
        return
    store = open_store(request.getfixturevalue("redis_url"))
    yield House(store)
    store.close()
