"""What the fields of events hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

from ..kinds import Flag, OneOf, Whole
from .commands import (
    KIND_ID,
)
from .tables import (
    BATHHOUSE,
    LAST_SPACE,
    PLACES,
    SEATS,
    TOWER,
)

SEAT: Final = Whole(0, SEATS[-1] - 1)
MANY: Final = Whole(0, 100_000)
POINTS: Final = Whole(0, LAST_SPACE)
MARKET: Final = "market"
ON_TOWER: Final = PLACES[TOWER]
DRAWN: Final = PLACES[BATHHOUSE]
MARKETS: Final = OneOf((MARKET, ON_TOWER))
WHERE: Final = OneOf((MARKET, ON_TOWER, DRAWN))
PHASES: Final = ("followers", "planning", "actions", "event")
REASONS: Final = ("track", "income", "trading_day", *PLACES)


@dataclass(frozen=True, slots=True)
class Tile:
    """A follower: its kind, and whether it is a starting one."""

    follower: Annotated[str, KIND_ID, "the follower's kind"]
    starting: Annotated[bool, Flag(), "whether it is a starting follower"]
