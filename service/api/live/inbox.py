"""Inbox: what one client must act on over all its games, and its subscribers."""

from __future__ import annotations

import threading
from typing import Final, NamedTuple

from ...games import index_lists
from ...games.game import Game
from ...games.table import state as table_state
from ...store import ListedGame, Store
from .subscriber import Subscriber, format_event
from .turns import Turn, serialize_turn, turns_state

PAGE_SIZE: Final = 100
MAX_GAMES: Final = 1_000
"""How many of a client's games an inbox covers; the newest count."""


class InboxState(NamedTuple):
    """The turns of a client, newest first, and the id of that state."""

    turns: list[Turn]
    state: str


class Inbox:
    """The inbox of a client (token hash) with subscribers. The broker's lock guards all of it but

    `loading`, which is held while the client's games are loaded.
    """

    def __init__(self, client: str) -> None:
        self.client = client
        self.subscribers: set[Subscriber] = set()
        self.synchronized: set[Subscriber] = set()
        """The subscribers that have got the inbox's state, and get changes from then on."""
        self.loading = threading.Lock()
        self.loaded = False
        self._turns: dict[str, Turn] = {}
        self._versions: dict[str, int] = {}
        self._settled: set[str] = set()

    def state(self) -> InboxState:
        """Returns the current state."""
        turns = sorted(self._turns.values(), key=lambda turn: (-turn["since"], turn["game"]))
        return InboxState(turns, turns_state(turns))

    def includes(self, game_id: str) -> bool:
        """Returns whether a state of the game is included."""
        return game_id in self._versions

    def list_games(self, store: Store) -> list[str]:
        """Returns the ids of the client's newest games. Raises as the store does."""
        games: list[str] = []
        before: ListedGame | None = None
        while len(games) < MAX_GAMES and (
            page := store.list_by_client(self.client, PAGE_SIZE, before)
        ):
            games += [listed.game for listed in page]
            before = page[-1]
        return games

    def games_to_load(self, listed: list[str]) -> list[str]:
        """Returns the listed and the included games, without those that cannot change any more."""
        games = {**dict.fromkeys(listed), **self._versions}
        return [game_id for game_id in games if game_id not in self._settled]

    def update(self, game_id: str, game: Game | None) -> bytes | None:
        """Includes a game's state (None: it was removed). Returns the event to publish, None if

        the inbox has not changed, or for an older state than is included.
        """
        if game is not None:
            if game.version < self._versions.get(game_id, 0):
                return None
            self._versions[game_id] = game.version
        over = game is None or game.table.status in (table_state.FINISHED, table_state.ABANDONED)
        if over or (game is not None and self.client not in index_lists.clients(game)):
            self._settled.add(game_id)
        else:
            self._settled.discard(game_id)
        turn = None if game is None else serialize_turn(game, self.client)
        if turn == self._turns.get(game_id):
            return None
        if turn is not None:
            self._turns[game_id] = turn
            return format_event(self.state().state, turn, "turn")
        del self._turns[game_id]
        data = {"game": game_id, "version": self._versions[game_id]}
        return format_event(self.state().state, data, "turn_over")
