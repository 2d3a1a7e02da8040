"""The worst positions of Orléans: four seats, bags and markets full, every place, goods, coins."""

from __future__ import annotations

import random

import pytest

from service.rules.chance import FreeChance
from service.rules.orleans import RULESET
from service.rules.orleans.options import Options
from service.rules.orleans.state import State
from service.rules.orleans.tables import COIN_SPACES, STACKS, bits
from service.rules.ruleset import start
from tests.rules.worst import Table, played_on, widest

from .invariants import conserved

SEATS = 4
COINS = 500
SEEDS = 6


def laden(greedy: int, seed: int) -> State:
    """The first round, all that there is handed out: to one seat (`greedy`), or dealt to all."""
    generator = random.Random(seed)
    state, _ = start(RULESET, SEATS, Options(), FreeChance(generator))
    turn = 0

    def taker() -> int:
        nonlocal turn
        turn += 1
        return greedy if greedy >= 0 else turn % SEATS

    tiles = list(bits(STACKS["II"]))
    generator.shuffle(tiles)
    for place in tiles:
        if state.tiles >> place & 1:
            state.tiles &= ~(1 << place)
            state.seats[taker()].gain_tile(place, True)
    for kind in range(7):
        while state.supply[kind]:
            state.supply[kind] -= 1
            state.seats[taker()].to_bag(kind)
    for good in range(5):
        while state.goods[good] > 2:
            state.goods[good] -= 1
            state.seats[taker()].goods[good] += 1
    for seat in state.seats:
        seat.coins = COINS
        seat.development, seat.coin_spaces = 25, (1 << len(COIN_SPACES)) - 1
        seat.tracks = [generator.randint(0, end) for end in (8, 5, 5, 5, 4, 5, 0)]
    conserved(state)
    return state


@pytest.mark.parametrize("greedy", [-1, 0], ids=["all", "one"])
def test_every_request_is_quick(greedy: int) -> None:
    """O-2: however much there is, a list of what may be done with it is made at once."""
    states = (
        state
        for seed in range(SEEDS)
        for state in played_on(RULESET, laden(greedy, seed), seed, 400)
    )
    found, count = widest(RULESET, states)
    table = Table(RULESET, SEATS)
    table.put(found)
    table.ask_everything()
    table.check(f"{count} choices")
