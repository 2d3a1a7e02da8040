"""Texts for people in the language that the caller asks for. Codes and ids are never translated.

English stands in the code; catalogs for other languages are folders of `service/translations`.
"""

from __future__ import annotations

import functools
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
    filling = {name: shown(value) for name, value in plain.dump(command).items()}
    return filled(command.text, filling)


def shown(value: Any) -> str:
    """Returns a plain value for people."""
    if value is None or (isinstance(value, (list, tuple, dict)) and not value):
        return NOTHING
    if isinstance(value, Mapping):
        return ", ".join(f"{count} × {name}" for name, count in value.items())
    if isinstance(value, Iterable) and not isinstance(value, str):
        return ", ".join(map(shown, value))
    return str(value)


@functools.cache
def _languages() -> list[str]:
    found = CATALOGS.iterdir() if CATALOGS.is_dir() else ()
    return sorted({FIRST} | {folder.name for folder in found if folder.is_dir()})
