"""The table's own commands, in the order of its rule book (T-1 … T-7)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Final

from ...bot_levels import LEVELS
from ...rules.described import Command
from ...rules.kinds import OneOf


@dataclass(frozen=True, slots=True)
class Start(Command):
    """Starts the game (T-1)."""

    type: ClassVar[str] = "start"
    rule: ClassVar[str] = "T-1"
    text: ClassVar[str] = "Start the game"


@dataclass(frozen=True, slots=True)
class Resign(Command):
    """Gives up the game (T-2)."""

    type: ClassVar[str] = "resign"
    rule: ClassVar[str] = "T-2"
    text: ClassVar[str] = "Resign"


@dataclass(frozen=True, slots=True)
class Abandon(Command):
    """Ends the game without a winner (T-3)."""

    type: ClassVar[str] = "abandon"
    rule: ClassVar[str] = "T-3"
    text: ClassVar[str] = "End the game without a winner"


@dataclass(frozen=True, slots=True)
class GiveToBot(Command):
    """Lets a bot play the seat from now on (T-4)."""

    type: ClassVar[str] = "give_to_bot"
    rule: ClassVar[str] = "T-4"
    text: ClassVar[str] = "Let a bot of level {level} play the seat"
    level: Annotated[str, OneOf(LEVELS), "the bot's level"]


@dataclass(frozen=True, slots=True)
class HandOver(Command):
    """Opens the seat for somebody else with a new claim code (T-5)."""

    type: ClassVar[str] = "hand_over"
    rule: ClassVar[str] = "T-5"
    text: ClassVar[str] = "Hand the seat over to somebody else"


@dataclass(frozen=True, slots=True)
class Leave(Command):
    """Leaves the seat before the start (T-6)."""

    type: ClassVar[str] = "leave"
    rule: ClassVar[str] = "T-6"
    text: ClassVar[str] = "Leave the seat"


@dataclass(frozen=True, slots=True)
class Undo(Command):
    """Takes the last move back, or requests it of the others (T-7)."""

    type: ClassVar[str] = "undo"
    rule: ClassVar[str] = "T-7"
    text: ClassVar[str] = "Take the last move back"


@dataclass(frozen=True, slots=True)
class AcceptUndo(Command):
    """Accepts another seat's take-back request (T-7)."""

    type: ClassVar[str] = "accept_undo"
    rule: ClassVar[str] = "T-7"
    text: ClassVar[str] = "Accept the take-back"


@dataclass(frozen=True, slots=True)
class RefuseUndo(Command):
    """Refuses another seat's take-back request (T-7)."""

    type: ClassVar[str] = "refuse_undo"
    rule: ClassVar[str] = "T-7"
    text: ClassVar[str] = "Refuse the take-back"


COMMANDS: Final[Mapping[str, type[Command]]] = {
    command.type: command
    for command in (
        Start,
        Resign,
        Abandon,
        GiveToBot,
        HandOver,
        Leave,
        Undo,
        AcceptUndo,
        RefuseUndo,
    )
}
