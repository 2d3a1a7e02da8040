"""Hints of rulesets to their bots: a package beside this module, named like the ruleset's id.

It may define

    ply_ends(state, seat, command) -> bool
        Whether the look-ahead of `easy` ends after this command (default: always). Where it does
        not, the seat's next commands are considered too and the best of them counts. It gets the
        state before the command and must end every line at last.

    choose(state, seat, generator) -> Command
        What `easy` does instead of looking one ply ahead: for games in which the effect of a
        single command shows much later. Returns a legal command, leaves the state as it is.

    options(state, seat, generator) -> list[Option]
        The choices worth a search, at least one and none twice, each with the lead in points
        that it promises (default: every legal command, with the value of one ply).

    evaluate(state) -> list[float]
        The points each seat may hope for at the end (default: the provisional totals).

    policy(state, seat, generator) -> tuple[Command, ...]
        What a seat does in a simulation, one command or several in a row (default: `easy`).

    moment(state) -> int
        How many turns or rounds are over; never falls, and rises until play ends. Searches look a
        number of these ahead (default: 0, so that simulations go on to the end).

    FIGURES, tuned(figures) -> Policy
        Figures of the evaluation by name, and the policy that follows from any such figures.

None of them changes the state.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from service.rules.described import Command

PlyEnds = Callable[[Any, int, Command], bool]
Chooser = Callable[[Any, int, random.Random], Command]
Policy = Callable[[Any, int, random.Random], tuple[Command, ...]]
Figures = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Option:
    """A choice: commands that the seat sends in a row, and the lead (points) that it promises."""

    commands: tuple[Command, ...]
    promise: float


def at_once(state: Any, seat: int, command: Command) -> bool:
    """Returns that every command ends the ply."""
    return True


@functools.cache
def ply_ends(ruleset: str) -> PlyEnds:
    """Returns the function by which the look-ahead ends in a ruleset."""
    found: PlyEnds = getattr(module(ruleset), "ply_ends", at_once)
    return found


@functools.cache
def chooser(ruleset: str) -> Chooser | None:
    """Returns the function that chooses for `easy` in a ruleset; None where there is none."""
    found: Chooser | None = getattr(module(ruleset), "choose", None)
    return found


def tunable(ruleset: str) -> tuple[Figures, Callable[[Figures], Policy]] | None:
    """Returns a ruleset's figures and the function that makes a policy of them, if it has any."""
    found = module(ruleset)
    tuned = getattr(found, "tuned", None)
    return None if tuned is None else (found.FIGURES, tuned)  # type: ignore[union-attr]


def module(ruleset: str) -> ModuleType | None:
    """Returns the module of a ruleset's hints; None where there is none."""
    name = f"{__package__}.{ruleset}"
    return None if importlib.util.find_spec(name) is None else importlib.import_module(name)
