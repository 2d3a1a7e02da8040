"""What docs/reliability.md publishes is run: every test that it names is there, and long where it

has two figures.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in (ROOT / "docs" / "reliability.md").read_text().splitlines()
    if line.startswith("|") and "`" in line
]
NAMED = re.compile(r"`(tests/[\w/.]*\.py)?(?:::)?(test_\w+)?`")


def heads_of(path: Path) -> dict[str, str]:
    """A file's tests: name to source, decorators included."""
    text = path.read_text()
    return {
        node.name: "\n".join(
            text.splitlines()[
                min([node.lineno, *(each.lineno for each in node.decorator_list)]) - 1 : node.lineno
            ]
        )
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }


def named(cell: str) -> list[tuple[str, str]]:
    """The tests that a cell names: their sources' heads, by where they are."""
    found: list[tuple[str, str]] = []
    path = None
    for file, name in NAMED.findall(cell):
        path = ROOT / file if file else path
        files = [path] if path is not None else sorted((ROOT / "tests/rules").rglob("test_*.py"))
        heads = [heads_of(each)[name] for each in files if name in heads_of(each)]
        assert heads, f"there is no {name}"
        found += [(name, head) for head in heads]
    return found


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[1][:60])
def test_what_is_published_is_run(row: list[str]) -> None:
    _, tests, figures, outcome = row
    heads = [head for _, head in named(tests)]
    assert heads
    assert outcome
    long = any("long" in head or "CHUNKS" in head for head in heads)
    assert long == ("·" in figures), figures
    assert re.search(r"\d", figures)
