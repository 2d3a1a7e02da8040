"""The options of a game (C-1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

from ..kinds import Counts, Either, Flag, Maybe, OneOf, Whole
from ..plain import Misshapen
from .tiles import COUNTS, KINDS, START

SEATS: Final = (2, 3, 4, 5)
MAX_TILES: Final = 300


@dataclass(frozen=True, slots=True)
class Options:
    """How Carcassonne is played; every option has a default."""

    start_seat: Annotated[
        int | str,
        Either((Whole(0, SEATS[-1] - 1), OneOf(("chance",)))),
        "who begins: a seat, or chance (C-1.1)",
    ] = 0
    extra_start_tile: Annotated[
        bool, Flag(), "whether the start tile is a 73rd one beside the 72 (C-1.2)"
    ] = False
    tiles: Annotated[
        tuple[tuple[str, int], ...] | None,
        Maybe(Counts(KINDS, 0, MAX_TILES)),
        "how many tiles of each kind are drawn, 1 to 300 in all; null: the published game (C-1.3)",
    ] = None
    two_tile_city: Annotated[
        int, OneOf((4, 2)), "points of a complete city of two tiles (C-3.2)"
    ] = 4
    field_scoring: Annotated[
        str, OneOf(("per_field", "first_edition")), "how fields score (C-4.2, C-4.3)"
    ] = "per_field"


def check(seats: int, options: Options) -> None:
    """Raises `Misshapen` where seats and options do not fit together."""
    if seats not in SEATS:
        raise Misshapen("/seats", "must be 2 to 5 seats")
    if isinstance(options.start_seat, int) and options.start_seat >= seats:
        raise Misshapen(
            "/options/start_seat", "must be a seat, 0 to {last}, or chance", last=seats - 1
        )
    if options.tiles is not None:
        if options.extra_start_tile:
            raise Misshapen("/options/extra_start_tile", "cannot stand beside tiles")
        if not 1 <= sum(count for _, count in options.tiles) <= MAX_TILES:
            raise Misshapen("/options/tiles", "must be 1 to {most} tiles in all", most=MAX_TILES)


def pile(options: Options) -> list[int]:
    """Returns how many tiles of each kind are drawn, in data order (C-1.2, C-1.3)."""
    if options.tiles is not None:
        named = dict(options.tiles)
        return [named.get(kind, 0) for kind in KINDS]
    counts = list(COUNTS)
    if not options.extra_start_tile:
        counts[START] -= 1
    return counts
