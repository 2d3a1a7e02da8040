"""What a ruleset tells its bots: a module beside this one, called like the ruleset's id.

It may define

    ply_ends(state, seat, command) -> bool
        Whether the look-ahead of `easy` ends after this command (default: always). Where it goes
        on, the seat's next commands are looked at too and the best of them counts. It is asked
        about the state before the command and must end every line at last.

    choose(state, seat, generator) -> Command
        What `easy` does, instead of looking one ply ahead: for games in which what a single
        command brings is seen much later. Returns a legal command, leaves the state as it is.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import random
from collections.abc import Callable
from types import ModuleType
from typing import Any

from service.rules.plain import Command

PlyEnds = Callable[[Any, int, Command], bool]
Chooser = Callable[[Any, int, random.Random], Command]


def at_once(state: Any, seat: int, command: Command) -> bool:
    """Says that every command ends the ply."""
    return True


@functools.cache
def ply_ends(ruleset: str) -> PlyEnds:
    """Returns where the look-ahead ends in a ruleset."""
    found: PlyEnds = getattr(_module(ruleset), "ply_ends", at_once)
    return found


@functools.cache
def chooser(ruleset: str) -> Chooser | None:
    """Returns what chooses for `easy` in a ruleset, if the ruleset brings it."""
    found: Chooser | None = getattr(_module(ruleset), "choose", None)
    return found


def _module(ruleset: str) -> ModuleType | None:
    name = f"{__package__}.{ruleset}"
    return None if importlib.util.find_spec(name) is None else importlib.import_module(name)
