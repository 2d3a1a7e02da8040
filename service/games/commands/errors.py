"""Errors of the write path: a request is neither invalid nor illegal, and yet not carried out."""

from __future__ import annotations

from ..game import Game


class CommandError(Exception):
    """The base class: a request that is neither invalid nor illegal, and yet not carried out."""


class Stale(CommandError):
    """The request's condition does not hold; `game` is the newest state."""

    def __init__(self, game: Game) -> None:
        super().__init__(f"the game is at version {game.version}")
        self.game = game


class Busy(CommandError):
    """Too many conflicts in a row; nothing was written."""


class KeyReused(CommandError):
    """The idempotency key was used for another request."""


class Forbidden(CommandError):
    """The caller may read the game but not do this."""


class NotVisible(CommandError):
    """The game or thing does not exist as far as this caller may know."""
