"""Game access: loads games for callers who may read them (authorization of reads)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from flask import Response

from ...games import authorization
from ...games.game import Game
from ...games.repository import Loaded
from ...games.tokens import Token
from .problems import Problem
from .services import services

YEAR_SECONDS: Final = 365 * 24 * 3600
"""How long (s) caches may keep responses that cannot change."""


def load_readable(game_id: str, caller: Token | None) -> Loaded:
    """Returns the newest state. Raises `Problem` "not_found" if the caller may not read it."""
    loaded = services().repository.load(game_id)
    if not _may_read(loaded.game, caller):
        raise Problem("not_found")
    return loaded


@dataclass(frozen=True, slots=True)
class RequestedGame:
    """A game at the requested version.

    `past`: it is an earlier version than the newest, and so cannot change any more; `now` is the
    store's time (ms), or for a past version the time at which it was appended.
    """

    game: Game
    now: int
    past: bool

    def with_cache_control(self, response: Response, *, shared: bool = True) -> Response:
        """Returns the response, cacheable for ever if it is about a past version: by all caches, or

        by the client's own if the game is private or the response differs between callers (not
        `shared`).
        """
        if self.past:
            scope = "public" if shared and self.game.table.public else "private"
            response.headers["Cache-Control"] = f"{scope}, max-age={YEAR_SECONDS}, immutable"
        return response


def load_version(game_id: str, caller: Token | None, version: int | None) -> RequestedGame:
    """Returns the state at a version (None: the newest). The newest state decides who may read.

    Raises `Problem` "not_found" if the caller may not read the game, `UnknownGame` for a version
    that does not exist yet.
    """
    newest = load_readable(game_id, caller)
    if version is None or version == newest.game.version:
        return RequestedGame(newest.game, newest.now, past=False)
    game = services().repository.load_version(game_id, version)
    return RequestedGame(game, game.table.changed_at, past=True)


def readable_ruleset_id(game_id: str, caller: Token | None) -> str:
    """Returns the id of a game's ruleset, from the cache if the cached state lets the caller read.

    Raises as `load_readable` does.
    """
    cached = services().repository.cached(game_id)
    if cached is not None and _may_read(cached, caller):
        return cached.ruleset.id
    return load_readable(game_id, caller).game.ruleset.id


def _may_read(game: Game, caller: Token | None) -> bool:
    return game.table.public or authorization.may_read(
        game.table, None if caller is None else caller.hash
    )
