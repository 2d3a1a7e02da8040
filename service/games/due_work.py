"""What a game owes and where it is listed: both follow from its state alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ..levels import QUICK
from .game import Game
from .index_lists import all_bots
from .table import seat_clocks
from .table import state as table_state

BOT_MOVE: Final = "bot"
BOT_SEARCH: Final = "think"
BOTS_ONLY_MOVE: Final = "crowd"
BOTS_ONLY_SEARCH: Final = "crowd_think"
SCORE: Final = "score"
EXPIRE: Final = "expire"
IDLE: Final = "idle"
ARCHIVE: Final = "archive"
DEADLINE: Final = "deadline"
REVEAL: Final = "reveal"
KINDS: Final = (
    BOT_MOVE,
    BOT_SEARCH,
    BOTS_ONLY_MOVE,
    BOTS_ONLY_SEARCH,
    SCORE,
    EXPIRE,
    IDLE,
    ARCHIVE,
    DEADLINE,
    REVEAL,
)
"""What follows from a game's state. Webhooks are owed by how far each has been told: the store

itself puts them on the due list, each under a kind of its own (`protocol.hook_kind`).
"""

SAME_WORK: Final[Mapping[str, tuple[str, ...]]] = {
    BOT_MOVE: (BOT_MOVE, BOTS_ONLY_MOVE),
    BOTS_ONLY_MOVE: (BOTS_ONLY_MOVE, BOT_MOVE),
    BOT_SEARCH: (BOT_SEARCH, BOTS_ONLY_SEARCH),
    BOTS_ONLY_SEARCH: (BOTS_ONLY_SEARCH, BOT_SEARCH),
}
"""Bots that answer at once, and bots that think; each in games with people, and of bots alone.

The kind is another one when the last person leaves; the work stays the same.
"""

IMPORT: Final = "import"
"""Owed under an id that is no game's yet: a record is to be judged. See `importing`."""

ANALYSIS: Final = "analysis"
"""Owed under an analysis' own id: advice is to be thought out. See `analyses`."""

QUICK_LEVELS: Final = QUICK
"""Levels of bots that answer at once; others think."""

HOUR: Final = 3_600_000


@dataclass(frozen=True, slots=True)
class Lifetimes:
    """How long games last (ms): unstarted, idle, finished but not archived (None: never)."""

    expire: int = 24 * HOUR
    abandon: int = 30 * 24 * HOUR
    archive: int | None = None


def due_work(game: Game, now: int, life: Lifetimes, grace: int = 0) -> dict[str, int | None]:
    """Returns from when (ms) each kind of work is owed after an append now; None: not owed.

    `grace` (ms) is the time that whoever appends takes for the bots' next moves by itself.
    """
    status = game.table.status
    move, bots_move = bot_work_kind(game), now + max(grace, game.table.created.bot_delay)
    expiry = seat_clocks.first_to_expire(game.table)
    over, done = game.table.over, game.table.recordable
    return {
        **{kind: bots_move if kind == move else None for kind in SAME_WORK},
        SCORE: now if status == table_state.SCORING else None,
        EXPIRE: game.table.created_at + life.expire if status == table_state.OPEN else None,
        IDLE: now + life.abandon if status == table_state.PLAYING else None,
        ARCHIVE: now + life.archive if done and life.archive is not None else None,
        DEADLINE: None if expiry is None else expiry[0],
        REVEAL: now if over and not done else None,
    }


def bot_work_kind(game: Game) -> str | None:
    """Returns the kind of work that the bots' next move is; None where no bot must act."""
    bots = [seat for seat in map(game.table.seats.__getitem__, game.to_act()) if seat.bot]
    if not bots:
        return None
    quick = any(seat.level in QUICK_LEVELS for seat in bots)
    if all_bots(game.table.seats):
        return BOTS_ONLY_MOVE if quick else BOTS_ONLY_SEARCH
    return BOT_MOVE if quick else BOT_SEARCH


def due_changes(
    before: Game | None, after: Game, now: int, life: Lifetimes, grace: int = 0
) -> dict[str, int | None]:
    """Returns what an append now must say of what is owed: all but what was not and is not."""
    owes = due_work(after, now, life, grace)
    if before is None:
        return owes
    owed_before = due_work(before, now, life)
    return {
        kind: time
        for kind, time in owes.items()
        if time is not None or owed_before[kind] is not None
    }
