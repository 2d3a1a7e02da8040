"""How far the readers of one game have been told, and the pieces that tell them more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..games import table as tables
from ..games.events import Abandoned, FinalScored
from ..games.reading import Told
from ..rules.ruleset import AnyRuleset
from . import presenting
from .reader import Piece, Reader, message

GONE = "gone"
"""The status that the end of a stream has where the game was removed."""


class Cursor(NamedTuple):
    """How far a game's readers have been told: version, its hash and time, and whose game."""

    version: int
    hash: bytes
    at: int
    ruleset: AnyRuleset
    public: bool


class Channel:
    """A game's readers. `heard` is the newest version there was news of."""

    def __init__(self) -> None:
        self.readers: set[Reader] = set()
        self.cursor: Cursor | None = None
        self.heard = 0


def pieces_of(told: Sequence[Told], heard: float) -> list[Piece]:
    """Returns a piece for each event, and one for the end where the game ends with them."""
    pieces = [
        Piece(each.version, message(each.version, presenting.event(each)), heard) for each in told
    ]
    for each in told:
        if isinstance(each.event, Abandoned | FinalScored):
            over = tables.ABANDONED if isinstance(each.event, Abandoned) else tables.FINISHED
            pieces.append(end_of(told[-1].version, over, heard))
    return pieces


def end_of(version: int, status: str, heard: float) -> Piece:
    """Returns the last piece of a stream."""
    facts = {"version": version, "status": status}
    return Piece(version, message(version, facts, "end"), heard, True)
