"""Types of webhook messages, and the reasons for which a webhook is disabled."""

from __future__ import annotations

from typing import Final

STARTED: Final = "game.started"
TO_ACT: Final = "seat.to_act"
EVENTS: Final = "game.events"
FINISHED: Final = "game.finished"
TYPES: Final = (STARTED, EVENTS, TO_ACT, FINISHED)
"""All message types, in the order in which messages about the same append are sent."""

GONE: Final = "gone"
EXHAUSTED: Final = "exhausted"
NO_RIGHT: Final = "no_right"
DISABLED_REASONS: Final = (GONE, EXHAUSTED, NO_RIGHT)
"""Why a webhook is disabled: its receiver responded 410; every attempt of the schedule failed; its

owner is no longer at the table.
"""
