"""A game's history: recorded events with version and time, read page by page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from ..rules.described import Event
from ..rules.ruleset import AnyRuleset
from ..store import Entry
from .codec import Replaced, Step, decode_event, decode_meta
from .game import Game
from .repository import Repository

LOOK_BACK: Final = 32
"""How many versions before a page are read at first to find where its first append began."""


@dataclass(frozen=True, slots=True)
class RecordedEvent:
    """A committed event: version, time (ms since 1970), event; `replaced` where one bot moved in

    another one's place.
    """

    version: int
    at: int
    event: Event
    replaced: Replaced | None = None


def recorded_events(steps: Iterable[Step], version: int, at: int) -> tuple[RecordedEvent, ...]:
    """Returns the events of an append that follows `version`."""
    events = [event for step in steps for event in step.events]
    return tuple(
        RecordedEvent(version + place + 1, at, event) for place, event in enumerate(events)
    )


def load_events(
    repository: Repository, game: Game, first: int, last: int
) -> tuple[RecordedEvent, ...]:
    """Returns the events of versions first … last, as far as there are any."""
    look_back = LOOK_BACK
    while True:
        begin = max(1, first - look_back)
        entries = repository.read_entries(game.id, begin, last)
        if begin == 1 or any(entry.meta for entry in entries[: first - begin + 1]):
            break
        look_back *= 8
    found = decode_entries(entries, game.ruleset, begin - 1, game.table.created_at)
    return found[first - begin :]


def decode_entries(
    entries: Sequence[Entry], ruleset: AnyRuleset, version: int, at: int
) -> tuple[RecordedEvent, ...]:
    """Returns the events of entries that follow `version`, whose time was `at` (ms)."""
    found = []
    replaced: Replaced | None = None
    for number, entry in enumerate(entries, version + 1):
        meta = decode_meta(entry)
        if meta is not None:
            at, replaced = meta.at, meta.replaced
        found.append(RecordedEvent(number, at, decode_event(entry, ruleset), replaced))
    return tuple(found)
