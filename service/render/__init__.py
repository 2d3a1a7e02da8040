"""Pictures of games, drawn from what may be seen: pure functions of a ruleset's `view`.

A ruleset's pictures are a module or package beside this one, called like its id. It may define

    text(view) -> str          the board for a terminal, without a line break at its end
    svg(view, look) -> str     the board as an SVG document; `look` says what the seats are called,
                               which moves are legal and which was made last, to be marked, and
                               translates what is said

Both are pure: the same arguments give the same characters.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import json
from collections.abc import Callable

from ..rules.plain import Plain
from . import plainly
from .look import Look

TextBoard = Callable[[Plain], str]
Picture = Callable[[Plain, Look], str]

NOTHING_MORE = Look()
EDITION = 2
"""Rises with every change that makes another picture of the same view."""


def text(ruleset: str, view: Plain) -> str:
    """Returns a view as text: the ruleset's own picture where it has one, else the data."""
    return _text_board(ruleset)(view)


def svg(ruleset: str, view: Plain, look: Look = NOTHING_MORE) -> str:
    """Returns a view as an SVG document: the ruleset's own picture, else its text (in English).

    A view that is None (play has not begun) is a picture of who has taken a seat.
    """
    if view is None:
        return plainly.waiting(look)
    own: Picture | None = _own(ruleset, "svg")
    return plainly.lines(text(ruleset, view), look) if own is None else own(view, look)


def _as_data(view: Plain) -> str:
    return json.dumps(view, indent=1, ensure_ascii=False)


def _text_board(ruleset: str) -> TextBoard:
    board: TextBoard | None = _own(ruleset, "text")
    return _as_data if board is None else board


@functools.cache
def _own(ruleset: str, what: str) -> Callable[..., str] | None:
    name = f"{__package__}.{ruleset}"
    if importlib.util.find_spec(name) is None:
        return None
    found: Callable[..., str] | None = getattr(importlib.import_module(name), what, None)
    return found
