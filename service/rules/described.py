"""Described classes: options, commands and events, and their conversion from and to plain data.

A described class is a frozen, slotted dataclass whose fields are annotated with a *kind*:

    @dataclass(frozen=True, slots=True)
    class PlaceTile(Command):
        type: ClassVar[str] = "place_tile"
        x: Annotated[int, Whole(-300, 300), "column, growing to the east"]

`parse` (untrusted plain data in, or `Misshapen`), `load` (data that `dump` wrote and that is known
to be intact), `dump`, the wire schemas, the API's contract and the tests' generator of valid
commands all follow from that description.
"""

from __future__ import annotations

import dataclasses
import functools
import keyword
import typing
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, TypeVar, cast

from .kinds import Kind
from .plain import Misshapen, Plain, escape

T = TypeVar("T")

REQUIRED: Final = dataclasses.MISSING


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a described class: its kind, what it means, and its default if it has one.

    `name` is its name in plain data. A name that is a Python keyword (from) ends with an underscore
    in Python.
    """

    name: str
    kind: Kind
    meaning: str
    default: Any = REQUIRED

    @property
    def attribute(self) -> str:
        """The field's name in Python."""
        return f"{self.name}_" if keyword.iskeyword(self.name) else self.name

    @property
    def required(self) -> bool:
        return self.default is REQUIRED


@dataclass(frozen=True, slots=True)
class Command:
    """A command's base class. `type` names it in plain data; `rule` is the rule that allows it.

    `text` says in English what the command does; field names in braces stand for their values. A
    part in square brackets is left out where a field in it is null, or a flag that is not set.
    """

    type: ClassVar[str]
    rule: ClassVar[str]
    text: ClassVar[str]


@dataclass(frozen=True, slots=True)
class Event:
    """An event's base class. `type` and `schema` name its stored form, for ever."""

    type: ClassVar[str]
    schema: ClassVar[int] = 1


@dataclass(frozen=True, slots=True)
class Component:
    """A thing of the game with its names: a tile kind, a town, a card.

    `names` maps a language (en, pt, fr) to a name; `facts` is plain data for clients.
    """

    kind: str
    id: str
    names: Mapping[str, str]
    facts: Mapping[str, Plain]


def fields(cls: type) -> tuple[Field, ...]:
    """Returns the description of a described class's fields, in order.

    Raises TypeError for a field without a kind: that is an error in the class.
    """
    kept: tuple[Field, ...] = _described(cast(Hashable, cls))
    return kept


def parse(cls: type[T], value: Plain, pointer: str = "", *, ignore: Sequence[str] = ()) -> T:
    """Returns the object that the plain data describes.

    `ignore` names further members that may be present (a discriminator). Raises `Misshapen`
    for anything that is not an object, lacks a required field, has an unknown member or holds a
    value outside its field's kind.
    """
    if not isinstance(value, dict):
        raise Misshapen(pointer, "must be an object")
    known = fields(cls)
    names = {field.name for field in known}
    for key in value:
        if key not in names and key not in ignore:
            raise Misshapen(f"{pointer}/{escape(str(key))}", "is not known here")
    values: dict[str, Any] = {}
    for field in known:
        if field.name in value:
            values[field.attribute] = field.kind.parse(value[field.name], f"{pointer}/{field.name}")
        elif field.required:
            raise Misshapen(f"{pointer}/{field.name}", "is missing")
    return cls(**values)


def dump(value: Any) -> dict[str, Plain]:
    """Returns the plain form of a described object: its fields by name, in order."""
    return _dumper(cast(Hashable, type(value)))(value)


def load(cls: type[T], value: Mapping[str, Plain]) -> T:
    """Returns the object whose plain form was stored. Trusts the data; `parse` is for all other."""
    loaded: T = _loader(cast(Hashable, cls))(value)
    return loaded


def parse_command(
    commands: Mapping[str, type[Command]], value: Plain, pointer: str = ""
) -> Command:
    """Returns the command whose `type` and fields the plain data states, or raises `Misshapen`."""
    if not isinstance(value, dict):
        raise Misshapen(pointer, "must be an object")
    if "type" not in value:
        raise Misshapen(f"{pointer}/type", "is missing")
    name = value["type"]
    cls = commands.get(name) if isinstance(name, str) else None
    if cls is None:
        raise Misshapen(f"{pointer}/type", "must be one of: {known}", known=", ".join(commands))
    return parse(cls, value, pointer, ignore=("type",))


def dump_command(command: Command) -> dict[str, Plain]:
    """Returns the plain form of a command: `type` first, then its fields."""
    return {"type": command.type, **dump(command)}


@dataclass(frozen=True, slots=True)
class Structure(Kind):
    """A value of a described class; an object in plain data."""

    cls: type

    def parse(self, value: Plain, pointer: str) -> Any:
        return parse(self.cls, value, pointer)

    def load(self, value: Plain) -> Any:
        return load(self.cls, value)

    def dump(self, value: Any) -> Plain:
        return dump(value)

    @property
    def changes(self) -> bool:
        return True


@functools.cache
def _described(cls: Any) -> tuple[Field, ...]:
    hints = typing.get_type_hints(cls, include_extras=True)
    described = []
    for field in dataclasses.fields(cls):
        extras: Any = getattr(hints[field.name], "__metadata__", None)
        if extras is None or len(extras) != 2 or not isinstance(extras[0], Kind):
            raise TypeError(f"{cls.__name__}.{field.name} has no kind and meaning")
        bare = field.name.removesuffix("_")
        name = bare if keyword.iskeyword(bare) else field.name
        described.append(Field(name, extras[0], extras[1], field.default))
    return tuple(described)


@functools.cache
def _dumper(cls: Any) -> Callable[[Any], dict[str, Plain]]:
    plan = [(f.name, f.attribute, f.kind.dump if f.kind.changes else None) for f in fields(cls)]

    def dumper(value: Any) -> dict[str, Plain]:
        return {
            name: getattr(value, attribute) if change is None else change(getattr(value, attribute))
            for name, attribute, change in plan
        }

    return dumper


@functools.cache
def _loader(cls: Any) -> Callable[[Mapping[str, Plain]], Any]:
    changing = [(f.name, f.kind.load) for f in fields(cls) if f.kind.changes]
    renamed = [(f.name, f.attribute) for f in fields(cls) if f.name != f.attribute]
    if not changing and not renamed:
        return lambda value: cls(**value)

    def loader(value: Mapping[str, Plain]) -> Any:
        values = dict(value)
        for name, change in changing:
            if name in values:
                values[name] = change(values[name])
        for name, attribute in renamed:
            if name in values:
                values[attribute] = values.pop(name)
        return cls(**values)

    return loader
