"""What happens by itself: draws, sales, guilds passed over, the ends of phases and rounds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ..chance import Chance
from ..described import Event
from ..ruleset import PlayEnded
from .decide import produced
from .events import (
    PHASES,
    AuctionPassedOver,
    BuildingEnded,
    BuyingEnded,
    CardDrawn,
    Declined,
    Delivery,
    Dropped,
    EventDrawn,
    OrderSet,
    PhaseBegan,
    PlaceDrawn,
    QuarantineDrawn,
    RegionsDrawn,
    Replenished,
    StageBegan,
    Standing,
    StockKept,
    WorkshopBought,
    WorkshopRemoved,
)
from .state import (
    AUCTION,
    BEGIN,
    CANNOT_BID,
    CANNOT_BUILD,
    CANNOT_BUY,
    CANNOT_NAME,
    CANNOT_PRODUCE,
    DRAW_CARD,
    DRAW_EVENT,
    DRAW_PLACE,
    DRAW_QUARANTINE,
    DRAW_REGIONS,
    END_OF_ROUND,
    END_PLAY,
    EVENT,
    NO_CARDS,
    OVER,
    PLAYED,
    PRODUCTION,
    REMOVE,
    REPLENISH,
    SELL,
    SET_ORDER,
    SETTLE_ALONE,
    SETUP,
    State,
)
from .stock import keeps
from .tables import (
    ALL_EVENTS,
    BY_GUILDS,
    CAPACITY,
    EVENT_IDS,
    FAMINE,
    HIGH,
    HIGH_IDS,
    LOW,
    LOW_IDS,
    MATERIALS,
    OCTROI,
    REGION_SETS,
    REGIONS,
    SEATS_OF,
    famine,
    replenishment,
)


def proceed(state: State, chance: Chance) -> list[Event]:
    """Returns the next step that happens by itself; [] when a guild must act or all is over."""
    if state.step < PLAYED or state.step == OVER:
        return []
    return _STEPS[state.step](state, chance)


def _bits(mask: int, size: int) -> list[int]:
    return [mask >> place & 1 for place in range(size)]


def _draw_regions(state: State, chance: Chance) -> list[Event]:
    sets = REGION_SETS[BY_GUILDS[state.guilds]["regions"]]
    named = [tuple(REGIONS[region] for region in regions) for regions in sets]
    drawn = chance.pick(["+".join(names) for names in named], [1] * len(named))  # G-1.1
    return [RegionsDrawn(named[drawn])]


def _draw_place(state: State, chance: Chance) -> list[Event]:
    seats = range(state.guilds)
    left = [int(seat not in state.order) for seat in seats]
    return [PlaceDrawn(chance.pick(list(map(str, seats)), left), len(state.order) + 1)]  # G-1.4


def _draw_card(state: State, chance: Chance) -> list[Event]:
    left = state.deck - 1
    if state.low_left:  # G-1.2: the low tier lies on the high one
        return [CardDrawn(LOW[chance.pick(LOW_IDS, _bits(state.low, len(LOW)))], left)]
    return [CardDrawn(HIGH[chance.pick(HIGH_IDS, _bits(state.high, len(HIGH)))], left)]


def _begin(state: State, chance: Chance) -> list[Event]:
    if state.phase in (SETUP, END_OF_ROUND):
        number = state.round + 1
        phase = EVENT if number % 2 == 0 else AUCTION  # G-2, G-3.1
    else:
        number, phase = state.round, state.phase + 1
    began = PhaseBegan(number, PHASES[phase])
    largest = max(map(state.cities, range(state.guilds)))
    if state.stage < len(OCTROI) and not state.deck:  # G-6.3
        return [StageBegan(len(OCTROI), "deck_empty", largest), began]
    wanted = BY_GUILDS[state.guilds]["stage_2_cities"]
    if state.stage == 1 and phase == PRODUCTION and largest >= wanted:  # G-6.3
        return [StageBegan(2, "network", largest), began]
    return [began]


def _draw_event(state: State, chance: Chance) -> list[Event]:
    anew = state.events_left.bit_count() == 1  # G-3.1
    left = ALL_EVENTS if anew else state.events_left
    drawn = chance.pick(EVENT_IDS, _bits(left, len(EVENT_IDS)))
    return [EventDrawn(EVENT_IDS[drawn], anew)]


def _draw_quarantine(state: State, chance: Chance) -> list[Event]:
    in_play = [int(region in state.regions) for region in range(len(REGIONS))]
    return [QuarantineDrawn(REGIONS[chance.pick(REGIONS, in_play)])]  # G-3.3


def _cannot_name(state: State, chance: Chance) -> list[Event]:
    return [Declined(state.seat, "cannot_afford")]  # G-4.3


def _cannot_bid(state: State, chance: Chance) -> list[Event]:
    return [Dropped(state.seat, state.card, "cannot_outbid")]  # G-4.3


def _sell(state: State, chance: Chance) -> list[Event]:
    return [WorkshopBought(state.leader, state.card, state.bid)]  # G-4.1


def _settle_alone(state: State, chance: Chance) -> list[Event]:
    stock = state.stock[state.seat]
    (kept,) = keeps(state.shops[state.seat], stock)
    returned = tuple(had - keeping for had, keeping in zip(stock, kept, strict=True))
    return [StockKept(state.seat, kept, returned, "only_way")]  # G-4.4


def _no_cards(state: State, chance: Chance) -> list[Event]:
    return [AuctionPassedOver(SEATS_OF[((1 << state.guilds) - 1) & ~state.done])]  # G-6.3


def _set_order(state: State, chance: Chance) -> list[Event]:
    def standing(seat: int) -> Standing:
        return Standing(seat, state.cities(seat), max(state.shops[seat], default=0))

    return [
        OrderSet(
            tuple(
                sorted(  # G-1.4; sorting keeps the places of equals
                    map(standing, state.order), key=lambda one: (-one.cities, -one.workshop)
                )
            )
        )
    ]


def _cannot_buy(state: State, chance: Chance) -> list[Event]:
    return [BuyingEnded(state.seat, "nothing_to_buy")]


def _cannot_build(state: State, chance: Chance) -> list[Event]:
    return [BuildingEnded(state.seat, "nothing_to_build")]


def _cannot_produce(state: State, chance: Chance) -> list[Event]:
    return [produced(state, state.seat, (), 0, "nothing_to_run")]


def _replenish(state: State, chance: Chance) -> list[Event]:
    deliveries = []
    for material, name in enumerate(MATERIALS):
        due = replenishment(state.guilds, state.stage, material)  # G-8.1
        left = famine(material, due) if state.event == FAMINE else due  # G-3.6
        added = min(left, CAPACITY[material] - state.shelves[material])
        deliveries.append(Delivery(name, due, due - left, left - added, added))
    return [Replenished(tuple(deliveries))]


def _remove(state: State, chance: Chance) -> list[Event]:
    return [WorkshopRemoved(state.row[0])]  # G-8.2


def _end_play(state: State, chance: Chance) -> list[Event]:
    return [PlayEnded("G-9.1")]


_STEPS: Final[dict[int, Callable[[State, Chance], list[Event]]]] = {
    DRAW_REGIONS: _draw_regions,
    DRAW_PLACE: _draw_place,
    DRAW_CARD: _draw_card,
    BEGIN: _begin,
    DRAW_EVENT: _draw_event,
    DRAW_QUARANTINE: _draw_quarantine,
    CANNOT_NAME: _cannot_name,
    CANNOT_BID: _cannot_bid,
    SELL: _sell,
    SETTLE_ALONE: _settle_alone,
    NO_CARDS: _no_cards,
    SET_ORDER: _set_order,
    CANNOT_BUY: _cannot_buy,
    CANNOT_BUILD: _cannot_build,
    CANNOT_PRODUCE: _cannot_produce,
    REPLENISH: _replenish,
    REMOVE: _remove,
    END_PLAY: _end_play,
}
