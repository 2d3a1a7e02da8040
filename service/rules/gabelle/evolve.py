"""What each event does to the state, in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ..described import Event
from ..ruleset import PlayEnded
from . import turns
from .events import (
    PHASES,
    AuctionPassedOver,
    BidRaised,
    BuildingEnded,
    BuyingEnded,
    CardDrawn,
    Declined,
    Dropped,
    EventDrawn,
    MaterialBought,
    OrderSet,
    PhaseBegan,
    PlaceDrawn,
    PostBuilt,
    Produced,
    QuarantineDrawn,
    RegionsDrawn,
    Replenished,
    StageBegan,
    StockKept,
    WorkshopBought,
    WorkshopDiscarded,
    WorkshopNamed,
    WorkshopRemoved,
)
from .options import in_data_order
from .routes import joined, reach_of
from .state import (
    ANY_CARD,
    AUCTION,
    BEGIN,
    DRAW_CARD,
    DRAW_EVENT,
    DRAW_PLACE,
    DRAW_QUARANTINE,
    END_OF_ROUND,
    END_PLAY,
    EVENT,
    EXPANSION,
    MARKET,
    NO_SEAT,
    OVER,
    REMOVE,
    REPLENISH,
    SET_ORDER,
    State,
)
from .stock import burnt
from .tables import (
    ALL_EVENTS,
    BIG,
    BLACK_DEATH,
    BY_GUILDS,
    CITY,
    DECREE,
    EVENT_IDS,
    HIGH,
    LAST_ROUND,
    LOW,
    MATERIAL,
    NO_EVENT,
    OCTROI,
    OPEN_CARDS,
    REGIONS,
    SALT,
)


def evolve(state: State, event: Event) -> None:
    """Applies an event of the game in place."""
    _EVOLVE[type(event)](state, event)


def _regions_drawn(state: State, event: RegionsDrawn) -> None:
    state.set_regions(in_data_order(event.regions))
    state.step = DRAW_PLACE


def _place_drawn(state: State, event: PlaceDrawn) -> None:
    state.order = (*state.order, event.seat)
    if len(state.order) == state.guilds:
        state.step = DRAW_CARD


def _card_drawn(state: State, event: CardDrawn) -> None:
    card = event.workshop
    if state.low_left:
        state.low &= ~(1 << LOW.index(card))
        state.low_left -= 1
    else:
        state.high &= ~(1 << HIGH.index(card))
        state.high_left -= 1
    state.row = tuple(sorted((*state.row, card)))
    if state.phase == AUCTION:
        turns.after_refill(state)
    elif state.phase == END_OF_ROUND:
        state.step = SET_ORDER
    elif len(state.row) == OPEN_CARDS + state.options.future_row:
        state.step = BEGIN


def _stage_began(state: State, event: StageBegan) -> None:
    state.stage = event.stage
    state.set_fees()


def _phase_began(state: State, event: PhaseBegan) -> None:
    if event.round > state.round:  # the event of the round before is over (G-3.1)
        state.round = event.round
        war = state.war
        state.event = NO_EVENT
        state.quarantine = -1
        if war:
            state.set_reach()
    phase = PHASES.index(event.phase)
    state.phase = phase
    state.done = 0
    if phase == EVENT:
        state.step = DRAW_EVENT
    elif phase == AUCTION:
        if state.event == DECREE:  # G-3.7
            lowest = state.on_sale[0] if state.on_sale else 0
            state.decree = lowest if state.options.decree == "lowest" else ANY_CARD
        turns.next_namer(state)
    elif phase == MARKET:
        state.decree = 0
        state.salt_bought = 0
        turns.next_buyer(state)
    elif phase == EXPANSION:
        turns.next_builder(state)
    elif phase == END_OF_ROUND:
        state.step = REPLENISH
    else:
        turns.next_producers(state)


def _event_drawn(state: State, event: EventDrawn) -> None:
    if event.reshuffled:  # G-3.1
        state.events_left = ALL_EVENTS
    state.event = EVENT_IDS.index(event.event)
    state.events_left &= ~(1 << state.event)
    state.step = DRAW_QUARANTINE if state.event == BLACK_DEATH else BEGIN
    if state.war:  # G-3.5
        state.set_reach()


def _quarantine_drawn(state: State, event: QuarantineDrawn) -> None:
    state.quarantine = REGIONS.index(event.region)
    state.step = BEGIN


def _workshop_named(state: State, event: WorkshopNamed) -> None:
    state.card = event.workshop
    state.bid = event.bid
    state.leader = event.seat
    state.bidders = ((1 << state.guilds) - 1) & ~state.done
    if state.decree == ANY_CARD:
        state.decree = event.workshop
    turns.next_bidder(state)


def _declined(state: State, event: Declined) -> None:
    state.done |= 1 << event.seat
    turns.next_namer(state)


def _bid_raised(state: State, event: BidRaised) -> None:
    state.bid = event.bid
    state.leader = event.seat
    turns.next_bidder(state)


def _dropped(state: State, event: Dropped) -> None:
    state.bidders &= ~(1 << event.seat)
    turns.next_bidder(state)


def _workshop_bought(state: State, event: WorkshopBought) -> None:
    seat, card = event.seat, event.workshop
    state.money[seat] -= event.paid
    state.shops[seat] = tuple(sorted((*state.shops[seat], card)))
    state.row = tuple(one for one in state.row if one != card)
    state.done |= 1 << seat
    if state.decree == card:  # G-3.7
        state.decree = 0
    turns.after_sale(state)


def _workshop_discarded(state: State, event: WorkshopDiscarded) -> None:
    seat, card = event.seat, event.workshop
    state.shops[seat] = tuple(one for one in state.shops[seat] if one != card)
    state.gone = (*state.gone, card)
    turns.after_discard(state)


def _stock_kept(state: State, event: StockKept) -> None:
    wood, iron, wool, salt = event.kept
    state.stock[event.seat] = (wood, iron, wool, salt)
    turns.next_namer(state)


def _auction_passed_over(state: State, event: AuctionPassedOver) -> None:
    turns.end_auction(state)


def _order_set(state: State, event: OrderSet) -> None:
    state.order = tuple(standing.seat for standing in event.order)
    state.step = END_PLAY if state.phase == END_OF_ROUND and is_last_round(state) else BEGIN


def is_last_round(state: State) -> bool:
    """Returns whether the game ends with this round (G-9.1)."""
    target = BY_GUILDS[state.guilds]["end_cities"]
    largest = max(map(state.cities, range(state.guilds)))
    return state.round == LAST_ROUND or largest >= target


def _material_bought(state: State, event: MaterialBought) -> None:
    seat, material = event.seat, MATERIAL[event.material]
    state.money[seat] -= event.cost
    stock = list(state.stock[seat])
    stock[material] += event.units
    wood, iron, wool, salt = stock
    state.stock[seat] = (wood, iron, wool, salt)
    state.shelves[material] -= event.units
    if material == SALT:
        state.salt_bought += event.units
    turns.next_buyer(state)


def _buying_ended(state: State, event: BuyingEnded) -> None:
    state.done |= 1 << event.seat
    state.salt_bought = 0
    turns.next_buyer(state)


def _post_built(state: State, event: PostBuilt) -> None:
    seat, city = event.seat, CITY[event.city]
    state.money[seat] -= event.cost
    first = not state.network[seat]
    state.network[seat] |= 1 << city
    posts = state.posts[city] = (*state.posts[city], seat)
    state.fees[city] = OCTROI[len(posts)] if len(posts) < state.stage else BIG
    if first:
        state.reach[seat] = reach_of(state.area, state.war, (city,))
    else:
        state.reach[seat] = joined(state.reach[seat], state.area, state.war, city)
    turns.next_builder(state)


def _building_ended(state: State, event: BuildingEnded) -> None:
    state.done |= 1 << event.seat
    turns.next_builder(state)


def _produced(state: State, event: Produced) -> None:
    seat = event.seat
    burns = burnt(event.runs)
    wood, iron, wool, salt = (
        had - used for had, used in zip(state.stock[seat], burns, strict=True)
    )
    state.stock[seat] = (wood, iron, wool, salt)
    state.money[seat] += event.income
    state.supplied[seat] = event.supplied
    state.done |= 1 << seat
    turns.next_producers(state)


def _replenished(state: State, event: Replenished) -> None:
    for material, delivery in enumerate(event.deliveries):
        state.shelves[material] += delivery.added
    state.step = REMOVE if state.on_sale else SET_ORDER


def _workshop_removed(state: State, event: WorkshopRemoved) -> None:
    state.row = tuple(one for one in state.row if one != event.workshop)
    state.gone = (*state.gone, event.workshop)
    state.step = DRAW_CARD if state.deck else SET_ORDER


def _play_ended(state: State, event: PlayEnded) -> None:
    state.seat = NO_SEAT
    state.step = OVER


_EVOLVE: Final[dict[type, Callable[[State, Any], None]]] = {
    RegionsDrawn: _regions_drawn,
    PlaceDrawn: _place_drawn,
    CardDrawn: _card_drawn,
    StageBegan: _stage_began,
    PhaseBegan: _phase_began,
    EventDrawn: _event_drawn,
    QuarantineDrawn: _quarantine_drawn,
    WorkshopNamed: _workshop_named,
    Declined: _declined,
    BidRaised: _bid_raised,
    Dropped: _dropped,
    WorkshopBought: _workshop_bought,
    WorkshopDiscarded: _workshop_discarded,
    StockKept: _stock_kept,
    AuctionPassedOver: _auction_passed_over,
    OrderSet: _order_set,
    MaterialBought: _material_bought,
    BuyingEnded: _buying_ended,
    PostBuilt: _post_built,
    BuildingEnded: _building_ended,
    Produced: _produced,
    Replenished: _replenished,
    WorkshopRemoved: _workshop_removed,
    PlayEnded: _play_ended,
}
