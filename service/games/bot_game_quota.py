"""The quota of games that bots play alone: how many may run at a time.

They cost computing time and nobody waits for them, so they are limited, for each client and in all.
A client is its token, and its address too, as tokens are free. A running game is in two index lists
of the store (`index_lists.bot_game_lists`); no record says which address created a game, so each
API process remembers those that it created. Simultaneous requests may exceed a limit by a few.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Final, Literal

from ..store import Gone, Store
from . import index_lists
from .repository import Repository, UnknownGame

MAX_ORIGINS: Final = 1_000


class TooManyBotGames(Exception):
    """As many games of bots alone run as may: `limit` for one client, or in all."""

    def __init__(self, scope: Literal["client", "all"], limit: int) -> None:
        super().__init__(f"{limit} games of bots alone, {scope}")
        self.scope = scope
        self.limit = limit


class BotGameQuota:
    """Limits: so many games at a time for a client, and in all; 0: no limit."""

    def __init__(
        self, store: Store, repository: Repository, client_limit: int = 0, total_limit: int = 0
    ) -> None:
        self._store = store
        self._repository = repository
        self._client_limit = client_limit
        self._total_limit = total_limit
        self._created_from: OrderedDict[str, tuple[str, ...]] = OrderedDict()

    def check(self, client: str, origin: str | None, count: int = 1) -> None:
        """Raises `TooManyBotGames` unless a client (a token's hash) may create so many more."""
        if self._client_limit:
            if (
                self._count_listed(index_lists.bot_games_of(client), self._client_limit) + count
                > self._client_limit
            ):
                raise TooManyBotGames("client", self._client_limit)
            if self._count_created_from(origin or "", count) + count > self._client_limit:
                raise TooManyBotGames("client", self._client_limit)
        if (
            self._total_limit
            and self._count_listed(index_lists.BOT_GAMES, self._total_limit) + count
            > self._total_limit
        ):
            raise TooManyBotGames("all", self._total_limit)

    def note(self, game: str, origin: str | None) -> None:
        """Remembers that a game was created from an address."""
        if self._client_limit and origin is not None:
            self._created_from[origin] = (*self._created_from.pop(origin, ()), game)[
                -self._client_limit :
            ]
            while len(self._created_from) > MAX_ORIGINS:
                self._created_from.popitem(last=False)

    def _count_listed(self, name: str, limit: int) -> int:
        return len(self._store.list_by_client(name, limit))

    def _count_created_from(self, origin: str, count: int) -> int:
        """Returns how many games created from an address by this process may still run.

        Whether they do is looked up, and the others are forgotten, only where it matters.
        """
        created = self._created_from.get(origin, ())
        if len(created) + count <= self._client_limit:
            return len(created)
        over = {game for game in created if not self._is_running(game)}
        left = tuple(game for game in self._created_from.pop(origin, ()) if game not in over)
        if left:
            self._created_from[origin] = left
        return len(left)

    def _is_running(self, game: str) -> bool:
        try:
            return bool(index_lists.bot_game_lists(self._repository.load(game).game))
        except (UnknownGame, Gone):
            return False
