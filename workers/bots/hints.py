"""What a ruleset tells its bots: a module beside this one, called like the ruleset's id.

It may define

    ply_ends(state, seat, command) -> bool
        Whether the look-ahead of `easy` ends after this command (default: always). Where it goes
        on, the seat's next commands are looked at too and the best of them counts. It is asked
        about the state before the command and must end every line at last.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
from collections.abc import Callable
from typing import Any

from service.rules.plain import Command

PlyEnds = Callable[[Any, int, Command], bool]


def at_once(state: Any, seat: int, command: Command) -> bool:
    """Says that every command ends the ply."""
    return True


@functools.cache
def ply_ends(ruleset: str) -> PlyEnds:
    """Returns where the look-ahead ends in a ruleset."""
    name = f"{__package__}.{ruleset}"
    if importlib.util.find_spec(name) is None:
        return at_once
    found: PlyEnds = getattr(importlib.import_module(name), "ply_ends", at_once)
    return found
