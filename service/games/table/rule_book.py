"""The table's rule book: the rules that hold whatever game is played."""

from __future__ import annotations

from typing import Final

from ...rules.ruleset import rule_book

RULES: Final = rule_book(__package__, "table_rules.json")
"""The rules T-1 … T-14 in order; docs/rules/table.md has them at length."""
