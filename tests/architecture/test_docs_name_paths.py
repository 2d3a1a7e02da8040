"""Every path that the documentation names exists."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    *(ROOT / name for name in ("README.md", "ARCHITECTURE.md", "SECURITY.md", "CONTRIBUTING.md")),
    *sorted((ROOT / "docs").glob("*.md")),
]
FOLDERS = (
    ".ci", "bench", "deploy", "docs", "examples", "schemas", "service", "tests", "workers",
)  # fmt: skip
FILES = r"py|lua|json|js|mjs|sh|css|html|svg|webp|md|toml|yaml|lock"
CODE = re.compile(r"`([^`\n]+)`")
PATH = re.compile(rf"(?<![\w/.-])(?:{'|'.join(map(re.escape, FOLDERS))})/[\w./<>*-]+")
MODULE = re.compile(r"python -m ([\w.]+)")
BARE = re.compile(rf"[\w.-]+\.(?:{FILES})")
PLACEHOLDER = re.compile(r"<\w+>|\bX\b")
NOT_OURS = {"deploy/api"}
"""What looks like a path and is none: a deployment of Kubernetes."""


def named_paths(text: str) -> Iterator[str]:
    """Yields the paths in a page, from the root of the checkout; placeholders become `*`.

    A file without folder is in the folder of the path before it in its line, or anywhere (`**/`).
    """
    for found in PATH.findall(text):
        yield PLACEHOLDER.sub("*", found.rstrip(".,:;"))
    for module in MODULE.findall(text):
        if module.split(".")[0] in FOLDERS:
            yield module.replace(".", "/")
    for line in text.splitlines():
        folder = "**"
        for code in CODE.findall(line):
            if PATH.fullmatch(code):
                folder = code.rpartition("/")[0]
            elif BARE.fullmatch(code) and not PLACEHOLDER.search(code):
                yield f"{folder}/{code}"


def exists(path: str) -> bool:
    """Whether a path exists in the checkout, as it is or as a Python module."""
    if path.startswith("**/"):
        name = path.removeprefix("**/")
        return (ROOT / name).exists() or any(any((ROOT / each).rglob(name)) for each in FOLDERS)
    return any(any(ROOT.glob(each.rstrip("/"))) for each in (path, f"{path}.py"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_path_that_is_named_exists(page: Path) -> None:
    paths = set(named_paths(page.read_text())) - NOT_OURS
    assert not sorted(path for path in paths if not exists(path))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("`service/games/nowhere.py`", ["service/games/nowhere.py"]),
        ("see docs/none.md.", ["docs/none.md"]),
        (
            "`service/render/X` and `service/rules/<ruleset>/`",
            ["service/render/*", "service/rules/*/"],
        ),
        ("`service/store/keys.py`, `none.py`", ["service/store/keys.py", "service/store/none.py"]),
        ("`python -m bench.none`", ["bench/none"]),
        ("`none.toml`", ["**/none.toml"]),
    ],
)
def test_paths_are_found_in_text(text: str, found: list[str]) -> None:
    assert list(named_paths(text)) == found


@pytest.mark.parametrize(
    "path",
    ["service/games/nowhere.py", "docs/none.md", "bench/none", "service/none/*", "**/none.toml"],
)
def test_what_is_missing_is_noticed(path: str) -> None:
    assert not exists(path)
