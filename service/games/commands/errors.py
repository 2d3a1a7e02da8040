"""Why a request is not carried out although it is neither malformed nor illegal."""

from __future__ import annotations

from ..game import Game


class CommandError(Exception):
    """A request that is neither misshapen nor illegal, and yet can't be carried out."""


class Stale(CommandError):
    """The game is at another version than the caller believes."""

    def __init__(self, game: Game) -> None:
        super().__init__(f"the game is at version {game.version}")
        self.game = game


class Busy(CommandError):
    """Others were faster every time; nothing was written."""


class KeyReused(CommandError):
    """The key belongs to another request."""


class Forbidden(CommandError):
    """The caller has no right to this, though it may know that the game exists."""


class NotVisible(CommandError):
    """The caller may not even know that the game exists."""
