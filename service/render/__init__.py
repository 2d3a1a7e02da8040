"""Pictures of games, drawn from what may be seen: pure functions of a ruleset's `view`.

A ruleset's pictures are a module beside this one, called like its id. It may define

    text(view) -> str       the board for a terminal, without a line break at its end
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import json
from collections.abc import Callable

from ..rules.plain import Plain

TextBoard = Callable[[Plain], str]


def text(ruleset: str, view: Plain) -> str:
    """Returns a view as text: the ruleset's own picture where it has one, else the data."""
    return _text_board(ruleset)(view)


def _as_data(view: Plain) -> str:
    return json.dumps(view, indent=1, ensure_ascii=False)


@functools.cache
def _text_board(ruleset: str) -> TextBoard:
    name = f"{__package__}.{ruleset}"
    if importlib.util.find_spec(name) is None:
        return _as_data
    board: TextBoard = getattr(importlib.import_module(name), "text", _as_data)
    return board
