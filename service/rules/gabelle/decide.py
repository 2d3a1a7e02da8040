"""Judging commands: what each states, or which rule forbids it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ..described import Command, Event
from ..ruleset import RuleViolation
from .commands import (
    Build,
    Buy,
    Decline,
    DiscardWorkshop,
    Drop,
    EndBuilding,
    EndBuying,
    KeepStock,
    NameWorkshop,
    Produce,
    Raise,
    Run,
)
from .events import (
    BidRaised,
    BuildingEnded,
    BuyingEnded,
    Declined,
    Dropped,
    MaterialBought,
    PostBuilt,
    Produced,
    StockKept,
    WorkshopDiscarded,
    WorkshopNamed,
)
from .routes import cheapest
from .state import (
    AUCTION,
    BID,
    BUILD,
    BUY,
    DISCARD,
    EXPANSION,
    MARKET,
    NAME,
    OVER,
    PLAYED,
    PRODUCE,
    PRODUCTION,
    SETTLE,
    State,
    cities_of,
)
from .stock import consumes, fits, keeps, productions, room, runs_of
from .tables import (
    BIG,
    CITIES,
    CITY,
    COSTS,
    FAIR_TOWNS,
    FAIRS,
    GABELLE,
    GABELLE_COSTS,
    GABELLE_SURCHARGE,
    GABELLE_UNITS,
    IN_REGION,
    MATERIAL,
    OCTROI,
    SALT,
    SALT_SURCHARGE,
    SEATS_OF,
    UNIT_PRICES,
    fair_bonus,
    payment,
)
from .turns import purchases


def to_act(state: State) -> tuple[int, ...]:
    """Returns the guilds that may act, ascending."""
    if state.step < PRODUCE:
        return (state.seat,)
    if state.step == PRODUCE:  # G-7.2
        return SEATS_OF[((1 << state.guilds) - 1) & ~state.done]
    return ()


def may_decline(state: State) -> bool:
    """Returns whether a namer who can afford a card may pass (G-4.3)."""
    return state.round > 1


def is_alone(state: State) -> bool:
    """Returns whether the namer is the only guild left in the auction (G-4.2)."""
    return (((1 << state.guilds) - 1) & ~state.done).bit_count() == 1


def decide(state: State, seat: int, command: Command) -> list[Event]:
    """Returns what the command states. Raises `RuleViolation` for all that `legal` leaves out."""
    if state.step == OVER:
        raise RuleViolation("game_over", "G-9.1", "The game is over.")
    if state.step >= PLAYED:
        raise RuleViolation("wrong_phase", "G-2", "No guild may act now.")
    if seat not in to_act(state):
        raise _not_in_turn(state)
    step, phase, judge = _JUDGES[type(command)]
    if step != state.step:
        raise _wrong_step(state, phase)
    return [judge(state, seat, command)]


_TURN_RULES: Final = {AUCTION: "G-4.1", MARKET: "G-5.1", EXPANSION: "G-6.1", PRODUCTION: "G-7.2"}


def _not_in_turn(state: State) -> RuleViolation:
    if state.step == PRODUCE:
        return RuleViolation("not_your_turn", "G-7.2", "This guild has chosen its production.")
    if state.step in (DISCARD, SETTLE):
        return RuleViolation(
            "guild_settles", "G-4.4", "Seat {seat} settles its purchase first.", seat=state.seat
        )
    rule = _TURN_RULES[state.phase]
    return RuleViolation("not_your_turn", rule, "It is the turn of seat {seat}.", seat=state.seat)


def _wrong_step(state: State, phase: int) -> RuleViolation:
    if phase != state.phase:
        return RuleViolation("wrong_phase", "G-2", "This belongs to another phase of the round.")
    if state.step == DISCARD:
        return RuleViolation("discard_first", "G-4.4", "One of four workshops must be discarded.")
    if state.step == SETTLE:
        return RuleViolation(
            "settle_first", "G-4.4", "The stock no longer fits: choose what stays."
        )
    if state.step == BID:
        return RuleViolation(
            "card_is_up", "G-4.1", "Workshop {card} is up: bid or drop.", card=state.card
        )
    return RuleViolation("no_card_is_up", "G-4.1", "No workshop is up: name one or pass.")


def _named(state: State, seat: int, command: NameWorkshop) -> Event:
    card, bid = command.workshop, command.bid
    if card not in state.on_sale:
        raise RuleViolation("not_on_sale", "G-4.1", "Workshop {card} is not open.", card=card)
    lowest = state.lowest(card)
    if bid < lowest:
        raise RuleViolation("bid_too_low", "G-4.1", "The lowest bid is {lowest} L.", lowest=lowest)
    _affordable(state, seat, bid)
    if bid > lowest and is_alone(state):
        raise RuleViolation(
            "lowest_bid_only", "G-4.2", "Alone in the auction, bid {lowest} L.", lowest=lowest
        )
    return WorkshopNamed(seat, card, bid, lowest, lowest < card)


def _affordable(state: State, seat: int, bid: int) -> None:
    money = state.money[seat]
    if bid > money:
        raise RuleViolation(
            "not_enough_money", "G-4.3", "The guild has {money} L only.", money=money
        )


def _declined(state: State, seat: int, command: Decline) -> Event:
    if not may_decline(state):
        raise RuleViolation("no_passing", "G-4.3", "In round 1 a namer may not pass.")
    return Declined(seat)


def _raised(state: State, seat: int, command: Raise) -> Event:
    if command.bid <= state.bid:
        raise RuleViolation("bid_too_low", "G-4.1", "The bid stands at {bid} L.", bid=state.bid)
    _affordable(state, seat, command.bid)
    return BidRaised(seat, state.card, command.bid)


def _dropped(state: State, seat: int, command: Drop) -> Event:
    return Dropped(seat, state.card)


def _discarded(state: State, seat: int, command: DiscardWorkshop) -> Event:
    if command.workshop not in state.shops[seat]:
        raise RuleViolation(
            "not_your_workshop",
            "G-4.4",
            "The guild has no workshop {card}.",
            card=command.workshop,
        )
    return WorkshopDiscarded(seat, command.workshop)


def _kept(state: State, seat: int, command: KeepStock) -> Event:
    stock, shops = state.stock[seat], state.shops[seat]
    kept = (command.wood, command.iron, command.wool, command.salt)
    if kept not in keeps(shops, stock):
        if any(map(int.__gt__, kept, stock)):
            raise RuleViolation("not_in_stock", "G-4.4", "The guild does not have that much.")
        if not fits(shops, kept):
            raise RuleViolation("does_not_fit", "G-4.4", "The workshops cannot store that much.")
        raise RuleViolation("keep_more", "G-4.4", "More of it fits: as much as can be is kept.")
    returned = tuple(had - keeping for had, keeping in zip(stock, kept, strict=True))
    return StockKept(seat, kept, returned)


def _bought(state: State, seat: int, command: Buy) -> Event:
    material, units = MATERIAL[command.material], command.units
    if units > purchases(state, seat)[material]:
        raise _purchase_refused(state, seat, material, units)
    stock = state.shelves[material]
    gabelle = state.event == GABELLE
    surcharge = 0
    if material == SALT:  # G-5.1, G-3.2
        surcharge = SALT_SURCHARGE + (GABELLE_SURCHARGE if gabelle else 0)
    prices = UNIT_PRICES[material][stock - units + 1 : stock + 1][::-1]
    cost = (GABELLE_COSTS if gabelle else COSTS)[material][stock][units]
    return MaterialBought(seat, command.material, units, prices, surcharge, cost)


def _purchase_refused(state: State, seat: int, material: int, units: int) -> RuleViolation:
    shops, shelf = state.shops[seat], state.shelves[material]
    if not any(material in consumes(shop) for shop in shops):
        return RuleViolation("not_consumed", "G-5.2", "No workshop of the guild consumes it.")
    most = room(shops, state.stock[seat])[material]
    if units > most:
        return RuleViolation("no_room", "G-5.2", "The workshops can store {most} more.", most=most)
    if units > shelf:
        return RuleViolation("shelf_empty", "G-5.1", "The shelf holds {shelf}.", shelf=shelf)
    if material == SALT and state.event == GABELLE and units > GABELLE_UNITS - state.salt_bought:
        return RuleViolation("gabelle", "G-3.2", "The Gabelle allows {most}.", most=GABELLE_UNITS)
    return RuleViolation(
        "not_enough_money", "G-5.1", "The guild has {money} L only.", money=state.money[seat]
    )


def _buying_ended(state: State, seat: int, command: EndBuying) -> Event:
    return BuyingEnded(seat)


def _built(state: State, seat: int, command: Build) -> Event:
    city = CITY[command.city]
    cost = state.reach[seat][city] + state.fees[city]
    money = state.money[seat]
    if cost > money:
        if not state.area >> city & 1:
            raise RuleViolation("not_in_play", "G-6.1", "The city is not in play.")
        if state.network[seat] >> city & 1:
            raise RuleViolation("own_city", "G-6.1", "The guild has a post there.")
        if state.fees[city] == BIG:
            raise RuleViolation("city_full", "G-6.1", "The city is full in this stage.")
        raise RuleViolation(
            "not_enough_money",
            "G-6.1",
            "That costs {cost} L; the guild has {money} L.",
            cost=cost,
            money=money,
        )
    way = cheapest(state.area, state.war, cities_of(state.network[seat]), city)
    slot = len(state.posts[city]) + 1
    return PostBuilt(
        seat,
        command.city,
        tuple(CITIES[passed] for passed in way.cities),
        way.tolls,
        slot,
        OCTROI[slot - 1],
        cost,
    )


def _building_ended(state: State, seat: int, command: EndBuilding) -> Event:
    return BuildingEnded(seat)


def _production(state: State, seat: int, command: Produce) -> Event:
    plan = productions(state.shops[seat], state.stock[seat]).get(command)
    if plan is None:
        raise _production_refused(state, seat, command.runs)
    return produced(state, seat, command.runs, plan.capacity)


def _production_refused(state: State, seat: int, runs: tuple[Run, ...]) -> RuleViolation:
    numbers = [run.workshop for run in runs]
    if any(number not in state.shops[seat] for number in numbers):
        return RuleViolation("not_your_workshop", "G-7.1", "The guild has no such workshop.")
    if numbers != sorted(set(numbers)):
        return RuleViolation("not_sorted", "G-7.1", "Name each workshop once, by its number.")
    if any(run not in runs_of(run.workshop) for run in runs):
        return RuleViolation("wrong_amount", "G-7.1", "A run consumes exactly its amount.")
    return RuleViolation("not_in_stock", "G-7.1", "The guild does not have that much.")


def produced(
    state: State, seat: int, runs: tuple[Run, ...], capacity: int, why: str | None = None
) -> Produced:
    """Returns what a guild's production comes to, whatever it runs (G-7.1)."""
    network = state.network[seat]
    closed = IN_REGION[state.quarantine] if state.quarantine >= 0 else 0  # G-3.3
    free = network & ~closed
    supplied = min(capacity, free.bit_count())
    fairs = bonus = 0
    if state.event == FAIRS:  # G-3.4: fair towns are supplied first
        fairs = min(supplied, (free & FAIR_TOWNS).bit_count())
        bonus = fair_bonus(supplied, fairs)
    paid = payment(supplied)
    return Produced(
        seat,
        runs,
        capacity,
        network.bit_count(),
        (network & closed).bit_count(),
        supplied,
        paid,
        fairs,
        bonus,
        paid + bonus,
        why,
    )


_JUDGES: Final[dict[type, tuple[int, int, Callable[[State, int, Any], Event]]]] = {
    NameWorkshop: (NAME, AUCTION, _named),
    Decline: (NAME, AUCTION, _declined),
    Raise: (BID, AUCTION, _raised),
    Drop: (BID, AUCTION, _dropped),
    DiscardWorkshop: (DISCARD, AUCTION, _discarded),
    KeepStock: (SETTLE, AUCTION, _kept),
    Buy: (BUY, MARKET, _bought),
    EndBuying: (BUY, MARKET, _buying_ended),
    Build: (BUILD, EXPANSION, _built),
    EndBuilding: (BUILD, EXPANSION, _building_ended),
    Produce: (PRODUCE, PRODUCTION, _production),
}
"""By command: the step in which it may be sent, the phase of that step, and what judges it."""
