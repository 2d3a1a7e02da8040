"""Well-shaped values straight from descriptions: any at all, and neighbours of a given one.

What comes out always passes `described.parse` after `described.dump`; whether a rule allows it is
another matter, which is the point.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from service.rules import described, plain
from service.rules.described import Command, Structure
from service.rules.kinds import Counts, Either, Flag, Free, Kind, Many, Maybe, OneOf, Text, Whole
from service.rules.ruleset import AnyRuleset

_LETTERS = "abcxyz 019_é漢"


def sample_command(ruleset: AnyRuleset, generator: random.Random) -> Command:
    """Returns a random well-shaped command: a type, then each field by itself."""
    command: Command = sample(generator.choice(list(ruleset.commands.values())), generator)
    return command


def sample(cls: type, generator: random.Random) -> Any:
    """Returns a random well-shaped object of a described class."""
    values = {
        field.attribute: well_shaped(field.kind, generator) for field in described.fields(cls)
    }
    return cls(**values)


def well_shaped(kind: Kind, generator: random.Random) -> Any:
    """Returns a random value of a kind, in its Python form; small and extreme ones are frequent."""
    match kind:
        case Whole(low, high):
            return _whole(low, high, generator)
        case Flag():
            return generator.random() < 0.5
        case OneOf(values):
            return generator.choice(values)
        case Text(longest, shortest):
            return _text(shortest, longest, generator)
        case Maybe(inner):
            return None if generator.random() < 0.3 else well_shaped(inner, generator)
        case Either(inners):
            return _first_form(kind, well_shaped(generator.choice(inners), generator))
        case Many(inner, most, fewest):
            size = generator.randint(fewest, min(most, fewest + 4))
            return tuple(well_shaped(inner, generator) for _ in range(size))
        case Counts(ids, low, high):
            named = [name for name in ids if generator.random() < 0.4]
            return tuple((name, _whole(low, high, generator)) for name in named)
        case Structure(cls):
            return sample(cls, generator)
        case Free():
            return generator.choice([None, True, 0, "a", [1, "b"], {"c": [None]}])
    raise TypeError(f"no samples for {kind!r}")


def near(kind: Kind, value: Any, generator: random.Random) -> Any:
    """Returns a value of a kind that is close to the one given; it may come out the same."""
    match kind:
        case Whole(low, high):
            return max(low, min(high, value + generator.choice((-2, -1, 1, 2))))
        case Flag():
            return not value
        case OneOf(values):
            place = values.index(value) + generator.choice((-1, 1))
            return values[place % len(values)]
        case Maybe(inner):
            if value is None or generator.random() < 0.25:
                return None if value is not None else well_shaped(inner, generator)
            return near(inner, value, generator)
        case Many(inner, most, fewest):
            return _near_list(inner, most, fewest, value, generator)
        case Counts(ids, low, high):
            return _near_counts(ids, low, high, value, generator)
        case Structure():
            return neighbour(value, generator)
    return well_shaped(kind, generator)


def neighbour(value: Any, generator: random.Random) -> Any:
    """Returns the described object with one field changed, mostly to a near value."""
    known = described.fields(type(value))
    if not known:
        return value
    field = generator.choice(known)
    old = getattr(value, field.attribute)
    if generator.random() < 0.75:
        return replace(value, **{field.attribute: near(field.kind, old, generator)})
    return replace(value, **{field.attribute: well_shaped(field.kind, generator)})


def candidates(
    ruleset: AnyRuleset, listed: list[Command], generator: random.Random
) -> Iterator[Command]:
    """Yields well-shaped commands without end: neighbours of those listed and quite random ones."""
    while True:
        if listed and generator.random() < 0.7:
            yield neighbour(generator.choice(listed), generator)
        else:
            yield sample_command(ruleset, generator)


def _whole(low: int, high: int, generator: random.Random) -> int:
    turn = generator.random()
    if turn < 0.1:
        return generator.choice((low, high))
    if turn < 0.6:
        middle = max(low, min(high, 0))
        return max(low, min(high, middle + generator.randint(-8, 8)))
    return generator.randint(low, high)


def _text(shortest: int, longest: int, generator: random.Random) -> str:
    text = ""
    goal = generator.randint(shortest, min(longest, shortest + 12))
    while len(text.encode()) < goal:
        letter = generator.choice(_LETTERS)
        text += letter if len((text + letter).encode()) <= longest else "a"
    return text


def _first_form(kind: Either, value: Any) -> Any:
    """The form that the first accepting kind would give the value, as parsing does."""
    for inner in kind.inner:
        try:
            return inner.parse(inner.dump(value), "")
        except (plain.Misshapen, TypeError, ValueError, AttributeError):
            continue
    raise AssertionError(f"{value!r} is of no kind in {kind!r}")


def _near_list(
    inner: Kind, most: int, fewest: int, value: tuple[Any, ...], generator: random.Random
) -> tuple[Any, ...]:
    items = list(value)
    act = generator.choice(("drop", "add", "double", "swap", "change"))
    place = generator.randrange(len(items)) if items else 0
    if act == "drop" and len(items) > fewest:
        del items[place]
    elif act == "add" and len(items) < most:
        items.insert(place, well_shaped(inner, generator))
    elif act == "double" and items and len(items) < most:
        items.insert(place, items[place])
    elif act == "swap" and items:
        items[0], items[place] = items[place], items[0]
    elif items:
        items[place] = near(inner, items[place], generator)
    return tuple(items)


def _near_counts(
    ids: tuple[str, ...], low: int, high: int, value: Any, generator: random.Random
) -> tuple[tuple[str, int], ...]:
    counts = dict(value)
    name = generator.choice(ids)
    if name in counts and generator.random() < 0.3:
        del counts[name]
    elif name in counts:
        counts[name] = near(Whole(low, high), counts[name], generator)
    else:
        counts[name] = _whole(low, high, generator)
    return tuple((known, counts[known]) for known in ids if known in counts)
