"""Described values: the one form in which options, commands and events meet plain data.

A described class is a frozen, slotted dataclass whose fields are annotated with a *kind*:

    @dataclass(frozen=True, slots=True)
    class PlaceTile(Command):
        type: ClassVar[str] = "place_tile"
        x: Annotated[int, Whole(-300, 300), "column, growing to the east"]

From that description follow `parse` (untrusted plain data in, or `Misshapen`), `load` (data that
was stored by `dump` and is known to be whole), `dump`, the wire schemas, the contract and the
tests' generator of well-shaped commands. Plain data is what JSON holds: None, bool, int, str,
lists and dicts with string keys. There are no floats anywhere.
"""

from __future__ import annotations

import dataclasses
import functools
import keyword
import typing
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, TypeVar, cast

Plain = Any
"""What JSON holds, floats excepted."""

T = TypeVar("T")


class Detail(str):
    """A sentence in English that knows the `template` and the `facts` that it was made of, so that

    it can be told in other languages. A fact may be a sentence of the kind itself.
    """

    template: str
    facts: Mapping[str, str | int]

    def __new__(cls, template: str, **facts: str | int) -> Detail:
        made = super().__new__(cls, template.format(**facts) if facts else template)
        made.template = template
        made.facts = facts
        return made


class Misshapen(ValueError):
    """The data does not have the described shape.

    `pointer` is the JSON Pointer (RFC 6901) of the faulty place inside the value that was
    parsed ("" is the value itself); `detail` says in English what was expected there. It is made
    of a template and facts, or is the detail of another fault.
    """

    def __init__(self, pointer: str, template: str, **facts: str | int) -> None:
        detail = template if isinstance(template, Detail) else Detail(template, **facts)
        super().__init__(f"{pointer or '(whole)'}: {detail}")
        self.pointer = pointer
        self.detail = detail


class Kind:
    """What a field may hold. `parse` checks, `load` trusts, `dump` is the inverse of both."""

    def parse(self, value: Plain, pointer: str) -> Any:
        """Returns the Python value. Raises `Misshapen`, its pointer beginning with `pointer`."""
        raise NotImplementedError

    def load(self, value: Plain) -> Any:
        """Returns the Python value of data that `dump` wrote. Does not check."""
        return value

    def dump(self, value: Any) -> Plain:
        """Returns the plain form. Never raises for a value of this kind."""
        return value

    @property
    def changes(self) -> bool:
        """Whether plain form and Python value differ (a tuple is a list outside)."""
        return False


@dataclass(frozen=True, slots=True)
class Whole(Kind):
    """A whole number within bounds, both included. `14.0` is accepted as 14, `true` is not."""

    low: int
    high: int

    def parse(self, value: Plain, pointer: str) -> int:
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if type(value) is not int:
            raise Misshapen(pointer, "must be a whole number")
        if not self.low <= value <= self.high:
            raise Misshapen(pointer, "must be from {low} to {high}", low=self.low, high=self.high)
        return value


@dataclass(frozen=True, slots=True)
class Flag(Kind):
    """true or false."""

    def parse(self, value: Plain, pointer: str) -> bool:
        if type(value) is not bool:
            raise Misshapen(pointer, "must be true or false")
        return value


@dataclass(frozen=True, slots=True)
class OneOf(Kind):
    """One of the ids listed, in canonical order. An id is a string or a whole number."""

    values: tuple[str | int, ...]

    def parse(self, value: Plain, pointer: str) -> str | int:
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        for known in self.values:
            if value == known and type(value) is type(known):
                return known
        shown = ", ".join(str(known) for known in self.values[:30])
        more = ", …" if len(self.values) > 30 else ""
        raise Misshapen(pointer, "must be one of: {known}", known=shown + more)


@dataclass(frozen=True, slots=True)
class Text(Kind):
    """Text of at most so many bytes in UTF-8."""

    longest: int
    shortest: int = 0

    def parse(self, value: Plain, pointer: str) -> str:
        if not isinstance(value, str):
            raise Misshapen(pointer, "must be text")
        try:
            size = len(value.encode())
        except UnicodeEncodeError:
            raise Misshapen(pointer, "must be valid Unicode text") from None
        if not self.shortest <= size <= self.longest:
            raise Misshapen(
                pointer,
                "must have {fewest} to {most} bytes in UTF-8",
                fewest=self.shortest,
                most=self.longest,
            )
        return value


@dataclass(frozen=True, slots=True)
class Maybe(Kind):
    """null or a value of the inner kind."""

    inner: Kind

    def parse(self, value: Plain, pointer: str) -> Any:
        return None if value is None else self.inner.parse(value, pointer)

    def load(self, value: Plain) -> Any:
        return None if value is None else self.inner.load(value)

    def dump(self, value: Any) -> Plain:
        return None if value is None else self.inner.dump(value)

    @property
    def changes(self) -> bool:
        return self.inner.changes


@dataclass(frozen=True, slots=True)
class Either(Kind):
    """A value of the first of several kinds that accepts it."""

    inner: tuple[Kind, ...]

    def parse(self, value: Plain, pointer: str) -> Any:
        details: list[Detail] = []
        for kind in self.inner:
            try:
                return kind.parse(value, pointer)
            except Misshapen as fault:
                details.append(fault.detail)
        raise Misshapen(pointer, functools.reduce(_either, details))


@dataclass(frozen=True, slots=True)
class Many(Kind):
    """A list of values of the inner kind; a tuple in Python."""

    inner: Kind
    most: int
    fewest: int = 0

    def parse(self, value: Plain, pointer: str) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise Misshapen(pointer, "must be a list")
        if not self.fewest <= len(value) <= self.most:
            raise Misshapen(
                pointer, "must have {fewest} to {most} items", fewest=self.fewest, most=self.most
            )
        return tuple(self.inner.parse(item, f"{pointer}/{i}") for i, item in enumerate(value))

    def load(self, value: Plain) -> tuple[Any, ...]:
        return tuple(map(self.inner.load, value)) if self.inner.changes else tuple(value)

    def dump(self, value: Any) -> list[Plain]:
        return list(map(self.inner.dump, value)) if self.inner.changes else list(value)

    @property
    def changes(self) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class Counts(Kind):
    """A whole number for some of the ids listed: {"A": 2}; a tuple of (id, number) in Python,

    in the ids' canonical order. Ids that are not named are left out.
    """

    ids: tuple[str, ...]
    low: int
    high: int

    def parse(self, value: Plain, pointer: str) -> tuple[tuple[str, int], ...]:
        if not isinstance(value, dict):
            raise Misshapen(pointer, "must be an object")
        number = Whole(self.low, self.high)
        for key in value:
            if key not in self.ids:
                raise Misshapen(f"{pointer}/{escape(str(key))}", "is not a known id")
        return tuple(
            (name, number.parse(value[name], f"{pointer}/{escape(name)}"))
            for name in self.ids
            if name in value
        )

    def load(self, value: Plain) -> tuple[tuple[str, int], ...]:
        return tuple((name, value[name]) for name in self.ids if name in value)

    def dump(self, value: Any) -> dict[str, int]:
        return dict(value)

    @property
    def changes(self) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class Structure(Kind):
    """A value of a described class; an object outside."""

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


@dataclass(frozen=True, slots=True)
class Free(Kind):
    """Plain data whose shape is described elsewhere: objects, lists and values nested `depth` deep.

    Floats are refused (whole ones become whole numbers), as is text that is not valid Unicode.
    """

    depth: int = 12

    def parse(self, value: Plain, pointer: str) -> Plain:
        return self._checked(value, pointer, self.depth)

    def _checked(self, value: Plain, pointer: str, depth: int) -> Plain:
        if value is None or type(value) is bool:
            return value
        if isinstance(value, str):
            return Text(1_000_000).parse(value, pointer)
        if isinstance(value, (int, float)):
            return Whole(-(2**63), 2**63 - 1).parse(value, pointer)
        if depth == 0 or not isinstance(value, (list, dict)):
            raise Misshapen(pointer, "must be plain data")
        if isinstance(value, list):
            return [self._checked(v, f"{pointer}/{i}", depth - 1) for i, v in enumerate(value)]
        return {
            self._checked(k, pointer, depth): self._checked(v, f"{pointer}/{escape(k)}", depth - 1)
            for k, v in value.items()
        }


def _either(one: Detail, other: Detail) -> Detail:
    return Detail("{one} or {other}", one=one, other=other)


REQUIRED: Final = dataclasses.MISSING


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a described class: its kind, what it means, and its default if it has one.

    `name` is its name in plain data. A name that Python keeps for itself (from) has an underscore
    behind it in Python.
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

    Raises TypeError for a field that has no kind: that is a fault of the class.
    """
    kept: tuple[Field, ...] = _described(cast(Hashable, cls))
    return kept


def parse(cls: type[T], value: Plain, pointer: str = "", *, ignore: Sequence[str] = ()) -> T:
    """Returns the object that the plain data describes.

    `ignore` names members that may stand beside the fields (a discriminator). Raises `Misshapen`
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
    """Returns the object whose plain form was stored. Trusts the data; see `parse` for the rest."""
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


def escape(name: str) -> str:
    """Returns a member name as a JSON Pointer token (RFC 6901)."""
    return name.replace("~", "~0").replace("/", "~1")


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
