"""The whole service on one machine: Redis server, API, relay and workers under one supervisor."""

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
from .supervisor import ManagedProcess, Supervisor

ROOT: Final = Path(__file__).parents[2]
"""The folder with `wsgi.py` and `gunicorn.conf.py`."""

READY_SECONDS: Final = 60.0
LOCK_SECONDS: Final = 15.0
"""How long the processes of a killed supervisor may take to end."""


class CannotStart(Exception):
    """The service can't start; the text is one line for people."""


class LocalService:
    """A service on this machine. All its processes end with `close`, or with this process."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.warnings: list[str] = []
        self._lock = _lock_folder(settings.data)
        self._server: EmbeddedServer | None = None
        self.supervisor = Supervisor(inherited_files=(self._lock.fileno(),))
        try:
            _check_port(settings.host, settings.port)
            self.redis_url = settings.redis_url or self._start_embedded()
            self._check_server()
        except BaseException:
            self.close()
            raise

    @property
    def url(self) -> str:
        """The URL of the API."""
        host = self.settings.host
        shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, host)  # noqa: S104
        return f"http://{shown}:{self.settings.port}"

    @property
    def _metrics_folder(self) -> Path:
        """The folder where the processes share their metrics."""
        return (self.settings.metrics or self.settings.data / "metrics").resolve()

    def start(self, stop: threading.Event) -> None:
        """Starts API, relay and workers; returns when the API responds or `stop` is set.

        Raises `CannotStart`.
        """
        self._metrics_folder.mkdir(parents=True, exist_ok=True)
        for managed in self._processes():
            self.supervisor.add(managed)
        limit = time.monotonic() + READY_SECONDS
        while not stop.is_set() and not _is_ready(self.url + "/readyz"):
            if time.monotonic() > limit:
                raise CannotStart("the API does not respond; see its log")
            stop.wait(0.1)
            self.supervisor.restart_dead()

    def close(self) -> None:
        """Stops everything: API, relay and workers, then the embedded server."""
        self.supervisor.stop()
        self.supervisor.close()
        if self._server is not None:
            self._server.stop()
        self._lock.truncate(0)
        self._lock.close()

    def _start_embedded(self) -> str:
        folder = self.settings.data.resolve() / "redis"
        path: Path | None = self.settings.data.resolve() / "redis.sock"
        if len(str(path).encode()) > MAX_SOCKET_PATH:
            path = None
        self._server = EmbeddedServer(folder, socket_path=path, fsync=self.settings.fsync)
        try:
            log = folder / "server.log"
            managed = ManagedProcess("server", self._server.command(), log=log, stop_last=True)
        except EmbeddedError as fault:
            raise CannotStart(str(fault)) from None
        self.supervisor.add(managed)
        limit = time.monotonic() + READY_SECONDS
        while not _pings(self._server.url):
            if not managed.running or time.monotonic() > limit:
                raise CannotStart(f"the embedded server does not start; see {managed.log}")
            time.sleep(0.02)
        return self._server.url

    def _check_server(self) -> None:
        settings = self.settings
        found = check_server(self.redis_url, acks=settings.acks)
        if settings.redis_url is not None:
            found += check_queues(settings.resolve_queue_url(self.redis_url))
        for finding in found:
            if finding.level == "error":
                raise CannotStart(finding.text)
            self.warnings.append(finding.text)

    def _processes(self) -> list[ManagedProcess]:
        settings = self.settings
        environment: Mapping[str, str] = {
            "REDIS_URL": self.redis_url,
            "QUEUE_URL": settings.resolve_queue_url(self.redis_url),
            "BAILLI_DATA": str(settings.data.resolve()),
            "HOST": settings.host,
            "PORT": str(settings.port),
            "BAILLI_LOG": settings.log,
            "PROMETHEUS_MULTIPROC_DIR": str(self._metrics_folder),
        }
        bailli = [sys.executable, "-m", "service.cli"]
        api = [sys.executable, "-m", "gunicorn", "--config", str(ROOT / "gunicorn.conf.py")]
        return [
            ManagedProcess("api", [*api, "--chdir", str(ROOT), "wsgi:app"], environment),
            ManagedProcess("relay", [*bailli, "relay"], environment),
            ManagedProcess("fast worker", [*bailli, "worker", "fast"], environment),
            ManagedProcess("slow worker", [*bailli, "worker", "slow"], environment),
        ]


def _lock_folder(folder: Path) -> IO[bytes]:
    """Locks the data folder for this service; its processes inherit the lock.

    Waits for the processes of a killed supervisor, which are about to end. Raises `CannotStart`
    where another service uses the folder.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / "service.lock").open("a+b")
    except OSError as fault:
        raise CannotStart(f"the folder {folder} can't be used: {fault.strerror}") from None
    limit = time.monotonic() + LOCK_SECONDS
    while not _try_lock(lock):
        if _holder_runs(lock) or time.monotonic() > limit:
            lock.close()
            raise CannotStart(f"another service uses the folder {folder}")
        time.sleep(0.1)
    lock.truncate(0)
    lock.write(str(os.getpid()).encode())
    lock.flush()
    return lock


def _try_lock(lock: IO[bytes]) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _holder_runs(lock: IO[bytes]) -> bool:
    """Whether the supervisor that wrote its process id into the lock still runs."""
    lock.seek(0)
    text = lock.read().decode(errors="replace")
    if not text.isdigit():
        return False
    try:
        os.kill(int(text), 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # another user's process
        pass
    return True


def _check_port(host: str, port: int) -> None:
    """Raises `CannotStart` where it is not possible to listen."""
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


def _is_ready(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2) as response:  # noqa: S310
            return bool(response.status == 200)
    except (OSError, ValueError):
        return False
