"""Pictures of games as text and SVG: pure functions of a ruleset's `view`.

They may import the law (`service.rules`) only. A ruleset's pictures are a module or package here,
named like its id. It may define

    text(view) -> str          the board for a terminal, without a line break at its end
    svg(view, look) -> str     the board as an SVG document; `look` has the seats' names, the legal
                               moves and the last one, to be marked, and translates the texts

Both are pure: the same arguments give the same characters.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import json
from collections.abc import Callable

from ..rules.plain import Plain
from . import fallback
from .look import Look

TextBoard = Callable[[Plain], str]
Picture = Callable[[Plain, Look], str]

NO_LOOK = Look()
EDITION = 2
"""Increased with every change that draws the same view differently."""


def text(ruleset: str, view: Plain) -> str:
    """Returns a view as text: the ruleset's own if it has one, else the data."""
    return _text_board(ruleset)(view)


def svg(ruleset: str, view: Plain, look: Look = NO_LOOK) -> str:
    """Returns a view as an SVG document: the ruleset's own, else its text (in English).

    For None (play has not begun) it shows which seats are taken.
    """
    if view is None:
        return fallback.draw_seats(look)
    picture: Picture | None = _find_function(ruleset, "svg")
    return fallback.draw_text(text(ruleset, view), look) if picture is None else picture(view, look)


def _as_data(view: Plain) -> str:
    return json.dumps(view, indent=1, ensure_ascii=False)


def _text_board(ruleset: str) -> TextBoard:
    board: TextBoard | None = _find_function(ruleset, "text")
    return _as_data if board is None else board


@functools.cache
def _find_function(ruleset: str, function: str) -> Callable[..., str] | None:
    name = f"{__package__}.{ruleset}"
    if importlib.util.find_spec(name) is None:
        return None
    found: Callable[..., str] | None = getattr(importlib.import_module(name), function, None)
    return found
