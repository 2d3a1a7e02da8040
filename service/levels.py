"""The levels of bots: one data file of named figures, for tables, contract and bots alike."""

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
"""Any legal command; the best result in sight; tree search."""

AT_ONCE: Final = 1.0
"""Seconds that a level may take which searches nothing."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What bounds and steers a search. Points are the game's."""

    simulations: int
    """No move takes more."""
    seconds: float
    """Nor longer: after these no simulation is begun."""
    width: int
    """Most choices that are looked at in a position, those promising most first."""
    drop: float
    """Choices that promise so many points less than the best are not looked at."""
    ahead: int
    """Turns (rounds, in games of rounds) that are played on before a position is valued."""
    explore: float
    """The points by which a choice not tried much is overrated."""
    trust: float
    """How many simulations the first impression of a choice counts for."""
    win: float
    """The points that winning counts for beside the lead."""
    spread: float
    """The lead (points) with which a game not played out is won about three times in four."""
    depth: int
    """Choices in a row that are searched; after them the policy plays on."""


@dataclass(frozen=True, slots=True)
class Level:
    """A level of bots: its method, and the figures of its search (None where nothing is searched).

    `own` are the figures of single rulesets, by id.
    """

    name: str
    method: str
    figures: Figures | None
    own: Mapping[str, Figures]

    def of(self, ruleset: str) -> Figures | None:
        """Returns the figures of the level's search in a ruleset."""
        return self.own.get(ruleset, self.figures)

    def seconds(self, ruleset: str) -> float:
        """Returns how long (s) the level may take for a move in a ruleset."""
        found = self.of(ruleset)
        return AT_ONCE if found is None else found.seconds

    def told(self, ruleset: str) -> dict[str, Any]:
        """Returns what is told of the level in a ruleset: name, method, bounds (null: none)."""
        found = self.of(ruleset)
        return {
            "name": self.name,
            "method": self.method,
            "simulations": None if found is None else found.simulations,
            "seconds": None if found is None else found.seconds,
        }


def _level(plain: Mapping[str, Any]) -> Level:
    names = [field.name for field in fields(Figures)]
    common = {name: plain[name] for name in names if name in plain}
    own = {
        ruleset: Figures(**{**common, **changed})
        for ruleset, changed in plain.get("rulesets", {}).items()
    }
    return Level(plain["name"], plain["method"], Figures(**common) if common else None, own)


@functools.cache
def levels() -> Mapping[str, Level]:
    """Returns all levels by name, lowest first."""
    data = json.loads((files(__package__) / "data" / "levels.json").read_text("utf-8"))
    return {plain["name"]: _level(plain) for plain in data}


LEVELS: Final = tuple(levels())
"""The names, lowest first."""

QUICK: Final = tuple(name for name, level in levels().items() if level.method != SEARCH)
"""Levels of bots that answer at once; others think."""

SEARCHING: Final = tuple(name for name in LEVELS if name not in QUICK)
"""Levels that compare choices by playing on, and so can give advice."""

DEFAULT: Final = "easy"
"""The level of a bot whose level isn't said."""


def downwards(name: str) -> tuple[str, ...]:
    """Returns a level and all lower ones, highest first."""
    return LEVELS[LEVELS.index(name) :: -1]
