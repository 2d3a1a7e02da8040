"""`bailli slots`: how to assign the slots of a Redis Cluster."""

from __future__ import annotations

import click
from redis.crc import key_slot

from ..store import PARTITIONS
from ..store.cluster import divide_slots


@click.command()
@click.argument("masters", type=click.IntRange(1, len(PARTITIONS)))
def slots(masters: int) -> None:
    """Show which slots to assign to each of MASTERS masters of a cluster, and its partitions then.

    Games are in 32 partitions, each in one slot; equal ranges of slots would not divide them well.
    """
    for assigned in divide_slots(masters):
        kept = [one for one in PARTITIONS if key_slot(one.encode()) in assigned]
        click.echo(f"{assigned[0]:>5} {assigned[-1]:>5}  {' '.join(kept)}")
