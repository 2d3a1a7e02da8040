"""An application on a store in memory, a table that is being played."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask

from service.app import create_app, install_services
from service.config import RATE_LIMITED, Settings
from service.store import MemoryStore
from tests.api.http_client import SEATS, Person, anybody

FREE = Settings(**{f"rate_{what}": 0 for what in RATE_LIMITED})


class Clock:
    """A store's clock that is set by hand (ms)."""

    def __init__(self) -> None:
        self.now = 1_700_000_000_000

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(clock: Clock) -> MemoryStore:
    return MemoryStore(clock)


@pytest.fixture(scope="session")
def shared_app() -> Flask:
    """An application for one test after the other: describing all that it offers takes a while."""
    return create_app(FREE, MemoryStore())


@pytest.fixture
def app(shared_app: Flask, store: MemoryStore) -> Flask:
    install_services(shared_app, FREE, store)
    return shared_app


@pytest.fixture
def ana(app: Flask) -> Person:
    """Who hosts the tables."""
    return anybody(app)


@pytest.fixture
def table(ana: Person) -> dict[str, Any]:
    """A game in play, all seats held by Ana."""
    made = ana.create()
    for seat in range(SEATS):
        assert ana.claim(made, seat).status_code == 201
    return made


@pytest.fixture
def game(table: dict[str, Any]) -> str:
    return str(table["game"]["id"])
