"""What the workers do: each job loads the newest state and asks whether it still owes this.

Jobs may be late, doubled or lost. Late and doubled ones find nothing to do, or are refused by the
store since the game has moved on; a lost one comes again when its lease ends.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from rq import get_current_job

from service.games import analyses as questions
from service.games import due_work, tracing
from service.games.commands import tournaments
from service.games.commands.errors import Stale
from service.games.game import Game
from service.games.records import archive as archives
from service.games.records import record_import
from service.games.repository import UnknownGame
from service.store import WEBHOOK, Gone

from . import analyses, bot_moves, expiry, metrics
from .context import WorkerContext
from .webhooks import delivery as webhook_delivery

log = logging.getLogger(__name__)

MAX_MOVES: Final = 50
MAX_SECONDS: Final = 2.0
"""A job plays bots' moves one after the other, so many or so long; then others have their turn."""

MAX_ALONE: Final = 0.1
"""Seconds instead for bots alone, whom nobody waits for."""

LEASE: Final = bot_moves.LEASE
"""How long (ms) quick work is left to the worker that took it."""

THINKING: Final = 7_000
"""How long (ms) a move is left to the worker that thinks about it."""

LEASES: Final[Mapping[str, int]] = {
    due_work.BOT_SEARCH: THINKING,
    due_work.BOTS_ONLY_SEARCH: THINKING,
    due_work.IMPORT: record_import.LEASE,
    due_work.ANALYSIS: questions.LEASE,
    WEBHOOK: webhook_delivery.LEASE,
}
"""The leases that are not `LEASE`, by kind of work (of webhooks: by their sort)."""

WAIT: Final = 600_000
"""After how long (ms) a table that is over asks again whether its tournament is."""


@dataclass(frozen=True, slots=True)
class Task:
    """A piece of work as it is asked for. `by` names in the record who did it (a bot's move names

    its level instead); `again`: a worker that was to do it was lost.
    """

    kind: str
    by: str = "worker"
    again: bool = False


def do_work(
    context: WorkerContext, kind: str, game_id: str, by: str = "worker", *, again: bool = False
) -> bool:
    """Does what a game owes, if it still does. Returns whether anything was done.

    `by` and `again` as in `Task`. It goes back to the request whose append made the work due, and
    says so in its log lines and appends. Raises what the store raises; what was left undone comes
    again when its lease ends.
    """
    with tracing.traced(game=game_id, kind=kind, **_job_facts()):
        began = time.monotonic()
        done = _do_work(context, kind, game_id, by, again)
        ms = round((time.monotonic() - began) * 1000, 1)
        log.info("worked" if done else "nothing to do", extra={"ms": ms})
        return done


def _job_facts() -> dict[str, str]:
    """Returns what the queues call this work, as the relay's line does; nothing in the relay."""
    job = get_current_job()
    return {} if job is None else {"job": job.id}


def _do_work(context: WorkerContext, kind: str, game_id: str, by: str, again: bool) -> bool:
    sort, _, own = kind.partition("-")
    if sort == WEBHOOK:
        return context.delivery_pool.take(
            game_id,
            own,
            context.command_handler.store,
            lambda: webhook_delivery.deliver(context, game_id, own),
        )
    if kind == due_work.IMPORT:
        return _import(context, game_id)
    if kind == due_work.ANALYSIS:
        return analyses.run_analysis(context, game_id)
    alike = due_work.SAME_WORK.get(kind, (kind,))
    dues = context.command_handler.store.get_due(game_id, alike)
    try:
        loaded = context.command_handler.repository.load(game_id)
    except (Gone, UnknownGame):
        return False
    tracing.note(request=loaded.game.request)
    owes = due_work.due_work(loaded.game, loaded.game.table.changed_at, context.life)
    kind = next((each for each in alike if owes.get(each) is not None), kind)
    truly, due = owes.get(kind), dues.get(kind)
    if truly is None or truly > loaded.now:
        if due is not None:
            context.command_handler.store.set_due(game_id, kind, truly, only_if=due)
        return False
    try:
        return _DUTIES[kind](context, loaded.game, Task(kind, by, again))
    except (Stale, Gone):
        return False


def _play(context: WorkerContext, game: Game, task: Task) -> bool:
    """Plays the bots that must act at once, until people must or time is up; one move alone at a

    table with a delay between them.
    """
    one_by_one = bool(game.table.created.bot_delay)
    end = time.monotonic() + (MAX_ALONE if task.kind == due_work.BOTS_ONLY_MOVE else MAX_SECONDS)
    for _ in range(1 if one_by_one else MAX_MOVES):
        seat = waiting_bot(game)
        if seat is None:
            return True
        game = bot_moves.play_move(
            context, game, seat, further=not one_by_one, apart=task.again
        ).game
        if time.monotonic() > end:
            break
    if not one_by_one and waiting_bot(game) is not None:
        store = context.command_handler.store
        store.set_due(game.id, task.kind, store.now())
    return True


def _think(context: WorkerContext, game: Game, task: Task) -> bool:
    """Plays what one search of a bot that takes its time brought; the lease counts from now."""
    store = context.command_handler.store
    store.extend_lease(game.id, task.kind, store.now() + THINKING)
    seat = next(seat for seat in game.to_act() if game.table.seats[seat].bot)
    bot_moves.play_move(context, game, seat, further=False)
    return True


def waiting_bot(game: Game) -> int | None:
    """Returns the first seat that the game waits for and a bot of a quick level plays."""
    for seat in game.to_act():
        held = game.table.seats[seat]
        if held.bot and held.level in due_work.QUICK_LEVELS:
            return seat
    return None


def _score(context: WorkerContext, game: Game, task: Task) -> bool:
    context.command_handler.append_result(game, task.by)
    return True


def _expire(context: WorkerContext, game: Game, task: Task) -> bool:
    context.command_handler.abandon(game, "expired", task.by)
    return True


def _abandon(context: WorkerContext, game: Game, task: Task) -> bool:
    context.command_handler.abandon(game, "idle", task.by)
    return True


def _reveal(context: WorkerContext, game: Game, task: Task) -> bool:
    """Shows the chance of a tournament's table once all are over, and rings for the others."""
    command_handler = context.command_handler
    store = command_handler.store
    now, due = store.now(), store.get_due(game.id, (due_work.REVEAL,)).get(due_work.REVEAL)
    if tournaments.is_outstanding(command_handler.repository, game, now, context.life.expire):
        store.set_due(game.id, due_work.REVEAL, now + WAIT, only_if=due)
        return False
    command_handler.reveal_chance(game, task.by)
    for other in tournaments.still_sealed(command_handler.repository, game):
        store.set_due(other, due_work.REVEAL, now)
    return True


def _overdue(context: WorkerContext, game: Game, task: Task) -> bool:
    return expiry.expire_seat(context, game, task.by)


def _archive(context: WorkerContext, game: Game, task: Task) -> bool:
    done = archives.archive_game(context.command_handler.store, game, context.folder) is not None
    context.command_handler.repository.evict(game.id)
    return done


def _import(context: WorkerContext, import_id: str) -> bool:
    """Judges a record that waits under an id; see `importing`."""
    found = record_import.run_import(context.command_handler, import_id, context.life.archive)
    if found is not None:
        metrics.JUDGED.labels(found.status).inc()
    return found is not None


_DUTIES: Final[Mapping[str, Callable[[WorkerContext, Game, Task], bool]]] = {
    due_work.BOT_MOVE: _play,
    due_work.BOT_SEARCH: _think,
    due_work.BOTS_ONLY_MOVE: _play,
    due_work.BOTS_ONLY_SEARCH: _think,
    due_work.SCORE: _score,
    due_work.EXPIRE: _expire,
    due_work.IDLE: _abandon,
    due_work.ARCHIVE: _archive,
    due_work.DEADLINE: _overdue,
    due_work.REVEAL: _reveal,
}

_held: dict[str, WorkerContext] = {}


def set_context(context: WorkerContext) -> None:
    """Gives this process the house that its jobs work in."""
    _held["house"] = context


def work(kind: str, game_id: str, again: bool = False) -> Any:
    """The job as the queues know it: `answer` in the house that this process holds."""
    return do_work(_held["house"], kind, game_id, again=again)
