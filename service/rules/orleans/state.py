"""The state of a game: one record for the table, one for each seat, in numbers (see `tables`).

A seat's spaces stand in one row, `EMPTY`, a follower code or `TECHNOLOGY` on each. Four bit masks
go with the row: `own` (spaces of the seat's places), `empty` (own spaces with nothing on them),
`men` (with a follower) and `fresh` (with a follower put down in this planning). What is neither
empty nor held by a follower holds a technology tile.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from ..plain import Detail
from .options import CHANCE, Options
from .tables import (
    BOARD_MASK,
    BOARD_PLACES,
    CITIZENS,
    CODES,
    COUNTS,
    DEED_SLOTS,
    EVENT_COUNTS,
    FITS,
    GOODS,
    GOODS_COUNTS,
    GOODS_REMOVED,
    GOODS_SPACES,
    KINDS,
    NEUTRAL,
    ORLEANS,
    PLACE_MASK,
    SPACES,
    STACKS,
    STARTERS,
    STARTING,
    STATUS,
    TOWNS,
    bits,
    variant,
)

# Steps of play, in the order in which they come.
(
    START_SEAT,
    REMOVE,
    LAY,
    HOURGLASS,
    CENSUS,
    COUNTED,
    FOLLOWERS,
    PLANNING,
    ACTIONS,
    NEXT,
    EVENT,
    END,
    OVER,
) = range(13)
PHASE_NAMES: Final = (
    *(Detail("setup"),) * 3, Detail("hourglass"), *(Detail("census"),) * 2, Detail("followers"),
    Detail("planning"), *(Detail("actions"),) * 2, Detail("event"), Detail("end"), Detail("over"),
)  # fmt: skip

EMPTY: Final = -1
TECHNOLOGY: Final = CODES
NOBODY: Final = -1


@dataclass(slots=True)
class Seat:
    """What one seat has. `tracks` are by kind; `places` is the mask of its places.

    `status_left` is the highest status that a point was given from, `technology_placed` how many
    technology tiles were ever placed.
    """

    fits: tuple[int, ...]
    coins: int = COUNTS["coins"]
    tracks: list[int] = field(default_factory=lambda: [0] * len(KINDS))
    development: int = 0
    status_left: int = 0
    coin_spaces: int = 0
    merchant: int = ORLEANS
    reserve: int = COUNTS["trading_stations"]
    built: int = 0
    citizens: int = 0
    goods: list[int] = field(default_factory=lambda: [0] * len(GOODS))
    bag: list[int] = field(default_factory=lambda: [0] * CODES)
    bag_size: int = 0
    market: list[int] = field(default_factory=lambda: [0] * CODES)
    market_size: int = 0
    spaces: list[int] = field(default_factory=lambda: [EMPTY] * SPACES)
    places: int = BOARD_PLACES
    own: int = BOARD_MASK
    empty: int = BOARD_MASK
    men: int = 0
    fresh: int = 0
    technology: int = 0
    technology_spaces: int = 0
    technology_placed: int = 0
    aside: int = EMPTY
    stations_gone: int = 0
    declined: int = 0
    done: bool = False

    def clone(self) -> Seat:
        """Returns an independent copy."""
        return Seat(
            self.fits,
            self.coins,
            self.tracks.copy(),
            self.development,
            self.status_left,
            self.coin_spaces,
            self.merchant,
            self.reserve,
            self.built,
            self.citizens,
            self.goods.copy(),
            self.bag.copy(),
            self.bag_size,
            self.market.copy(),
            self.market_size,
            self.spaces.copy(),
            self.places,
            self.own,
            self.empty,
            self.men,
            self.fresh,
            self.technology,
            self.technology_spaces,
            self.technology_placed,
            self.aside,
            self.stations_gone,
            self.declined,
            self.done,
        )

    @property
    def reached(self) -> int:
        """The highest status that the seat has reached (O-8.2)."""
        return max(self.status_left, int(STATUS[self.development]))

    def put(self, space: int, code: int) -> None:
        """Puts a follower on an empty space."""
        bit = 1 << space
        self.spaces[space] = code
        self.empty &= ~bit
        self.men |= bit

    def lift(self, space: int) -> int:
        """Takes the follower from a space and returns its code."""
        bit = 1 << space
        code = self.spaces[space]
        self.spaces[space] = EMPTY
        self.empty |= bit
        self.men &= ~bit
        self.fresh &= ~bit
        return code

    def to_bag(self, code: int) -> None:
        """Puts a follower into the bag."""
        self.bag[code] += 1
        self.bag_size += 1

    def from_bag(self, code: int) -> None:
        """Takes a follower out of the bag."""
        self.bag[code] -= 1
        self.bag_size -= 1

    def to_market(self, code: int) -> None:
        """Puts a follower into the market."""
        self.market[code] += 1
        self.market_size += 1

    def men_on(self, place: int) -> list[int]:
        """Returns the followers on a place, by space."""
        return [self.spaces[space] for space in bits(self.men & PLACE_MASK[place])]

    def gain_tile(self, place: int, monks_on_deeds: bool) -> None:
        """Adds a place tile (O-4.2)."""
        self.places |= 1 << place
        self.own |= PLACE_MASK[place]
        self.empty |= PLACE_MASK[place]
        self.fits = FITS[variant(self.places, monks_on_deeds)]

    def lose_tile(self, place: int, monks_on_deeds: bool) -> None:
        """Removes a place tile; a technology tile on it goes with it (O-7.2)."""
        mask = PLACE_MASK[place]
        for space in bits(self.men & mask):
            self.to_bag(self.lift(space))
        for space in bits(mask & self.technology_spaces):
            self.spaces[space] = EMPTY
        self.places &= ~(1 << place)
        self.own &= ~mask
        self.empty &= ~mask
        self.technology_spaces &= ~mask
        self.fits = FITS[variant(self.places, monks_on_deeds)]


@dataclass(slots=True)
class State:
    """Where a game stands.

    `goods` is the goods market (during the set-up all goods not yet drawn), `laid` the good on each
    goods space, `slots` the free slots of each deed by kind, `stations` the mask of seats with a
    station in each town, `citizens` who has each citizen tile, `hourglass` what may still come.
    What left the game stands in the `…_gone`, goods removed at the set-up included. `pending`
    draws from the bag of `drawer` are due. In a torture `debt` coins of `debtor` are missing.
    `seat` is whose action or event it is, `turns` how many seats the event is done with; `asked`
    says that the seat kept its Sacristy. While `bath`, `bathing` holds what the Bathhouse drew, by
    code, and `bathed` counts those placed.
    """

    options: Options
    seats: list[Seat]
    step: int
    goods: list[int]
    supply: list[int]
    goods_gone: list[int] = field(default_factory=lambda: [0] * len(GOODS))
    followers_gone: list[int] = field(default_factory=lambda: [0] * len(KINDS))
    technology_gone: int = 0
    tiles_gone: int = 0
    laid: list[int] = field(default_factory=lambda: [EMPTY] * len(GOODS_SPACES))
    next_space: int = 0
    round: int = 0
    event: int = -1
    start: int = 0
    seat: int = 0
    turns: int = 0
    asked: bool = False
    pending: int = 0
    drawer: int = NOBODY
    debt: int = 0
    debtor: int = NOBODY
    bath: bool = False
    bathing: list[int] = field(default_factory=lambda: [0] * CODES)
    bathed: int = 0
    technology: int = COUNTS["technology_tiles"]
    tiles: int = STACKS["II"]
    slots: list[list[int]] = field(default_factory=lambda: [list(row) for row in DEED_SLOTS])
    stations: list[int] = field(default_factory=lambda: [0] * len(TOWNS))
    citizens: list[int] = field(default_factory=lambda: [NOBODY] * len(CITIZENS))
    hourglass: list[int] = field(default_factory=lambda: list(EVENT_COUNTS))

    def clone(self) -> State:
        """Returns an independent copy."""
        return State(
            self.options,
            [seat.clone() for seat in self.seats],
            self.step,
            self.goods.copy(),
            self.supply.copy(),
            self.goods_gone.copy(),
            self.followers_gone.copy(),
            self.technology_gone,
            self.tiles_gone,
            self.laid.copy(),
            self.next_space,
            self.round,
            self.event,
            self.start,
            self.seat,
            self.turns,
            self.asked,
            self.pending,
            self.drawer,
            self.debt,
            self.debtor,
            self.bath,
            self.bathing.copy(),
            self.bathed,
            self.technology,
            self.tiles,
            [row.copy() for row in self.slots],
            self.stations.copy(),
            self.citizens.copy(),
            self.hourglass.copy(),
        )


def initial(count: int, options: Options) -> State:
    """Returns the state before the set-up's draws (O-1.1 … O-1.4, O-1.6)."""
    fits = FITS[variant(BOARD_PLACES, options.monks_on_deeds)]
    seats = [Seat(fits) for _ in range(count)]
    for seat in seats:
        for number in range(len(STARTERS)):  # O-1.2
            seat.to_market(STARTING + number)
    state = State(options, seats, REMOVE, list(GOODS_COUNTS), list(NEUTRAL[count]))
    if options.start_seat == CHANCE:
        state.step = START_SEAT
    else:
        state.start = int(options.start_seat)
        if not GOODS_REMOVED[count]:
            state.step = LAY
    return state
