"""What happens in a game of Gabelle. Events state facts, and how figures came about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Final

from ..described import Event, Structure
from ..kinds import Flag, Many, Maybe, OneOf, Whole
from ..ruleset import PlayEnded
from .commands import CITY_ID, LIVRES, MATERIAL_ID, RUNS, UNITS, WORKSHOP, Run
from .tables import CITIES, EVENT_IDS, GUILDS, LAST_ROUND, MATERIALS, OCTROI, REGIONS

PHASES: Final = ("event", "auction", "market", "expansion", "production", "end_of_round")

SEAT: Final = Whole(0, GUILDS[-1] - 1)
REGION_ID: Final = OneOf(REGIONS)
MANY_CITIES: Final = Whole(0, len(CITIES))


@dataclass(frozen=True, slots=True)
class RegionsDrawn(Event):
    """Chance said which regions are in play (G-1.1)."""

    type: ClassVar[str] = "regions_drawn"
    regions: Annotated[tuple[str, ...], Many(REGION_ID, len(REGIONS)), "the regions"]


@dataclass(frozen=True, slots=True)
class PlaceDrawn(Event):
    """Chance said who takes the next place of the first round order (G-1.4)."""

    type: ClassVar[str] = "place_drawn"
    seat: Annotated[int, SEAT, "the guild"]
    place: Annotated[int, Whole(1, GUILDS[-1]), "its place, 1 being first"]


@dataclass(frozen=True, slots=True)
class CardDrawn(Event):
    """A card was drawn from the deck and laid into the row (G-1.2)."""

    type: ClassVar[str] = "card_drawn"
    workshop: Annotated[int, WORKSHOP, "the card's number"]
    left: Annotated[int, Whole(0, 42), "cards left in the deck"]


@dataclass(frozen=True, slots=True)
class StageBegan(Event):
    """A stage is in force from now on (G-6.3)."""

    type: ClassVar[str] = "stage_began"
    stage: Annotated[int, Whole(2, len(OCTROI)), "the stage"]
    why: Annotated[str, OneOf(("network", "deck_empty")), "what brought it"]
    cities: Annotated[int, MANY_CITIES, "the cities of the largest network"]


@dataclass(frozen=True, slots=True)
class PhaseBegan(Event):
    """A phase of a round began (G-2)."""

    type: ClassVar[str] = "phase_began"
    round: Annotated[int, Whole(1, LAST_ROUND), "the round"]
    phase: Annotated[str, OneOf(PHASES), "the phase"]


@dataclass(frozen=True, slots=True)
class EventDrawn(Event):
    """An event was drawn that holds to the end of the round (G-3.1)."""

    type: ClassVar[str] = "event_drawn"
    event: Annotated[str, OneOf(EVENT_IDS), "the event"]
    reshuffled: Annotated[bool, Flag(), "whether the whole deck was reshuffled before the draw"]


@dataclass(frozen=True, slots=True)
class QuarantineDrawn(Event):
    """Chance said which region the Black Death is in (G-3.3)."""

    type: ClassVar[str] = "quarantine_drawn"
    region: Annotated[str, REGION_ID, "the region"]


@dataclass(frozen=True, slots=True)
class WorkshopNamed(Event):
    """A guild put a card up with a first bid (G-4.1)."""

    type: ClassVar[str] = "workshop_named"
    seat: Annotated[int, SEAT, "the guild"]
    workshop: Annotated[int, WORKSHOP, "the card's number"]
    bid: Annotated[int, LIVRES, "its bid"]
    lowest: Annotated[int, LIVRES, "the lowest bid allowed"]
    decree: Annotated[bool, Flag(), "whether the Royal Decree halved the lowest bid (G-3.7)"]


@dataclass(frozen=True, slots=True)
class Declined(Event):
    """A guild is out of this auction phase (G-4.3)."""

    type: ClassVar[str] = "declined"
    seat: Annotated[int, SEAT, "the guild"]
    why: Annotated[
        str | None,
        Maybe(OneOf(("cannot_afford",))),
        "null: its own choice; else it can afford no open card",
    ] = None


@dataclass(frozen=True, slots=True)
class BidRaised(Event):
    """A guild bid more (G-4.1)."""

    type: ClassVar[str] = "bid_raised"
    seat: Annotated[int, SEAT, "the guild"]
    workshop: Annotated[int, WORKSHOP, "the card's number"]
    bid: Annotated[int, LIVRES, "its bid"]


@dataclass(frozen=True, slots=True)
class Dropped(Event):
    """A guild dropped out of the bidding for a card (G-4.1)."""

    type: ClassVar[str] = "dropped"
    seat: Annotated[int, SEAT, "the guild"]
    workshop: Annotated[int, WORKSHOP, "the card's number"]
    why: Annotated[
        str | None,
        Maybe(OneOf(("cannot_outbid",))),
        "null: its own choice; else its money does not exceed the bid",
    ] = None


@dataclass(frozen=True, slots=True)
class WorkshopBought(Event):
    """The last guild standing paid its bid and got the card (G-4.1)."""

    type: ClassVar[str] = "workshop_bought"
    seat: Annotated[int, SEAT, "the guild"]
    workshop: Annotated[int, WORKSHOP, "the card's number"]
    paid: Annotated[int, LIVRES, "its bid, in L"]


@dataclass(frozen=True, slots=True)
class WorkshopDiscarded(Event):
    """A guild discarded one of four workshops; it left the game (G-4.4)."""

    type: ClassVar[str] = "workshop_discarded"
    seat: Annotated[int, SEAT, "the guild"]
    workshop: Annotated[int, WORKSHOP, "the card's number"]


@dataclass(frozen=True, slots=True)
class StockKept(Event):
    """Material that no longer fits went back to the supply (G-4.4)."""

    type: ClassVar[str] = "stock_kept"
    seat: Annotated[int, SEAT, "the guild"]
    kept: Annotated[tuple[int, ...], Many(UNITS, 4, 4), "wood, iron, wool, salt kept"]
    returned: Annotated[tuple[int, ...], Many(UNITS, 4, 4), "wood, iron, wool, salt given back"]
    why: Annotated[
        str | None,
        Maybe(OneOf(("only_way",))),
        "null: its own choice; else there was one way only to keep as much as fits",
    ] = None


@dataclass(frozen=True, slots=True)
class AuctionPassedOver(Event):
    """No open card is left; the auction is over for all who are still in it (G-6.3)."""

    type: ClassVar[str] = "auction_passed_over"
    seats: Annotated[tuple[int, ...], Many(SEAT, GUILDS[-1]), "the guilds that get no card"]


@dataclass(frozen=True, slots=True)
class Standing:
    """What a guild's place in the round order follows from."""

    seat: Annotated[int, SEAT, "the guild"]
    cities: Annotated[int, MANY_CITIES, "its cities"]
    workshop: Annotated[int, Whole(0, 50), "its highest workshop's number, 0 without any"]


@dataclass(frozen=True, slots=True)
class OrderSet(Event):
    """The round order was set anew (G-1.4)."""

    type: ClassVar[str] = "order_set"
    order: Annotated[
        tuple[Standing, ...], Many(Structure(Standing), GUILDS[-1]), "the guilds, first to last"
    ]


@dataclass(frozen=True, slots=True)
class MaterialBought(Event):
    """A guild bought material (G-5.1). cost = sum of prices + units × surcharge."""

    type: ClassVar[str] = "material_bought"
    seat: Annotated[int, SEAT, "the guild"]
    material: Annotated[str, MATERIAL_ID, "the material"]
    units: Annotated[int, UNITS, "how many units"]
    prices: Annotated[tuple[int, ...], Many(Whole(1, 8), 24), "the shelf's price of each unit"]
    surcharge: Annotated[int, Whole(0, 8), "the tax on each unit (salt: G-5.1, G-3.2)"]
    cost: Annotated[int, LIVRES, "what it paid in all"]


@dataclass(frozen=True, slots=True)
class BuyingEnded(Event):
    """A guild buys no more in this round (G-5.1)."""

    type: ClassVar[str] = "buying_ended"
    seat: Annotated[int, SEAT, "the guild"]
    why: Annotated[
        str | None,
        Maybe(OneOf(("nothing_to_buy",))),
        "null: its own choice; else there is nothing that it can afford and store",
    ] = None


@dataclass(frozen=True, slots=True)
class PostBuilt(Event):
    """A guild built a post (G-6.1). cost = sum of tolls + octroi."""

    type: ClassVar[str] = "post_built"
    seat: Annotated[int, SEAT, "the guild"]
    city: Annotated[str, CITY_ID, "the city"]
    way: Annotated[
        tuple[str, ...],
        Many(CITY_ID, len(CITIES), 1),
        "the cities passed, from an own one to the new one; for a first post the city alone",
    ]
    tolls: Annotated[tuple[int, ...], Many(Whole(0, 1_000), len(CITIES)), "each route's toll"]
    slot: Annotated[int, Whole(1, len(OCTROI)), "which post of the city it is"]
    octroi: Annotated[int, LIVRES, "the city's fee for that slot"]
    cost: Annotated[int, LIVRES, "what it paid in all"]


@dataclass(frozen=True, slots=True)
class BuildingEnded(Event):
    """A guild builds no more in this round (G-6.1)."""

    type: ClassVar[str] = "building_ended"
    seat: Annotated[int, SEAT, "the guild"]
    why: Annotated[
        str | None,
        Maybe(OneOf(("nothing_to_build",))),
        "null: its own choice; else there is no free city that it can afford",
    ] = None


@dataclass(frozen=True, slots=True)
class Produced(Event):
    """A guild ran workshops and was paid (G-7.1).

    supplied = min(capacity, network - quarantined); income = payment + bonus.
    """

    type: ClassVar[str] = "produced"
    seat: Annotated[int, SEAT, "the guild"]
    runs: Annotated[tuple[Run, ...], RUNS, "the workshops run and what each consumed"]
    capacity: Annotated[int, MANY_CITIES, "cities that these workshops can supply"]
    network: Annotated[int, MANY_CITIES, "cities of the guild"]
    quarantined: Annotated[int, MANY_CITIES, "cities of the guild in quarantine (G-3.3)"]
    supplied: Annotated[int, MANY_CITIES, "cities supplied"]
    payment: Annotated[int, LIVRES, "income by the payment table"]
    fairs: Annotated[int, MANY_CITIES, "fair towns among the cities supplied (G-3.4)"]
    bonus: Annotated[int, LIVRES, "what the fairs add (G-3.4)"]
    income: Annotated[int, LIVRES, "what the guild got in all"]
    why: Annotated[
        str | None,
        Maybe(OneOf(("nothing_to_run",))),
        "null: its own choice; else there is no workshop that it can run",
    ] = None


@dataclass(frozen=True, slots=True)
class Delivery:
    """What came to a shelf: added = what is left of `due` by the famine, cut at the capacity."""

    material: Annotated[str, MATERIAL_ID, "the material"]
    due: Annotated[int, UNITS, "units due by guilds and stage (G-8.1)"]
    famine: Annotated[int, UNITS, "units that the Great Famine took (G-3.6)"]
    lost: Annotated[int, UNITS, "units that did not fit on the shelf"]
    added: Annotated[int, UNITS, "units added"]


@dataclass(frozen=True, slots=True)
class Replenished(Event):
    """The shelves were replenished (G-8.1)."""

    type: ClassVar[str] = "replenished"
    deliveries: Annotated[
        tuple[Delivery, ...], Many(Structure(Delivery), len(MATERIALS)), "for each shelf"
    ]


@dataclass(frozen=True, slots=True)
class WorkshopRemoved(Event):
    """The lowest open card left the game (G-8.2)."""

    type: ClassVar[str] = "workshop_removed"
    workshop: Annotated[int, WORKSHOP, "the card's number"]


EVENTS: Final[Mapping[str, type[Event]]] = {
    event.type: event
    for event in (
        RegionsDrawn,
        PlaceDrawn,
        CardDrawn,
        StageBegan,
        PhaseBegan,
        EventDrawn,
        QuarantineDrawn,
        WorkshopNamed,
        Declined,
        BidRaised,
        Dropped,
        WorkshopBought,
        WorkshopDiscarded,
        StockKept,
        AuctionPassedOver,
        OrderSet,
        MaterialBought,
        BuyingEnded,
        PostBuilt,
        BuildingEnded,
        Produced,
        Replenished,
        WorkshopRemoved,
        PlayEnded,
    )
}
