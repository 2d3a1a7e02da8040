"""A game of Orléans as a picture: round, map, tracks, deeds, what may be had, players' boards.

What a page can attach to:

    .town       data-town                      a town, with `.station` (data-seat)
    .merchant   data-seat                      a seat's merchant
    .link       data-link                      a road or waterway; `may-go` if it can be gone now
    .good       data-link data-space data-good a good on a way
    .development data-space                    a space of the development track
    .track      data-track                     a kind's track; both hold `.marker` (data-seat)
    .citizen    data-citizen data-seat         a citizen, and who has it
    .deed       data-deed                      a beneficial deed
    .goods      data-good data-count           goods in the market or before a seat
    .place      data-place                     a place of a board, or a place tile to be had;
                                               `.space` (data-space) in it, marked `.may` where
                                               something may be put now
    .board      data-seat                      a seat's board; `acts` is who is to act
    .held       data-follower                  followers in a seat's market, in a bag, or to be had
    .event      data-event                     the hourglass: an event and how often it may come
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ...rules.orleans.tables import ROUNDS
from ...rules.plain import Plain
from ..drawing import MARGIN, SMALLEST, WIDTH, listed, named, path, rect, section, sheet, spot, text
from . import boards, chart, things

TOP: Final = 96
GAP: Final = 12

STYLE: Final = """\
.bailli .now{fill:#8c2b1e}
.bailli text.now-name{fill:#fff;font-weight:bold}
.bailli .glass{fill:none;stroke:var(--soft);stroke-width:1.5;stroke-linejoin:round}
"""


def svg(view: Plain, names: Sequence[str | None], moves: Sequence[Plain]) -> str:
    """Returns the table as an SVG document."""
    commands = [move["command"] for move in moves]
    acting = _acting(view)
    parts = [
        *_headline(view, names, acting),
        section("Map", TOP, *chart.drawn(view, commands)),
    ]
    y: float = TOP + chart.HEIGHT + GAP
    drawn = [
        boards.development(view),
        boards.tracks(view),
        boards.deeds(view),
        *(
            boards.board(
                view,
                seat,
                names,
                [move["command"] for move in moves if move["seat"] == seat],
                seat in acting,
            )
            for seat in range(len(view["seats"]))
        ),
        boards.supply(view),
    ]
    for label, inside, height in drawn:
        parts.append(section(label, y, *inside))
        y += height + GAP
    style = STYLE + chart.STYLE + things.STYLE
    return sheet(y, "Orléans", _told(view, names), style, things.shapes(), *parts)


def _acting(view: Plain) -> list[int]:
    """Returns the seats that are to act."""
    if view["waiting_for"] is None:
        return []
    if view["torture"] is not None:
        return [view["torture"]["seat"]]
    if view["seat"] is not None:
        return [view["seat"]]
    return [number for number, seat in enumerate(view["seats"]) if not seat["done"]]


def _told(view: Plain, names: Sequence[str | None]) -> str:
    seats = listed(
        f"{named(names, number)} has {seat['coins']} coins and {seat['stations']['built']} stations"
        for number, seat in enumerate(view["seats"])
    )
    return f"Round {view['round']} of {ROUNDS}, {view['phase']}. {seats}."


def _headline(view: Plain, names: Sequence[str | None], acting: Sequence[int]) -> list[str]:
    who = listed((named(names, seat) for seat in acting), "nobody")
    waits = view["waiting_for"] or view["phase"]
    if view["torture"] is not None:
        waits = f"torture, {view['torture']['missing']} coins missing"
    parts = [
        text(MARGIN, 24, "Orléans", 17, "head"),
        text(WIDTH - MARGIN, 22, f"Round {view['round']} of {ROUNDS}", 12, "bold end"),
        text(MARGIN, 41, f"{waits.capitalize()}; to act: {who}", 11, "soft"),
        path("M14 50h12l-12 18h12z", "glass"),
    ]
    for place, (event, left) in enumerate(view["hourglass"].items()):
        row, column = divmod(place, 3)
        x, y = MARGIN + 24 + 132 * column, 50 + 20 * row
        now = event == view["event"]
        name = things.NAMES[event]
        parts.append(
            spot(
                f"{name}: {left} may still come" + ("; in this round" if now else ""),
                rect(x, y, 126, 17, "now" if now else "panel", 8),
                text(x + 8, y + 12.5, name, SMALLEST + 0.5, "now-name" if now else None),
                text(
                    x + 118, y + 12.5, f"×{left}", SMALLEST, "now-name end" if now else "soft end"
                ),
                cls="event",
                data_event=event,
            )
        )
    return parts
