"""The level `easy`: the best result in sight, up to the first draw.

Each legal command is carried out on a clone, with a chance that stops at the first draw; the
position then is worth the seat's provisional score less the best of the others'. A ruleset may
extend a ply over several commands (`hints.ply_ends`), or choose in its own way (`hints.choose`).
"""

from __future__ import annotations

import random
from typing import Any

from service.rules.chance import NoChance
from service.rules.described import Command
from service.rules.ruleset import AnyRuleset, run

from .hints import PlyEnds, chooser, ply_ends


def choose(ruleset: AnyRuleset, state: Any, seat: int, generator: random.Random) -> Command:
    """Returns one of the commands with the highest value, ties by the generator."""
    ruleset_chooser = chooser(ruleset.id)
    if ruleset_chooser is not None:
        return ruleset_chooser(state, seat, generator)
    commands = ruleset.legal(state, seat)
    if len(commands) == 1:
        return commands[0]
    valued = [(value(ruleset, state, seat, command), command) for command in commands]
    best = max(worth for worth, _ in valued)
    return generator.choice([command for worth, command in valued if worth == best])


def value(ruleset: AnyRuleset, state: Any, seat: int, command: Command) -> int:
    """Returns a legal command's value to the seat in points; leaves the state as it is."""
    return _value(ruleset, state, seat, command, ply_ends(ruleset.id))


def _value(ruleset: AnyRuleset, state: Any, seat: int, command: Command, ends: PlyEnds) -> int:
    after = ruleset.clone(state)
    outcome = run(ruleset, after, seat, command, NoChance())
    if outcome.stopped is None and not ends(state, seat, command):
        further = ruleset.legal(after, seat)
        if further:
            return max(_value(ruleset, after, seat, each, ends) for each in further)
    return _lead(ruleset, after, seat)


def totals(ruleset: AnyRuleset, state: Any) -> list[int]:
    """Returns each seat's provisional total."""
    quick_totals = getattr(ruleset, "totals", None)  # quicker than itemising, where there is one
    if quick_totals is None:
        return [line.total for line in ruleset.score(state).seats]
    return list(quick_totals(state))


def _lead(ruleset: AnyRuleset, state: Any, seat: int) -> int:
    others = totals(ruleset, state)
    own = others.pop(seat)
    return own - max(others, default=0)
