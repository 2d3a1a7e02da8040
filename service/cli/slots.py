"""`bailli slots`: how to give out a cluster's slots."""

from __future__ import annotations

import click
from redis.crc import key_slot

from ..store import PARTITIONS
from ..store.cluster import divide_slots


@click.command()
@click.argument("masters", type=click.IntRange(1, len(PARTITIONS)))
def slots(masters: int) -> None:
    """Show which slots to give to each of MASTERS masters of a cluster, and what they keep then.

    Games lie in 32 partitions, each in one slot; equal ranges of slots would not spread them well.
    """
    for given in divide_slots(masters):
        kept = [one for one in PARTITIONS if key_slot(one.encode()) in given]
        click.echo(f"{given[0]:>5} {given[-1]:>5}  {' '.join(kept)}")
