"""Brings the catalogs up to date with the texts that people may read.

    python docs/build_translations.py            rewrites the catalogs
    python docs/build_translations.py --check    exits with 1 if one of them is out of date

Texts of commands, options and rules come from the registry; refusals and error messages from the
source, as literals in the calls that `CALLS` lists. The service's own texts go to
service/translations, a game's to its package. A new text is added untranslated, one that is gone is
dropped; translations are kept. To add a language, add its folders beside those of the others and
run this.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po, write_po

from schemas.described_fields import MARSHMALLOW_MESSAGES
from schemas.json_schema import summary
from service.api.http.catalogs import FILE, SERVICE, available_languages
from service.api.http.problems import PROBLEM_TYPES
from service.games.table import rule_book as table_rule_book
from service.games.table.commands import COMMANDS
from service.rules import described
from service.rules.described import Structure
from service.rules.kinds import Flag, Kind, Many, Maybe, OneOf
from service.rules.ruleset import AnyRuleset, Rule, rulesets

ROOT = SERVICE.parent
CALLS = {
    "RuleViolation": 2,
    "refusal": 1,
    "Misshapen": 1,
    "Pattern": 1,
    "Problem": 1,
    "Detail": 0,
    "translate": 0,
    "say": 0,
    "phrase": 0,
}
"""The calls that take a text for people, and the position of that argument."""
PLACES = ("api", "games", "render", "rules", "../schemas")
"""Where texts are, relative to the service's folder."""
RULE = re.compile(r"[A-Z]-\d+(\.\d+)?")
WORD = re.compile(r"[a-z_]+")

HEADER = r"""msgid ""
msgstr ""
"Language: {language}\n"
"MIME-Version: 1.0\n"
"Content-Type: text/plain; charset=utf-8\n"
"Content-Transfer-Encoding: 8bit\n"

"""

Texts = dict[str, list[str]]
"""Maps each text to its uses."""


def required_texts() -> dict[Path, Texts]:
    """Returns the texts that each folder of catalogs must have."""
    context = SERVICE / "translations"
    texts: dict[Path, Texts] = {context: {}}
    _add_service_texts(texts[context])
    packages = {}
    for ruleset in rulesets().values():
        package = Path(sys.modules[type(ruleset).__module__].__file__ or "").parent
        packages[package] = texts[package / "translations"] = {}
        packages[SERVICE / "render" / ruleset.id] = packages[package]
        _add_ruleset(texts[package / "translations"], ruleset)
    for path in sorted(
        path for folder in PLACES for path in (SERVICE / folder).resolve().rglob("*.py")
    ):
        mine = next((packages[each] for each in path.parents if each in packages), texts[context])
        module = path.relative_to(ROOT).as_posix()
        for text in literals(path.read_text(), module):
            mine.setdefault(text, []).append(module)
    return texts


def literals(source: str, module: str) -> Iterator[str]:
    """Yields the texts in a module's source.

    Raises ValueError for a text that is concatenated or formatted: it could not be translated.
    """
    for node in ast.walk(ast.parse(source)):
        text = None
        if isinstance(node, ast.Call):
            called = node.func
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            place = CALLS.get(name)
            if place is not None and len(node.args) > place:
                text = node.args[place]
            elif name in ("ValidationError", "ValueError") and node.args:
                inner = [each for each in ast.walk(node.args[0]) if isinstance(each, ast.List)]
                text = inner[0].elts[0] if inner else node.args[0]
                if name == "ValueError" and not _constant(text).startswith("must "):
                    text = None
        elif isinstance(node, ast.Tuple) and len(node.elts) == 3:
            code, rule, last = map(_constant, node.elts)
            text = node.elts[2] if WORD.fullmatch(code) and RULE.fullmatch(rule) and last else None
        if isinstance(text, (ast.JoinedStr, ast.BinOp)):
            raise ValueError(f"{module}:{node.lineno}: a concatenated or formatted text")
        if text is not None and _constant(text):
            yield _constant(text)


def _constant(node: ast.expr) -> str:
    held = node.value if isinstance(node, ast.Constant) else None
    return held if isinstance(held, str) else ""


def _add_service_texts(texts: Texts) -> None:
    for code, known in PROBLEM_TYPES.items():
        texts.setdefault(known.title, []).append(f"problem {code}: title")
        texts.setdefault(known.text, []).append(f"problem {code}")
    for text in MARSHMALLOW_MESSAGES:
        texts.setdefault(text, []).append("schemas")
    _add_rules(texts, table_rule_book.RULES)
    for command in COMMANDS.values():
        _add_class(texts, command, set())


def _add_ruleset(texts: Texts, ruleset: AnyRuleset) -> None:
    things = {component.id for component in ruleset.components}
    _add_rules(texts, ruleset.rules)
    for reading in ruleset.readings:
        for text in filter(None, (reading.text, reading.published)):
            texts.setdefault(text, []).append(f"reading of {reading.rule}")
    for cls in (ruleset.options, *ruleset.commands.values()):
        _add_class(texts, cls, things)


def _add_rules(texts: Texts, rules: tuple[Rule, ...]) -> None:
    for rule in rules:
        texts.setdefault(rule.text, []).append(f"rule {rule.id}")


def _add_class(texts: Texts, cls: Any, things: set[str]) -> None:
    """Adds a described class: its template, its summary, the meanings and words of its fields."""
    name = getattr(cls, "type", cls.__name__)
    template = getattr(cls, "text", None)
    if template is not None:
        texts.setdefault(template, []).append(f"{name}: what it does")
    texts.setdefault(summary(cls), []).append(f"{name}: description")
    for field in described.fields(cls):
        texts.setdefault(field.meaning, []).append(f"{name}: {field.name}")
        kind = _inner(field.kind)
        if isinstance(kind, Structure):
            _add_class(texts, kind.cls, things)
        words: list[Any] = []
        if template is not None and f"{{{field.name}}}" in template:
            words = list(kind.values) if isinstance(kind, OneOf) else words
            words = [field.name] if isinstance(kind, Flag) else words
        for word in words:
            if isinstance(word, str) and word not in things:
                texts.setdefault(word.replace("_", " "), []).append(f"{name}: {field.name}, a word")


def _inner(kind: Kind) -> Kind:
    return _inner(kind.inner) if isinstance(kind, (Maybe, Many)) else kind


def build_catalog(texts: Texts, language: str, written: bytes) -> bytes:
    """Returns a catalog with exactly these texts, keeping the translations of the previous one."""
    known = {message.id: message.string for message in read_po(BytesIO(written), language)}
    catalog = Catalog(locale=language)
    for text, uses in texts.items():
        catalog.add(text, known.get(text, ""), auto_comments=sorted(set(uses)))
    file = BytesIO()
    write_po(file, catalog, width=100, no_location=True, omit_header=True)
    return HEADER.format(language=language).encode() + file.getvalue()


def main(arguments: Any) -> int:
    """Writes the catalogs, or only checks them; returns the exit code."""
    stale = []
    for folder, texts in required_texts().items():
        for language in available_languages():
            path = folder / language / FILE
            written = path.read_bytes() if path.is_file() else b""
            fresh = build_catalog(texts, language, written)
            if fresh != written:
                stale.append(path.relative_to(ROOT).as_posix())
                if "--check" not in arguments:
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(fresh)
    print(f"out of date: {', '.join(stale)}" if stale else "up to date")
    return 1 if stale and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
