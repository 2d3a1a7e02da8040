"""Results of requests: committed, or a dry run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..game import Game
from ..history import RecordedEvent


@dataclass(frozen=True, slots=True)
class Committed:
    """The result of a request: the game after it, the append's events, whether it is a replay of an

    idempotent request, and whether it is durable: acknowledged by the copies that the store is set
    to ask. `codes` maps seats to the claim codes made by this request; `watch` is the watch code.
    """

    game: Game
    events: tuple[RecordedEvent, ...]
    replayed: bool = False
    codes: Mapping[int, str] = field(default_factory=dict)
    watch: str | None = None
    durable: bool = True


@dataclass(frozen=True, slots=True)
class DryRun:
    """The result of a dry run: its events up to the first draw; `stopped`: a draw would follow."""

    events: tuple[RecordedEvent, ...]
    stopped: bool
