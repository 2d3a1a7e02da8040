"""What a search knows of a ruleset: its hints, or defaults that follow from the rules alone."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from service.rules.described import Command
from service.rules.ruleset import AnyRuleset

from . import easy_level, hints
from .hints import Option


@dataclass(frozen=True, slots=True)
class Knowledge:
    """All that a search uses besides the rules; `hints` says what each function promises."""

    options: Callable[[Any, int, random.Random], list[Option]]
    evaluate: Callable[[Any], list[float]]
    policy: hints.Policy
    moment: Callable[[Any], int]


def knowledge(ruleset: AnyRuleset) -> Knowledge:
    """Returns a ruleset's hints, with defaults for those it lacks."""
    found = hints.module(ruleset.id)

    def options(state: Any, seat: int, generator: random.Random) -> list[Option]:
        return [
            Option((command,), easy_level.value(ruleset, state, seat, command))
            for command in ruleset.legal(state, seat)
        ]

    def evaluate(state: Any) -> list[float]:
        return list(map(float, easy_level.totals(ruleset, state)))

    def policy(state: Any, seat: int, generator: random.Random) -> tuple[Command, ...]:
        return (easy_level.choose(ruleset, state, seat, generator),)

    def moment(state: Any) -> int:
        return 0

    return Knowledge(
        getattr(found, "options", options),
        getattr(found, "evaluate", evaluate),
        getattr(found, "policy", policy),
        getattr(found, "moment", moment),
    )
