"""Texts for people in the language that the caller asks for. Codes and ids are never translated.

English stands in the code; catalogs for other languages are folders of `service/translations`.
"""

from __future__ import annotations

import functools
import re
import string
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from flask import Flask, g, request
from flask_babel import Babel, gettext

from ..rules import plain
from ..rules.plain import Command

FIRST: Final = "en"
CATALOGS: Final = Path(__file__).parents[1] / "translations"
NOTHING: Final = "–"
PART: Final = re.compile(r"\[([^\]]*)\]")


def prepare(app: Flask) -> None:
    """Lets the application choose languages."""
    app.config["BABEL_DEFAULT_LOCALE"] = FIRST
    app.config["BABEL_TRANSLATION_DIRECTORIES"] = str(CATALOGS)
    Babel(app, locale_selector=language)


def language() -> str:
    """Returns the language of this request: one that there is a catalog for, or English."""
    chosen: str | None = g.get("language")
    if chosen is None:
        wanted = (name.partition("-")[0].lower() for name in request.accept_languages.values())
        chosen = next((name for name in wanted if name in _languages()), FIRST)
        g.language = chosen
    return chosen


def translated(text: str) -> str:
    """Returns a text of the code in the request's language."""
    if language() == FIRST:
        return text
    found: str = gettext(text)
    return found


def filled(template: str, facts: Mapping[str, Any]) -> str:
    """Returns a template in the request's language with its names in braces filled in."""
    return translated(template).format(**facts)


def command_text(command: Command) -> str:
    """Returns what a command does, for people."""
    return told(type(command), plain.dump(command))


def told(cls: Any, value: Mapping[str, Any]) -> str:
    """Returns the text of a described class with a template (`text`), filled with the texts of a

    value's fields. A whole number may stand as a range, `{"min", "max"}`; an id loses its
    underscores, a flag that is set is told by its name. A part of the template in square brackets
    is left out where a field that it names is null or a flag that is not set.
    """
    filling = {}
    for field in plain.fields(cls):
        held = value[field.name]
        inner = _told_itself(field.kind)
        if isinstance(held, str) and _is_id(field.kind):
            filling[field.name] = held.replace("_", " ")
        elif held is True:
            filling[field.name] = field.name
        elif inner is None or not held:
            filling[field.name] = shown(held)
        else:
            parts = held if isinstance(held, list) else [held]
            filling[field.name] = ", ".join(told(inner, part) for part in parts)
    template = PART.sub(lambda part: _kept(part[1], value), translated(cls.text))
    return template.format(**filling)


def _kept(part: str, value: Mapping[str, Any]) -> str:
    """Returns a part of a template, or nothing if a field that it names has nothing to tell."""
    names = [name for _, name, _, _ in string.Formatter().parse(part) if name]
    return "" if any(value[name] is None or value[name] is False for name in names) else part


def _is_id(kind: plain.Kind) -> bool:
    return isinstance(kind, plain.OneOf) or (isinstance(kind, plain.Maybe) and _is_id(kind.inner))


def _told_itself(kind: plain.Kind) -> Any:
    """Returns the class with a template of its own that a field holds, or a list of; else None."""
    if isinstance(kind, (plain.Maybe, plain.Many)):
        return _told_itself(kind.inner)
    cls = kind.cls if isinstance(kind, plain.Structure) else None
    return cls if hasattr(cls, "text") else None


def shown(value: Any) -> str:
    """Returns a plain value for people."""
    if value is None or (isinstance(value, (list, tuple, dict)) and not value):
        return NOTHING
    if isinstance(value, Mapping):
        if set(value) == {"min", "max"}:
            return f"{value['min']} … {value['max']}"
        return ", ".join(f"{count} × {name}" for name, count in value.items())
    if isinstance(value, Iterable) and not isinstance(value, str):
        return ", ".join(map(shown, value))
    return str(value)


@functools.cache
def _languages() -> list[str]:
    found = CATALOGS.iterdir() if CATALOGS.is_dir() else ()
    return sorted({FIRST} | {folder.name for folder in found if folder.is_dir()})
