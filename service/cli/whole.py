"""The whole service as processes under one supervisor: server, API, relay and workers."""

from __future__ import annotations

import errno
import fcntl
import os
import socket
import sys
import threading
import time
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Final

import redis

from ..config import Settings
from ..store.embedded import MAX_SOCKET_PATH, EmbeddedError, EmbeddedServer
from ..store.startup_checks import check_queues, check_server
from .supervisor import Part, Supervisor

ROOT: Final = Path(__file__).parents[2]
"""Where `wsgi.py` and `gunicorn.conf.py` are."""

READY_SECONDS: Final = 60.0
LEAVING_SECONDS: Final = 15.0
"""How long a killed supervisor's processes may take to go."""


class CannotStart(Exception):
    """The service can't start; the text is one line for people."""


class Service:
    """A service on this machine. Everything of it ends with `close`, or with this process."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.warnings: list[str] = []
        self._lock = _taken(settings.data)
        self._server: EmbeddedServer | None = None
        self.supervisor = Supervisor(keep=(self._lock.fileno(),))
        try:
            _check_port(settings.host, settings.port)
            self.redis_url = settings.redis_url or self._embed()
            self._check_server()
        except BaseException:
            self.close()
            raise

    @property
    def url(self) -> str:
        """Where the API is."""
        host = self.settings.host
        shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, host)  # noqa: S104
        return f"http://{shown}:{self.settings.port}"

    @property
    def _counters(self) -> Path:
        """Where the parts count, for the API to show it."""
        return (self.settings.metrics or self.settings.data / "metrics").resolve()

    def start(self, stop: threading.Event) -> None:
        """Starts API, relay and workers; returns when the API answers or all shall stop.

        Raises `CannotStart`.
        """
        self._counters.mkdir(parents=True, exist_ok=True)
        for part in self._parts():
            self.supervisor.add(part)
        limit = time.monotonic() + READY_SECONDS
        while not stop.is_set() and not _answers(self.url + "/readyz"):
            if time.monotonic() > limit:
                raise CannotStart("the API does not answer; its log tells why")
            stop.wait(0.1)
            self.supervisor.tend()

    def close(self) -> None:
        """Stops everything: API, relay and workers, then the embedded server."""
        self.supervisor.stop()
        self.supervisor.close()
        if self._server is not None:
            self._server.stop()
        self._lock.truncate(0)
        self._lock.close()

    def _embed(self) -> str:
        folder = self.settings.data.resolve() / "redis"
        path: Path | None = self.settings.data.resolve() / "redis.sock"
        if len(str(path).encode()) > MAX_SOCKET_PATH:
            path = None
        self._server = EmbeddedServer(folder, socket_path=path, fsync=self.settings.fsync)
        try:
            part = Part("server", self._server.command(), log=folder / "server.log", last=True)
        except EmbeddedError as fault:
            raise CannotStart(str(fault)) from None
        self.supervisor.add(part)
        limit = time.monotonic() + READY_SECONDS
        while not _pings(self._server.url):
            if not part.running or time.monotonic() > limit:
                raise CannotStart(f"the embedded server does not start; see {part.log}")
            time.sleep(0.02)
        return self._server.url

    def _check_server(self) -> None:
        settings = self.settings
        found = check_server(self.redis_url, acks=settings.acks)
        if settings.redis_url is not None:
            found += check_queues(settings.queues(self.redis_url))
        for finding in found:
            if finding.level == "error":
                raise CannotStart(finding.text)
            self.warnings.append(finding.text)

    def _parts(self) -> list[Part]:
        settings = self.settings
        environment: Mapping[str, str] = {
            "REDIS_URL": self.redis_url,
            "QUEUE_URL": settings.queues(self.redis_url),
            "BAILLI_DATA": str(settings.data.resolve()),
            "HOST": settings.host,
            "PORT": str(settings.port),
            "BAILLI_LOG": settings.log,
            "PROMETHEUS_MULTIPROC_DIR": str(self._counters),
        }
        bailli = [sys.executable, "-m", "service.cli"]
        api = [sys.executable, "-m", "gunicorn", "--config", str(ROOT / "gunicorn.conf.py")]
        return [
            Part("api", [*api, "--chdir", str(ROOT), "wsgi:app"], environment),
            Part("relay", [*bailli, "relay"], environment),
            Part("fast worker", [*bailli, "worker", "fast"], environment),
            Part("slow worker", [*bailli, "worker", "slow"], environment),
        ]


def _taken(folder: Path) -> IO[bytes]:
    """Takes the data folder for this service; its processes inherit the lock.

    So the processes of a killed supervisor, which are about to end, are waited for. Raises
    `CannotStart` where another service runs there.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / "service.lock").open("a+b")
    except OSError as fault:
        raise CannotStart(f"the folder {folder} can't be used: {fault.strerror}") from None
    limit = time.monotonic() + LEAVING_SECONDS
    while not _locked(lock):
        if _holder_lives(lock) or time.monotonic() > limit:
            lock.close()
            raise CannotStart(f"another service uses the folder {folder}")
        time.sleep(0.1)
    lock.truncate(0)
    lock.write(str(os.getpid()).encode())
    lock.flush()
    return lock


def _locked(lock: IO[bytes]) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _holder_lives(lock: IO[bytes]) -> bool:
    """Whether the supervisor that wrote its number into the lock still runs."""
    lock.seek(0)
    text = lock.read().decode(errors="replace")
    if not text.isdigit():
        return False
    try:
        os.kill(int(text), 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # somebody else's process
        pass
    return True


def _check_port(host: str, port: int) -> None:
    """Raises `CannotStart` where nobody could listen."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _, address = found[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as fault:
        reason = (
            "something listens there already" if fault.errno == errno.EADDRINUSE else fault.strerror
        )
        raise CannotStart(f"can't listen on {host}:{port}: {reason}") from None


def _pings(url: str) -> bool:
    try:
        with redis.Redis.from_url(url, socket_timeout=2) as client:
            return bool(client.ping())
    except (redis.RedisError, OSError):  # not up yet, or still loading
        return False


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2) as answer:  # noqa: S310
            return bool(answer.status == 200)
    except (OSError, ValueError):
        return False
