"""Events and metadata as bytes, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import orjson

from ..rules.plain import Command, Event, Plain, dump, dump_command, load
from ..rules.ruleset import AnyRuleset
from ..store.hash_chain import chain_entry
from ..store.protocol import Corrupt, Entry
from .table import events as table_events
from .table.events import PastEvent
from .upcasters import upcast

Draws = tuple[tuple[int, int, int], ...]
"""Draws made: number in the game, bound and value of each."""


class Step(NamedTuple):
    """What one command of an append came to. `seat` and `command` are None where none was sent

    by a seat: the host, a claim, the relay.
    """

    seat: int | None
    command: Command | None
    draws: Draws
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class StepFact:
    """A step as its append's metadata tells it: the command as plain data, how many entries."""

    seat: int | None
    command: dict[str, Plain] | None
    draws: Draws
    entries: int

    @classmethod
    def of(cls, step: Step) -> StepFact:
        """Returns what the metadata tells of a step."""
        command = None if step.command is None else dump_command(step.command)
        return cls(step.seat, command, step.draws, len(step.events))


@dataclass(frozen=True, slots=True)
class Replaced:
    """A bot's move that another level made: for which one, by which, why (`events.REPLACING`)."""

    level: str
    by: str
    reason: str


@dataclass(frozen=True, slots=True)
class Meta:
    """What the first entry of an append says of the whole: its random id, when (ms), its steps,

    and `by` whom where it matters (a bot's level, "relay"); `replaced`: in whose place; `request`:
    the id of the request that it goes back to, for logs alone.
    """

    id: str
    at: int
    steps: tuple[StepFact, ...]
    by: str | None
    replaced: Replaced | None = None
    request: str | None = None

    @property
    def size(self) -> int:
        return sum(step.entries for step in self.steps)


def encode(
    previous: bytes,
    steps: Sequence[Step],
    append_id: str,
    at: int,
    by: str | None = None,
    replaced: Replaced | None = None,
    request: str | None = None,
) -> tuple[Entry, ...]:
    """Returns the chained entries of an append; the first carries the metadata."""
    meta: dict[str, Plain] = {
        "id": append_id,
        "at": at,
        "steps": [
            {
                "seat": step.seat,
                "command": None if step.command is None else dump_command(step.command),
                "draws": [list(draw) for draw in step.draws],
                "entries": len(step.events),
            }
            for step in steps
        ],
    }
    if by is not None:
        meta["by"] = by
    if replaced is not None:
        meta["replaced"] = {"level": replaced.level, "reason": replaced.reason}
    if request is not None:
        meta["request"] = request
    written = orjson.dumps(meta)
    entries: list[Entry] = []
    for step in steps:
        for event in step.events:
            entry = chain_entry(
                previous, event.type, event.schema, orjson.dumps(dump(event)), written
            )
            entries.append(entry)
            previous, written = entry.hash, b""
    return tuple(entries)


def decode_meta(entry: Entry) -> Meta | None:
    """Returns the metadata of an append's first entry, None for its other entries."""
    if not entry.meta:
        return None
    meta = orjson.loads(entry.meta)
    steps = tuple(
        StepFact(
            step["seat"],
            step["command"],
            tuple((number, bound, value) for number, bound, value in step["draws"]),
            step["entries"],
        )
        for step in meta["steps"]
    )
    by, instead = meta.get("by"), meta.get("replaced")
    replaced = None if instead is None else Replaced(instead["level"], by, instead["reason"])
    return Meta(meta["id"], meta["at"], steps, by, replaced, meta.get("request"))


def decode_event(entry: Entry, ruleset: AnyRuleset | None) -> Event:
    """Returns the event; `ruleset` is that of the game, None before it is known.

    Raises `Corrupt` for a type that nobody knows.
    """
    cls = event_class(entry.type, ruleset)
    data = orjson.loads(entry.data)
    if entry.schema != cls.schema:
        data = upcast(entry.type, entry.schema, data)
    return load(cls, data)


def to_past_event(event: Event) -> PastEvent:
    """Returns an event as another stream may tell it."""
    return PastEvent(event.type, event.schema, dump(event))


def past_event(told: PastEvent, ruleset: AnyRuleset) -> Event:
    """Returns the event of the game played that was told. Trusts its data.

    Raises `Corrupt` for a type that the ruleset does not know.
    """
    cls = ruleset.events.get(told.type)
    if cls is None:
        raise Corrupt(f"no event of {ruleset.id} is called {told.type}")
    data = told.data
    if told.schema != cls.schema:
        data = upcast(told.type, told.schema, data)
    return load(cls, data)


def event_class(name: str, ruleset: AnyRuleset | None) -> type[Event]:
    """Returns the class of an event type, the table's first. Raises `Corrupt` for unknown ones."""
    found: Mapping[str, type[Event]] = table_events.EVENTS
    cls = found.get(name) or (None if ruleset is None else ruleset.events.get(name))
    if cls is None:
        raise Corrupt(f"no event is called {name}")
    return cls
