"""What all pictures are drawn with: SVG elements, the document, marks of seats.

Elements are strings; attributes come in the order given, numbers with at most one decimal, so the
same picture is the same bytes everywhere. Texts and values are escaped, and characters that XML
does not allow become U+FFFD. There are no scripts and no `style` attributes: styles come from
classes, and the style sheet is the same for every picture of a ruleset, so that a page with a
strict policy can allow it by its hash.

A picture is `WIDTH` units wide and as high as needed. On a phone a unit is little less than a
pixel, hence no text is smaller than `SMALLEST`, except on boards that are scaled to fit.
"""

from __future__ import annotations

import html
import itertools
import re
import unicodedata
from typing import Final

Value = str | int | float | None

WIDTH: Final = 440
MARGIN: Final = 12
SMALLEST: Final = 9.5
"""The smallest text: 8.4 pixels where the picture is 390 pixels wide."""
LONGEST_NAME: Final = 130
"""Longer names of people are cut; in tenths of their size, as wide as letters usually are."""
BOLD: Final = 1.1
"""How much wider bold letters are."""

_NO_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_FULL: Final = unicodedata.east_asian_width
_ATTRIBUTES: Final = {"cls": "class"}

STYLE: Final = """\
.bailli{--ground:#efe6d2;--panel:#fbf6ea;--ink:#2c2418;--soft:#6f6048;--line:#cfc0a0;
--mark:#b65a00;font-family:ui-sans-serif,system-ui,"Segoe UI",Roboto,sans-serif}
.bailli:root{display:block;width:100%;max-width:900px;height:auto;margin:0 auto}
.bailli text{fill:var(--ink);unicode-bidi:isolate}
.bailli .ground{fill:var(--ground)}
.bailli .panel{fill:var(--panel);stroke:var(--line)}
.bailli .hole{fill:var(--ground);stroke:var(--line)}
.bailli .line{fill:none;stroke:var(--line)}
.bailli .head{font-family:Georgia,"Times New Roman",serif;font-weight:bold}
.bailli .bold{font-weight:bold}
.bailli .soft{fill:var(--soft)}
.bailli .mid{text-anchor:middle}
.bailli .end{text-anchor:end}
.bailli .acts{fill:var(--panel);stroke:var(--mark);stroke-width:2.5}
.bailli .may{fill:var(--mark);fill-opacity:.25;stroke:var(--mark);stroke-width:2;
stroke-dasharray:4 3}
.bailli .frame{fill:none;stroke:#fff3c4;stroke-width:5;stroke-linejoin:round}
.bailli .glow{fill:none;stroke:#e07b00;stroke-width:2.5;stroke-linejoin:round}
.bailli .last{pointer-events:none}
.bailli .s0{fill:#c9401c}
.bailli .s1{fill:#1767b3}
.bailli .s2{fill:#118a5b}
.bailli .s3{fill:#f2c418}
.bailli .s4{fill:#8a3f9e}
.bailli .s5{fill:#7a4c22}
.bailli .s6{fill:#7cc4ee}
.bailli .s7{fill:#d9d6cf}
.bailli .man{stroke:#241b10;stroke-width:1.4;stroke-linejoin:round}
.bailli .on{fill:#fff;font-weight:bold;text-anchor:middle}
.bailli .on3,.bailli .on6,.bailli .on7{fill:#1d160c}
@media (prefers-color-scheme:dark){
.bailli{--ground:#1b1916;--panel:#2a2621;--ink:#f1e9d9;--soft:#b9ab92;--line:#544b3e;
--mark:#ffb547}}
"""
"""The beginning of every picture's style sheet. Colours of seats are the same in both modes, and

never the only mark: the seat's number is written on them."""

FIGURE: Final = (
    "M0-19.5a7 7 0 0 1 4.6 12.3C11-5.6 14.5 3 16 16c.2 1.6-.6 2.5-2 2.5h-28c-1.4 0-2.2-.9-2-2.5"
    "C-14.5 3-11-5.6-4.6-7.2A7 7 0 0 1 0-19.5z"
)
"""A cloaked figure with a round head, 32 wide and 38 high around its middle."""
SHIELD: Final = "M-7-8h14v8c0 4.5-3.5 7-7 9c-3.5-2-7-4.5-7-9z"
"""A seat's coat of arms, 14 wide and 17 high around its middle."""


def number(value: float) -> str:
    """Returns a number with at most one decimal."""
    text = f"{value:.1f}"
    if text.endswith(".0"):
        text = text[:-2]
    return "0" if text == "-0" else text


def escaped(text: str) -> str:
    """Returns a text escaped for XML, quotes included."""
    return html.escape(_NO_XML.sub("\ufffd", text))


def el(name: str, *inside: str, **attributes: Value) -> str:
    """Returns an element around what is inside (elements, or `escaped` text).

    `cls` is the class, other names have `-` for `_`; attributes that are None are left out.
    """
    parts = [f"<{name}"]
    for key, value in attributes.items():
        if value is not None:
            shown = escaped(value) if isinstance(value, str) else number(value)
            parts.append(f' {_ATTRIBUTES.get(key) or key.replace("_", "-")}="{shown}"')
    if inside:
        parts += [">", *inside, f"</{name}>"]
    else:
        parts.append("/>")
    return "".join(parts)


def at(x: float, y: float, scale: float = 1) -> str:
    """Returns the transformation to a place, and to a size there."""
    if scale == 1:
        return f"translate({number(x)} {number(y)})"
    return f"translate({number(x)} {number(y)}) scale({scale:.4f})"


def group(*inside: str, **attributes: Value) -> str:
    """Returns elements as one."""
    return el("g", *inside, **attributes)


def spot(title: str, *inside: str, **attributes: Value) -> str:
    """Returns a group with a title (shown when pointed at, read by screen readers)."""
    return el("g", el("title", escaped(title)), *inside, **attributes)


def section(label: str, y: float, *inside: str, **attributes: Value) -> str:
    """Returns a part of the picture, `y` down the sheet."""
    return el("g", *inside, role="group", aria_label=label, transform=at(0, y), **attributes)


def text(
    x: float, y: float, written: object, size: float, cls: str | None = None, **attributes: Value
) -> str:
    """Returns a text whose baseline begins at a place (or ends, or has its middle there)."""
    return el("text", escaped(str(written)), x=x, y=y, font_size=size, cls=cls, **attributes)


def rect(
    x: float,
    y: float,
    width: float,
    height: float,
    cls: str,
    rx: float | None = None,
    **attributes: Value,
) -> str:
    """Returns a rectangle."""
    return el("rect", x=x, y=y, width=width, height=height, rx=rx, cls=cls, **attributes)


def circle(x: float, y: float, r: float, cls: str, **attributes: Value) -> str:
    """Returns a circle."""
    return el("circle", cx=x, cy=y, r=r, cls=cls, **attributes)


def path(d: str, cls: str, **attributes: Value) -> str:
    """Returns a path."""
    return el("path", d=d, cls=cls, **attributes)


def points(*places: tuple[float, float]) -> str:
    """Returns places as a path's straight lines."""
    return "M" + "L".join(f"{number(x)} {number(y)}" for x, y in places)


def use(name: str, x: float, y: float, scale: float = 1, **attributes: Value) -> str:
    """Returns a reference to a shape in `defs`, at a place."""
    return el("use", href=f"#{name}", transform=at(x, y, scale), **attributes)


def defs(*inside: str) -> str:
    """Returns shapes that are used elsewhere."""
    return el("defs", *inside)


def man(seat: int, x: float, y: float, scale: float = 1) -> str:
    """Returns a seat's figure around a place."""
    return group(
        path(FIGURE, f"man s{seat}"),
        text(0, 13, seat, 17, f"on on{seat}"),
        transform=at(x, y, scale),
    )


def disc(seat: int, x: float, y: float, r: float) -> str:
    """Returns a seat's round mark with its number."""
    return circle(x, y, r, f"man s{seat}") + text(
        x, y + r * 0.52, seat, max(SMALLEST, r * 1.45), f"on on{seat}"
    )


def shield(seat: int, x: float, y: float, scale: float = 1) -> str:
    """Returns a seat's shield with its number."""
    return group(
        path(SHIELD, f"man s{seat}"),
        text(0, 4, seat, 12, f"on on{seat}"),
        transform=at(x, y, scale),
    )


def cut(written: str, limit: float) -> str:
    """Returns a text, cut if it is wider than `limit` tenths of its font size."""
    wide = list(itertools.accumulate(map(_wide, written)))
    if not wide or wide[-1] <= limit:
        return written
    return written[: sum(each <= limit - _wide("…") for each in wide)].rstrip() + "…"


def fitted(
    x: float,
    y: float,
    written: str,
    size: float,
    wide: float,
    cls: str | None = None,
    **attributes: Value,
) -> str:
    """Returns a text that fits a width: made smaller if it is long, cut if that is not enough."""
    if cls is not None and "bold" in cls:
        wide /= BOLD
    needed = sum(map(_wide, written)) / 10
    size = max(SMALLEST, min(size, wide / max(1, needed)))
    return text(x, y, cut(written, 10 * wide / size + 0.5), size, cls, **attributes)


def _wide(letter: str) -> int:
    if letter in " .,:;'’!|ijlftr()-":
        return 4
    return 10 if letter in "…@mw" or letter.isupper() or _FULL(letter) in "FW" else 6


def recent(shape: str, **attributes: Value) -> str:
    """Returns the mark of the last move: an element (`path`, `circle`, `rect`) as two lines, a dark

    one on a pale one. Attributes are those of the element.
    """
    return el(
        "g",
        el(shape, cls="frame", **attributes),
        el(shape, cls="glow", **attributes),
        cls="last",
    )


def sheet(
    language: str, height: float, title: str, description: str, style: str, *parts: str
) -> str:
    """Returns the whole picture, in a language, as a document of its own."""
    return el(
        "svg",
        el("title", escaped(title), id="bailli-title"),
        el("desc", escaped(description), id="bailli-desc"),
        el("style", STYLE, style),
        rect(0, 0, WIDTH, height, "ground"),
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {WIDTH} {number(height)}",
        lang=language,
        cls="bailli",
        role="img",
        aria_labelledby="bailli-title bailli-desc",
    )
