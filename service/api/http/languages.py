"""Texts for people in the language that the caller asks for. Codes and ids are never translated.

English stands in the code; other languages are in `catalogs`. A thing of the game is told by its
name in the language, as the ruleset's components have it.
"""

from __future__ import annotations

import functools
import re
import string
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, Final, cast

from flask import Flask, Response, g, request
from flask_babel import Babel, gettext

from ...rules import plain
from ...rules.plain import Component, Counts, Detail, Flag, Kind, Many, Maybe, OneOf, Structure
from ...rules.ruleset import AnyRuleset, RuleViolation
from . import translations

FIRST: Final = "en"
LANGUAGES: Final = tuple(sorted({FIRST, *translations.available_languages()}))
NOTHING: Final = "–"
PART: Final = re.compile(r"\[([^\]]*)\]")

Words = Mapping[str | int, str]
Describer = Callable[[Any], str]


def register_languages(app: Flask) -> None:
    """Lets the application choose languages."""
    app.config["BABEL_DEFAULT_LOCALE"] = FIRST
    Babel(
        app, locale_selector=request_language
    ).domain_instance = translations.TranslationCatalogs()


def request_language() -> str:
    """Returns the language of this request, one of `LANGUAGES`: what `?lang=` names, else the best

    of Accept-Language, else English.
    """
    chosen: str | None = g.get("language")
    if chosen is None:
        wanted = [name for name, quality in request.accept_languages if quality > 0]
        chosen = next(
            filter(None, map(_match_language, [request.args.get("lang", ""), *wanted])), FIRST
        )
        g.language = chosen
    return chosen


def _match_language(name: str) -> str | None:
    """Returns the language that a tag such as pt-BR asks for, if we have it."""
    language = name.partition("-")[0].lower()
    return language if language in LANGUAGES else None


def with_content_language(response: Response) -> Response:
    """Returns an answer with texts, marked with its language and as one of several."""
    response.headers["Content-Language"] = request_language()
    response.vary.add("Accept-Language")
    return response


def translate(text: str) -> str:
    """Returns a text of the code in the request's language."""
    if request_language() == FIRST:
        return text
    found: str = gettext(text)
    return found


def translate_detail(detail: str) -> str:
    """Returns a sentence in the request's language, its facts too where they are sentences."""
    if not isinstance(detail, Detail):
        return translate(detail)
    return _filled(detail.template, detail.facts, {})


def refusal_text(refusal: RuleViolation, ruleset: AnyRuleset | None) -> str:
    """Returns why the rules forbid something; ids of the ruleset's things are told by name."""
    names = {} if ruleset is None else _every_name(cast(Hashable, ruleset), request_language())
    return _filled(refusal.template, refusal.facts, names)


def _filled(template: str, facts: Mapping[str, str | int], names: Words) -> str:
    text = translate(template)
    if not facts:
        return text
    told = {
        name: translate_detail(fact) if isinstance(fact, Detail) else names.get(fact, fact)
        for name, fact in facts.items()
    }
    return text.format(**told)


def describe_value(cls: Any, value: Mapping[str, Any], ruleset: AnyRuleset) -> str:
    """Returns the text of a described class with a template (`text`), filled with the texts of a

    value's fields. A whole number may stand as a range, `{"min", "max"}`; an id is told by the
    name that the ruleset's component has, a flag that is set by its own name. A part of the
    template in square brackets is left out where a field that it names is null or a flag that is
    not set.
    """
    return _describer(cls, cast(Hashable, ruleset), request_language())(value)


@functools.lru_cache(maxsize=1024)
def _describer(cls: Any, ruleset: Any, language: str) -> Describer:
    """Returns what tells a class's values; `language` is the request's."""
    parts = []
    for number, part in enumerate(PART.split(translate(cls.text))):
        names = [name for _, name, _, _ in string.Formatter().parse(part) if name]
        parts.append((part, names, number % 2 == 1))
    used = {name for _, names, _ in parts for name in names}
    telling = {
        field.name: _field_describer(field.kind, field.name, ruleset, language)
        for field in plain.fields(cls)
        if field.name in used
    }

    def tell(value: Mapping[str, Any]) -> str:
        facts = {name: each(value[name]) for name, each in telling.items()}
        return "".join(
            part.format_map(facts)
            for part, names, optional in parts
            if not (optional and any(value[name] is None or value[name] is False for name in names))
        )

    return tell


def _field_describer(kind: Kind, name: str, ruleset: AnyRuleset, language: str) -> Describer:
    """Returns what tells a field's plain values."""
    match kind:
        case Maybe(inner):
            some = _field_describer(inner, name, ruleset, language)
            return lambda held: NOTHING if held is None else some(held)
        case Many(inner):
            each = _field_describer(inner, name, ruleset, language)
            return lambda held: ", ".join(map(each, held)) if held else NOTHING
        case Structure(cls) if hasattr(cls, "text"):
            return _describer(cls, cast(Hashable, ruleset), language)
        case OneOf(values):
            names = _names(ruleset, values, language)
            return lambda held: names[held]
        case Counts(ids):
            things = _names(ruleset, ids, language)
            return lambda held: format_value({things[key]: number for key, number in held.items()})
        case Flag():
            flag = translate(name)
            return lambda held: flag if held else NOTHING
    return format_value


def _names(ruleset: AnyRuleset, values: Iterable[str | int], language: str) -> Words:
    """Returns what ids of a field are called. Where several kinds of components have an id, it is

    of the kind that has most of the field's ids. A number that is an id keeps its number; what is
    no component is told by its id, translated as a word.
    """
    kinds: dict[str, dict[str, str]] = {}
    for component in ruleset.components:
        kinds.setdefault(component.kind, {})[component.id] = _name(component, language)
    ids = list(values)
    fitting = sorted(kinds.values(), key=lambda known: -sum(str(each) in known for each in ids))
    names: dict[str | int, str] = {}
    for each in ids:
        name = next((known[str(each)] for known in fitting if str(each) in known), None)
        if isinstance(each, int):
            names[each] = str(each) if name is None else f"{each} ({name})"
        else:
            names[each] = translate(each.replace("_", " ")) if name is None else name
    return names


@functools.lru_cache(maxsize=64)
def _every_name(ruleset: Any, language: str) -> Words:
    """Returns the names of all components by id, the first kind's where several have an id."""
    found: dict[str | int, str] = {}
    for component in ruleset.components:
        found.setdefault(component.id, _name(component, language))
    return found


def _name(component: Component, language: str) -> str:
    return component.names.get(language, component.names[FIRST])


def format_value(value: Any) -> str:
    """Returns a plain value for people."""
    if value is None or (isinstance(value, (list, tuple, dict)) and not value):
        return NOTHING
    if isinstance(value, Mapping):
        if set(value) == {"min", "max"}:
            return f"{value['min']} … {value['max']}"
        return ", ".join(f"{count} × {name}" for name, count in value.items())
    if isinstance(value, Iterable) and not isinstance(value, str):
        return ", ".join(map(format_value, value))
    return str(value)
