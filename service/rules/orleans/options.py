"""The options of a game (O-1.8)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

from ..kinds import Either, Flag, OneOf, Whole
from ..plain import Misshapen
from .tables import SEATS

CHANCE: Final = "chance"
SET_ASIDE: Final = "set_aside"


@dataclass(frozen=True, slots=True)
class Options:
    """How Orléans is played; every option has a default."""

    start_seat: Annotated[
        int | str,
        Either((Whole(0, SEATS[-1] - 1), OneOf((CHANCE,)))),
        "the first start player: a seat, or chance (O-1.7)",
    ] = 0
    monks_on_deeds: Annotated[
        bool, Flag(), "whether monks may be put on the Town Hall and on deeds (O-4.10)"
    ] = True
    plague: Annotated[
        str,
        OneOf(("supply", SET_ASIDE)),
        "where a follower lost to the plague goes: to its supply, or aside for a round (O-6.6)",
    ] = "supply"
    last_citizen: Annotated[
        bool, Flag(), "whether most trading stations take a citizen at the end (O-8.1)"
    ] = True


def check(seats: int, options: Options) -> None:
    """Raises `Misshapen` where seats and options do not fit together."""
    if seats not in SEATS:
        raise Misshapen(
            "/seats", "must be {fewest} to {most} seats", fewest=SEATS[0], most=SEATS[-1]
        )
    if isinstance(options.start_seat, int) and options.start_seat >= seats:
        raise Misshapen(
            "/options/start_seat", "must be a seat, 0 to {last}, or chance", last=seats - 1
        )
