"""The codec of streams: events and append metadata to JSON bytes and back.

Events of earlier schema versions are read by way of `upcasters`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import orjson

from ..rules.described import Command, Event, dump, dump_command, load
from ..rules.plain import Plain
from ..rules.ruleset import AnyRuleset
from ..store import Corrupt, Entry, chain_entry
from .table import events as table_events
from .table.events import PastEvent
from .upcasters import upcast

Draws = tuple[tuple[int, int, int], ...]
"""Draws made: number in the game, bound and value of each."""


class Step(NamedTuple):
    """One command of an append with its draws and events.

    `seat` is None where no seat sent it (the host, a claim, the relay), `command` where none was.
    `again`: the command was sent before, and stands without what this append takes back (T-7).
    """

    seat: int | None
    command: Command | None
    draws: Draws
    events: tuple[Event, ...]
    again: bool = False


@dataclass(frozen=True, slots=True)
class StepFact:
    """A step as stored in its append's metadata: the command as plain data, how many entries."""

    seat: int | None
    command: dict[str, Plain] | None
    draws: Draws
    entries: int
    again: bool = False

    @classmethod
    def of(cls, step: Step) -> StepFact:
        """Returns the stored form of a step."""
        command = None if step.command is None else dump_command(step.command)
        return cls(step.seat, command, step.draws, len(step.events), step.again)


@dataclass(frozen=True, slots=True)
class Replaced:
    """A bot's move that another level made: `level` is the seat's own, `by` the one that moved,

    `reason` one of `events.REPLACEMENT_REASONS`.
    """

    level: str
    by: str
    reason: str


@dataclass(frozen=True, slots=True)
class Meta:
    """The metadata of an append, kept in its first entry: random id, time (ms since 1970), steps.

    `sent_by` names a sender that is no client (a bot's level, "relay"), `replaced` says in which
    bot's place it moved, `request` is the id of the request that caused it, for logs alone.
    """

    id: str
    at: int
    steps: tuple[StepFact, ...]
    sent_by: str | None
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
    sent_by: str | None = None,
    replaced: Replaced | None = None,
    request: str | None = None,
) -> tuple[Entry, ...]:
    """Returns the chained entries of an append at a time (ms since 1970); the first one carries the

    metadata. `previous` is the hash of the entry before them.
    """
    meta: dict[str, Plain] = {
        "id": append_id,
        "at": at,
        "steps": [
            {
                "seat": step.seat,
                "command": None if step.command is None else dump_command(step.command),
                "draws": [list(draw) for draw in step.draws],
                "entries": len(step.events),
                **({"again": True} if step.again else {}),
            }
            for step in steps
        ],
    }
    if sent_by is not None:
        meta["by"] = sent_by
    if replaced is not None:
        meta["replaced"] = {"level": replaced.level, "reason": replaced.reason}
    if request is not None:
        meta["request"] = request
    metadata = orjson.dumps(meta)
    entries: list[Entry] = []
    for step in steps:
        for event in step.events:
            entry = chain_entry(
                previous, event.type, event.schema, orjson.dumps(dump(event)), metadata
            )
            entries.append(entry)
            previous, metadata = entry.hash, b""
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
            step.get("again", False),
        )
        for step in meta["steps"]
    )
    sent_by, instead = meta.get("by"), meta.get("replaced")
    replaced = None if instead is None else Replaced(instead["level"], sent_by, instead["reason"])
    return Meta(meta["id"], meta["at"], steps, sent_by, replaced, meta.get("request"))


def decode_event(entry: Entry, ruleset: AnyRuleset | None) -> Event:
    """Returns the event of an entry; `ruleset` is that of the game, None before it is known.

    Raises `Corrupt` for an unknown type.
    """
    cls = event_class(entry.type, ruleset)
    data = orjson.loads(entry.data)
    if entry.schema != cls.schema:
        data = upcast(entry.type, entry.schema, data)
    return load(cls, data)


def to_past_event(event: Event) -> PastEvent:
    """Returns an event in the form in which a branch takes it over."""
    return PastEvent(event.type, event.schema, dump(event))


def from_past_event(past: PastEvent, ruleset: AnyRuleset) -> Event:
    """Returns the event of the game played that a branch took over. Trusts its data.

    Raises `Corrupt` for a type that the ruleset does not know.
    """
    cls = ruleset.events.get(past.type)
    if cls is None:
        raise Corrupt(f"no event of {ruleset.id} is called {past.type}")
    data = past.data
    if past.schema != cls.schema:
        data = upcast(past.type, past.schema, data)
    return load(cls, data)


def event_class(name: str, ruleset: AnyRuleset | None) -> type[Event]:
    """Returns the class of an event type, the table's first. Raises `Corrupt` for unknown types."""
    found: Mapping[str, type[Event]] = table_events.EVENTS
    cls = found.get(name) or (None if ruleset is None else ruleset.events.get(name))
    if cls is None:
        raise Corrupt(f"no event is called {name}")
    return cls
