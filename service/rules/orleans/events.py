"""What happens in a game of Orléans. Events carry the computation of what they bring.

Those of the Actions phase stand in `action_events`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Final

from ..described import Event, Structure
from ..kinds import Flag, Many, Maybe, OneOf, Whole
from ..ruleset import PlayEnded
from .action_events import (
    CitizenTaken,
    CoinsGained,
    CoinsSpent,
    DevelopmentAdvanced,
    FollowerDelivered,
    FollowerRecruited,
    FollowersReturned,
    GoodGained,
    MerchantMoved,
    PlaceUsed,
    SeatPassed,
    StationBuilt,
    TechnologyGained,
    TileTaken,
    TurnPassed,
)
from .commands import (
    GOOD_ID,
    ITEMS,
    KIND_ID,
    LINK_ID,
    PLACE_ID,
    RESERVE,
    SPACE,
    TILE_ID,
)
from .event_kinds import (
    MANY,
    MARKETS,
    PHASES,
    SEAT,
    WHERE,
    Tile,
)
from .tables import (
    EVENTS as HOURGLASS,
)
from .tables import (
    ROUNDS,
    TOWNS,
)


@dataclass(frozen=True, slots=True)
class StartSeatDrawn(Event):
    """Chance said who is the first start player (O-1.7)."""

    type: ClassVar[str] = "start_seat_drawn"
    seat: Annotated[int, SEAT, "the first start player"]


@dataclass(frozen=True, slots=True)
class GoodRemoved(Event):
    """A good left the game unseen during the set-up (O-1.5)."""

    type: ClassVar[str] = "good_removed"
    good: Annotated[str, GOOD_ID, "the good"]


@dataclass(frozen=True, slots=True)
class GoodLaid(Event):
    """A good was laid on a road or waterway during the set-up (O-1.5)."""

    type: ClassVar[str] = "good_laid"
    link: Annotated[str, LINK_ID, "the link"]
    space: Annotated[int, Whole(0, 1), "its goods space, from 0"]
    good: Annotated[str, GOOD_ID, "the good"]


@dataclass(frozen=True, slots=True)
class HourglassTurned(Event):
    """A round began: its event is known (O-2.1)."""

    type: ClassVar[str] = "hourglass_turned"
    round: Annotated[int, Whole(1, ROUNDS), "the round"]
    event: Annotated[str, OneOf(HOURGLASS), "the round's event"]
    start_seat: Annotated[int, SEAT, "the start player"]


@dataclass(frozen=True, slots=True)
class CensusTaken(Event):
    """The farmer track was looked at (O-2.2)."""

    type: ClassVar[str] = "census_taken"
    spaces: Annotated[tuple[int, ...], Many(MANY, 4), "each seat's space on the farmer track"]
    leader: Annotated[int | None, Maybe(SEAT), "the sole leader, who gained coins"]
    gained: Annotated[int, MANY, "coins gained"]
    last: Annotated[int | None, Maybe(SEAT), "the sole last, who has to pay"]
    paid: Annotated[int, MANY, "coins paid"]
    missing: Annotated[int, MANY, "coins missing: torture for each"]


@dataclass(frozen=True, slots=True)
class PhaseBegan(Event):
    """A phase of the round began (O-2)."""

    type: ClassVar[str] = "phase_began"
    phase: Annotated[str, OneOf(PHASES), "the phase"]


@dataclass(frozen=True, slots=True)
class FollowerTakenBack(Event):
    """A follower went back to the market instead of a draw (O-2.3)."""

    type: ClassVar[str] = "follower_taken_back"
    seat: Annotated[int, SEAT, "whose"]
    follower: Annotated[str, KIND_ID, "the follower's kind"]
    starting: Annotated[bool, Flag(), "whether it is a starting follower"]
    place: Annotated[str, PLACE_ID, "from which place"]
    space: Annotated[int, SPACE, "from which of its spaces"]
    to: Annotated[str, MARKETS, "where it went"]


@dataclass(frozen=True, slots=True)
class DrawChosen(Event):
    """A seat said how many followers it draws, and is done with the phase (O-2.3)."""

    type: ClassVar[str] = "draw_chosen"
    seat: Annotated[int, SEAT, "who"]
    count: Annotated[int, MANY, "how many followers will be drawn"]
    forced: Annotated[bool, Flag(), "whether it happened by itself"]


@dataclass(frozen=True, slots=True)
class FollowerDrawn(Event):
    """A follower came out of a bag (O-2.3, O-5.6)."""

    type: ClassVar[str] = "follower_drawn"
    seat: Annotated[int, SEAT, "whose bag"]
    follower: Annotated[str, KIND_ID, "the follower's kind"]
    starting: Annotated[bool, Flag(), "whether it is a starting follower"]
    to: Annotated[str, WHERE, "where it went; bathhouse: it waits to be placed"]


@dataclass(frozen=True, slots=True)
class FollowerRecovered(Event):
    """A follower set aside by the plague came back to its bag (O-6.6)."""

    type: ClassVar[str] = "follower_recovered"
    seat: Annotated[int, SEAT, "whose"]
    follower: Annotated[str, KIND_ID, "the follower's kind"]


@dataclass(frozen=True, slots=True)
class FollowerPlaced(Event):
    """A follower was put on a space (O-2.4, O-5.6)."""

    type: ClassVar[str] = "follower_placed"
    seat: Annotated[int, SEAT, "whose"]
    follower: Annotated[str, KIND_ID, "the follower's kind"]
    starting: Annotated[bool, Flag(), "whether it is a starting follower"]
    source: Annotated[str, WHERE, "where it came from"]
    place: Annotated[str, PLACE_ID, "the place"]
    space: Annotated[int, SPACE, "its space"]


@dataclass(frozen=True, slots=True)
class FollowerWithdrawn(Event):
    """A follower put down in this planning was taken up again (O-2.4)."""

    type: ClassVar[str] = "follower_withdrawn"
    seat: Annotated[int, SEAT, "whose"]
    follower: Annotated[str, KIND_ID, "the follower's kind"]
    starting: Annotated[bool, Flag(), "whether it is a starting follower"]
    place: Annotated[str, PLACE_ID, "from which place"]
    space: Annotated[int, SPACE, "from which of its spaces"]
    to: Annotated[str, MARKETS, "where it went"]


@dataclass(frozen=True, slots=True)
class TechnologyPlaced(Event):
    """A technology tile was put down, for ever (O-3.3)."""

    type: ClassVar[str] = "technology_placed"
    seat: Annotated[int, SEAT, "whose"]
    place: Annotated[str, PLACE_ID, "the place"]
    space: Annotated[int, SPACE, "its space"]


@dataclass(frozen=True, slots=True)
class PlanningEnded(Event):
    """A seat is done with planning (O-2.4)."""

    type: ClassVar[str] = "planning_ended"
    seat: Annotated[int, SEAT, "who"]


@dataclass(frozen=True, slots=True)
class PlanningReopened(Event):
    """A seat that was done plans on (O-2.4)."""

    type: ClassVar[str] = "planning_reopened"
    seat: Annotated[int, SEAT, "who"]


@dataclass(frozen=True, slots=True)
class SacristyUsed(Event):
    """The Sacristy's monk went back to the bag, and the event was not suffered (O-5.7)."""

    type: ClassVar[str] = "sacristy_used"
    seat: Annotated[int, SEAT, "whose"]


@dataclass(frozen=True, slots=True)
class SacristyKept(Event):
    """The Sacristy's monk stays; the event will be suffered (O-5.7)."""

    type: ClassVar[str] = "sacristy_kept"
    seat: Annotated[int, SEAT, "whose"]


@dataclass(frozen=True, slots=True)
class HarvestPaid(Event):
    """Food went back to the goods market (O-6.4)."""

    type: ClassVar[str] = "harvest_paid"
    seat: Annotated[int, SEAT, "who"]
    good: Annotated[str, GOOD_ID, "the food"]
    forced: Annotated[bool, Flag(), "whether there was no choice"]


@dataclass(frozen=True, slots=True)
class CoinsPaid(Event):
    """Coins were due in an event (O-6.4, O-6.5)."""

    type: ClassVar[str] = "coins_paid"
    seat: Annotated[int, SEAT, "who"]
    event: Annotated[str, OneOf(HOURGLASS), "the event"]
    goods: Annotated[int, MANY, "goods held"]
    due: Annotated[int, MANY, "coins due"]
    paid: Annotated[int, MANY, "coins paid"]
    missing: Annotated[int, MANY, "coins missing: torture for each"]


@dataclass(frozen=True, slots=True)
class PlagueStruck(Event):
    """The plague drew a follower; a starting one went back (O-6.6)."""

    type: ClassVar[str] = "plague_struck"
    seat: Annotated[int, SEAT, "whose bag"]
    follower: Annotated[str, KIND_ID, "the follower's kind"]
    starting: Annotated[bool, Flag(), "whether it is a starting follower, and stays"]


@dataclass(frozen=True, slots=True)
class PlagueSpared(Event):
    """The plague found an empty bag (O-6.6)."""

    type: ClassVar[str] = "plague_spared"
    seat: Annotated[int, SEAT, "whose bag"]


@dataclass(frozen=True, slots=True)
class ItemGiven(Event):
    """An item left the game for a missing coin (O-7.1). A follower is drawn next."""

    type: ClassVar[str] = "item_given"
    seat: Annotated[int, SEAT, "who"]
    item: Annotated[str, OneOf(ITEMS), "what was given"]
    from_: Annotated[str | None, Maybe(OneOf((RESERVE, *TOWNS))), "a trading station's place"] = (
        None
    )
    good: Annotated[str | None, Maybe(GOOD_ID), "the good"] = None
    tile: Annotated[str | None, Maybe(TILE_ID), "the place tile"] = None
    place: Annotated[str | None, Maybe(PLACE_ID), "a technology tile's place"] = None
    returned: Annotated[
        tuple[Tile, ...], Many(Structure(Tile), 3), "followers of a place tile, back in the bag"
    ] = ()


@dataclass(frozen=True, slots=True)
class FollowerGiven(Event):
    """A neutral follower, drawn from the bag, left the game (O-7.1)."""

    type: ClassVar[str] = "follower_given"
    seat: Annotated[int, SEAT, "whose bag"]
    follower: Annotated[str, KIND_ID, "the follower's kind"]


@dataclass(frozen=True, slots=True)
class DebtLapsed(Event):
    """Nothing was left to give (O-7.2)."""

    type: ClassVar[str] = "debt_lapsed"
    seat: Annotated[int, SEAT, "whose"]
    missing: Annotated[int, MANY, "coins that were never paid"]


@dataclass(frozen=True, slots=True)
class RoundEnded(Event):
    """The round is over; the marker moved on (O-2.7)."""

    type: ClassVar[str] = "round_ended"
    start_seat: Annotated[int, SEAT, "the next start player"]


ALL: Final[Mapping[str, type[Event]]] = {
    event.type: event
    for event in (
        StartSeatDrawn,
        GoodRemoved,
        GoodLaid,
        HourglassTurned,
        CensusTaken,
        PhaseBegan,
        FollowerTakenBack,
        DrawChosen,
        FollowerDrawn,
        FollowerRecovered,
        FollowerPlaced,
        FollowerWithdrawn,
        TechnologyPlaced,
        PlanningEnded,
        PlanningReopened,
        PlaceUsed,
        FollowerRecruited,
        GoodGained,
        CoinsGained,
        CoinsSpent,
        TechnologyGained,
        TileTaken,
        DevelopmentAdvanced,
        CitizenTaken,
        MerchantMoved,
        StationBuilt,
        FollowerDelivered,
        FollowersReturned,
        TurnPassed,
        SeatPassed,
        SacristyUsed,
        SacristyKept,
        HarvestPaid,
        CoinsPaid,
        PlagueStruck,
        PlagueSpared,
        ItemGiven,
        FollowerGiven,
        DebtLapsed,
        RoundEnded,
        PlayEnded,
    )
}
