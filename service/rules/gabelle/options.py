"""The options of a game of Gabelle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from ..kinds import Many, Maybe, OneOf
from ..plain import Misshapen
from .tables import BY_GUILDS, GUILDS, OPEN_CARDS, REGION_SETS, REGIONS


@dataclass(frozen=True, slots=True)
class Options:
    """How Gabelle is played; every option has a default."""

    regions: Annotated[
        tuple[str, ...] | None,
        Maybe(Many(OneOf(REGIONS), len(REGIONS), 1)),
        "the regions in play; null: as many as the guilds need, drawn (G-1.1)",
    ] = None
    future_row: Annotated[
        int,
        OneOf((0, OPEN_CARDS)),
        "how many cards are shown beside the open ones, not yet on sale (G-1.2)",
    ] = 0
    decree: Annotated[
        str,
        OneOf(("lowest", "first_named")),
        "the card of the Royal Decree: the lowest open one, or the first one put up (G-3.7)",
    ] = "lowest"


def check(guilds: int, options: Options) -> None:
    """Raises `Misshapen` where guilds and options do not fit together."""
    if guilds not in GUILDS:
        raise Misshapen(
            "/seats", "must be {fewest} to {most} seats", fewest=GUILDS[0], most=GUILDS[-1]
        )
    if options.regions is None:
        return
    least = BY_GUILDS[guilds]["regions"]
    if len(set(options.regions)) < len(options.regions):
        raise Misshapen("/options/regions", "must name no region twice")
    if len(options.regions) < least:
        raise Misshapen("/options/regions", "must name at least {least} regions", least=least)
    if in_data_order(options.regions) not in REGION_SETS[len(options.regions)]:
        raise Misshapen("/options/regions", "must name regions that touch")


def in_data_order(regions: tuple[str, ...]) -> tuple[int, ...]:
    """Returns the numbers of regions, ascending."""
    return tuple(sorted(map(REGIONS.index, regions)))


def regions_at_once(guilds: int, options: Options) -> tuple[int, ...]:
    """Returns the regions in play where nothing has to be drawn; else () (G-1.1)."""
    if options.regions is not None:
        return in_data_order(options.regions)
    sets = REGION_SETS[BY_GUILDS[guilds]["regions"]]
    return sets[0] if len(sets) == 1 else ()
