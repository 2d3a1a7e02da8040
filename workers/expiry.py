"""The job for a seat whose time has run out (T-8), and its metrics."""

from __future__ import annotations

from typing import Final

from prometheus_client import Counter, Histogram

from service.games.game import Game
from service.games.table import seat_clocks
from service.games.table.events import Expired

from .context import WorkerContext

EXPIRED: Final = Counter(
    "bailli_deadlines_expired_total", "Seats whose time ran out, by what followed.", ("following",)
)
LAG: Final = Histogram(
    "bailli_deadline_lag_seconds",
    "From the time that ran out until that stood in the record.",
    buckets=(0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0, 60.0),
)


def expire_seat(context: WorkerContext, game: Game, sent_by: str) -> bool:
    """Carries out what the table chose for the seat whose time runs out first.

    Returns whether any clock runs. Where more seats are late, the same work is due again at once.
    Raises `Stale` when the game has moved on: a command of the seat that was faster stands.
    """
    first = seat_clocks.first_to_expire(game.table)
    if first is None:
        return False
    until, seat = first
    committed = context.command_handler.expire_seat(game, seat, sent_by)
    for line in committed.events:
        if isinstance(line.event, Expired):
            EXPIRED.labels(line.event.following).inc()
            LAG.observe((line.at - until) / 1000)
    return True
