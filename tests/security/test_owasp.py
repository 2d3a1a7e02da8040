"""docs/security.md names tests that exist, modules that exist, and every risk of the list."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from service.config import Settings

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "security.md").read_text()
ROWS = re.findall(r"^\| (API\d+) [^|]*\|([^|]*)\|([^|]*)\|([^|]*)\|$", TEXT, re.M)
NAMED = sorted(set(re.findall(r"`(tests/[\w/]+\.py(?:::\w+)*)`", TEXT)))


def names(path: Path) -> set[str]:
    """The tests of a file, those in classes as `Class::test`."""
    found = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.FunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.ClassDef):
            inner = [each for each in node.body if isinstance(each, ast.FunctionDef)]
            found |= {f"{node.name}::{each.name}" for each in inner}
    return {name for name in found if name.rpartition("::")[2].startswith("test_")}


def test_every_risk_has_its_row() -> None:
    assert [name for name, *_ in ROWS] == [f"API{number}" for number in range(1, 11)]


@pytest.mark.parametrize(("name", "here", "control", "tests"), ROWS, ids=lambda each: each[:6])
def test_a_row_names_a_risk_a_control_and_a_test(
    name: str, here: str, control: str, tests: str
) -> None:
    assert here.strip()
    modules = re.findall(r"`((?:service|schemas|workers)/[\w/]+\.py)`", control)
    assert modules or "](#limits)" in control, name
    for module in modules:
        assert (ROOT / module).is_file(), module
    assert re.findall(r"`(tests/[^`]+)`", tests), name


@pytest.mark.parametrize("named", NAMED)
def test_every_test_named_exists(named: str) -> None:
    path, _, test = named.partition("::")
    assert (ROOT / path).is_file()
    assert not test or test in names(ROOT / path)
    assert names(ROOT / path) or path.endswith("worlds.py")


def test_the_limits_told_are_the_defaults() -> None:
    table = TEXT[TEXT.index("## Limits") : TEXT.index("## Odd input")]
    for name, value in (
        ("BAILLI_STREAMS", Settings().streams),
        ("BAILLI_STREAMS_PER_CLIENT", Settings().streams_per_client),
        ("BAILLI_GAMES_PER_TOKEN", Settings().games_per_token),
        ("BAILLI_RATE_TOKENS", Settings().rate_tokens),
    ):
        (row,) = [line for line in table.splitlines() if f"`{name}`" in line and line[0] == "|"]
        assert f"{value:,}" in row
    assert Settings().body_bytes == 64 * 1024
