"""`bailli relay`: the process that rings for the workers."""

from __future__ import annotations

import click

from workers.queues import QueueDoorbell
from workers.relay import Relay

from .configuration import set_up_worker
from .signals import stop_on_signals


@click.command()
def relay() -> None:
    """Ring for the workers when a game has due work."""
    stop = stop_on_signals()
    setup = set_up_worker()
    Relay(setup.context, QueueDoorbell(setup.queues)).run(stop)
