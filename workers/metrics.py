"""Counters of the workers, shared through the folder that the API gathers, if there is one."""

from __future__ import annotations

from typing import Final

from prometheus_client import Counter

JUDGED: Final = Counter(
    "bailli_records_judged_total", "Records judged again, by what came of them.", ("outcome",)
)

REPLACED: Final = Counter(
    "bailli_bot_moves_replaced_total",
    "Bots' moves that a lower level made, by the seat's own level and why.",
    ("level", "reason"),
)

ANALYSED: Final = Counter(
    "bailli_analyses_total",
    "Questions for advice thought about, by what came of them.",
    ("outcome",),
)
