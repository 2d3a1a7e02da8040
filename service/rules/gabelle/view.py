"""All that may be seen of a game: everything but what is still to be drawn."""

from __future__ import annotations

from ..plain import Plain
from .decide import to_act
from .events import PHASES
from .state import ANY_CARD, AUCTION, PLAYED, STEP_NAMES, State, cities_of
from .stock import storage
from .tables import (
    BIG,
    BY_GUILDS,
    CAPACITY,
    CITIES,
    EVENT_IDS,
    FAIR_TOWNS,
    GABELLE,
    GABELLE_SURCHARGE,
    GABELLE_UNITS,
    HIGH,
    LAST_ROUND,
    LOW,
    MAP,
    MATERIALS,
    NO_EVENT,
    REGIONS,
    ROUTES,
    SALT,
    SALT_SURCHARGE,
    SEATS_OF,
    UNIT_PRICES,
)


def view(state: State) -> dict[str, Plain]:
    """Returns the table as plain data: ids and figures, no names."""
    figures = BY_GUILDS[state.guilds]
    return {
        "round": state.round,
        "phase": PHASES[state.phase] if state.phase >= 0 else "setup",
        "step": STEP_NAMES[state.step] if state.step < PLAYED else None,
        "seat": state.seat if state.seat >= 0 else None,
        "to_act": list(to_act(state)),
        "done": list(SEATS_OF[state.done]),
        "stage": state.stage,
        "order": list(state.order),
        "thresholds": {
            "stage_2_cities": figures["stage_2_cities"],
            "end_cities": figures["end_cities"],
            "last_round": LAST_ROUND,
            "largest_network": max(map(state.cities, range(state.guilds))),
        },
        "event": _event(state),
        "events_to_come": [
            name for event, name in enumerate(EVENT_IDS) if state.events_left >> event & 1
        ],
        "regions": [REGIONS[region] for region in state.regions],
        "cities": [_city(state, city) for city in cities_of(state.area)],
        "routes": [
            _route(state, number)
            for number, (a, b, _, _) in enumerate(ROUTES)
            if state.area >> a & 1 and state.area >> b & 1
        ],
        "shelves": [_shelf(state, material) for material in range(len(MATERIALS))],
        "open": [
            {
                "workshop": card,
                "lowest_bid": state.lowest(card),
                "decree": state.lowest(card) < card,
            }
            for card in state.on_sale
        ],
        "future": list(state.row[len(state.on_sale) :]),
        "deck": {
            "size": state.deck,
            "low": state.low_left,
            "high": state.high_left,
            "may_come": [
                *_undrawn(LOW, state.low, state.low_left),
                *_undrawn(HIGH, state.high, state.high_left),
            ],
        },
        "gone": list(state.gone),
        "auction": _auction(state),
        "guilds": [_guild(state, seat) for seat in range(state.guilds)],
    }


def _undrawn(numbers: tuple[int, ...], undrawn: int, left: int) -> list[int]:
    """Returns the cards of a tier that may still come; those removed unseen are among them."""
    return [card for place, card in enumerate(numbers) if left and undrawn >> place & 1]


def _event(state: State) -> Plain:
    if state.event == NO_EVENT:
        return None
    region = REGIONS[state.quarantine] if state.quarantine >= 0 else None
    return {"id": EVENT_IDS[state.event], "region": region}


def _city(state: State, city: int) -> Plain:
    data, fee = MAP["cities"][city], state.fees[city]
    return {
        "id": data["id"],
        "region": data["region"],
        "x": data["x"],
        "y": data["y"],
        "fair": bool(FAIR_TOWNS >> city & 1),
        "quarantined": state.quarantine >= 0 and data["region"] == REGIONS[state.quarantine],
        "posts": list(state.posts[city]),
        "octroi": None if fee == BIG else fee,
    }


def _route(state: State, number: int) -> Plain:
    a, b, road, toll = ROUTES[number]
    return {
        "a": CITIES[a],
        "b": CITIES[b],
        "kind": "road" if road else "river",
        "river": MAP["routes"][number].get("river"),
        "toll": 2 * toll if road and state.war else toll,
    }


def _shelf(state: State, material: int) -> Plain:
    stock = state.shelves[material]
    gabelle = state.event == GABELLE
    surcharge = 0
    if material == SALT:
        surcharge = SALT_SURCHARGE + (GABELLE_SURCHARGE if gabelle else 0)
    return {
        "material": MATERIALS[material],
        "stock": stock,
        "capacity": CAPACITY[material],
        "surcharge": surcharge,
        "prices": [price + surcharge for price in UNIT_PRICES[material][stock:0:-1]],
        "most_per_guild": GABELLE_UNITS if material == SALT and gabelle else None,
        "bought": state.salt_bought if material == SALT and gabelle else None,
    }


def _auction(state: State) -> Plain:
    if state.phase != AUCTION:
        return None
    return {
        "workshop": state.card or None,
        "bid": state.bid if state.card else None,
        "leader": state.leader if state.card else None,
        "bidders": list(SEATS_OF[state.bidders]),
        "decree": state.decree if state.decree > 0 else None,
        "decree_waits": state.decree == ANY_CARD,
    }


def _guild(state: State, seat: int) -> Plain:
    most = storage(state.shops[seat])
    return {
        "money": state.money[seat],
        "workshops": list(state.shops[seat]),
        "stock": dict(zip(MATERIALS, state.stock[seat], strict=True)),
        "storage": {
            **dict(zip(MATERIALS, most[:4], strict=True)),
            "wood_or_iron": most.hybrid,
        },
        "cities": [CITIES[city] for city in cities_of(state.network[seat])],
        "supplied": state.supplied[seat],
    }
