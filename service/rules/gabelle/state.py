"""The state of a game: flat lists by guild and city, and the one step that is due.

`step` says it all: each step is either a guild's to take (`PLAYED`) or happens by itself, the cases
in which a guild is passed over included. So nobody has to find out twice whose turn it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from .options import Options, regions_at_once
from .routes import reach_of
from .stock import NOTHING, Shops, Stock
from .tables import (
    ALL_EVENTS,
    BIG,
    BY_GUILDS,
    CITIES,
    HIGH,
    IN_REGION,
    LOW,
    NO_EVENT,
    OCTROI,
    OPEN_CARDS,
    START_MONEY,
    START_STOCK,
    WAR,
)

# Steps that a guild takes
NAME, BID, DISCARD, SETTLE, BUY, BUILD, PRODUCE = range(7)
PLAYED: Final = 7
"""Steps below this number are a guild's to take; all others happen by themselves."""

# Steps that happen by themselves
DRAW_REGIONS, DRAW_PLACE, DRAW_CARD, BEGIN, DRAW_EVENT, DRAW_QUARANTINE = range(7, 13)
CANNOT_NAME, CANNOT_BID, SELL, SETTLE_ALONE, NO_CARDS, SET_ORDER = range(13, 19)
CANNOT_BUY, CANNOT_BUILD, CANNOT_PRODUCE, REPLENISH, REMOVE, END_PLAY, OVER = range(19, 26)

STEP_NAMES: Final = ("name", "bid", "discard", "settle", "buy", "build", "produce")

# Phases
SETUP: Final = -1
EVENT, AUCTION, MARKET, EXPANSION, PRODUCTION, END_OF_ROUND = range(6)

ANY_CARD: Final = -1
"""As `decree`: whichever card is put up first."""

NO_SEAT: Final = -1


@dataclass(slots=True)
class State:
    """Where a game stands.

    `seat` is whose turn it is (-1: nobody's, or several guilds'); `done` are the guilds that are
    through with the phase: out of the auction, bought, built, produced. `row` are the cards shown,
    ascending. `low` and `high` are the cards of each tier that were not drawn, those removed unseen
    included; `low_left` and `high_left` how many of them are still to come. `gone` are cards that
    left the game. `reach` is, by guild, the toll to each city; `fees` the octroi of the slot that
    is free in each city, `BIG` where none is. `decree` is the card whose lowest bid is halved, 0
    for none.
    """

    guilds: int
    options: Options
    step: int
    phase: int
    round: int
    stage: int
    seat: int
    done: int
    regions: tuple[int, ...]
    area: int
    order: tuple[int, ...]
    money: list[int]
    shops: list[Shops]
    stock: list[Stock]
    network: list[int]
    supplied: list[int]
    reach: list[tuple[int, ...]]
    posts: list[tuple[int, ...]]
    fees: list[int]
    shelves: list[int]
    row: tuple[int, ...]
    low: int
    low_left: int
    high: int
    high_left: int
    gone: tuple[int, ...]
    event: int
    events_left: int
    quarantine: int
    decree: int
    card: int
    bid: int
    bidders: int
    leader: int
    salt_bought: int

    def clone(self) -> State:
        """Returns an independent copy."""
        return State(
            self.guilds,
            self.options,
            self.step,
            self.phase,
            self.round,
            self.stage,
            self.seat,
            self.done,
            self.regions,
            self.area,
            self.order,
            self.money.copy(),
            self.shops.copy(),
            self.stock.copy(),
            self.network.copy(),
            self.supplied.copy(),
            self.reach.copy(),
            self.posts.copy(),
            self.fees.copy(),
            self.shelves.copy(),
            self.row,
            self.low,
            self.low_left,
            self.high,
            self.high_left,
            self.gone,
            self.event,
            self.events_left,
            self.quarantine,
            self.decree,
            self.card,
            self.bid,
            self.bidders,
            self.leader,
            self.salt_bought,
        )

    @property
    def war(self) -> bool:
        """Whether road tolls are doubled (G-3.5)."""
        return self.event == WAR

    @property
    def deck(self) -> int:
        """How many cards are still to be drawn (G-1.2)."""
        return self.low_left + self.high_left

    @property
    def on_sale(self) -> tuple[int, ...]:
        """The open cards: the lowest four of the row, all of it in stage 3 (G-1.2, G-6.3)."""
        return self.row if self.stage == len(OCTROI) else self.row[:OPEN_CARDS]

    def lowest(self, card: int) -> int:
        """Returns the lowest bid for a card: its number, halved upwards by the decree (G-3.7)."""
        return (card + 1) // 2 if self.decree in (card, ANY_CARD) else card

    def cities(self, seat: int) -> int:
        """Returns how many cities a guild's network has."""
        return self.network[seat].bit_count()

    def set_fees(self) -> None:
        """Works out the octroi of each city's free slot anew, in place (G-6.1, G-6.3)."""
        self.fees = [
            OCTROI[len(posts)] if self.area >> city & 1 and len(posts) < self.stage else BIG
            for city, posts in enumerate(self.posts)
        ]

    def set_reach(self) -> None:
        """Works out all tolls anew, in place: the map or the tolls have changed (G-3.5)."""
        self.reach = [reach_of(self.area, self.war, cities_of(network)) for network in self.network]

    def set_regions(self, regions: tuple[int, ...]) -> None:
        """Puts regions into play, in place (G-1.1)."""
        self.regions = regions
        self.area = sum(IN_REGION[region] for region in regions)
        self.set_fees()
        self.set_reach()


def cities_of(network: int) -> tuple[int, ...]:
    """Returns the cities of a mask, ascending."""
    return tuple(city for city in range(len(CITIES)) if network >> city & 1)


def initial(guilds: int, options: Options) -> State:
    """Returns the state before anything is drawn (G-1)."""
    row = BY_GUILDS[guilds]
    regions = regions_at_once(guilds, options)
    state = State(
        guilds=guilds,
        options=options,
        step=DRAW_PLACE if regions else DRAW_REGIONS,
        phase=SETUP,
        round=0,
        stage=1,
        seat=NO_SEAT,
        done=0,
        regions=(),
        area=0,
        order=(),
        money=[START_MONEY] * guilds,
        shops=[()] * guilds,
        stock=[NOTHING] * guilds,
        network=[0] * guilds,
        supplied=[0] * guilds,
        reach=[],
        posts=[()] * len(CITIES),
        fees=[],
        shelves=list(START_STOCK),
        row=(),
        low=(1 << len(LOW)) - 1,
        low_left=len(LOW) - row["removed_low"],
        high=(1 << len(HIGH)) - 1,
        high_left=len(HIGH) - row["removed_high"],
        gone=(),
        event=NO_EVENT,
        events_left=ALL_EVENTS,
        quarantine=-1,
        decree=0,
        card=0,
        bid=0,
        bidders=0,
        leader=NO_SEAT,
        salt_bought=0,
    )
    state.set_regions(regions)
    return state
