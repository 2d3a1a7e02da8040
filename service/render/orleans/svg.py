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
    .supply                                    what may still be had
    .place      data-place                     a place of a board, or a place tile to be had; in it
                                               `.space` (data-space)
    .board      data-seat                      a seat's board; `acts` is who is to act; with
                                               `.market`, `.bag`, `.status`, `.technology` and the
                                               `.station` that are in reserve
    .held       data-follower                  followers in a seat's market, in a bag, drawn by the
                                               Bathhouse, or to be had
    .event      data-event                     the hourglass: an event and how often it may come

`.may` marks where something may be done now: spaces, followers to be put there, the bag to draw
from, kinds to be recruited, goods and tiles to be taken or given, deeds to send followers to, the
town to build in, what may be given for a missing coin. A place that may be used has an edge.
`.last` is around what the last move was about, and around the figure of the seat that made it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ...rules.orleans.tables import ROUNDS
from ...rules.plain import Plain
from ..drawing import MARGIN, SMALLEST, WIDTH, fitted, path, rect, section, sheet, spot, text
from ..look import Look, headed, phrase
from . import boards, chart, seat, things

TOP: Final = 96
GAP: Final = 12
NOBODY: Final = phrase("nobody")
WAITS: Final = {
    "bathhouse": phrase("bathhouse"),
    "sacristy": phrase("sacristy"),
    "harvest": phrase("harvest"),
}
"""What seats may be asked for beside a phase, which the rules call by its name."""

STYLE: Final = """\
.bailli .now{fill:#8c2b1e}
.bailli text.now-name{fill:#fff;font-weight:bold}
.bailli .glass{fill:none;stroke:var(--soft);stroke-width:1.5;stroke-linejoin:round}
"""


def svg(view: Plain, look: Look) -> str:
    """Returns the table as an SVG document."""
    acting = _acting(view)
    parts = [
        *_headline(view, look, acting),
        section(look.say("Map"), TOP, *chart.drawn(view, look)),
    ]
    y: float = TOP + chart.HEIGHT + GAP
    drawn = [
        boards.development(view, look),
        boards.tracks(view, look),
        boards.deeds(view, look),
        *(seat.board(view, own, look, own in acting) for own in range(len(view["seats"]))),
        boards.supply(view, look),
    ]
    for label, inside, height in drawn:
        parts.append(section(label, y, *inside))
        y += height + GAP
    style = STYLE + chart.STYLE + things.STYLE
    return sheet(look.language, y, "Orléans", _told(view, look), style, things.shapes(), *parts)


def _acting(view: Plain) -> list[int]:
    """Returns the seats that are to act."""
    if view["waiting_for"] is None:
        return []
    if view["torture"] is not None:
        return [view["torture"]["seat"]]
    if view["seat"] is not None:
        return [view["seat"]]
    return [number for number, seat in enumerate(view["seats"]) if not seat["done"]]


def _told(view: Plain, look: Look) -> str:
    seats = look.listed(
        look.say(
            "{name}: coins {coins}, stations {stations}",
            name=look.named(number),
            coins=own["coins"],
            stations=own["stations"]["built"],
        )
        for number, own in enumerate(view["seats"])
    )
    return look.say(
        "Round {round} of {last}, {phase}. {seats}.",
        round=view["round"],
        last=ROUNDS,
        phase=look.say(view["phase"]),
        seats=seats,
    )


def _headline(view: Plain, look: Look, acting: Sequence[int]) -> list[str]:
    who = look.listed((look.named(own) for own in acting), NOBODY)
    if view["torture"] is not None:
        phase = look.say("torture, coins missing: {missing}", missing=view["torture"]["missing"])
    else:
        waits = view["waiting_for"] or view["phase"]
        phase = look.say(WAITS.get(waits, waits))
    caption = headed(look.say("{phase}; to act: {who}", phase=phase, who=who))
    round_of = look.say("Round {round} of {last}", round=view["round"], last=ROUNDS)
    parts = [
        text(MARGIN, 24, "Orléans", 17, "head"),
        text(WIDTH - MARGIN, 22, round_of, 12, "bold end"),
        text(MARGIN, 41, caption, 11, "soft"),
        path("M14 50h12l-12 18h12z", "glass"),
    ]
    for place, (event, left) in enumerate(view["hourglass"].items()):
        row, column = divmod(place, 3)
        x, y = MARGIN + 24 + 132 * column, 50 + 20 * row
        now = event == view["event"]
        name = look.called(things.NAMES[event])
        title = look.say("{event}: {left} may still come", event=name, left=left)
        if now:
            title = look.say("{event}: in this round; {left} may still come", event=name, left=left)
        parts.append(
            spot(
                title,
                rect(x, y, 126, 17, "now" if now else "panel", 8),
                fitted(x + 8, y + 12.5, name, SMALLEST + 0.5, 92, "now-name" if now else None),
                text(
                    x + 118, y + 12.5, f"×{left}", SMALLEST, "now-name end" if now else "soft end"
                ),
                cls="event",
                data_event=event,
            )
        )
    return parts
