"""What the workers do: each job loads the newest state and asks whether it still owes this.

Jobs may be late, doubled or lost. Late and doubled ones find nothing to do, or are refused by the
store since the game has moved on; a lost one comes again when its lease ends.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from service.games import archive, importing, owed, tournaments
from service.games.game import Game
from service.games.handling import HandlingError, Stale, Written
from service.games.repository import UnknownGame
from service.store.protocol import HOOK, Gone, StoreError

from . import bots, deadlines, hooks, metrics
from .house import House

log = logging.getLogger(__name__)

MOST_MOVES: Final = 50
MOST_SECONDS: Final = 2.0
"""A job plays bots' moves one after the other, so many or so long; then others have their turn."""

LEASE: Final = 5_000
"""How long (ms) quick work is left to the worker that took it."""

THINKING: Final = 7_000
"""How long (ms) a move is left to the worker that thinks about it."""

LEASES: Final[Mapping[str, int]] = {
    owed.THINK: THINKING,
    owed.IMPORT: importing.LEASE,
    HOOK: hooks.LEASE,
}
"""The leases that are not `LEASE`, by kind of work (of webhooks: by their sort)."""

WAIT: Final = 600_000
"""After how long (ms) a table that is over asks again whether its tournament is."""

FALLBACK: Final = "random"
"""The level that moves where a bot fails."""


def answer(house: House, kind: str, game_id: str, by: str = "worker") -> bool:
    """Does what a game owes, if it still does. Returns whether anything was done.

    `by` names in the record who did it (a bot's move names its level instead). Raises what the
    store raises; what was left undone comes again when its lease ends.
    """
    sort, _, own = kind.partition("-")
    if sort == HOOK:
        return house.courier.take(
            game_id, own, house.handling.store, lambda: hooks.deliver(house, game_id, own)
        )
    if kind == owed.IMPORT:
        return _import(house, game_id)
    due = house.handling.store.due(game_id, (kind,)).get(kind)
    try:
        loaded = house.handling.repository.load(game_id)
    except (Gone, UnknownGame):
        return False
    truly = owed.due(loaded.game, loaded.game.table.moved, house.life).get(kind)
    if truly is None or truly > loaded.now:
        if due is not None:
            house.handling.store.set_due(game_id, kind, truly, only_if=due)
        return False
    try:
        return _DUTIES[kind](house, loaded.game, by)
    except (Stale, Gone):
        return False


def _play(house: House, game: Game, by: str) -> bool:
    """Plays the bots that must act, of quick levels first, until people must or time is up."""
    end = time.monotonic() + MOST_SECONDS
    for _ in range(MOST_MOVES):
        seat = waiting_bot(game)
        if seat is None:
            return True
        game = move(house, game, seat).game
        if time.monotonic() > end:
            break
    if waiting_bot(game) is not None:
        store = house.handling.store
        store.set_due(game.id, owed.BOT, store.now())
    return True


def _think(house: House, game: Game, by: str) -> bool:
    """Plays what one search of a bot that takes its time brought; the lease counts from now."""
    store = house.handling.store
    store.extend(game.id, owed.THINK, store.now() + THINKING)
    seat = next(seat for seat in game.to_act() if game.table.seats[seat].bot)
    move(house, game, seat, further=False)
    return True


def waiting_bot(game: Game) -> int | None:
    """Returns the first seat that the game waits for and a bot of a quick level plays."""
    for seat in game.to_act():
        held = game.table.seats[seat]
        if held.bot and held.level in owed.QUICK_LEVELS:
            return seat
    return None


def move(house: House, game: Game, seat: int, *, further: bool = True) -> Written:
    """Lets the bot that plays a seat move: one command, or several in a row that it thought out

    together. Where it fails, a random move is made in its place, and the record says so ("random
    for easy"). `further`: the caller goes on by itself where bots must act again. Raises `Stale`
    when the game has moved on.
    """
    level = game.table.seats[seat].level or FALLBACK
    handling = house.handling
    written: Written | None = None
    failed = False
    try:
        line = bots.line(game.ruleset, game.law, seat, level, house.generator, time.monotonic)
        for number, command in enumerate(line, start=1):
            grace = LEASE if further or number < len(line) else 0
            written = handling.play_bot(seat, command, game, level, grace=grace)
            game = written.game
    except (HandlingError, StoreError):
        raise
    except Exception:  # whatever a bot does wrong, the game goes on
        log.exception("the bot of level %s failed in game %s", level, game.id)
        failed = seat in game.to_act()
    if written is not None and not failed:
        return written
    command = bots.choose(game.ruleset, game.law, seat, FALLBACK, house.generator)
    grace = LEASE if further else 0
    return handling.play_bot(seat, command, game, f"{FALLBACK} for {level}", grace=grace)


def _score(house: House, game: Game, by: str) -> bool:
    house.handling.score(game, by)
    return True


def _expire(house: House, game: Game, by: str) -> bool:
    house.handling.end(game, "expired", by)
    return True


def _abandon(house: House, game: Game, by: str) -> bool:
    house.handling.end(game, "idle", by)
    return True


def _reveal(house: House, game: Game, by: str) -> bool:
    """Shows the chance of a tournament's table once all are over, and rings for the others."""
    handling = house.handling
    store = handling.store
    now, due = store.now(), store.due(game.id, (owed.REVEAL,)).get(owed.REVEAL)
    if tournaments.outstanding(handling.repository, game, now, house.life.expire):
        store.set_due(game.id, owed.REVEAL, now + WAIT, only_if=due)
        return False
    handling.reveal(game, by)
    for other in tournaments.sealed_yet(handling.repository, game):
        store.set_due(other, owed.REVEAL, now)
    return True


def _archive(house: House, game: Game, by: str) -> bool:
    done = archive.archive(house.handling.store, game, house.folder) is not None
    house.handling.repository.forget(game.id)
    return done


def _import(house: House, import_id: str) -> bool:
    """Judges a record that waits under an id; see `importing`."""
    found = importing.carry_out(house.handling, import_id, house.life.archive)
    if found is not None:
        metrics.JUDGED.labels(found.status).inc()
    return found is not None


_DUTIES: Final[Mapping[str, Callable[[House, Game, str], bool]]] = {
    owed.BOT: _play,
    owed.THINK: _think,
    owed.SCORE: _score,
    owed.EXPIRE: _expire,
    owed.IDLE: _abandon,
    owed.ARCHIVE: _archive,
    owed.DEADLINE: deadlines.expire,
    owed.REVEAL: _reveal,
}

_held: dict[str, House] = {}


def hold(house: House) -> None:
    """Gives this process the house that its jobs work in."""
    _held["house"] = house


def work(kind: str, game_id: str) -> Any:
    """The job as the queues know it: `answer` in the house that this process holds."""
    return answer(_held["house"], kind, game_id)
