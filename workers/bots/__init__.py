"""How bots think. Pure: built on the rules alone, no clock, no network, no game's seed.

A level is a function `choose(ruleset, state, seat, generator) -> Command` of a module here. A
ruleset may help its bots by a module of its own name (see `hints`).

The generator is the bot's own. It is never derived from a game's sealed seed: what a bot does
tells nothing of what chance will bring.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any, Final

from service.rules.plain import Command
from service.rules.ruleset import AnyRuleset

from . import any_move, easy

Thinker = Callable[[AnyRuleset, Any, int, random.Random], Command]

LEVELS: Final[Mapping[str, Thinker]] = {
    "random": any_move.choose,
    "easy": easy.choose,
}
"""How each level chooses, lowest first."""


class NoLevel(LookupError):
    """No bot has this level."""


def choose(
    ruleset: AnyRuleset, state: Any, seat: int, level: str, generator: random.Random
) -> Command:
    """Returns one of the commands that `ruleset.legal` lists for the seat, which must act.

    Leaves the state as it is. Raises `NoLevel`.
    """
    thinker = LEVELS.get(level)
    if thinker is None:
        raise NoLevel(level)
    return thinker(ruleset, state, seat, generator)


__all__ = ["LEVELS", "NoLevel", "choose"]
