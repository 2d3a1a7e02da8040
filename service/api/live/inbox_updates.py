"""Inbox updates: keeps the inboxes of subscribed clients current and publishes their changes."""

from __future__ import annotations

import threading
from typing import Final

from ...games import index_lists
from ...games.game import Game
from ...games.repository import Repository, UnknownGame
from ...store import Gone, Store
from .inbox import Inbox
from .subscriber import Message, Subscriber, disconnect_slow, monotonic

MAX_UNRELATED_GAMES: Final = 100_000


class InboxUpdates:
    """The inboxes of a process by client. The lock guards them and is the broker's.

    `unrelated` are full games that are in none of the inboxes: notifications of them are ignored.
    """

    def __init__(self, store: Store, repository: Repository, lock: threading.RLock) -> None:
        self._store = store
        self._repository = repository
        self._lock = lock
        self.by_client: dict[str, Inbox] = {}
        self.unrelated: set[str] = set()

    def add(self, client: str, subscriber: Subscriber) -> Inbox:
        """Adds a subscriber to a client's inbox, which may not be loaded yet. The lock is held."""
        inbox = self.by_client.setdefault(client, Inbox(client))
        inbox.subscribers.add(subscriber)
        return inbox

    def remove(self, client: str, subscriber: Subscriber) -> None:
        """Removes a subscriber, and its inbox if it was the last. The lock is held."""
        inbox = self.by_client[client]
        inbox.subscribers.discard(subscriber)
        inbox.synchronized.discard(subscriber)
        if not inbox.subscribers:
            del self.by_client[client]

    def may_concern(self, game_id: str) -> bool:
        """Returns whether a game may be in one of the inboxes. The lock is held."""
        return bool(self.by_client) and game_id not in self.unrelated

    def ensure_loaded(self, inbox: Inbox) -> None:
        """Loads an inbox unless it is loaded. Raises as the store does."""
        with inbox.loading:
            if not inbox.loaded:
                self._load(inbox)

    def reload(self, client: str) -> None:
        """Loads a client's inbox anew and publishes what has changed. Raises as the store does."""
        with self._lock:
            inbox = self.by_client.get(client)
        if inbox is not None:
            with inbox.loading:
                self._load(inbox)

    def publish_turns(self, game_id: str) -> None:
        """Updates the inboxes that a game concerns, and publishes what has changed in them.

        Raises as the store does.
        """
        game = self._load_game(game_id)
        members = frozenset() if game is None else index_lists.clients(game)
        with self._lock:
            inboxes = [
                inbox
                for client, inbox in self.by_client.items()
                if client in members or inbox.includes(game_id)
            ]
            if not inboxes and (game is None or _is_full(game)):
                if len(self.unrelated) >= MAX_UNRELATED_GAMES:
                    self.unrelated.clear()
                self.unrelated.add(game_id)
            for inbox in inboxes:
                self._update(inbox, game_id, game)

    def _load(self, inbox: Inbox) -> None:
        """Loads all games of a client that may still change; `loading` is held."""
        listed = inbox.list_games(self._store)
        with self._lock:
            self.unrelated.difference_update(listed)
            games = inbox.games_to_load(listed)
        for game_id in games:
            game = self._load_game(game_id)
            with self._lock:
                self._update(inbox, game_id, game)
        inbox.loaded = True

    def _update(self, inbox: Inbox, game_id: str, game: Game | None) -> None:
        """Updates an inbox with a game's state and publishes the change. The lock is held."""
        data = inbox.update(game_id, game)
        if data is not None:
            message = Message(0, data, monotonic())
            disconnect_slow([each for each in inbox.synchronized if not each.enqueue([message])])

    def _load_game(self, game_id: str) -> Game | None:
        try:
            return self._repository.load(game_id).game
        except (UnknownGame, Gone):
            return None


def _is_full(game: Game) -> bool:
    """Returns whether no seat can be claimed."""
    return all(seat.claim is None for seat in game.table.seats)
