"""The options of a game (O-1.8)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Final

from ..kinds import Either, Flag, OneOf, Whole
from ..plain import Misshapen, Plain
from .tables import SEATS

CHANCE: Final = "chance"
SET_ASIDE: Final = "set_aside"
REACHED: Final = "reached"
PRESENT: Final = "present"
FREE: Final = "free"
NOT_ONTO_COINS: Final = "not_onto_coins"
OPEN: Final = "open"
IN_TURN: Final = "in_turn"
ENDED: Final = "final"
UP_TO_TWO: Final = "up_to_two"
TWO: Final = "two"
REFUSED: Final = "refused"
ALLOWED: Final = "allowed"


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
    status: Annotated[
        str,
        OneOf((REACHED, PRESENT)),
        "which status counts at the end: the highest that was reached, or the present one (O-8.2)",
    ] = REACHED
    development_back: Annotated[
        str,
        OneOf((FREE, NOT_ONTO_COINS)),
        "whether a development point may be given from every space, or never back onto a coin"
        " space (O-7.1)",
    ] = FREE
    planning: Annotated[
        str,
        OneOf((OPEN, IN_TURN, ENDED)),
        "how seats plan: at once, and on again while others plan; in turn; or at once and done is"
        " done (O-2.4)",
    ] = OPEN
    horse_wagon_good: Annotated[
        bool, Flag(), "whether a journey with the Horse Wagon may take a good (O-5.5)"
    ] = True
    bathhouse: Annotated[
        str,
        OneOf((UP_TO_TWO, TWO)),
        "how many followers the Bathhouse places: up to two, or two where it can (O-5.6)",
    ] = UP_TO_TWO
    recruit_without_reward: Annotated[
        str,
        OneOf((REFUSED, ALLOWED)),
        "what if the reward for recruiting is not to be had: refused, or allowed without it"
        " (O-3.2)",
    ] = REFUSED


EARLIER: Final[Mapping[int, Mapping[str, Plain]]] = {
    1: {
        "status": PRESENT,
        "development_back": NOT_ONTO_COINS,
        "planning": ENDED,
        "horse_wagon_good": True,
        "bathhouse": UP_TO_TWO,
        "recruit_without_reward": REFUSED,
    }
}
"""The options that earlier versions did not know, as those versions played."""


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
