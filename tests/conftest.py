"""The servers that tests share, one of each for each process that runs tests; and the tests that

need none.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from redis import Redis

from service.store.embedded import EmbeddedServer

from .contract import running as services
from .store import cluster as clusters

ROOMS: Final = {"bench", "cli", "contract", "examples", "faults", "live", "store", "web"}
"""Folders all of whose tests are integration tests."""

STARTED: Final = {"server", "cluster", "service", "receiver"}
"""Fixtures that make integration tests of those that use them."""

PURE: Final = "not (long or broad or integration)"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--pure", action="store_true", help=f"the same as -m {PURE!r}, but quicker")


def pytest_configure(config: pytest.Config) -> None:
    if config.option.pure:
        config.option.markexpr = PURE


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Saves the time in which tests would be read that are not run."""
    return (config.option.pure and _room(collection_path) in ROOMS) or None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks integration tests as what they are."""
    for item in items:
        if _room(item.path) in ROOMS or STARTED.intersection(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.integration)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Runs broad tests, and long ones, unmeasured: coverage makes them take three times as long.

    `no_cover` of pytest-cov has no effect in the processes of pytest-xdist.
    """
    tracing = sys.gettrace()
    if item.get_closest_marker("broad") or item.get_closest_marker("long"):
        sys.settrace(None)
    try:
        return (yield)
    finally:
        sys.settrace(tracing)


def _room(path: Path) -> str:
    parts = path.relative_to(Path(__file__).parent).parts
    return parts[0] if parts else ""


@pytest.fixture(autouse=True)
def _alone(request: pytest.FixtureRequest) -> Iterator[None]:
    """No test starts a program or opens a socket that is not marked as an integration test."""
    if request.node.get_closest_marker("integration"):
        yield
        return
    with pytest.MonkeyPatch.context() as patch:
        for owner, name in (
            (subprocess.Popen, "__init__"),
            (socket.socket, "bind"),
            (socket.socket, "connect"),
        ):
            patch.setattr(owner, name, _refused(getattr(owner, name)))
        yield


def _refused(call: Any) -> Any:
    """Returns what fails instead of a call; other threads may still have to do for other tests."""

    def refused(*given: Any, **named: Any) -> Any:
        __tracebackhide__ = True
        if threading.current_thread() is not threading.main_thread():
            return call(*given, **named)
        pytest.fail(f"only a test marked `integration` may use {call.__qualname__}")

    return refused


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedServer]:
    """The embedded server, with whatever earlier tests left there."""
    with EmbeddedServer(tmp_path_factory.mktemp("embedded"), fsync="everysec") as one:
        yield one


@pytest.fixture
def redis_url(server: EmbeddedServer) -> str:
    """Where the embedded server is, emptied."""
    with Redis.from_url(server.url) as client:
        client.flushall()
    return server.url


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[clusters.Cluster]:
    """Three masters with a replica each, which no failure is to be noticed of."""
    with clusters.running(tmp_path_factory.mktemp("cluster")) as three:
        yield three


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[services.Service]:
    """The whole service, with whatever games earlier tests left there."""
    folder = tmp_path_factory.mktemp("service")
    with services.running(folder) as url:
        yield services.Service(url, folder)


@pytest.fixture
def url(service: services.Service) -> str:
    """Where the whole service is."""
    return service.url
