"""The tables of the rule book, cell by cell, and what they are computed from."""

from __future__ import annotations

from fractions import Fraction

import pytest

from service.rules.gabelle import RULESET
from service.rules.gabelle.tables import (
    BY_GUILDS,
    CAPACITY,
    CARD,
    CITIES,
    COSTS,
    FAIR_TOWNS,
    GABELLE_COSTS,
    HIGH,
    LOW,
    MATERIALS,
    NUMBERS,
    OCTROI,
    REGION_SETS,
    REGIONS,
    ROUTES,
    SALT,
    START_STOCK,
    UNIT_PRICES,
    fair_bonus,
    famine,
    payment,
    replenishment,
    touching,
)

PAYMENT = {
    0: 10,
    1: 22,
    2: 33,
    3: 44,
    4: 54,
    5: 64,
    6: 73,
    7: 82,
    8: 90,
    9: 98,
    10: 105,
    11: 112,
    12: 118,
    13: 124,
    14: 129,
    15: 134,
    16: 138,
    17: 142,
    18: 145,
    19: 148,
    20: 150,
}

# guilds: stage 1, 2, 3 of wood, iron, wool, salt
REPLENISHMENT = {
    2: ((5, 6, 4), (4, 5, 5), (3, 4, 5), (1, 2, 3)),
    3: ((5, 6, 4), (4, 5, 5), (3, 4, 5), (1, 2, 3)),
    4: ((8, 9, 6), (6, 8, 8), (5, 6, 8), (2, 3, 5)),
    5: ((8, 9, 6), (6, 8, 8), (5, 6, 8), (2, 3, 5)),
    6: ((11, 13, 9), (9, 11, 11), (7, 9, 11), (2, 4, 7)),
    7: ((13, 16, 10), (10, 13, 13), (8, 10, 13), (3, 5, 8)),
    8: ((15, 18, 12), (12, 15, 15), (9, 12, 15), (3, 6, 9)),
}
FAMINE = {
    2: ((2, 3, 2), (1, 2, 2)),
    3: ((2, 3, 2), (1, 2, 2)),
    4: ((4, 4, 3), (2, 3, 4)),
    5: ((4, 4, 3), (2, 3, 4)),
    6: ((5, 6, 4), (3, 4, 5)),
    7: ((6, 8, 5), (4, 5, 6)),
    8: ((7, 9, 6), (4, 6, 7)),
}
WOOD_AND_WOOL = (0, 2)
FACTORS = {2: "1", 3: "1", 4: "1.5", 5: "1.5", 6: "2.2", 7: "2.6", 8: "3"}


@pytest.mark.parametrize(("supplied", "income"), PAYMENT.items())
def test_payment(supplied: int, income: int) -> None:
    """G-7.1: every cell of the payment table."""
    assert payment(supplied) == income


def test_payment_beyond_the_table() -> None:
    """G-7.1: more than 20 cities pay 150."""
    assert [payment(supplied) for supplied in range(21, 43)] == [150] * 22


@pytest.mark.parametrize("guilds", RULESET.seats)
@pytest.mark.parametrize("stage", [1, 2, 3])
@pytest.mark.parametrize("material", range(4))
def test_replenishment(guilds: int, stage: int, material: int) -> None:
    """G-8.1: every cell, and how it comes about: 5 × 2.2 is 11, not a float's 12."""
    due = replenishment(guilds, stage, material)
    assert due == REPLENISHMENT[guilds][material][stage - 1]
    exact = REPLENISHMENT[2][material][stage - 1] * Fraction(FACTORS[guilds])
    assert due == (exact + Fraction(1, 2)).__floor__()


@pytest.mark.parametrize("guilds", RULESET.seats)
@pytest.mark.parametrize("stage", [1, 2, 3])
def test_famine(guilds: int, stage: int) -> None:
    """G-3.6: every cell for wood and wool; iron and salt are left alone."""
    for material in range(4):
        due = REPLENISHMENT[guilds][material][stage - 1]
        if material in WOOD_AND_WOOL:
            cells = FAMINE[guilds][WOOD_AND_WOOL.index(material)]
            assert famine(material, due) == cells[stage - 1]
        else:
            assert famine(material, due) == due


@pytest.mark.parametrize(
    ("supplied", "fairs", "bonus"), [(7, 2, 12), (5, 3, 19), (1, 1, 11), (0, 0, 0), (4, 0, 0)]
)
def test_fair_bonus_of_the_book(supplied: int, fairs: int, bonus: int) -> None:
    """G-3.4: the examples of the rule book."""
    assert fair_bonus(supplied, fairs) == bonus


def test_fair_bonus_is_rounded_once() -> None:
    """G-3.4: half of k average incomes, rounded half up, for every n and k."""
    for supplied in range(1, 43):
        for fairs in range(min(supplied, 3) + 1):
            exact = Fraction(fairs * PAYMENT.get(supplied, 150), 2 * supplied)
            assert fair_bonus(supplied, fairs) == (exact + Fraction(1, 2)).__floor__()


def test_prices() -> None:
    """G-1.3: 1 to 8 L, three units a step, two of salt; the cheapest step empties first."""
    assert dict(zip(MATERIALS, CAPACITY, strict=True)) == {
        "wood": 24,
        "iron": 24,
        "wool": 24,
        "salt": 16,
    }
    assert START_STOCK == (24, 18, 9, 4)
    for material, each in enumerate((3, 3, 3, 2)):
        ladder = [price for price in range(1, 9) for _ in range(each)]
        capacity = CAPACITY[material]
        assert [UNIT_PRICES[material][stock] for stock in range(capacity, 0, -1)] == ladder
    first = [UNIT_PRICES[material][stock] for material, stock in enumerate(START_STOCK)]
    assert first == [1, 3, 6, 7]


def test_costs() -> None:
    """G-5.1: each unit at its own price, salt 2 L more; G-3.2: with the Gabelle 8 L more."""
    for material in range(4):
        for stock in range(CAPACITY[material] + 1):
            for units in range(stock + 1):
                plain = sum(UNIT_PRICES[material][stock - bought] for bought in range(units))
                salt = units if material == SALT else 0
                assert COSTS[material][stock][units] == plain + 2 * salt
                assert GABELLE_COSTS[material][stock][units] == plain + 8 * salt
    assert GABELLE_COSTS[SALT][1][1] == 16


def test_figures_by_guilds() -> None:
    """G-1.1, G-1.2, G-6.3, G-9.1: regions, cards removed, thresholds."""
    figures = {
        guilds: (
            row["regions"],
            row["removed_low"],
            row["removed_high"],
            row["stage_2_cities"],
            row["end_cities"],
        )
        for guilds, row in BY_GUILDS.items()
    }
    assert figures == {
        2: (2, 1, 15, 7, 12),
        3: (3, 2, 10, 7, 12),
        4: (4, 1, 8, 7, 10),
        5: (4, 0, 6, 7, 10),
        6: (4, 0, 6, 6, 8),
        7: (4, 0, 4, 5, 8),
        8: (4, 0, 2, 5, 8),
    }
    assert OCTROI == (10, 15, 20)


def test_map() -> None:
    """G-1.1: 42 cities, 88 routes; all pairs of regions touch but North and South."""
    assert (len(CITIES), len(ROUTES)) == (42, 88)
    assert FAIR_TOWNS.bit_count() == 3
    named = {
        size: {"+".join(REGIONS[region] for region in regions) for regions in sets}
        for size, sets in REGION_SETS.items()
    }
    assert named[2] == {"norte+oeste", "norte+leste", "oeste+leste", "oeste+sul", "leste+sul"}
    assert len(named[1]) == len(named[3]) == 4
    assert named[4] == {"norte+oeste+leste+sul"}
    assert not touching((0, 3))
    assert len({frozenset(route[:2]) for route in ROUTES}) == len(ROUTES)


def test_workshops() -> None:
    """G-1.2: 42 cards, 3 to 15 the low tier; mills consume nothing, hybrids wood or iron."""
    assert len(NUMBERS) == 42
    assert list(NUMBERS) == sorted(set(NUMBERS))
    assert tuple(range(3, 16)) == LOW
    assert LOW + HIGH == NUMBERS
    for card in CARD.values():
        wanted = {"mill": [], "hybrid": ["wood", "iron"]}.get(card["kind"], [card["kind"]])
        assert card["uses"] == wanted
        assert (card["amount"] == 0) == (card["kind"] == "mill")
        assert card["cities"] >= 1


def test_names() -> None:
    """G-9.2: all that lies open has a name in three languages."""
    kinds = [component.kind for component in RULESET.components]
    assert {kind: kinds.count(kind) for kind in kinds} == {
        "region": 4,
        "city": 42,
        "workshop": 42,
        "material": 4,
        "event": 6,
    }
    known = {(one.kind, one.id): one for one in RULESET.components}
    assert known["workshop", "13"].names == {
        "en": "Water mill",
        "pt": "Azenha",
        "fr": "Moulin à eau",
    }
    assert known["material", "wool"].names["pt"] == "Lã"
    assert known["event", "black_death"].names["pt"] == "A Peste Negra"
    assert known["region", "sul"].names["fr"] == "Sud"
    assert known["city", "reims"].facts["fair"] is True
    assert known["city", "lyon"].facts["fair"] is False
