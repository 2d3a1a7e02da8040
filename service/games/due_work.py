"""Due work: what a game still needs done by a worker, and from when on.

It follows from the game's state alone, and each append notes it in the store's due list. A worker
takes a piece under a lease; if it crashes, the work is due again when the lease ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ..bot_levels import QUICK
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
"""The kinds that follow from a game's state. Deliveries of webhooks follow from their cursors: the

store itself puts them on the due list, each under a kind of its own (`protocol.webhook_kind`).
"""

SAME_WORK: Final[Mapping[str, tuple[str, ...]]] = {
    BOT_MOVE: (BOT_MOVE, BOTS_ONLY_MOVE),
    BOTS_ONLY_MOVE: (BOTS_ONLY_MOVE, BOT_MOVE),
    BOT_SEARCH: (BOT_SEARCH, BOTS_ONLY_SEARCH),
    BOTS_ONLY_SEARCH: (BOTS_ONLY_SEARCH, BOT_SEARCH),
}
"""Bots that move at once and bots that search, in games with people and in games of bots alone.

When the last person leaves a game the kind changes; the work is the same.
"""

IMPORT: Final = "import"
"""Due under the id of a game that does not exist yet: a record is to be judged. See `records`."""

ANALYSIS: Final = "analysis"
"""Due under an analysis' own id: advice is to be computed. See `analyses`."""

QUICK_LEVELS: Final = QUICK
"""Levels of bots that move at once; others search."""

HOUR: Final = 3_600_000


@dataclass(frozen=True, slots=True)
class Lifetimes:
    """How long (ms) games are kept unstarted, idle, and finished before archiving (None: never)."""

    expire: int = 24 * HOUR
    abandon: int = 30 * 24 * HOUR
    archive: int | None = None


def due_work(game: Game, now: int, life: Lifetimes, bot_lease: int = 0) -> dict[str, int | None]:
    """Returns from when (ms since 1970) each kind of work is due after an append now; None: never.

    For `bot_lease` (ms) the sender of the append plays the bots' next moves by itself.
    """
    status = game.table.status
    bot_kind, bot_due = bot_work_kind(game), now + max(bot_lease, game.table.created.bot_delay)
    expiry = seat_clocks.first_to_expire(game.table)
    over, recordable = game.table.over, game.table.recordable
    return {
        **{kind: bot_due if kind == bot_kind else None for kind in SAME_WORK},
        SCORE: now if status == table_state.SCORING else None,
        EXPIRE: game.table.created_at + life.expire if status == table_state.OPEN else None,
        IDLE: now + life.abandon if status == table_state.PLAYING else None,
        ARCHIVE: now + life.archive if recordable and life.archive is not None else None,
        DEADLINE: None if expiry is None else expiry[0],
        REVEAL: now if over and not recordable else None,
    }


def bot_work_kind(game: Game) -> str | None:
    """Returns the kind of work of the bots' next move; None where no bot must act."""
    bots = [seat for seat in map(game.table.seats.__getitem__, game.to_act()) if seat.bot]
    if not bots:
        return None
    quick = any(seat.level in QUICK_LEVELS for seat in bots)
    if all_bots(game.table.seats):
        return BOTS_ONLY_MOVE if quick else BOTS_ONLY_SEARCH
    return BOT_MOVE if quick else BOT_SEARCH


def due_changes(
    before: Game | None, after: Game, now: int, life: Lifetimes, bot_lease: int = 0
) -> dict[str, int | None]:
    """Returns the due work that an append now must set or clear: all kinds but those never due."""
    due_after = due_work(after, now, life, bot_lease)
    if before is None:
        return due_after
    due_before = due_work(before, now, life)
    return {
        kind: time
        for kind, time in due_after.items()
        if time is not None or due_before[kind] is not None
    }
