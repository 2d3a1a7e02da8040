"""The table's rule book: what is the same whatever is played."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from ..rules.ruleset import Rule

_DATA: Final = Path(__file__).parent / "data" / "table_rules.json"

RULES: Final = tuple(Rule(rule["id"], rule["text"]) for rule in json.loads(_DATA.read_text()))
"""The rules T-1 … T-14 in order; docs/rules/table.md tells them at length."""
