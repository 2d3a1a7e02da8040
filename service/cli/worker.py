"""`bailli worker`: one worker process."""

from __future__ import annotations

from typing import Final

import click

from workers import queues
from workers import worker as workers

from .configuration import set_up_worker

NAMES: Final = {"fast": queues.FAST, "slow": queues.SLOW}


@click.command()
@click.argument("queue", type=click.Choice(list(NAMES)), default="fast")
@click.option("--burst", is_flag=True, help="Stop when the queue is empty.")
def worker(queue: str, burst: bool) -> None:
    """Do the jobs of QUEUE: fast (quick bots' moves, results) or slow (bots that search)."""
    setup = set_up_worker()
    workers.run(NAMES[queue], setup.context, setup.queues, burst=burst)
