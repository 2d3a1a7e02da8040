"""The write path: requests are judged on the newest state, and what follows is appended.

`handler` has a method for each request, `verdicts` judges, `conflict_retry` appends, `idempotency`
replays; `creation`, `branching` and `tournaments` make new games. Imports the table, the repository
and the model of webhooks; nothing of records.
"""

from .errors import Busy, CommandError, Forbidden, KeyReused, NotVisible, Stale
from .handler import CommandHandler
from .requests import Creation, RequestContext
from .results import Committed, DryRun

__all__ = [
    "Busy",
    "CommandError",
    "CommandHandler",
    "Committed",
    "Creation",
    "DryRun",
    "Forbidden",
    "KeyReused",
    "NotVisible",
    "RequestContext",
    "Stale",
]
