"""The table's rule book: every rule that is used is told, and every rule has a test."""

from __future__ import annotations

import re
from pathlib import Path

from service.games.table import rule_book as table_rule_book
from service.games.table.commands import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "rules" / "table.md").read_text()
CODE = {path.name: path.read_text() for path in (ROOT / "service" / "games").rglob("*.py")}
RULES = [rule.id for rule in table_rule_book.RULES]


def test_the_page_tells_every_rule_in_order() -> None:
    anchors = re.findall(r'^<a id="(t-\d+)"></a>\*\*(T-\d+) ', PAGE, re.MULTILINE)
    assert anchors == [(rule.lower(), rule) for rule in RULES]


def test_every_rule_that_is_named_is_a_rule() -> None:
    named = {name for text in CODE.values() for name in re.findall(r"T-\d+", text)}
    assert named == set(RULES)


def test_every_command_is_told() -> None:
    for name, command in COMMANDS.items():
        assert command.rule in RULES
        assert f"`{name}" in PAGE


def test_every_rule_is_tested() -> None:
    tests = ("test_table.py", "test_branching.py", "test_tournaments.py")
    text = "".join((Path(__file__).parent / name).read_text() for name in tests)
    named = set(re.findall(r'^ +"""(T-\d+): ', text, re.MULTILINE))
    assert named == set(RULES)
