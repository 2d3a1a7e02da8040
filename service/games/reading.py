"""What may be read of a game: its events, its view, the commands a caller may send."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..rules.plain import Command, Event, Plain, dump
from ..rules.ruleset import AnyRuleset, Scoring
from ..store.protocol import Entry
from . import access, judging
from . import table as tables
from .codec import Replaced, Step, decode_event, decode_meta
from .events import Duplicate, Imported, Place
from .game import Game
from .repository import Repository
from .table import Moment

LOOK_BACK = 32
"""How far before a page the start of its first append is looked for, at first."""


@dataclass(frozen=True, slots=True)
class Told:
    """An event as it stands in the stream: version, time (ms), event; and whose place a bot took,

    if it moved for another one.
    """

    version: int
    at: int
    event: Event
    replaced: Replaced | None = None


@dataclass(frozen=True, slots=True)
class Move:
    """A command that can be sent as it stands, for a seat or (None) as the host for none."""

    seat: int | None
    command: Command


@dataclass(frozen=True, slots=True)
class Moves:
    """All that a caller may send now. `reason` says why no game command is listed, if none is:

    "not_started", "game_over", "in_progress" (inside an append), "no_seat", "not_your_turn".
    """

    game: tuple[Move, ...]
    table: tuple[Move, ...]
    reason: str | None


def told(steps: Iterable[Step], version: int, at: int) -> tuple[Told, ...]:
    """Returns the events of an append that follows `version`."""
    events = [event for step in steps for event in step.events]
    return tuple(Told(version + place + 1, at, event) for place, event in enumerate(events))


def told_entries(repository: Repository, game: Game, first: int, last: int) -> tuple[Told, ...]:
    """Returns the events of versions first … last, as far as there are any."""
    back = LOOK_BACK
    while True:
        begin = max(1, first - back)
        entries = repository.entries(game.id, begin, last)
        if begin == 1 or any(entry.meta for entry in entries[: first - begin + 1]):
            break
        back *= 8
    found = continued(entries, game.ruleset, begin - 1, game.table.since)
    return found[first - begin :]


def continued(
    entries: Sequence[Entry], ruleset: AnyRuleset, version: int, at: int
) -> tuple[Told, ...]:
    """Returns the events of entries that follow `version`, whose time was `at` (ms)."""
    found = []
    replaced: Replaced | None = None
    for number, entry in enumerate(entries, version + 1):
        meta = decode_meta(entry)
        if meta is not None:
            at, replaced = meta.at, meta.replaced
        found.append(Told(number, at, decode_event(entry, ruleset), replaced))
    return tuple(found)


def moves(game: Game, caller: str | None, now: int) -> Moves:
    """Returns all commands that a caller (a token's hash) may send, seat by seat."""
    own = access.seats_of(game.table, caller)
    playing = [seat for seat in own if not game.table.seats[seat].bot]
    listed = [
        Move(seat, command)
        for seat in playing
        if game.ends and game.table.status == tables.PLAYING
        for command in game.ruleset.legal(game.law, seat)
    ]
    moment = Moment(now, game.to_act())
    own_table = [
        Move(party.seat, command)
        for party in access.parties(game.table, caller)
        if game.ends
        for command in tables.legal(game.table, party, moment)
    ]
    return Moves(tuple(listed), tuple(own_table), None if listed else _reason(game, playing))


def _reason(game: Game, playing: Sequence[int]) -> str:
    if not game.ends:
        return "in_progress"
    if game.table.status == tables.OPEN:
        return "not_started"
    if game.table.status != tables.PLAYING:
        return "game_over"
    return "not_your_turn" if playing else "no_seat"


def short(game: Game) -> dict[str, Plain]:
    """Returns what a list of games tells of each: who plays what, and how far it is."""
    table = game.table
    return {
        "id": game.id,
        "ruleset": {"id": game.ruleset.id, "version": table.law},
        "version": game.version,
        "status": table.status,
        "visibility": table.created.visibility,
        "seats": [
            {
                "seat": number,
                "name": seat.name,
                "kind": seat.kind,
                "level": seat.level,
                "open": seat.claim is not None,
                "resigned": seat.resigned,
            }
            for number, seat in enumerate(table.seats)
        ],
        "to_act": list(game.to_act()),
        "clocks": clocks(game),
        "created_at": table.since,
        "changed_at": table.moved,
    }


def clocks(game: Game) -> list[Plain]:
    """Returns the clocks of people's seats (T-8): what each had left (ms) at the last append, and

    the time by which it must act where the game waits for it. Empty without a deadline.
    """
    table = game.table
    return [
        {"seat": seat, "bank": clock.bank, "deadline": clock.until}
        for seat, clock in enumerate(table.clocks)
        if not table.seats[seat].bot
    ]


def view(game: Game) -> dict[str, Plain]:
    """Returns all that may be seen of a game, whoever looks."""
    table = game.table
    return {
        **short(game),
        "in_progress": not game.ends,
        "start": table.created.start,
        "forked_from": place(table.created.forked_from),
        "rematch_of": table.created.rematch_of,
        "tournament": tournament(table.created.tournament),
        "imported": imported(table.created.imported),
        "options": table.created.options,
        "deadline": None if table.created.deadline is None else dump(table.created.deadline),
        "bot_delay": table.created.bot_delay,
        "advice": table.created.advice,
        "chance": {
            "kind": table.created.chance,
            "id": table.created.chance_id,
            "commitment": table.created.commitment,
            "entropies": [seat.entropy for seat in table.seats],
            "draws": table.next_draw,
        },
        "undo": None
        if table.asked is None
        else {
            "seat": table.asked.seat,
            "to_version": table.asked.to_version,
            "agreed": sorted(table.agreed),
        },
        "board": None if game.law is None else game.ruleset.view(game.law),
    }


def place(position: Place | None) -> dict[str, Plain] | None:
    """Returns a position of another game as plain data."""
    return None if position is None else dump(position)


def tournament(table: Duplicate | None) -> dict[str, Plain] | None:
    """Returns which table of which tournament a game is, as plain data."""
    return None if table is None else dump(table)


def imported(origin: Imported | None) -> dict[str, Plain] | None:
    """Returns which record a game was taken from, as plain data."""
    return None if origin is None else dump(origin)


def score(game: Game) -> Scoring | None:
    """Returns the score now, with the table's ranks; None before the start."""
    return None if game.law is None else judging.result(game)
