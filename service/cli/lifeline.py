"""Runs a command that ends with its supervisor, however that goes: even by SIGKILL.

    python lifeline.py PIPE COMMAND ARGUMENT…

PIPE is the number of an inherited pipe whose other end the supervisor holds. A small watcher waits
for it to close while this process becomes the command. Standard library only: it is run as a
script, so that it costs next to nothing.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import time
from collections.abc import Sequence

LOOK = 1.0
"""Seconds between two looks whether the command still runs."""

GRACE = 8.0
"""Seconds that the command has to end when it is asked to."""


def command(pipe: int, arguments: Sequence[str]) -> list[str]:
    """Returns the command line that runs another one at the end of a pipe."""
    return [sys.executable, "-S", "-E", __file__, str(pipe), *arguments]


def main(arguments: list[str]) -> None:
    """Becomes the command; never returns."""
    pipe = int(arguments[0])
    parent = os.getpid()
    if os.fork() == 0:
        watch(pipe, parent)
        os._exit(0)
    os.close(pipe)
    os.execvp(arguments[1], arguments[1:])  # noqa: S606


def watch(pipe: int, parent: int) -> None:
    """Waits until the pipe closes, then ends the parent process; returns when that has ended."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    while os.getppid() == parent:
        readable, _, _ = select.select([pipe], [], [], LOOK)
        if readable:
            end(parent)


def end(parent: int) -> None:
    """Asks the parent process to end, and ends it where it does not."""
    limit = time.monotonic() + GRACE
    with contextlib.suppress(ProcessLookupError):  # it may end in the meantime
        os.kill(parent, signal.SIGTERM)
        while os.getppid() == parent:
            if time.monotonic() > limit:
                os.kill(parent, signal.SIGKILL)
            time.sleep(0.05)


if __name__ == "__main__":
    main(sys.argv[1:])
