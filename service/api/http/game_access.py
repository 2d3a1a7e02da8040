"""How a resource reaches a game: only through the gate."""

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
"""How long (s) answers that can't change may be kept."""


def load_readable(game_id: str, caller: Token | None) -> Loaded:
    """Returns the newest state. Raises `Problem` "not_found" for who may not read the game."""
    found = services().repository.load(game_id)
    if not _may_read(found.game, caller):
        raise Problem("not_found")
    return found


@dataclass(frozen=True, slots=True)
class RequestedGame:
    """A game at the version that was asked for.

    `past`: it is an earlier one than the newest, which nothing can change any more; `now` is the
    store's time (ms), or for the past the time at which that version was written.
    """

    game: Game
    now: int
    past: bool

    def keep(self, response: Response, *, shared: bool = True) -> Response:
        """Lets caches keep an answer on the past for ever: all caches, or the client's own where

        the game is private or the answer is not the same (`shared`) for everybody.
        """
        if self.past:
            whose = "public" if shared and self.game.table.public else "private"
            response.headers["Cache-Control"] = f"{whose}, max-age={YEAR_SECONDS}, immutable"
        return response


def load_version(game_id: str, caller: Token | None, version: int | None) -> RequestedGame:
    """Returns the state at a version (None: the newest). Who may read is asked of the newest.

    Raises `Problem` "not_found" for who may not read the game, `UnknownGame` for a version that
    does not exist yet.
    """
    found = load_readable(game_id, caller)
    if version is None or version == found.game.version:
        return RequestedGame(found.game, found.now, past=False)
    game = services().repository.load_version(game_id, version)
    return RequestedGame(game, game.table.changed_at, past=True)


def readable_ruleset_id(game_id: str, caller: Token | None) -> str:
    """Returns a game's ruleset, from memory where the caller is known to read the game."""
    known = services().repository.cached(game_id)
    if known is not None and _may_read(known, caller):
        return known.ruleset.id
    return load_readable(game_id, caller).game.ruleset.id


def _may_read(game: Game, caller: Token | None) -> bool:
    return game.table.public or authorization.may_read(
        game.table, None if caller is None else caller.hash
    )
