"""The worst positions of Gabelle: eight guilds, rich beyond measure, in stage 3."""

from __future__ import annotations

import pytest

from service.rules.gabelle import RULESET
from service.rules.gabelle.state import State
from service.rules.gabelle.tables import CITIES, EVENT_IDS, HIGH
from tests.rules.worst import Table, played_on, widest

from .positions import at

RICH = 1_000
"""Coins of each guild; whole games have seen a quarter of it."""

SHOPS = {seat: HIGH[3 * seat : 3 * seat + 3] for seat in range(8)}
ROW = HIGH[24:28]
CITIES_OF = {seat: CITIES[seat::8] for seat in range(8)}


def rich(phase: str, event: str | None) -> State:
    """The guilds at the beginning of a phase, all workshops run and all cities taken."""
    return at(
        phase,
        guilds=8,
        stage=3,
        money=RICH,
        event=event,
        shops=SHOPS,
        row=ROW,
        deck=1,
        cities=CITIES_OF,
    )


@pytest.mark.parametrize("phase", ["auction", "market", "expansion"])
def test_every_request_is_quick(phase: str) -> None:
    """G-2: whatever there is to choose from, a list of it is made at once."""
    states = (
        state
        for event in (None, *EVENT_IDS)
        for state in played_on(RULESET, rich(phase, event), 1, 60)
    )
    found, count = widest(RULESET, states)
    table = Table(RULESET, 8)
    table.put(found)
    table.ask_everything()
    table.check(f"{count} choices")
