"""What waits for one client, over all its games, and who is told of it."""

from __future__ import annotations

import threading
from typing import Final, NamedTuple

from ...games import index_lists
from ...games.game import Game
from ...games.table import state as table_state
from ...store import ListedGame, Store
from . import turns as live_turns
from .subscriber import Subscriber, format_event
from .turns import Turn

PAGE: Final = 100
MAX_GAMES: Final = 1_000
"""Of so many games of a client, the newest, its turns are told."""


class InboxState(NamedTuple):
    """What waits for a client, newest first, and the name of that state."""

    turns: list[Turn]
    state: str


class Inbox:
    """A client (token hash) that is told of its turns. The hub's lock guards all but `filling`,

    which is held while the client's games are gone through.
    """

    def __init__(self, client: str) -> None:
        self.client = client
        self.readers: set[Subscriber] = set()
        self.hearing: set[Subscriber] = set()
        """Those of the readers who know what waited, and are told of changes."""
        self.filling = threading.Lock()
        self.filled = False
        self._turns: dict[str, Turn] = {}
        self._seen: dict[str, int] = {}
        self._settled: set[str] = set()

    def standing(self) -> InboxState:
        """Returns what waits now."""
        turns = sorted(self._turns.values(), key=lambda turn: (-turn["since"], turn["game"]))
        return InboxState(turns, live_turns.state_name(turns))

    def knows(self, game_id: str) -> bool:
        """Returns whether the game has been looked at for this client."""
        return game_id in self._seen

    def listed(self, store: Store) -> list[str]:
        """Returns the client's newest games. Raises as the store does."""
        found: list[str] = []
        before: ListedGame | None = None
        while len(found) < MAX_GAMES and (page := store.list_by_client(self.client, PAGE, before)):
            found += [each.game for each in page]
            before = page[-1]
        return found

    def unsettled(self, listed: list[str]) -> list[str]:
        """Returns which games must be looked at: those listed or known that are not over."""
        known = {**dict.fromkeys(listed), **self._seen}
        return [game_id for game_id in known if game_id not in self._settled]

    def note(self, game_id: str, game: Game | None) -> bytes | None:
        """Takes a game's state (None: removed) in; returns what is to be told of it, if anything.

        An older state than is known changes nothing.
        """
        if game is not None:
            if game.version < self._seen.get(game_id, 0):
                return None
            self._seen[game_id] = game.version
        ends = game is None or game.table.status in (table_state.FINISHED, table_state.ABANDONED)
        if ends or (game is not None and self.client not in index_lists.clients(game)):
            self._settled.add(game_id)
        else:
            self._settled.discard(game_id)
        turn = None if game is None else live_turns.turn_for(game, self.client)
        if turn == self._turns.get(game_id):
            return None
        if turn is not None:
            self._turns[game_id] = turn
            return format_event(self.standing().state, turn, "turn")
        del self._turns[game_id]
        facts = {"game": game_id, "version": self._seen[game_id]}
        return format_event(self.standing().state, facts, "turn_over")
