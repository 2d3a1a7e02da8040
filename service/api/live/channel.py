"""How far the readers of one game have been told, and the pieces that tell them more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...games.history import RecordedEvent
from ...games.table import state as table_state
from ...games.table.events import Abandoned, FinalScored
from ...rules.ruleset import AnyRuleset
from .. import representations
from .subscriber import Message, Subscriber, format_event

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
        self.readers: set[Subscriber] = set()
        self.cursor: Cursor | None = None
        self.heard = 0


def event_messages(told: Sequence[RecordedEvent], heard: float) -> list[Message]:
    """Returns a piece for each event, and one for the end where the game ends with them."""
    pieces = [
        Message(
            each.version, format_event(each.version, representations.serialize_event(each)), heard
        )
        for each in told
    ]
    for each in told:
        if isinstance(each.event, Abandoned | FinalScored):
            over = (
                table_state.ABANDONED if isinstance(each.event, Abandoned) else table_state.FINISHED
            )
            pieces.append(end_message(told[-1].version, over, heard))
    return pieces


def end_message(version: int, status: str, heard: float) -> Message:
    """Returns the last piece of a stream."""
    facts = {"version": version, "status": status}
    return Message(version, format_event(version, facts, "end"), heard, True)
