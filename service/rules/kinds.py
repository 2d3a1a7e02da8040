"""The kinds of values that a field of a described class may hold (see `described`)."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

from .plain import Detail, Misshapen, Plain, escape


class Kind:
    """What a field may hold: `parse` validates, `load` trusts, `dump` is the inverse of both."""

    def parse(self, value: Plain, pointer: str) -> Any:
        """Returns the Python value. Raises `Misshapen`, its pointer beginning with `pointer`."""
        raise NotImplementedError

    def load(self, value: Plain) -> Any:
        """Returns the Python value of data that `dump` wrote. Does not validate it."""
        return value

    def dump(self, value: Any) -> Plain:
        """Returns the plain form. Never raises for a value of this kind."""
        return value

    @property
    def changes(self) -> bool:
        """Whether plain form and Python value differ (a tuple is a list in plain data)."""
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
class Free(Kind):
    """Plain data whose form is described elsewhere: objects, lists and values nested `depth` deep.

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
