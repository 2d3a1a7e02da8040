"""The levels of bots: one data file of named parameters, for tables, contract and bots alike."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from importlib.resources import files
from typing import Any, Final

ANY: Final = "any"
PLY: Final = "ply"
SEARCH: Final = "search"
METHODS: Final = (ANY, PLY, SEARCH)
"""Any legal command; the best result of one command; tree search."""

QUICK_SECONDS: Final = 1.0
"""Seconds that a level without search may take."""


@dataclass(frozen=True, slots=True)
class SearchParameters:
    """What bounds and steers a search. Points are the game's."""

    simulations: int
    """At most so many per move."""
    seconds: float
    """No simulation is begun later than that."""
    width: int
    """At most so many choices are considered in a position, the most promising first."""
    drop: float
    """Choices that promise so many points less than the best are not considered."""
    ahead: int
    """Turns (rounds, in games of rounds) that are played on before a position is evaluated."""
    explore: float
    """The points by which a choice that was hardly tried is overrated."""
    trust: float
    """How many simulations the first impression of a choice counts for."""
    win: float
    """The points that winning is worth, besides the lead."""
    spread: float
    """The lead (points) with which a game not yet over is won about three times in four."""
    depth: int
    """Choices in a row that are searched; after them the policy plays on."""


@dataclass(frozen=True, slots=True)
class Level:
    """A level of bots: its method, and the parameters of its search (None: no search).

    `by_ruleset` are those of single rulesets, by id.
    """

    name: str
    method: str
    parameters: SearchParameters | None
    by_ruleset: Mapping[str, SearchParameters]

    def parameters_for(self, ruleset: str) -> SearchParameters | None:
        """Returns the parameters of the level's search in a ruleset."""
        return self.by_ruleset.get(ruleset, self.parameters)

    def seconds(self, ruleset: str) -> float:
        """Returns how long (s) the level may take for a move in a ruleset."""
        found = self.parameters_for(ruleset)
        return QUICK_SECONDS if found is None else found.seconds

    def describe(self, ruleset: str) -> dict[str, Any]:
        """Returns the level in a ruleset as JSON: name, method, bounds (null: none)."""
        found = self.parameters_for(ruleset)
        return {
            "name": self.name,
            "method": self.method,
            "simulations": None if found is None else found.simulations,
            "seconds": None if found is None else found.seconds,
        }


def _load_level(plain: Mapping[str, Any]) -> Level:
    names = [field.name for field in fields(SearchParameters)]
    common = {name: plain[name] for name in names if name in plain}
    by_ruleset = {
        ruleset: SearchParameters(**{**common, **changed})
        for ruleset, changed in plain.get("rulesets", {}).items()
    }
    return Level(
        plain["name"], plain["method"], SearchParameters(**common) if common else None, by_ruleset
    )


@functools.cache
def levels() -> Mapping[str, Level]:
    """Returns all levels by name, lowest first."""
    data = json.loads((files(__package__) / "data" / "levels.json").read_text("utf-8"))
    return {plain["name"]: _load_level(plain) for plain in data}


LEVELS: Final = tuple(levels())
"""The names, lowest first."""

QUICK: Final = tuple(name for name, level in levels().items() if level.method != SEARCH)
"""Levels without search, whose bots move at once."""

SEARCHING: Final = tuple(name for name in LEVELS if name not in QUICK)
"""Levels that compare choices by simulated play, and so can give advice."""

DEFAULT: Final = "easy"
"""The level of a bot for which none is stated."""


def levels_down_from(name: str) -> tuple[str, ...]:
    """Returns a level and all lower ones, highest first."""
    return LEVELS[LEVELS.index(name) :: -1]
