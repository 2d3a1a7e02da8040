"""The level `random`: any legal command."""

from __future__ import annotations

import random
from typing import Any

from service.rules.described import Command
from service.rules.ruleset import AnyRuleset


def choose(ruleset: AnyRuleset, state: Any, seat: int, generator: random.Random) -> Command:
    """Returns a legal command: by the ruleset's `sample` where it has one (quicker than a list),

    else one of the list, all with equal probability.
    """
    sample = getattr(ruleset, "sample", None)
    if sample is not None:
        command: Command = sample(state, seat, generator)
        return command
    return generator.choice(ruleset.legal(state, seat))
