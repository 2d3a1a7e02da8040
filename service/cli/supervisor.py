"""The supervisor of processes: starts them, restarts those that die, and stops all of them."""

from __future__ import annotations

import contextlib
import logging
import os
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from .orphan_guard import guarded_command

log = logging.getLogger(__name__)

STOP_SECONDS: Final = 10.0
"""Seconds that a process has to end after SIGTERM."""

MAX_RESTART_PAUSE: Final = 2.0
"""Seconds to wait before a process that keeps dying is restarted; at first far less."""

STEADY_SECONDS: Final = 10.0
"""A process that ran for so long is restarted without a pause."""


@dataclass(slots=True)
class ManagedProcess:
    """A process to keep running: its command, and additions to its environment.

    Its output is appended to the file `log` if one is named. With `stop_last` it is stopped only
    after the others have ended.
    """

    name: str
    command: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    log: Path | None = None
    stop_last: bool = False
    process: subprocess.Popen[bytes] | None = None
    started_at: float = 0.0
    restart_pause: float = 0.0
    restart_at: float = 0.0
    starts: int = 0

    @property
    def running(self) -> bool:
        return self.process is not None and self.process.poll() is None


class Supervisor:
    """Runs processes. They end with this process even if it is killed (see `orphan_guard`).

    `inherited_files` are open files that they inherit.
    """

    def __init__(self, inherited_files: Sequence[int] = ()) -> None:
        self.processes: list[ManagedProcess] = []
        self._inherited_files = tuple(inherited_files)
        self._read_end, self._write_end = os.pipe()

    def add(self, managed: ManagedProcess) -> None:
        """Starts a process and keeps it running from now on."""
        self.processes.append(managed)
        self._start(managed)

    def restart_dead(self) -> None:
        """Restarts processes that have died, each after a pause that grows while it keeps dying."""
        now = time.monotonic()
        for managed in self.processes:
            if managed.running:
                continue
            if managed.process is not None:
                status = managed.process.poll()
                log.warning("%s ended (%s); it is restarted", managed.name, status)
                managed.process = None
                longer = min(managed.restart_pause * 2 + 0.1, MAX_RESTART_PAUSE)
                steady = now - managed.started_at >= STEADY_SECONDS
                managed.restart_pause = 0.0 if steady else longer
                managed.restart_at = now + managed.restart_pause
            if now >= managed.restart_at:
                self._start(managed)

    def run(self, stop: threading.Event, pause: float = 0.1) -> None:
        """Keeps the processes running until `stop` is set, then stops them."""
        try:
            while not stop.wait(pause):
                self.restart_dead()
        finally:
            self.stop()

    def stop(self) -> None:
        """Stops every process: sends SIGTERM, waits, and kills those that do not end."""
        for last in (False, True):
            self._terminate([each for each in self.processes if each.stop_last == last])

    def _terminate(self, processes: Sequence[ManagedProcess]) -> None:
        for managed in processes:
            if managed.process is not None:
                managed.process.terminate()
        limit = time.monotonic() + STOP_SECONDS
        for managed in processes:
            if managed.process is None:
                continue
            try:
                managed.process.wait(max(0.0, limit - time.monotonic()))
            except subprocess.TimeoutExpired:
                log.warning("%s does not end; it is killed", managed.name)
                managed.process.kill()
                managed.process.wait()
            managed.process = None

    def close(self) -> None:
        """Closes the pipe: whatever is still guarded by it ends."""
        for end in (self._write_end, self._read_end):
            os.close(end)

    def _start(self, managed: ManagedProcess) -> None:
        with contextlib.ExitStack() as opened:
            log = None if managed.log is None else opened.enter_context(managed.log.open("ab"))
            managed.process = subprocess.Popen(  # noqa: S603
                guarded_command(self._read_end, managed.command),
                env={**os.environ, **managed.environment},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=(self._read_end, *self._inherited_files),
                start_new_session=True,  # Ctrl-C reaches the supervisor alone: it stops the rest
            )
        managed.started_at = time.monotonic()
        managed.starts += 1
