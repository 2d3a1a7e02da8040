"""Bots: how levels choose commands. Pure: imports the rules alone; no clock, network or seed.

A level is a method with figures (`service.bot_levels`): any legal command (`random_level`), one ply
(`easy_level`), or tree search (`search`). A ruleset may give its bots hints in a package here of
its own name (see `hints`).

The generator is the bot's own. It is never derived from a game's sealed seed: a bot's moves reveal
nothing of coming draws. Equal states, levels and generators give equal moves; a clock can only end
a search sooner.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from service.bot_levels import ANY, PLY, SEARCH, Level, SearchParameters, levels
from service.rules.described import Command
from service.rules.ruleset import AnyRuleset

from . import easy_level, random_level
from .knowledge import knowledge
from .search import Advice, Clock, Ranked, Search, search

Line = tuple[Command, ...]


class Decision(NamedTuple):
    """What a bot decided: commands in a row, and how many simulations it took."""

    line: Line
    simulations: int = 0


Chooser = Callable[[AnyRuleset, Any, int, random.Random, Clock], Decision]


class UnknownLevel(LookupError):
    """No bot has this level."""


def stopped_clock() -> float:
    """Returns always the same time: only simulations limit a search."""
    return 0.0


def _choose_random(
    ruleset: AnyRuleset, state: Any, seat: int, generator: random.Random, clock: Clock
) -> Decision:
    return Decision((random_level.choose(ruleset, state, seat, generator),))


def _choose_easy(
    ruleset: AnyRuleset, state: Any, seat: int, generator: random.Random, clock: Clock
) -> Decision:
    return Decision((easy_level.choose(ruleset, state, seat, generator),))


def search_chooser(level: Level) -> Chooser:
    """Returns the chooser of a level that searches."""

    def choose_by_search(
        ruleset: AnyRuleset, state: Any, seat: int, generator: random.Random, clock: Clock
    ) -> Decision:
        tree = Search(ruleset, knowledge(ruleset), _figures(level, ruleset), state, seat, generator)
        if tree.only_choice:
            return Decision(tree.only_choice)
        advice = tree.run(clock)
        return Decision(advice.line, advice.simulations)

    return choose_by_search


def _figures(level: Level, ruleset: AnyRuleset) -> SearchParameters:
    figures = level.parameters_for(ruleset.id)
    if figures is None:
        raise UnknownLevel(level.name)
    return figures


_METHODS: Final[Mapping[str, Callable[[Level], Chooser]]] = {
    ANY: lambda level: _choose_random,
    PLY: lambda level: _choose_easy,
    SEARCH: search_chooser,
}

LEVELS: Final[Mapping[str, Chooser]] = {
    name: _METHODS[level.method](level) for name, level in levels().items()
}
"""The chooser of each level, lowest first."""


def choose_decision(
    ruleset: AnyRuleset,
    state: Any,
    seat: int,
    level: str,
    generator: random.Random,
    clock: Clock = stopped_clock,
) -> Decision:
    """Returns a bot's decision for a seat that may act: at least one command.

    The first is one of those that `ruleset.legal` lists; each is legal after those before it, and
    all but the last draw nothing. Leaves the state as it is. Raises `UnknownLevel`.
    """
    chooser = LEVELS.get(level)
    if chooser is None:
        raise UnknownLevel(level)
    return chooser(ruleset, state, seat, generator, clock)


def choose_line(
    ruleset: AnyRuleset,
    state: Any,
    seat: int,
    level: str,
    generator: random.Random,
    clock: Clock = stopped_clock,
) -> Line:
    """Returns the commands of `choose_decision`, on the same terms."""
    return choose_decision(ruleset, state, seat, level, generator, clock).line


def choose(
    ruleset: AnyRuleset,
    state: Any,
    seat: int,
    level: str,
    generator: random.Random,
    clock: Clock = stopped_clock,
) -> Command:
    """Returns the first command of `choose_line`, on the same terms."""
    return choose_line(ruleset, state, seat, level, generator, clock)[0]


def search_advice(
    ruleset: AnyRuleset,
    state: Any,
    seat: int,
    level: str,
    generator: random.Random,
    clock: Clock = stopped_clock,
) -> Advice:
    """Returns the commands that a level which searches considers, for a seat that may act.

    Leaves the state as it is. Raises `UnknownLevel` for a level that does not search.
    """
    found = levels().get(level)
    if found is None:
        raise UnknownLevel(level)
    figures = _figures(found, ruleset)
    return search(ruleset, knowledge(ruleset), figures, state, seat, generator, clock)


__all__ = [
    "LEVELS",
    "Advice",
    "Clock",
    "Decision",
    "Ranked",
    "UnknownLevel",
    "choose",
    "choose_decision",
    "choose_line",
    "search_advice",
    "stopped_clock",
]
