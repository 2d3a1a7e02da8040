"""The layout of maps: curves between places, and names where they cover least."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from .drawing import SMALLEST, WIDTH, number, points

Place = tuple[float, float]
Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""

LETTER = 0.64
"""How wide a bold letter is on average, of its size; wide fonts counted."""
EDGE = 5
BESIDE = (
    *((0, 18, "mid"), (11, 3.5, ""), (-11, 3.5, "end"), (8, 14, ""), (-8, 14, "end")),
    *((9, -7, ""), (-9, -7, "end"), (16, 10, ""), (-16, 10, "end")),
    *(
        (0, 26, "mid"),
        (6, 21, ""),
        (-6, 21, "end"),
        (0, -12, "mid"),
        (6, -13, ""),
        (-6, -13, "end"),
    ),
)
"""Where a place's name may stand: from its middle, and how the text lies there."""
OUTSIDE = 1000
"""What a unit of a name beyond the sheet's edge costs, in units covered."""


def around(place: Place, r: float) -> Box:
    """Returns the square around a place."""
    return place[0] - r, place[1] - r, place[0] + r, place[1] + r


def covered(box: Box, others: Iterable[Box]) -> float:
    """Returns how much of a box others cover, each counted."""
    return sum(
        max(0, min(box[2], other[2]) - max(box[0], other[0]))
        * max(0, min(box[3], other[3]) - max(box[1], other[1]))
        for other in others
    )


def beside(name: str, place: Place, taken: Iterable[Box]) -> tuple[tuple[float, float, str], Box]:
    """Returns where a place's name stands (x, y, class) so that it covers least, and its box."""
    wide = len(name) * SMALLEST * LETTER
    tried = []
    for dx, dy, lies in BESIDE:
        x, y = place[0] + dx, place[1] + dy
        start = x - {"mid": wide / 2, "end": wide, "": 0}[lies]
        box = (start - 1, y - 7.5, start + wide + 1, y + 2)
        out = max(0, EDGE - start) + max(0, start + wide - WIDTH + EDGE)
        tried.append((covered(box, taken) + OUTSIDE * out, (x, y, lies), box))
    _, found, box = min(tried, key=lambda each: each[0])
    return found, box


def curve(a: Place, b: Place, first: float, second: float) -> tuple[str, Callable[[float], Place]]:
    """Returns a curve from place to place as a path, and what lies on it after a part of it.

    It swerves to the left (or right, below 0) by these parts of its length, in its first and
    second half.
    """
    dx, dy = b[0] - a[0], b[1] - a[1]
    one = (a[0] + dx / 3 + first * dy, a[1] + dy / 3 - first * dx)
    two = (a[0] + 2 * dx / 3 + second * dy, a[1] + 2 * dy / 3 - second * dx)

    def along(part: float) -> Place:
        rest = 1 - part
        weights = (rest**3, 3 * part * rest**2, 3 * part**2 * rest, part**3)
        spots = (a, one, two, b)
        return (
            sum(weight * x for weight, (x, _) in zip(weights, spots, strict=True)),
            sum(weight * y for weight, (_, y) in zip(weights, spots, strict=True)),
        )

    if not first and not second:
        return points(a, b), along
    inner = ",".join(f"{number(x)} {number(y)}" for x, y in (one, two, b))
    return f"M{number(a[0])} {number(a[1])}C{inner}", along
