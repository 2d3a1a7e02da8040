"""How a resource reaches a game: only through the gate."""

from __future__ import annotations

from ..games import access
from ..games.access import Token
from ..games.game import Game
from ..games.repository import Loaded
from .problems import Problem
from .services import services


def loaded(game_id: str, caller: Token | None) -> Loaded:
    """Returns the newest state. Raises `Problem` "not_found" for who may not read the game."""
    found = services().repository.load(game_id)
    if not _may_read(found.game, caller):
        raise Problem("not_found")
    return found


def at_version(game_id: str, caller: Token | None, version: int | None) -> Game:
    """Returns a game right after a version, the newest of None; the same gate holds for all."""
    game = loaded(game_id, caller).game
    if version is None or version == game.version:
        return game
    return services().repository.at(game_id, version)


def ruleset_of(game_id: str, caller: Token | None) -> str:
    """Returns a game's ruleset, from memory where the caller is known to read the game."""
    known = services().repository.known(game_id)
    if known is not None and _may_read(known, caller):
        return known.ruleset.id
    return loaded(game_id, caller).game.ruleset.id


def _may_read(game: Game, caller: Token | None) -> bool:
    return game.table.public or access.may_read(game.table, None if caller is None else caller.hash)
