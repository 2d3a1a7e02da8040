"""Runs a command that ends with its supervisor, even if that is killed by SIGKILL.

    python orphan_guard.py PIPE COMMAND ARGUMENT…

PIPE is the number of an inherited pipe whose other end the supervisor holds. A small child process
waits for it to close while this process becomes the command. Standard library only: it runs as a
script, so that it starts fast.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import time
from collections.abc import Sequence

CHECK_SECONDS = 1.0
"""Seconds between two checks that the command still runs."""

STOP_SECONDS = 8.0
"""Seconds that the command has to end after SIGTERM."""


def guarded_command(pipe: int, arguments: Sequence[str]) -> list[str]:
    """Returns the command line that runs another one under guard."""
    return [sys.executable, "-S", "-E", __file__, str(pipe), *arguments]


def main(arguments: list[str]) -> None:
    """Becomes the command; never returns."""
    pipe = int(arguments[0])
    parent = os.getpid()
    if os.fork() == 0:
        guard(pipe, parent)
        os._exit(0)
    os.close(pipe)
    os.execvp(arguments[1], arguments[1:])  # noqa: S606


def guard(pipe: int, parent: int) -> None:
    """Waits until the pipe closes, then ends the parent process; returns when that has ended."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    while os.getppid() == parent:
        readable, _, _ = select.select([pipe], [], [], CHECK_SECONDS)
        if readable:
            terminate(parent)


def terminate(parent: int) -> None:
    """Sends SIGTERM to the parent process, and SIGKILL if it does not end in time."""
    limit = time.monotonic() + STOP_SECONDS
    with contextlib.suppress(ProcessLookupError):  # it may end in the meantime
        os.kill(parent, signal.SIGTERM)
        while os.getppid() == parent:
            if time.monotonic() > limit:
                os.kill(parent, signal.SIGKILL)
            time.sleep(0.05)


if __name__ == "__main__":
    main(sys.argv[1:])
