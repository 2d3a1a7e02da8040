"""What waits for one client, over all its games, and who is told of it."""

from __future__ import annotations

import threading
from typing import Final, NamedTuple

from ..games import owed
from ..games import table as tables
from ..games.game import Game
from ..store.protocol import Listed, Store
from . import waiting
from .reader import Reader, message
from .waiting import Turn

PAGE: Final = 100
MOST_GAMES: Final = 1_000
"""Of so many games of a client, the newest, its turns are told."""


class Standing(NamedTuple):
    """What waits for a client, newest first, and the name of that state."""

    turns: list[Turn]
    state: str


class Desk:
    """A client (token hash) that is told of its turns. The hub's lock guards all but `filling`,

    which is held while the client's games are gone through.
    """

    def __init__(self, client: str) -> None:
        self.client = client
        self.readers: set[Reader] = set()
        self.hearing: set[Reader] = set()
        """Those of the readers who know what waited, and are told of changes."""
        self.filling = threading.Lock()
        self.filled = False
        self._turns: dict[str, Turn] = {}
        self._seen: dict[str, int] = {}
        self._settled: set[str] = set()

    def standing(self) -> Standing:
        """Returns what waits now."""
        turns = sorted(self._turns.values(), key=lambda turn: (-turn["since"], turn["game"]))
        return Standing(turns, waiting.state(turns))

    def knows(self, game_id: str) -> bool:
        """Returns whether the game has been looked at for this client."""
        return game_id in self._seen

    def listed(self, store: Store) -> list[str]:
        """Returns the client's newest games. Raises as the store does."""
        found: list[str] = []
        before: Listed | None = None
        while len(found) < MOST_GAMES and (page := store.list_client(self.client, PAGE, before)):
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
        ends = game is None or game.table.status in (tables.FINISHED, tables.ABANDONED)
        if ends or (game is not None and self.client not in owed.clients(game)):
            self._settled.add(game_id)
        else:
            self._settled.discard(game_id)
        turn = None if game is None else waiting.turn(game, self.client)
        if turn == self._turns.get(game_id):
            return None
        if turn is not None:
            self._turns[game_id] = turn
            return message(self.standing().state, turn, "turn")
        del self._turns[game_id]
        facts = {"game": game_id, "version": self._seen[game_id]}
        return message(self.standing().state, facts, "turn_over")
