"""The hints of the ruleset `unruly`: what its bots ask, and what they do instead."""

from __future__ import annotations

import random
from typing import Any

from service.rules.described import Command
from tests.rules.toy import PEBBLES
from tests.workers.unruly import acted


def choose(state: Any, seat: int, generator: random.Random) -> Command:
    """What `easy` does."""
    return acted("easy") or PEBBLES.legal(state, seat)[0]


def policy(state: Any, seat: int, generator: random.Random) -> tuple[Command, ...]:
    """What a seat does in a simulation."""
    return (acted("search") or PEBBLES.legal(state, seat)[0],)
