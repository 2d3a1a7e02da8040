"""Writes docs/rules/<ruleset>.md, the rule book of each ruleset, from the ruleset itself.

    python docs/build_rules.py            writes the files
    python docs/build_rules.py --check    exits with 1 if one of them is out of date

Each rule has an anchor: rule C-2.1 is `docs/rules/<ruleset>.md#c-2.1`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from service.rules import described
from service.rules.described import Structure
from service.rules.kinds import Counts, Either, Flag, Free, Kind, Many, Maybe, OneOf, Text, Whole
from service.rules.ruleset import AnyRuleset, rulesets

FOLDER = Path(__file__).resolve().parent / "rules"


def book(ruleset: AnyRuleset) -> str:
    """Returns the rule book as Markdown."""
    structures: dict[str, type] = {}
    parts = [
        f"# {ruleset.title}\n",
        f"Ruleset `{ruleset.id}`, version {ruleset.version}, for {_listed(ruleset.seats)} seats."
        " This page is made from the ruleset by `docs/build_rules.py`.\n",
        "## Rules\n",
        *(f'<a id="{rule.id.lower()}"></a>**{rule.id}** {rule.text}\n' for rule in ruleset.rules),
        *_readings(ruleset),
        "## Options\n",
        _table(ruleset.options, structures),
        "## Commands\n",
    ]
    for name, command in ruleset.commands.items():
        rule = f"[{command.rule}](#{command.rule.lower()})"
        parts.append(f"### `{name}`\n")
        parts.append(f"{_summary(command)} (rule {rule})\n")
        parts.append(_table(command, structures))
    parts.append("## Events\n")
    for name, event in ruleset.events.items():
        parts.append(f"### `{name}`\n")
        parts.append(f"{_summary(event)} (schema {event.schema})\n")
        parts.append(_table(event, structures))
    if structures:
        parts.append("## Structures\n")
        done: set[str] = set()
        while left := [name for name in sorted(structures) if name not in done]:
            for name in left:
                done.add(name)
                parts.append(f'<a id="structure-{name.lower()}"></a>\n\n### {name}\n')
                parts.append(f"{_summary(structures[name])}\n")
                parts.append(_table(structures[name], structures))
    return "\n".join(parts).rstrip("\n") + "\n"


READINGS = """\
Where the text that the rules were written after differs from the published game, or leaves
something open: what each says, the option that chooses if there is one, and the default.
"""
FOLLOWS = {
    "text": "the text",
    "published": "the published game",
    "both": "both",
    "book": "this book",
}


def _readings(ruleset: AnyRuleset) -> list[str]:
    """Returns how the book reads its sources, as a table; nothing where nothing is said of it."""
    if not ruleset.readings:
        return []
    options = {field.name: field for field in described.fields(ruleset.options)}
    rows = ["| rule | the text | the published game | option | default |", "|---|---|---|---|---|"]
    for reading in ruleset.readings:
        chosen = "–"
        default = FOLLOWS[reading.follows]
        if reading.option is not None:
            field = options[reading.option]
            chosen = f"`{field.name}`: {_kind(field.kind, {})}"
            value = _default(field).strip('"')
            default = f"`{value}` ({default})"
        cells = (
            f"[{reading.rule}](#{reading.rule.lower()})",
            reading.text,
            reading.published or "–",
            chosen,
            default,
        )
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return ["## Readings\n", READINGS, "\n".join(rows) + "\n"]


def _listed(seats: tuple[int, ...]) -> str:
    return f"{min(seats)} to {max(seats)}"


def _summary(cls: type) -> str:
    return " ".join((cls.__doc__ or "").split("\n\n")[0].split())


def _table(cls: type, structures: dict[str, type]) -> str:
    known = described.fields(cls)
    if not known:
        return "No fields.\n"
    lines = ["| field | kind | default | meaning |", "|---|---|---|---|"]
    for field in known:
        default = "" if field.required else f"`{_default(field)}`"
        cells = (f"`{field.name}`", _kind(field.kind, structures), default, field.meaning)
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def _default(field: described.Field) -> str:
    return json.dumps(field.kind.dump(field.default), ensure_ascii=False)


def _kind(kind: Kind, structures: dict[str, type]) -> str:
    """Returns a kind in words, noting the structures it leads to."""

    def words(inner: Kind) -> str:
        return _kind(inner, structures)

    match kind:
        case Whole(low, high):
            return f"whole number, {low} to {high}"
        case Flag():
            return "true or false"
        case OneOf(values):
            return "one of " + ", ".join(f"`{value}`" for value in values)
        case Text(longest):
            return f"text, at most {longest} bytes"
        case Maybe(inner):
            return f"null or {words(inner)}"
        case Either(inners):
            return " or ".join(map(words, inners))
        case Many(inner, most, fewest):
            return f"list of {fewest} to {most}: {words(inner)}"
        case Counts(ids, low, high):
            named = ", ".join(f"`{name}`" for name in ids)
            return f"object of whole numbers, {low} to {high}, by some of {named}"
        case Structure(cls):
            structures[cls.__name__] = cls
            return f"[{cls.__name__}](#structure-{cls.__name__.lower()})"
        case Free():
            return "plain data"
    raise TypeError(f"no words for {kind!r}")


def main(arguments: Any) -> int:
    """Writes the books, or only checks them; returns the exit code."""
    stale = []
    for ruleset in rulesets().values():
        path = FOLDER / f"{ruleset.id}.md"
        text = book(ruleset)
        if path.is_file() and path.read_text() == text:
            continue
        stale.append(path.name)
        if "--check" not in arguments:
            FOLDER.mkdir(exist_ok=True)
            path.write_text(text)
    print(f"out of date: {', '.join(stale)}" if stale else "up to date")
    return 1 if stale and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
