"""Stopping long-running commands by signals."""

from __future__ import annotations

import signal
import threading


def stop_on_signals() -> threading.Event:
    """Returns an event that SIGINT and SIGTERM set."""
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    return stop
