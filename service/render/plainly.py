"""Pictures for which no ruleset is asked: a table before play has begun, a board as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from .drawing import MARGIN, WIDTH, disc, named, rect, section, sheet, text

ROW: Final = 34
LINE: Final = 13
SMALL: Final = 10
FIXED: Final = ".bailli .fixed{font-family:ui-monospace,monospace;white-space:pre}\n"


def waiting(names: Sequence[str | None]) -> str:
    """Returns a picture of who has taken a seat, and which seats are open (None)."""
    rows = []
    for seat, name in enumerate(names):
        y = ROW * seat
        rows += [
            rect(MARGIN, y, WIDTH - 2 * MARGIN, ROW - 6, "panel", 6, data_seat=seat),
            disc(seat, MARGIN + 18, y + 14, 9),
            text(MARGIN + 36, y + 19, named(names, seat) if name else "open", 13),
        ]
    taken = sum(name is not None for name in names)
    return sheet(
        60 + ROW * len(names),
        "A table before the game",
        f"{taken} of {len(names)} seats are taken.",
        "",
        text(WIDTH / 2, 36, "The game has not begun", 18, "head mid"),
        section("Seats", 54, *rows),
    )


def lines(board: str) -> str:
    """Returns a text as a picture, line by line."""
    written = board.splitlines()
    shown = [
        text(MARGIN, LINE * place, line, SMALL, "fixed")
        for place, line in enumerate(written, start=2)
    ]
    return sheet(LINE * (len(written) + 3), "The board", "The board as text.", FIXED, *shown)
