"""What bots know of Orléans: plans are made of whole places, not of followers put down singly."""

from __future__ import annotations

from .easy_choice import choose
from .search_options import evaluate, moment, options, policy

__all__ = ["choose", "evaluate", "moment", "options", "policy"]
