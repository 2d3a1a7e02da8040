"""Keeps processes running: starts them, starts those again that die, and stops all of them."""

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

from . import lifeline

log = logging.getLogger(__name__)

GRACE: Final = 10.0
"""Seconds that a process has to end when it is asked to."""

LONGEST_PAUSE: Final = 2.0
"""Seconds to wait before a process that keeps dying is started again; at first far less."""

STEADY: Final = 10.0
"""A process that lived so long (s) is started again without a pause."""


@dataclass(slots=True)
class Part:
    """One process to keep running: its command, what its environment has besides.

    What it says is added to the file `log` where one is named. One that is `last` is stopped only
    after the others have ended.
    """

    name: str
    command: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    log: Path | None = None
    last: bool = False
    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    pause: float = 0.0
    again_at: float = 0.0
    starts: int = 0

    @property
    def running(self) -> bool:
        return self.process is not None and self.process.poll() is None


class Supervisor:
    """Runs parts. They end with this process even when it is killed (see `lifeline`).

    `keep` are open files that the parts inherit.
    """

    def __init__(self, keep: Sequence[int] = ()) -> None:
        self.parts: list[Part] = []
        self._keep = tuple(keep)
        self._read_end, self._write_end = os.pipe()

    def add(self, part: Part) -> None:
        """Starts a part and keeps it running from now on."""
        self.parts.append(part)
        self._start(part)

    def tend(self) -> None:
        """Starts parts again that have died, each after a pause that grows while it keeps dying."""
        now = time.monotonic()
        for part in self.parts:
            if part.running:
                continue
            if part.process is not None:
                log.warning("%s ended (%s); it is started again", part.name, part.process.poll())
                part.process = None
                steady = now - part.started >= STEADY
                part.pause = 0.0 if steady else min(part.pause * 2 + 0.1, LONGEST_PAUSE)
                part.again_at = now + part.pause
            if now >= part.again_at:
                self._start(part)

    def run(self, stop: threading.Event, pause: float = 0.1) -> None:
        """Tends the parts until it is told to stop, then stops them."""
        try:
            while not stop.wait(pause):
                self.tend()
        finally:
            self.stop()

    def stop(self) -> None:
        """Stops every part: asks, waits, and kills those that do not listen."""
        for last in (False, True):
            self._end([part for part in self.parts if part.last == last])

    def _end(self, parts: Sequence[Part]) -> None:
        for part in parts:
            if part.process is not None:
                part.process.terminate()
        limit = time.monotonic() + GRACE
        for part in parts:
            if part.process is None:
                continue
            try:
                part.process.wait(max(0.0, limit - time.monotonic()))
            except subprocess.TimeoutExpired:
                log.warning("%s does not end; it is killed", part.name)
                part.process.kill()
                part.process.wait()
            part.process = None

    def close(self) -> None:
        """Lets go of the pipe: whatever still hangs on it ends."""
        for end in (self._write_end, self._read_end):
            os.close(end)

    def _start(self, part: Part) -> None:
        with contextlib.ExitStack() as opened:
            log = None if part.log is None else opened.enter_context(part.log.open("ab"))
            part.process = subprocess.Popen(  # noqa: S603
                lifeline.command(self._read_end, part.command),
                env={**os.environ, **part.environment},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=(self._read_end, *self._keep),
                start_new_session=True,  # Ctrl-C reaches the supervisor alone: it stops the rest
            )
        part.started = time.monotonic()
        part.starts += 1
