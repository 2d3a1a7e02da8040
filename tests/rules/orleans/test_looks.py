"""The view: all that tells positions apart, and whose turn it is."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from service.rules.chance import FreeChance
from service.rules.orleans import RULESET, Options
from service.rules.orleans.state import State
from service.rules.ruleset import run
from tests.rules.laws import Looks

from .table import Table
from .test_laws import any_options, spiced


def seats_after(place: str) -> Table:
    """Returns a table whose seats may act and look alike, seat 0 with a place filled."""
    table = Table()
    table.man(place)
    table.act()
    return table


def test_coin_spaces_show() -> None:
    """O-3.6: of two markers on 6 one may have had the coins of 7: the same step brings 3 or 0."""
    looks = Looks(RULESET)
    brings = []
    for had in (0, 1):
        table = seats_after("scriptorium")
        table.seat().development, table.seat().coin_spaces = 6, had
        looks.add(table.state)
        table.use("scriptorium")
        brings.append(table.told("development_advanced")[0]["coins"])
    assert brings == [3, 0]
    assert looks.alike == 0


def test_technology_that_was_placed_shows() -> None:
    """O-3.4: who has placed one may replace more than farmers, also if it is gone again."""
    looks = Looks(RULESET)
    counts = []
    for placed in (0, 1):
        table = Table()
        table.planning()
        table.seat().technology, table.seat().technology_placed = 1, placed
        looks.add(table.state)
        counts.append(len(table.listed("place_technology")))
    assert counts == [6, 24]
    assert looks.alike == 0
    table.send(0, "place_technology", place="castle", space=1)
    assert table.view()["technology_placed"] == 2


@pytest.mark.broad
@pytest.mark.parametrize("seed", range(12))
def test_nothing_that_matters_is_hidden(seed: int) -> None:
    """O-9.1: a position with another number anywhere looks different, or is the same."""
    generator = random.Random(seed)
    options = any_options(generator)
    state = spiced(RULESET.seats[seed % 3], options, generator)
    chance = FreeChance(generator)
    changed = 0
    for move in range(150):
        if move % 10 == 0:
            looks = Looks(RULESET)
            looks.add(state)
            for change in changes(state):
                other = state.clone()
                change(other)
                looks.add(other)
                changed += 1
        seat = generator.choice(RULESET.to_act(state))
        run(RULESET, state, seat, RULESET.sample(state, seat, generator), chance)
    assert changed > 500


def changes(state: State) -> list[Callable[[State], None]]:
    """Returns what changes one number of a state that can stand alone."""
    found: list[Callable[[State], None]] = []
    for number, seat in enumerate(state.seats):
        for name, low, high in (
            ("coins", 0, 9), ("development", 0, 30), ("status_left", 0, 6), ("coin_spaces", 0, 7),
            ("merchant", 0, 20), ("reserve", 0, 10), ("citizens", 0, 9), ("technology", 0, 3),
            ("technology_placed", 0, 9), ("declined", 0, 3), ("aside", -1, 6),
        ):  # fmt: skip
            for value in (low, high):
                if getattr(seat, name) != value:
                    found.append(_setting(number, name, value))
        for row in ("tracks", "goods"):
            for place in range(4):
                found.append(_adding(number, row, place))
    return found


def _setting(number: int, name: str, value: int) -> Callable[[State], None]:
    return lambda state: setattr(state.seats[number], name, value)


def _adding(number: int, row: str, place: int) -> Callable[[State], None]:
    def add(state: State) -> None:
        held: Any = getattr(state.seats[number], row)
        held[place] += -1 if held[place] else 1

    return add


@pytest.mark.parametrize("event", ["taxes", "harvest"])
def test_the_seat_that_pays_is_the_seat_of_the_event(event: str) -> None:
    """O-2.6, O-7.1: while a seat gives for missing coins it is its turn, not the next one's."""
    table = Table(3)
    for seat in range(3):
        table.seat(seat).coins = 50
    me = table.seat(1)
    table.goods(1, wool=3)
    me.coins = 0
    table.resolve(event)
    assert table.state.debt
    view: Any = RULESET.view(table.state)
    assert view["seat"] == view["torture"]["seat"] == 1
    assert table.to_act() == (1,)


def test_the_seat_that_pays_in_the_census_shows() -> None:
    """O-2.2, O-7.1: the census has no turns, but one seat gives."""
    table = Table(3)
    for seat, space in enumerate((2, 1, 0)):
        table.seat(seat).tracks[0] = space
    table.seat(2).coins = 0
    table.next_round("pilgrimage")
    view: Any = RULESET.view(table.state)
    assert view["phase"] == "census"
    assert view["seat"] == view["torture"]["seat"] == 2


def test_nobodys_turn_while_all_act() -> None:
    """O-2.3, O-2.4: in the phases of all seats none is named."""
    table = Table()
    assert Options().planning == "open"
    assert RULESET.view(table.state)["seat"] is None
    table.planning()
    assert RULESET.view(table.state)["seat"] is None
