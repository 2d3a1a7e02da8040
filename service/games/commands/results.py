"""Results of commands: committed, or a dry run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..game import Game
from ..history import RecordedEvent


@dataclass(frozen=True, slots=True)
class Committed:
    """What a request came to: the game after it, the append's events, whether it is a repetition,

    and whether it is kept as surely as the store was set to keep it. `codes` maps seats to claim
    codes made by this request; `watch` is the watch code.
    """

    game: Game
    events: tuple[RecordedEvent, ...]
    replayed: bool = False
    codes: Mapping[int, str] = field(default_factory=dict)
    watch: str | None = None
    durable: bool = True


@dataclass(frozen=True, slots=True)
class DryRun:
    """What a dry run came to; `stopped`: a draw would follow."""

    events: tuple[RecordedEvent, ...]
    stopped: bool
