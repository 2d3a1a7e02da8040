"""`bailli worker`: one worker process."""

from __future__ import annotations

from typing import Final

import click

from workers import queues
from workers import worker as workers

from .configured import place

NAMES: Final = {"fast": queues.FAST, "slow": queues.SLOW}


@click.command()
@click.argument("queue", type=click.Choice(list(NAMES)), default="fast")
@click.option("--burst", is_flag=True, help="End when the queue is empty.")
def worker(queue: str, burst: bool) -> None:
    """Do the jobs of QUEUE: fast (moves made at once, results) or slow (moves thought about)."""
    where = place()
    workers.run(NAMES[queue], where.context, where.queues, burst=burst)
