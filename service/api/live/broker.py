"""Broker: delivers events and turns to the subscribers of this process (SSE fan-out).

One subscription to the store's notifications serves all subscribers. A notification only says that
a game has changed: the events are read from the stream, from the version that was published last.
So notifications may be lost or repeated; every subscriber gets each event once and in order. After
the subscription was interrupted, and every few seconds besides, all followed games are read.

Nobody waits for a client: each subscriber has a bounded queue, and one that reads too slowly is
disconnected. It reconnects with the last version it has received, and misses nothing.
"""

from __future__ import annotations

import contextlib
import logging
import queue
import threading
import time
from collections import Counter
from typing import Final, Literal

from ...games.game import Game
from ...games.repository import Repository
from ...rules.plain import Detail
from ...store import LISTENING, Corrupt, Store
from ..http import metrics
from ..http.problems import Problem
from . import draining
from .game_channels import GameChannels, cursor_at
from .inbox import InboxState
from .inbox_updates import InboxUpdates
from .subscriber import HEARTBEAT, Subscriber, disconnect_slow, disconnected, monotonic

log = logging.getLogger(__name__)

EXTENSION: Final = "bailli-hub"
INSPECTION_INTERVAL: Final = 1.0
"""Seconds between two inspections of the subscribers."""
POLL_INTERVAL: Final = 5.0
"""Seconds between two reads of all followed games, notified or not."""
INBOX_INTERVAL: Final = 30.0
"""Seconds between two reloads of each inbox."""
IDLE_SECONDS: Final = 5.0
"""Seconds without subscribers after which the store subscription ends."""
START_SECONDS: Final = 2.0
"""Seconds that a new subscriber waits for the store subscription; then polling must do."""
WORKER_THREADS: Final = 4
RETRY_SOON: Final = {"Retry-After": "2"}
RETRY_LATER: Final = {"Retry-After": "30"}
"""By then every request that is held now has ended."""

Job = tuple[Literal["events", "turns", "inbox"], str]
"""What a worker thread does: publish the new "events" of a game (id), the "turns" that a game (id)

changes, or reload the "inbox" of a client (token hash).
"""


class Broker:
    """The subscribers of a process: at most `limit`, and `limit_per_address` of one address (0: no

    limit). Safe to share between threads.

    Streams on which nothing is sent get a comment every `heartbeat` seconds.
    """

    def __init__(
        self,
        store: Store,
        repository: Repository,
        limit: int,
        heartbeat: int,
        limit_per_address: int = 0,
    ) -> None:
        self._store = store
        self._repository = repository
        self._limit = limit
        self._heartbeat = heartbeat
        self._limit_per_address = limit_per_address
        self._addresses: Counter[str] = Counter()
        self._lock = threading.RLock()
        self._subscribers: dict[Subscriber, Job | None] = {}
        """From each subscriber to the job that serves it; None: it follows nothing yet."""
        self._channels = GameChannels(repository, self._lock)
        self._inboxes = InboxUpdates(store, repository, self._lock)
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._scheduled: dict[Job, bool] = {}
        """Jobs that are queued or running; True: to be run again."""
        self._failed: set[Job] = set()
        self._running = False
        self._live = threading.Event()
        self._next_inspection = self._next_poll = self._next_inbox_poll = self._idle_since = 0.0

    # What requests call

    def add(self, subscriber: Subscriber) -> None:
        """Adds a subscriber. Raises `Problem` if there are too many, or the process is draining."""
        with self._lock:
            if len(self._subscribers) >= self._limit or draining.is_draining():
                raise Problem("streams_full", headers=RETRY_SOON)
            limit = self._limit_per_address
            if limit and self._addresses[subscriber.address] >= limit:
                raise Problem(
                    "too_many_streams",
                    Detail(
                        "This client has {limit} open event streams and held requests, the "
                        "maximum. Close some of them, or wait until they end.",
                        limit=limit,
                    ),
                    headers=RETRY_LATER,
                )
            self._subscribers[subscriber] = None
            self._addresses[subscriber.address] += 1
            if not self._running:
                self._start()
        metrics.OPEN_STREAMS.labels(subscriber.kind).inc()
        self._live.wait(START_SECONDS)

    def remove(self, subscriber: Subscriber) -> None:
        """Removes a subscriber, if it is still there."""
        with self._lock:
            if subscriber not in self._subscribers:
                return
            job = self._subscribers.pop(subscriber)
            self._addresses[subscriber.address] -= 1
            if not self._addresses[subscriber.address]:
                del self._addresses[subscriber.address]
            self._idle_since = monotonic()
            if job is not None and job[0] == "events":
                self._channels.remove(job[1], subscriber)
            elif job is not None:
                self._inboxes.remove(job[1], subscriber)
        metrics.OPEN_STREAMS.labels(subscriber.kind).dec()

    def follow_game(self, game_id: str, subscriber: Subscriber) -> None:
        """Begins to queue a game's events; `published_version` must be called next."""
        with self._lock:
            self._subscribers[subscriber] = ("events", game_id)
            self._channels.add(game_id, subscriber)

    def published_version(self, game: Game) -> int:
        """Returns the version after which all events are queued for subscribers that followed the

        game before it was loaded. It may be lower than the game's version, as long as the channel
        is behind.
        """
        with self._lock:
            channel = self._channels.by_game[game.id]
            if channel.cursor is None:
                channel.cursor = cursor_at(game)
                if channel.notified_version > game.version:
                    self._schedule(("events", game.id))
            return channel.cursor.version

    def follow_inbox(self, client: str, subscriber: Subscriber) -> InboxState:
        """Begins to queue the changes of a client's inbox; returns its current state."""
        with self._lock:
            inbox = self._inboxes.add(client, subscriber)
            self._subscribers[subscriber] = ("inbox", client)
        self._inboxes.ensure_loaded(inbox)
        with self._lock:
            inbox.synchronized.add(subscriber)
            return inbox.state()

    def inbox_state(self, client: str) -> InboxState:
        """Returns the current state of an inbox that has subscribers."""
        with self._lock:
            return self._inboxes.by_client[client].state()

    # Notifications and inspections

    def _start(self) -> None:
        self._running = True
        self._live.clear()
        now = monotonic()
        self._next_inspection = now + INSPECTION_INTERVAL
        self._next_poll = now + POLL_INTERVAL
        self._next_inbox_poll = now + INBOX_INTERVAL
        threading.Thread(target=self._listen, daemon=True).start()
        for _ in range(WORKER_THREADS):
            threading.Thread(target=self._run_jobs, args=(self._jobs,), daemon=True).start()

    def _listen(self) -> None:
        """Handles notifications and inspects the subscribers, until there are none for a while."""
        while True:
            try:
                with contextlib.closing(self._store.listen()) as notifications:  # type: ignore[type-var]
                    for notification in notifications:
                        if notification == LISTENING:
                            self._live.set()
                            self._schedule_all()
                        elif notification is not None:
                            self._handle_notification(*notification)
                        if monotonic() >= self._next_inspection and not self._inspect():
                            return
            except Exception as error:  # whatever it is: no other thread listens
                log.warning("no notifications of games: %r", error)
            time.sleep(INSPECTION_INTERVAL)
            if not self._inspect():
                return

    def _handle_notification(self, game_id: str, version: int) -> None:
        with self._lock:
            channel = self._channels.by_game.get(game_id)
            if channel is not None:
                channel.notified_version = max(channel.notified_version, version)
                if channel.cursor is not None and version > channel.cursor.version:
                    self._schedule(("events", game_id))
            if self._inboxes.may_concern(game_id):
                self._schedule(("turns", game_id))

    def _inspect(self) -> bool:
        """Disconnects and closes subscribers as needed, sends heartbeats and polls. Returns False

        if there have been no subscribers for a while.
        """
        now = monotonic()
        self._next_inspection = now + INSPECTION_INTERVAL
        with self._lock:
            if not self._subscribers and now - self._idle_since > IDLE_SECONDS:
                self._running = False
                for _ in range(WORKER_THREADS):
                    self._jobs.put(None)
                self._jobs = queue.SimpleQueue()
                self._scheduled.clear()
                return False
            subscribers = list(self._subscribers)
            failed, self._failed = self._failed, set()
            for job in failed:
                self._schedule(job)
        if draining.is_draining():
            for subscriber in subscribers:
                subscriber.close()
        disconnect_slow([each for each in subscribers if each.is_stalled(now)])
        for subscriber in disconnected(subscribers):
            subscriber.close()
        silent = self._heartbeat - INSPECTION_INTERVAL
        for subscriber in subscribers:
            if subscriber.kind != "wait" and now - subscriber.enqueued_at > silent:
                subscriber.enqueue([HEARTBEAT])
        if now >= self._next_poll:
            self._next_poll = now + POLL_INTERVAL
            inboxes = now >= self._next_inbox_poll
            self._next_inbox_poll = now + INBOX_INTERVAL if inboxes else self._next_inbox_poll
            self._schedule_all(inboxes=inboxes)
        return True

    # Jobs

    def _schedule(self, job: Job) -> None:
        """Schedules a job, to be run once more if it is running. The lock is held."""
        if job in self._scheduled:
            self._scheduled[job] = True
        else:
            self._scheduled[job] = False
            self._jobs.put(job)

    def _schedule_all(self, *, inboxes: bool = True) -> None:
        with self._lock:
            for game_id, channel in self._channels.by_game.items():
                if channel.cursor is not None:
                    self._schedule(("events", game_id))
            for client in self._inboxes.by_client if inboxes else ():
                self._schedule(("inbox", client))

    def _run_jobs(self, jobs: queue.SimpleQueue[Job | None]) -> None:
        while (job := jobs.get()) is not None:
            kind, name = job
            try:
                if kind == "events":
                    self._channels.publish_new_events(name)
                elif kind == "turns":
                    self._inboxes.publish_turns(name)
                else:
                    self._inboxes.reload(name)
            except Corrupt as error:
                log.error("%s cannot be published: %s", name, error)
                self._channels.close(name)
            except Exception as error:  # whatever it is: a worker that dies is never replaced
                log.warning("%s is published later: %r", name, error)
                with self._lock:
                    self._failed.add(job)
            finally:
                with self._lock:
                    if self._scheduled.pop(job, False):
                        self._schedule(job)
