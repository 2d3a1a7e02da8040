"""How bots think. Pure: built on the rules alone; no clock, no network, no game's seed.

A level is a method with figures (`service.levels`): any legal command, one ply (`easy`), or tree
search (`search`). A ruleset may help its bots by a module of its own name (see `hints`).

The generator is the bot's own. It is never derived from a game's sealed seed: what a bot does
tells nothing of what chance will bring. Equal states, levels and generators bring equal moves; a
clock can only end a search sooner.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from service.levels import ANY, PLY, SEARCH, Level, SearchParameters, levels
from service.rules.described import Command
from service.rules.ruleset import AnyRuleset

from . import easy_level, random_level
from .knowledge import knowledge
from .search import Advice, Clock, Ranked, Search, search

Line = tuple[Command, ...]


class Thought(NamedTuple):
    """What a bot came to: commands in a row, and how many simulations it took."""

    line: Line
    simulations: int = 0


Thinker = Callable[[AnyRuleset, Any, int, random.Random, Clock], Thought]


class NoLevel(LookupError):
    """No bot has this level."""


def timeless() -> float:
    """A clock that stands still: only simulations bound a search."""
    return 0.0


def _any(
    ruleset: AnyRuleset, state: Any, seat: int, generator: random.Random, clock: Clock
) -> Thought:
    return Thought((random_level.choose(ruleset, state, seat, generator),))


def _ply(
    ruleset: AnyRuleset, state: Any, seat: int, generator: random.Random, clock: Clock
) -> Thought:
    return Thought((easy_level.choose(ruleset, state, seat, generator),))


def searching(level: Level) -> Thinker:
    """Returns how a level that searches chooses."""

    def thinker(
        ruleset: AnyRuleset, state: Any, seat: int, generator: random.Random, clock: Clock
    ) -> Thought:
        tree = Search(ruleset, knowledge(ruleset), _figures(level, ruleset), state, seat, generator)
        if tree.only:
            return Thought(tree.only)
        advice = tree.within(clock)
        return Thought(advice.line, advice.simulations)

    return thinker


def _figures(level: Level, ruleset: AnyRuleset) -> SearchParameters:
    figures = level.parameters_for(ruleset.id)
    if figures is None:
        raise NoLevel(level.name)
    return figures


_METHODS: Final[Mapping[str, Callable[[Level], Thinker]]] = {
    ANY: lambda level: _any,
    PLY: lambda level: _ply,
    SEARCH: searching,
}

LEVELS: Final[Mapping[str, Thinker]] = {
    name: _METHODS[level.method](level) for name, level in levels().items()
}
"""How each level chooses, lowest first."""


def thought(
    ruleset: AnyRuleset,
    state: Any,
    seat: int,
    level: str,
    generator: random.Random,
    clock: Clock = timeless,
) -> Thought:
    """Returns what a bot comes to for a seat which may act: one command at least.

    The first is one of those that `ruleset.legal` lists; each is legal after those before it, and
    all but the last draw nothing. Leaves the state as it is. Raises `NoLevel`.
    """
    thinker = LEVELS.get(level)
    if thinker is None:
        raise NoLevel(level)
    return thinker(ruleset, state, seat, generator, clock)


def line(
    ruleset: AnyRuleset,
    state: Any,
    seat: int,
    level: str,
    generator: random.Random,
    clock: Clock = timeless,
) -> Line:
    """Returns the commands of a `thought`, on the same terms."""
    return thought(ruleset, state, seat, level, generator, clock).line


def choose(
    ruleset: AnyRuleset,
    state: Any,
    seat: int,
    level: str,
    generator: random.Random,
    clock: Clock = timeless,
) -> Command:
    """Returns the first command of `line`, on the same terms."""
    return line(ruleset, state, seat, level, generator, clock)[0]


def think(
    ruleset: AnyRuleset,
    state: Any,
    seat: int,
    level: str,
    generator: random.Random,
    clock: Clock = timeless,
) -> Advice:
    """Returns the commands that a level which searches looked at, for a seat which may act.

    Leaves the state as it is. Raises `NoLevel` for a level that does not search.
    """
    found = levels().get(level)
    if found is None:
        raise NoLevel(level)
    figures = _figures(found, ruleset)
    return search(ruleset, knowledge(ruleset), figures, state, seat, generator, clock)


__all__ = [
    "LEVELS",
    "Advice",
    "Clock",
    "NoLevel",
    "Ranked",
    "Thought",
    "choose",
    "line",
    "think",
    "thought",
    "timeless",
]
