"""What a game owes and where it is listed: both follow from its state alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from ..levels import QUICK
from ..store.protocol import IndexChange
from . import table as tables
from .events import SeatPlan
from .game import Game
from .table import Seat

BOT: Final = "bot"
THINK: Final = "think"
CROWD: Final = "crowd"
CROWD_THINK: Final = "crowd_think"
SCORE: Final = "score"
EXPIRE: Final = "expire"
IDLE: Final = "idle"
ARCHIVE: Final = "archive"
DEADLINE: Final = "deadline"
REVEAL: Final = "reveal"
KINDS: Final = (BOT, THINK, CROWD, CROWD_THINK, SCORE, EXPIRE, IDLE, ARCHIVE, DEADLINE, REVEAL)
"""What follows from a game's state. Webhooks are owed by how far each has been told: the store

itself puts them on the due list, each under a kind of its own (`protocol.hook_kind`).
"""

ALIKE: Final[Mapping[str, tuple[str, ...]]] = {
    BOT: (BOT, CROWD),
    CROWD: (CROWD, BOT),
    THINK: (THINK, CROWD_THINK),
    CROWD_THINK: (CROWD_THINK, THINK),
}
"""Bots that answer at once, and bots that think; each in games with people, and of bots alone.

The kind is another one when the last person leaves; the work stays the same.
"""

IMPORT: Final = "import"
"""Owed under an id that is no game's yet: a record is to be judged. See `importing`."""

ANALYSIS: Final = "analysis"
"""Owed under an analysis' own id: advice is to be thought out. See `analyses`."""

_HOSTING: Final = "hosting-"

QUICK_LEVELS: Final = QUICK
"""Levels of bots that answer at once; others think."""

CROWDS: Final = "bots"
"""The list of games of bots alone that have not ended."""

HOUR: Final = 3_600_000


@dataclass(frozen=True, slots=True)
class Life:
    """How long games last (ms): unstarted, idle, finished but not archived (None: never)."""

    expire: int = 24 * HOUR
    abandon: int = 30 * 24 * HOUR
    archive: int | None = None


def due(game: Game, now: int, life: Life, grace: int = 0) -> dict[str, int | None]:
    """Returns from when (ms) each kind of work is owed after an append now; None: not owed.

    `grace` (ms) is the time that whoever appends takes for the bots' next moves by itself.
    """
    status = game.table.status
    move, bots_move = moving(game), now + max(grace, game.table.created.bot_delay)
    expiry = tables.first_to_expire(game.table)
    over, done = game.table.over, game.table.recordable
    return {
        **{kind: bots_move if kind == move else None for kind in ALIKE},
        SCORE: now if status == tables.SCORING else None,
        EXPIRE: game.table.since + life.expire if status == tables.OPEN else None,
        IDLE: now + life.abandon if status == tables.PLAYING else None,
        ARCHIVE: now + life.archive if done and life.archive is not None else None,
        DEADLINE: None if expiry is None else expiry[0],
        REVEAL: now if over and not done else None,
    }


def moving(game: Game) -> str | None:
    """Returns the kind of work that the bots' next move is; None where no bot must act."""
    bots = [seat for seat in map(game.table.seats.__getitem__, game.to_act()) if seat.bot]
    if not bots:
        return None
    quick = any(seat.level in QUICK_LEVELS for seat in bots)
    if alone(game.table.seats):
        return CROWD if quick else CROWD_THINK
    return BOT if quick else THINK


def due_changes(
    before: Game | None, after: Game, now: int, life: Life, grace: int = 0
) -> dict[str, int | None]:
    """Returns what an append now must say of what is owed: all but what was not and is not."""
    owes = due(after, now, life, grace)
    if before is None:
        return owes
    owed_before = due(before, now, life)
    return {
        kind: time
        for kind, time in owes.items()
        if time is not None or owed_before[kind] is not None
    }


def change(before: Game | None, after: Game) -> IndexChange | None:
    """Returns how the index lists change from one state to a later one, None if they do not."""
    old = None if before is None else _listed(before)
    new = _listed(after)
    was = frozenset() if before is None else _lists(before)
    now = _lists(after)
    if before is not None and old == new and was == now:
        return None
    return IndexChange(
        after.table.since,
        None if old == new else old,
        None if old == new else new,
        tuple(sorted(now - was)),
        tuple(sorted(was - now)),
    )


def gone(game: Game) -> IndexChange:
    """Returns the change that takes a game out of every list."""
    return IndexChange(game.table.since, _listed(game), None, (), tuple(sorted(_lists(game))))


def back(game: Game) -> IndexChange:
    """Returns the change that puts a game into its lists, as if it were new."""
    return IndexChange(game.table.since, None, _listed(game), tuple(sorted(_lists(game))), ())


def clients(game: Game) -> frozenset[str]:
    """Returns the hashes of the tokens that have to do with the game: host and seats."""
    seated = {seat.token for seat in game.table.seats if seat.token is not None}
    seated.discard(tables.NO_CODE)  # whoever sat there in a game that was imported
    return frozenset(seated | {game.table.host})


def crowds(game: Game) -> frozenset[str]:
    """Returns the names of the lists that a game stands in if bots play it alone and it has not

    ended: its host's, and that of all such games but for those whose people gave their seats away,
    lest these take others' room.
    """
    table = game.table
    if table.status not in (tables.OPEN, tables.PLAYING) or not alone(table.seats):
        return frozenset()
    own = crowd_of(table.host)
    return frozenset({own, CROWDS} if alone(table.created.seats) else {own})


def crowd_of(client: str) -> str:
    """Returns the name of the list of a client's games of bots alone."""
    return f"{CROWDS}-{client}"


def alone(seats: Iterable[Seat | SeatPlan]) -> bool:
    """Returns whether bots play all these seats."""
    return all(seat.kind == "bot" for seat in seats)


def hosting(client: str) -> str:
    """Returns the name of the list, beside a client's own, of the games it hosts and that are not

    over.
    """
    return _HOSTING + client


def _lists(game: Game) -> frozenset[str]:
    """Returns the names of all lists, besides those of statuses, that the game stands in."""
    found = clients(game) | crowds(game)
    return found if game.table.over else found | {hosting(game.table.host)}


def _listed(game: Game) -> str | None:
    return game.table.status if game.table.public else None
