"""Metrics of the workers, shared through the folder that the API collects, if there is one."""

from __future__ import annotations

from typing import Final

from prometheus_client import Counter

RECORDS_JUDGED: Final = Counter(
    "bailli_records_judged_total", "Imported records judged, by outcome.", ("outcome",)
)

BOT_MOVES_REPLACED: Final = Counter(
    "bailli_bot_moves_replaced_total",
    "Bots' moves that a lower level made, by the seat's own level and the reason.",
    ("level", "reason"),
)

ANALYSES: Final = Counter(
    "bailli_analyses_total",
    "Analyses computed, by outcome.",
    ("outcome",),
)
