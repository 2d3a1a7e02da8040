"""The table: seats, start, resigning, handing over, take-backs, clocks, the end (T-1 … T-14).

Pure, like a ruleset: `decide` judges commands, `evolve` applies events, `state` is what they work
on. Imports nothing of games but its own modules: neither streams nor the write path.
"""

from .clocks import Clock, Deadline
from .commands import COMMANDS
from .events import EVENTS, TableEvent
from .state import STATUSES, Actor, Decision, DecisionContext, Seat, Table, create_table

__all__ = [
    "COMMANDS",
    "EVENTS",
    "STATUSES",
    "Actor",
    "Clock",
    "Deadline",
    "Decision",
    "DecisionContext",
    "Seat",
    "Table",
    "TableEvent",
    "create_table",
]
