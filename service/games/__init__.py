"""Games at a table, whatever the ruleset: who plays, what is appended, how it is read back.

`table` has seats, clocks and take-backs, `commands` the write path, `records` records and the
archive, `webhooks` their model and messages. `game` folds streams, `repository` loads and caches
games, `due_work` says what a game still needs done, `authorization` who may see and do what.

May import `service.rules`, `service.store` and the levels of bots; nothing of HTTP, pictures,
workers or settings. The names below are what other packages build on.
"""

from .commands import CommandHandler, Committed, Creation, DryRun, RequestContext
from .due_work import Lifetimes
from .game import Game, fold, new_game
from .history import RecordedEvent, load_events
from .legal_moves import LegalMoves, Move
from .repository import Loaded, Repository, UnknownGame
from .tokens import Token, new_token

__all__ = [
    "CommandHandler",
    "Committed",
    "Creation",
    "DryRun",
    "Game",
    "LegalMoves",
    "Lifetimes",
    "Loaded",
    "Move",
    "RecordedEvent",
    "Repository",
    "RequestContext",
    "Token",
    "UnknownGame",
    "fold",
    "load_events",
    "new_game",
    "new_token",
]
