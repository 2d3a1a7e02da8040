"""Channels of games: publish the events of a game to all its subscribers (SSE fan-out)."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Final, NamedTuple

from ...games import authorization, history
from ...games.game import Game
from ...games.history import RecordedEvent
from ...games.repository import Repository
from ...games.table import state as table_state
from ...games.table.events import Abandoned, FinalScored, TableEvent
from ...rules.ruleset import AnyRuleset
from ...store import Gone
from .. import representations
from .subscriber import Message, Subscriber, disconnect_slow, format_event, monotonic

PAGE_SIZE: Final = 500
GONE: Final = "gone"
"""The status in the last message of a stream whose game was removed."""


class Cursor(NamedTuple):
    """The version up to which a channel's events are published, with its hash and time (ms), and

    the game's ruleset and visibility.
    """

    version: int
    hash: bytes
    at: int
    ruleset: AnyRuleset
    public: bool


class Channel:
    """A game's subscribers. `notified_version` is the newest version that was announced."""

    def __init__(self) -> None:
        self.subscribers: set[Subscriber] = set()
        self.cursor: Cursor | None = None
        self.notified_version = 0


class GameChannels:
    """The channels of a process by game. The lock guards them and is the broker's."""

    def __init__(self, repository: Repository, lock: threading.RLock) -> None:
        self._repository = repository
        self._lock = lock
        self.by_game: dict[str, Channel] = {}

    def add(self, game_id: str, subscriber: Subscriber) -> None:
        """Adds a subscriber to a game's channel. The lock is held."""
        self.by_game.setdefault(game_id, Channel()).subscribers.add(subscriber)

    def remove(self, game_id: str, subscriber: Subscriber) -> None:
        """Removes a subscriber, and its channel if it was the last. The lock is held."""
        channel = self.by_game[game_id]
        channel.subscribers.discard(subscriber)
        if not channel.subscribers:
            del self.by_game[game_id]

    def publish_new_events(self, game_id: str) -> None:
        """Publishes the events of a game after its channel's cursor, in order.

        Raises as the repository does.
        """
        with self._lock:
            channel = self.by_game.get(game_id)
            cursor = None if channel is None else channel.cursor
        while channel is not None and cursor is not None:
            notified_at = monotonic()
            try:
                entries = self._repository.read_entries(
                    game_id, cursor.version, cursor.version + PAGE_SIZE
                )
            except Gone:
                end = end_message(cursor.version, GONE, notified_at)
                self._publish(channel, cursor, [end])
                return
            if not entries or entries[0].hash != cursor.hash:  # a failover lost events
                self.close(game_id)
                return
            events = history.decode_entries(entries[1:], cursor.ruleset, cursor.version, cursor.at)
            if not events:
                return
            if not cursor.public and any(isinstance(each.event, TableEvent) for each in events):
                self._close_unauthorized(game_id, channel)
            cursor = cursor._replace(
                version=events[-1].version, hash=entries[-1].hash, at=events[-1].at
            )
            self._publish(channel, cursor, event_messages(events, notified_at))

    def close(self, game_id: str) -> None:
        """Closes all subscribers of a game; they may connect again."""
        with self._lock:
            channel = self.by_game.get(game_id)
            for subscriber in () if channel is None else channel.subscribers:
                subscriber.close()

    def _publish(self, channel: Channel, cursor: Cursor, messages: list[Message]) -> None:
        with self._lock:
            channel.cursor = cursor
            slow = [each for each in channel.subscribers if not each.enqueue(messages)]
        disconnect_slow(slow)

    def _close_unauthorized(self, game_id: str, channel: Channel) -> None:
        """Closes subscribers that may no longer read a private game (T-9)."""
        table = self._repository.load(game_id).game.table
        with self._lock:
            for subscriber in channel.subscribers:
                if not authorization.may_read(table, subscriber.caller):
                    subscriber.close()


def cursor_at(game: Game) -> Cursor:
    """Returns the cursor at a game's version."""
    table = game.table
    return Cursor(game.version, game.hash, table.changed_at, game.ruleset, table.public)


def event_messages(events: Sequence[RecordedEvent], notified_at: float) -> list[Message]:
    """Returns a message for each event, and the end message if the game ends with them."""
    messages = [
        Message(
            each.version,
            format_event(each.version, representations.serialize_event(each)),
            notified_at,
        )
        for each in events
    ]
    for each in events:
        if isinstance(each.event, Abandoned | FinalScored):
            abandoned = isinstance(each.event, Abandoned)
            status = table_state.ABANDONED if abandoned else table_state.FINISHED
            messages.append(end_message(events[-1].version, status, notified_at))
    return messages


def end_message(version: int, status: str, notified_at: float) -> Message:
    """Returns the last message of a stream."""
    data = {"version": version, "status": status}
    return Message(version, format_event(version, data, "end"), notified_at, True)
