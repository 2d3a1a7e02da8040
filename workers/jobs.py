"""Jobs: each loads the newest state of a game and does its due work, if it is still due.

Jobs may be late, doubled or lost. Late and doubled ones find nothing to do, or are refused by the
store since the game has moved on; a lost one is due again when its lease ends.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from rq import get_current_job

from service.games import analyses as game_analyses
from service.games import due_work, tracing
from service.games.commands import tournaments
from service.games.commands.errors import Stale
from service.games.game import Game
from service.games.records import archive as record_archive
from service.games.records import record_import
from service.games.repository import UnknownGame
from service.store import WEBHOOK, Gone

from . import analyses, bot_moves, expiry, metrics
from .context import WorkerContext
from .webhooks import delivery as webhook_delivery

log = logging.getLogger(__name__)

MAX_MOVES: Final = 50
MAX_SECONDS: Final = 2.0
"""A job plays bots' moves one after the other, so many or so long (s); then it yields to others."""

MAX_SECONDS_BOTS_ONLY: Final = 0.1
"""Seconds instead in games of bots alone, which nobody waits for."""

LEASE: Final = bot_moves.LEASE
"""For how long (ms) quick work belongs to the worker that took it."""

SEARCH_LEASE: Final = 7_000
"""For how long (ms) a move belongs to the worker that searches it."""

LEASES: Final[Mapping[str, int]] = {
    due_work.BOT_SEARCH: SEARCH_LEASE,
    due_work.BOTS_ONLY_SEARCH: SEARCH_LEASE,
    due_work.IMPORT: record_import.LEASE,
    due_work.ANALYSIS: game_analyses.LEASE,
    WEBHOOK: webhook_delivery.LEASE,
}
"""The leases that are not `LEASE`, by kind of work (deliveries: by the kind's prefix)."""

REVEAL_RETRY: Final = 600_000
"""After how long (ms) a table that is over checks again whether its tournament is."""


@dataclass(frozen=True, slots=True)
class Task:
    """A piece of due work. `sent_by` names the sender in the record (a bot's move names its level

    instead); `worker_lost`: a worker that had the work before was lost.
    """

    kind: str
    sent_by: str = "worker"
    worker_lost: bool = False


def do_work(
    context: WorkerContext,
    kind: str,
    game_id: str,
    sent_by: str = "worker",
    *,
    worker_lost: bool = False,
) -> bool:
    """Does a game's due work, if it is still due. Returns whether anything was done.

    `sent_by` and `worker_lost` as in `Task`. Log lines and appends carry the id of the request
    whose append made the work due. Raises as the store does; work left undone is due again when its
    lease ends.
    """
    with tracing.traced(game=game_id, kind=kind, **_job_facts()):
        began = time.monotonic()
        done = _do_work(context, kind, game_id, sent_by, worker_lost)
        ms = round((time.monotonic() - began) * 1000, 1)
        log.info("worked" if done else "nothing to do", extra={"ms": ms})
        return done


def _job_facts() -> dict[str, str]:
    """Returns the job's id for log lines, as in the relay's line; nothing in the relay itself."""
    job = get_current_job()
    return {} if job is None else {"job": job.id}


def _do_work(
    context: WorkerContext, kind: str, game_id: str, sent_by: str, worker_lost: bool
) -> bool:
    prefix, _, webhook_id = kind.partition("-")
    if prefix == WEBHOOK:
        return context.delivery_pool.start(
            game_id,
            webhook_id,
            context.command_handler.store,
            lambda: webhook_delivery.deliver(context, game_id, webhook_id),
        )
    if kind == due_work.IMPORT:
        return _import(context, game_id)
    if kind == due_work.ANALYSIS:
        return analyses.run_analysis(context, game_id)
    same_work = due_work.SAME_WORK.get(kind, (kind,))
    noted_times = context.command_handler.store.get_due(game_id, same_work)
    try:
        loaded = context.command_handler.repository.load(game_id)
    except (Gone, UnknownGame):
        return False
    tracing.note(request=loaded.game.request)
    due_times = due_work.due_work(loaded.game, loaded.game.table.changed_at, context.life)
    kind = next((each for each in same_work if due_times.get(each) is not None), kind)
    due, noted = due_times.get(kind), noted_times.get(kind)
    if due is None or due > loaded.now:
        if noted is not None:
            context.command_handler.store.set_due(game_id, kind, due, only_if=noted)
        return False
    try:
        return _WORK[kind](context, loaded.game, Task(kind, sent_by, worker_lost))
    except (Stale, Gone):
        return False


def _play_quick_bots(context: WorkerContext, game: Game, task: Task) -> bool:
    """Plays the bots that move at once until people must act or the job's time is up.

    At a table with a delay between bots' moves it plays a single move.
    """
    single_move = bool(game.table.created.bot_delay)
    end = time.monotonic() + (
        MAX_SECONDS_BOTS_ONLY if task.kind == due_work.BOTS_ONLY_MOVE else MAX_SECONDS
    )
    for _ in range(1 if single_move else MAX_MOVES):
        seat = quick_bot_to_act(game)
        if seat is None:
            return True
        game = bot_moves.play_move(
            context, game, seat, may_continue=not single_move, in_child=task.worker_lost
        ).game
        if time.monotonic() > end:
            break
    if not single_move and quick_bot_to_act(game) is not None:
        store = context.command_handler.store
        store.set_due(game.id, task.kind, store.now())
    return True


def _play_searching_bot(context: WorkerContext, game: Game, task: Task) -> bool:
    """Plays one move of a bot that searches; the lease counts from now."""
    store = context.command_handler.store
    store.extend_lease(game.id, task.kind, store.now() + SEARCH_LEASE)
    seat = next(seat for seat in game.to_act() if game.table.seats[seat].bot)
    bot_moves.play_move(context, game, seat, may_continue=False)
    return True


def quick_bot_to_act(game: Game) -> int | None:
    """Returns the first seat to act that a bot of a quick level plays; None where there is none."""
    for seat in game.to_act():
        player = game.table.seats[seat]
        if player.bot and player.level in due_work.QUICK_LEVELS:
            return seat
    return None


def _score(context: WorkerContext, game: Game, task: Task) -> bool:
    context.command_handler.append_result(game, task.sent_by)
    return True


def _end_unstarted(context: WorkerContext, game: Game, task: Task) -> bool:
    context.command_handler.abandon(game, "expired", task.sent_by)
    return True


def _end_idle(context: WorkerContext, game: Game, task: Task) -> bool:
    context.command_handler.abandon(game, "idle", task.sent_by)
    return True


def _reveal(context: WorkerContext, game: Game, task: Task) -> bool:
    """Reveals the chance of a tournament's table once all are over, and makes the others due."""
    command_handler = context.command_handler
    store = command_handler.store
    now, due = store.now(), store.get_due(game.id, (due_work.REVEAL,)).get(due_work.REVEAL)
    if tournaments.is_outstanding(command_handler.repository, game, now, context.life.expire):
        store.set_due(game.id, due_work.REVEAL, now + REVEAL_RETRY, only_if=due)
        return False
    command_handler.reveal_chance(game, task.sent_by)
    for other in tournaments.still_sealed(command_handler.repository, game):
        store.set_due(other, due_work.REVEAL, now)
    return True


def _expire_seat(context: WorkerContext, game: Game, task: Task) -> bool:
    return expiry.expire_seat(context, game, task.sent_by)


def _archive(context: WorkerContext, game: Game, task: Task) -> bool:
    done = (
        record_archive.archive_game(context.command_handler.store, game, context.archive_folder)
        is not None
    )
    context.command_handler.repository.evict(game.id)
    return done


def _import(context: WorkerContext, import_id: str) -> bool:
    """Judges a record that waits under an id; see `record_import`."""
    found = record_import.run_import(context.command_handler, import_id, context.life.archive)
    if found is not None:
        metrics.RECORDS_JUDGED.labels(found.status).inc()
    return found is not None


_WORK: Final[Mapping[str, Callable[[WorkerContext, Game, Task], bool]]] = {
    due_work.BOT_MOVE: _play_quick_bots,
    due_work.BOT_SEARCH: _play_searching_bot,
    due_work.BOTS_ONLY_MOVE: _play_quick_bots,
    due_work.BOTS_ONLY_SEARCH: _play_searching_bot,
    due_work.SCORE: _score,
    due_work.EXPIRE: _end_unstarted,
    due_work.IDLE: _end_idle,
    due_work.ARCHIVE: _archive,
    due_work.DEADLINE: _expire_seat,
    due_work.REVEAL: _reveal,
}

_process: dict[str, WorkerContext] = {}


def set_context(context: WorkerContext) -> None:
    """Sets the context in which this process does its jobs."""
    _process["context"] = context


def work(kind: str, game_id: str, worker_lost: bool = False) -> Any:
    """The job as it is in the queues: `do_work` in this process' context."""
    return do_work(_process["context"], kind, game_id, worker_lost=worker_lost)
