"""Descriptions for people: commands, field values and refusals as text in the request's language.

Codes and ids are never translated. Components are called by the name that the ruleset gives them in
the language.
"""

from __future__ import annotations

import functools
import re
import string
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, Final, cast

from ...rules import described
from ...rules.described import Component, Structure
from ...rules.kinds import Counts, Flag, Kind, Many, Maybe, OneOf
from ...rules.plain import Detail
from ...rules.ruleset import AnyRuleset, RuleViolation
from .languages import DEFAULT_LANGUAGE, request_language
from .translations import fill_template, translate

NOTHING: Final = "–"
OPTIONAL_PART: Final = re.compile(r"\[([^\]]*)\]")

Names = Mapping[str | int, str]
Describer = Callable[[Any], str]


def refusal_text(refusal: RuleViolation, ruleset: AnyRuleset | None) -> str:
    """Returns why the rules forbid a command, with the names of the ruleset's components."""
    names = {} if ruleset is None else _component_names(cast(Hashable, ruleset), request_language())
    return fill_template(refusal.template, refusal.facts, names)


def describe_value(
    cls: Any,
    value: Mapping[str, Any],
    ruleset: AnyRuleset,
    state: Any = None,
    seat: int | None = None,
) -> str:
    """Returns the text of a class with a template (`text`), filled with the texts of a value's

    fields. A whole number may be a range, `{"min", "max"}`; an id becomes the name of the ruleset's
    component, a flag that is set its own name. The ruleset may have better words for either (see
    `Ruleset.describe_command`), more so where the `state` and `seat` of a command are given. A part
    of the template in square brackets is left out where a field that it names is null or a flag
    that is not set.
    """
    name = getattr(cls, "type", "")
    if name in ruleset.commands:
        value = ruleset.describe_command(name, value, state, seat)
    return _class_describer(cls, cast(Hashable, ruleset), request_language())(value)


@functools.lru_cache(maxsize=1024)
def _class_describer(cls: Any, ruleset: Any, language: str) -> Describer:
    """Returns the function that describes a class's values; `language` is the request's."""
    parts = []
    for number, part in enumerate(OPTIONAL_PART.split(translate(cls.text))):
        names = [name for _, name, _, _ in string.Formatter().parse(part) if name]
        parts.append((part, names, number % 2 == 1))
    used = {name for _, names, _ in parts for name in names}
    describers = {
        field.name: _field_describer(field.kind, field.name, ruleset, language)
        for field in described.fields(cls)
        if field.name in used
    }

    def describe(value: Mapping[str, Any]) -> str:
        facts = {name: describer(value[name]) for name, describer in describers.items()}
        return "".join(
            part.format_map(facts)
            for part, names, optional in parts
            if not (optional and any(value[name] is None or value[name] is False for name in names))
        )

    return describe


def _field_describer(kind: Kind, name: str, ruleset: AnyRuleset, language: str) -> Describer:
    """Returns the function that describes a field's plain values, or fills in words for them."""
    describe_plain = _value_describer(kind, name, ruleset, language)
    names = _component_names(cast(Hashable, ruleset), language)

    def describe(value: Any) -> str:
        if isinstance(value, list) and value and isinstance(value[0], Detail):
            return ", ".join(map(describe, value))
        if isinstance(value, Detail):
            return fill_template(value.template, value.facts, names)
        return describe_plain(value)

    return describe


def _value_describer(kind: Kind, name: str, ruleset: AnyRuleset, language: str) -> Describer:
    """Returns the function that describes a field's plain values."""
    match kind:
        case Maybe(inner):
            describe = _field_describer(inner, name, ruleset, language)
            return lambda value: NOTHING if value is None else describe(value)
        case Many(inner):
            each = _field_describer(inner, name, ruleset, language)
            return lambda values: ", ".join(map(each, values)) if values else NOTHING
        case Structure(cls) if hasattr(cls, "text"):
            return _class_describer(cls, cast(Hashable, ruleset), language)
        case OneOf(values):
            names = _value_names(ruleset, values, language)
            return lambda value: names[value]
        case Counts(ids):
            counted = _value_names(ruleset, ids, language)
            return lambda value: format_value(
                {counted[key]: number for key, number in value.items()}
            )
        case Flag():
            flag = translate(name)
            return lambda value: flag if value else NOTHING
    return format_value


def _value_names(ruleset: AnyRuleset, values: Iterable[str | int], language: str) -> Names:
    """Returns the names of a field's ids. Where several kinds of components have an id, the kind

    that has most of the field's ids counts. A number that is an id keeps its number; an id of no
    component is translated as a word.
    """
    kinds: dict[str, dict[str, str]] = {}
    for component in ruleset.components:
        kinds.setdefault(component.kind, {})[component.id] = _component_name(component, language)
    ids = list(values)
    candidates = sorted(kinds.values(), key=lambda known: -sum(str(id) in known for id in ids))
    names: dict[str | int, str] = {}
    for id in ids:
        name = next((known[str(id)] for known in candidates if str(id) in known), None)
        if isinstance(id, int):
            names[id] = str(id) if name is None else f"{id} ({name})"
        else:
            names[id] = translate(id.replace("_", " ")) if name is None else name
    return names


@functools.lru_cache(maxsize=64)
def _component_names(ruleset: Any, language: str) -> Names:
    """Returns the names of all components by id, the first kind's where several have an id."""
    names: dict[str | int, str] = {}
    for component in ruleset.components:
        names.setdefault(component.id, _component_name(component, language))
    return names


def _component_name(component: Component, language: str) -> str:
    return component.names.get(language, component.names[DEFAULT_LANGUAGE])


def format_value(value: Any) -> str:
    """Returns a plain value as text."""
    if value is None or (isinstance(value, (list, tuple, dict)) and not value):
        return NOTHING
    if isinstance(value, Mapping):
        if set(value) == {"min", "max"}:
            return f"{value['min']} … {value['max']}"
        return ", ".join(f"{count} × {name}" for name, count in value.items())
    if isinstance(value, Iterable) and not isinstance(value, str):
        return ", ".join(map(format_value, value))
    return str(value)
