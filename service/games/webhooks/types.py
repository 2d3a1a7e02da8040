"""Types of webhook messages, and the reasons for which a webhook is disabled."""

from __future__ import annotations

from typing import Final

STARTED: Final = "game.started"
TO_ACT: Final = "seat.to_act"
EVENTS: Final = "game.events"
FINISHED: Final = "game.finished"
TYPES: Final = (STARTED, EVENTS, TO_ACT, FINISHED)
"""What can be told, in the order in which it is told."""

GONE: Final = "gone"
EXHAUSTED: Final = "exhausted"
NO_RIGHT: Final = "no_right"
REASONS: Final = (GONE, EXHAUSTED, NO_RIGHT)
"""Why a hook is disabled: its receiver answered 410; it failed over the whole schedule; its owner

is no longer at the table.
"""
