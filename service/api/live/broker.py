"""Who listens in this process, and what they are told.

One subscription to the store serves all of them. Its news only says that a game has moved: what
happened is read from the stream, from the version on that was told last. So news may be lost or
come twice; whoever listens is told each event once and in order. Where news may have been lost
(the subscription was interrupted) all games are looked at, and every few seconds besides.

Nobody waits for a client: each has its own bounded queue, and one that reads too slowly is cut off.
It comes back with the last version it has seen, and has lost nothing.
"""

from __future__ import annotations

import contextlib
import logging
import queue
import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Final, cast

from flask import current_app

from ...games import authorization, history, index_lists
from ...games.game import Game
from ...games.repository import Repository, UnknownGame
from ...games.table.events import TableEvent
from ...rules.plain import Detail
from ...store import LISTENING, Corrupt, Gone, Store
from ..http import metrics
from ..http.problems import Problem
from .channel import GONE, Channel, Cursor, end_message, event_messages
from .inbox import Inbox, InboxState
from .subscriber import HEARTBEAT, Message, Subscriber, disconnected, monotonic

log = logging.getLogger(__name__)

EXTENSION: Final = "bailli-hub"
INSPECTION_INTERVAL: Final = 1.0
"""Seconds between two looks at the readers."""
POLL_INTERVAL: Final = 5.0
"""Seconds between two looks at all games that are followed, news or not."""
INBOX_INTERVAL: Final = 30.0
"""Seconds between two looks at all games of each client that is told of its turns."""
IDLE_SECONDS: Final = 5.0
"""Seconds without readers after which the subscription ends."""
START_SECONDS: Final = 2.0
"""Seconds that a reader waits for the subscription; without it the looks must do."""
PAGE_SIZE: Final = 500
WORKER_THREADS: Final = 4
MAX_UNRELATED_GAMES: Final = 100_000
RETRY_SOON: Final = {"Retry-After": "2"}
RETRY_LATER: Final = {"Retry-After": "30"}
"""By then every request that is held now has been answered."""

Job = tuple[str, str]
"""What is to be looked at: ("game", its id) and ("turn", its id) for those who follow the game and

those whom it may wait for, ("desk", a client) for all its games.
"""


class _Draining:
    """Whether this process is about to end: what runs it says so."""

    def __init__(self) -> None:
        self.asked: Callable[[], bool] = lambda: False


_draining = _Draining()


def drain_when(asked: Callable[[], bool]) -> None:
    """Lets everybody go, in the whole process, as soon as `asked` says so."""
    _draining.asked = asked


def is_draining() -> bool:
    """Returns whether this process is about to end, and wants no more clients."""
    return _draining.asked()


class Broker:
    """The readers of a process; at most `most` of them, and `each` of one address (0: no limit).

    Safe to share between threads.

    Streams on which nothing happens are sent a comment every `beat` seconds.
    """

    def __init__(
        self, store: Store, repository: Repository, most: int, beat: int, each: int = 0
    ) -> None:
        self._store = store
        self._repository = repository
        self._most = most
        self._beat = beat
        self._each = each
        self._addresses: Counter[str] = Counter()
        self._lock = threading.RLock()
        self._readers: dict[Subscriber, Job | None] = {}
        self._channels: dict[str, Channel] = {}
        self._desks: dict[str, Inbox] = {}
        self._strangers: set[str] = set()
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._busy: dict[Job, bool] = {}
        self._failed: set[Job] = set()
        self._running = False
        self._live = threading.Event()
        self._next_look = self._next_poll = self._next_desks = self._empty_since = 0.0

    # What a client's request calls

    def enter(self, reader: Subscriber) -> None:
        """Lets a reader in. Raises `Problem` where there are too many, or the process ends."""
        with self._lock:
            if len(self._readers) >= self._most or _draining.asked():
                raise Problem("streams_full", headers=RETRY_SOON)
            if self._each and self._addresses[reader.address] >= self._each:
                raise Problem(
                    "too_many_streams",
                    Detail(
                        "{most} event streams and held requests of this client are open, as many "
                        "as it may have. Close some of them, or wait for those that end.",
                        most=self._each,
                    ),
                    headers=RETRY_LATER,
                )
            self._readers[reader] = None
            self._addresses[reader.address] += 1
            if not self._running:
                self._start()
        metrics.OPEN.labels(reader.kind).inc()
        self._live.wait(START_SECONDS)

    def leave(self, reader: Subscriber) -> None:
        """Forgets a reader, if it is known."""
        with self._lock:
            if reader not in self._readers:
                return
            where = self._readers.pop(reader)
            self._addresses[reader.address] -= 1
            if not self._addresses[reader.address]:
                del self._addresses[reader.address]
            self._empty_since = monotonic()
            if where is not None and where[0] == "game":
                channel = self._channels[where[1]]
                channel.readers.discard(reader)
                if not channel.readers:
                    del self._channels[where[1]]
            elif where is not None:
                inbox = self._desks[where[1]]
                inbox.readers.discard(reader)
                inbox.hearing.discard(reader)
                if not inbox.readers:
                    del self._desks[where[1]]
        metrics.OPEN.labels(reader.kind).dec()

    def follow(self, game_id: str, reader: Subscriber) -> None:
        """Begins to queue what happens in a game; `told_to` must follow."""
        with self._lock:
            self._readers[reader] = ("game", game_id)
            self._channels.setdefault(game_id, Channel()).readers.add(reader)

    def told_to(self, game: Game) -> int:
        """Returns the version after which all is queued for whoever followed the game before it

        was loaded. It may be less than the game's: the others have not been told the rest yet.
        """
        with self._lock:
            channel = self._channels[game.id]
            if channel.cursor is None:
                table = game.table
                channel.cursor = Cursor(
                    game.version, game.hash, table.changed_at, game.ruleset, table.public
                )
                if channel.heard > game.version:
                    self._ring(("game", game.id))
            return channel.cursor.version

    def attend(self, client: str, reader: Subscriber) -> InboxState:
        """Begins to queue what begins and ceases to wait for a client; returns what waits now."""
        with self._lock:
            inbox = self._desks.setdefault(client, Inbox(client))
            inbox.readers.add(reader)
            self._readers[reader] = ("desk", client)
        with inbox.filling:
            if not inbox.filled:
                self._fill(inbox)
        with self._lock:
            inbox.hearing.add(reader)
            return inbox.standing()

    def waiting(self, client: str) -> InboxState:
        """Returns what waits for a client that is attended to."""
        with self._lock:
            return self._desks[client].standing()

    # News

    def _start(self) -> None:
        self._running = True
        self._live.clear()
        now = monotonic()
        self._next_look, self._next_poll, self._next_desks = (
            now + INSPECTION_INTERVAL,
            now + POLL_INTERVAL,
            now + INBOX_INTERVAL,
        )
        threading.Thread(target=self._listen, daemon=True).start()
        for _ in range(WORKER_THREADS):
            threading.Thread(target=self._work, args=(self._jobs,), daemon=True).start()

    def _listen(self) -> None:
        """Hears the news and looks after the readers, until there have been none for a while."""
        while True:
            try:
                with contextlib.closing(self._store.listen()) as news:  # type: ignore[type-var]
                    for game in news:
                        if game == LISTENING:
                            self._live.set()
                            self._look_everywhere()
                        elif game is not None:
                            self._hear(*game)
                        if monotonic() >= self._next_look and not self._look():
                            return
            except Exception as fault:  # whatever it is: nobody else listens
                log.warning("no news of games: %r", fault)
            time.sleep(INSPECTION_INTERVAL)
            if not self._look():
                return

    def _hear(self, game_id: str, version: int) -> None:
        with self._lock:
            channel = self._channels.get(game_id)
            if channel is not None:
                channel.heard = max(channel.heard, version)
                if channel.cursor is not None and version > channel.cursor.version:
                    self._ring(("game", game_id))
            if self._desks and game_id not in self._strangers:
                self._ring(("turn", game_id))

    def _ring(self, job: Job) -> None:
        """Has something looked at, again if it is being looked at. The lock is held."""
        if job in self._busy:
            self._busy[job] = True
        else:
            self._busy[job] = False
            self._jobs.put(job)

    def _look_everywhere(self, *, inboxes: bool = True) -> None:
        with self._lock:
            for game_id, channel in self._channels.items():
                if channel.cursor is not None:
                    self._ring(("game", game_id))
            for client in self._desks if inboxes else ():
                self._ring(("desk", client))

    def _look(self) -> bool:
        """Looks after the readers. Returns False where there have been none for a while."""
        now = monotonic()
        self._next_look = now + INSPECTION_INTERVAL
        with self._lock:
            if not self._readers and now - self._empty_since > IDLE_SECONDS:
                self._running = False
                for _ in range(WORKER_THREADS):
                    self._jobs.put(None)
                self._jobs = queue.SimpleQueue()
                self._busy.clear()
                return False
            readers = list(self._readers)
            failed, self._failed = self._failed, set()
            for job in failed:
                self._ring(job)
        if _draining.asked():
            for reader in readers:
                reader.let_go()
        for reader in readers:
            if reader.stuck(now):
                self._cut_off(reader)
        for reader in disconnected(readers):
            reader.let_go()
        for reader in readers:
            if reader.kind != "wait" and now - reader.heard > self._beat - INSPECTION_INTERVAL:
                reader.offer([HEARTBEAT])
        if now >= self._next_poll:
            self._next_poll = now + POLL_INTERVAL
            inboxes = now >= self._next_desks
            self._next_desks = now + INBOX_INTERVAL if inboxes else self._next_desks
            self._look_everywhere(inboxes=inboxes)
        return True

    def _work(self, jobs: queue.SimpleQueue[Job | None]) -> None:
        while (job := jobs.get()) is not None:
            kind, name = job
            try:
                if kind == "game":
                    self._tell(name)
                elif kind == "turn":
                    self._tell_turns(name)
                else:
                    self._look_at_desk(name)
            except Corrupt as fault:
                log.error("%s can't be told: %s", name, fault)
                self._send_away(name)
            except Exception as fault:  # whatever it is: a helper that dies is never replaced
                log.warning("%s is told later: %r", name, fault)
                with self._lock:
                    self._failed.add(job)
            finally:
                with self._lock:
                    if self._busy.pop(job, False):
                        self._ring(job)

    # Events

    def _tell(self, game_id: str) -> None:
        """Tells a game's readers what they have not been told."""
        with self._lock:
            channel = self._channels.get(game_id)
            cursor = None if channel is None else channel.cursor
        while channel is not None and cursor is not None:
            heard = monotonic()
            try:
                entries = self._repository.read_entries(
                    game_id, cursor.version, cursor.version + PAGE_SIZE
                )
            except Gone:
                self._hand(channel, cursor, [end_message(cursor.version, GONE, heard)])
                return
            if not entries or entries[0].hash != cursor.hash:  # a failover lost something
                self._send_away(game_id)
                return
            told = history.decode_entries(entries[1:], cursor.ruleset, cursor.version, cursor.at)
            if not told:
                return
            if not cursor.public and any(isinstance(each.event, TableEvent) for each in told):
                self._check_rights(game_id, channel)
            cursor = cursor._replace(
                version=told[-1].version, hash=entries[-1].hash, at=told[-1].at
            )
            self._hand(channel, cursor, event_messages(told, heard))

    def _hand(self, channel: Channel, cursor: Cursor, pieces: list[Message]) -> None:
        with self._lock:
            channel.cursor = cursor
            slow = [reader for reader in channel.readers if not reader.offer(pieces)]
        for reader in slow:
            self._cut_off(reader)

    def _check_rights(self, game_id: str, channel: Channel) -> None:
        """Sends away those who may no longer read a private game (T-9)."""
        table = self._repository.load(game_id).game.table
        with self._lock:
            for reader in channel.readers:
                if not authorization.may_read(table, reader.caller):
                    reader.let_go()

    def _send_away(self, game_id: str) -> None:
        with self._lock:
            channel = self._channels.get(game_id)
            for reader in () if channel is None else channel.readers:
                reader.let_go()

    @staticmethod
    def _cut_off(reader: Subscriber) -> None:
        if reader.cut_off():
            metrics.CUT_OFF.labels(reader.kind).inc()

    # Turns

    def _tell_turns(self, game_id: str) -> None:
        """Tells those whom a game may concern whether it waits for them."""
        game = self._loaded(game_id)
        members = frozenset() if game is None else index_lists.clients(game)
        with self._lock:
            inboxes = [
                inbox
                for client, inbox in self._desks.items()
                if client in members or inbox.knows(game_id)
            ]
            if not inboxes and (game is None or _is_full(game)):
                if len(self._strangers) >= MAX_UNRELATED_GAMES:
                    self._strangers.clear()
                self._strangers.add(game_id)
            for inbox in inboxes:
                self._note(inbox, game_id, game)

    def _note(self, inbox: Inbox, game_id: str, game: Game | None) -> None:
        """Tells a desk's readers what a game's state changes for them. The lock is held."""
        data = inbox.note(game_id, game)
        if data is not None:
            piece = Message(0, data, monotonic())
            for reader in [each for each in inbox.hearing if not each.offer([piece])]:
                self._cut_off(reader)

    def _look_at_desk(self, client: str) -> None:
        with self._lock:
            inbox = self._desks.get(client)
        if inbox is not None:
            with inbox.filling:
                self._fill(inbox)

    def _fill(self, inbox: Inbox) -> None:
        """Looks at all games of a client that are not known to be over."""
        listed = inbox.listed(self._store)
        with self._lock:
            self._strangers.difference_update(listed)
            games = inbox.unsettled(listed)
        for game_id in games:
            game = self._loaded(game_id)
            with self._lock:
                self._note(inbox, game_id, game)
        inbox.filled = True

    def _loaded(self, game_id: str) -> Game | None:
        try:
            return self._repository.load(game_id).game
        except (UnknownGame, Gone):
            return None


def broker() -> Broker:
    """Returns the hub of the application that answers this request."""
    return cast(Broker, current_app.extensions[EXTENSION])


def _is_full(game: Game) -> bool:
    """Returns whether nobody else can take a seat as things are."""
    return all(seat.claim is None for seat in game.table.seats)
