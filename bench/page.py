"""The page of results: sections under headings, each written by the part that measured it."""

from __future__ import annotations

from pathlib import Path

PAGE = Path(__file__).with_name("results.md")
TITLE = "# Results\n"


def write(heading: str, text: str) -> None:
    """Writes a section in the place of the one of the same heading; others stay as they are.

    A new section comes last.
    """
    whole = PAGE.read_text() if PAGE.exists() else TITLE
    opening = f"\n## {heading}\n"
    before, found, rest = whole.partition(opening)
    after = ""
    if found and "\n## " in rest:
        after = rest[rest.index("\n## ") + 1 :]
    parts = [before.rstrip("\n") + "\n", f"## {heading}\n{text.strip()}\n", after]
    PAGE.write_text("\n".join(part for part in parts if part))
