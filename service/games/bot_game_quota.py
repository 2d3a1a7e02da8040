"""Games of bots alone: how many there may be at a time.

They cost thinking and have nobody who waits for them, so they are limited: for each client and in
all. A client is its token; and its address too, as tokens are free. Each game that has not ended
stands in two lists of the store (`owed.crowds`); which address laid a game is nowhere
recorded, so each API process remembers those that it laid. Whoever asks at the same moment may go
beyond a limit by a few.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Final, Literal

from ..store import Gone, Store
from . import index_lists
from .repository import Repository, UnknownGame

MAX_ORIGINS: Final = 1_000


class TooManyBotGames(Exception):
    """As many games of bots alone run as may: `most` for one client, or in all."""

    def __init__(self, scope: Literal["client", "all"], most: int) -> None:
        super().__init__(f"{most} games of bots alone, {scope}")
        self.scope = scope
        self.most = most


class BotGameQuota:
    """The limits: at most so many games at a time for a client, and in all; 0: no limit."""

    def __init__(
        self, store: Store, repository: Repository, client: int = 0, everyone: int = 0
    ) -> None:
        self._store = store
        self._repository = repository
        self._client = client
        self._everyone = everyone
        self._laid: OrderedDict[str, tuple[str, ...]] = OrderedDict()

    def check(self, client: str, origin: str | None, count: int = 1) -> None:
        """Raises `Crowded` unless a client (a token's hash) at an address may lay so many more."""
        if self._client:
            if self._listed(index_lists.bot_games_of(client), self._client) + count > self._client:
                raise TooManyBotGames("client", self._client)
            if self._remembered(origin or "", count) + count > self._client:
                raise TooManyBotGames("client", self._client)
        if (
            self._everyone
            and self._listed(index_lists.BOT_GAMES, self._everyone) + count > self._everyone
        ):
            raise TooManyBotGames("all", self._everyone)

    def note(self, game: str, origin: str | None) -> None:
        """Remembers that a game was laid from an address."""
        if self._client and origin is not None:
            self._laid[origin] = (*self._laid.pop(origin, ()), game)[-self._client :]
            while len(self._laid) > MAX_ORIGINS:
                self._laid.popitem(last=False)

    def _listed(self, name: str, most: int) -> int:
        return len(self._store.list_by_client(name, most))

    def _remembered(self, origin: str, count: int) -> int:
        """Returns how many games an address has laid here that may still run. Those that are over

        are forgotten, once it matters.
        """
        laid = self._laid.get(origin, ())
        if len(laid) + count <= self._client:
            return len(laid)
        over = {game for game in laid if not self._runs(game)}
        left = tuple(game for game in self._laid.pop(origin, ()) if game not in over)
        if left:
            self._laid[origin] = left
        return len(left)

    def _runs(self, game: str) -> bool:
        try:
            return bool(index_lists.bot_game_lists(self._repository.load(game).game))
        except (UnknownGame, Gone):
            return False
