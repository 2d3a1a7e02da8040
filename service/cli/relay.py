"""`bailli relay`: the one that rings for the workers."""

from __future__ import annotations

import signal
import threading

import click

from workers.queues import QueueDoorbell
from workers.relay import Relay

from .configured import place


@click.command()
def relay() -> None:
    """Ring for the workers when a game owes something."""
    stop = stopped_by_signals()
    where = place()
    Relay(where.context, QueueDoorbell(where.queues)).run(stop)


def stopped_by_signals() -> threading.Event:
    """Returns an event that SIGINT and SIGTERM set."""
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    return stop
