"""Pictures that need no ruleset: a table before play has begun, a board as text."""

from __future__ import annotations

from typing import Final

from .drawing import MARGIN, WIDTH, disc, rect, section, sheet, text
from .look import Look

ROW: Final = 34
LINE: Final = 13
SMALL: Final = 10
FIXED: Final = ".bailli .fixed{font-family:ui-monospace,monospace;white-space:pre}\n"


def draw_seats(look: Look) -> str:
    """Returns a picture of the seats: those taken with their names, open ones have None."""
    rows = []
    for seat, name in enumerate(look.names):
        y = ROW * seat
        rows += [
            rect(MARGIN, y, WIDTH - 2 * MARGIN, ROW - 6, "panel", 6, data_seat=seat),
            disc(seat, MARGIN + 18, y + 14, 9),
            text(MARGIN + 36, y + 19, look.named(seat) if name else look.say("open"), 13),
        ]
    taken = sum(name is not None for name in look.names)
    return sheet(
        look.language,
        60 + ROW * len(look.names),
        look.say("A table before the game"),
        look.say("{taken} of {seats} seats are taken.", taken=taken, seats=len(look.names)),
        "",
        text(WIDTH / 2, 36, look.say("The game has not begun"), 18, "head mid"),
        section(look.say("Seats"), 54, *rows),
    )


def draw_text(board: str, look: Look) -> str:
    """Returns a text as a picture, line by line."""
    lines = board.splitlines()
    drawn = [
        text(MARGIN, LINE * place, line, SMALL, "fixed")
        for place, line in enumerate(lines, start=2)
    ]
    height = LINE * (len(lines) + 3)
    title, description = look.say("The board"), look.say("The board as text.")
    return sheet(look.language, height, title, description, FIXED, *drawn)
