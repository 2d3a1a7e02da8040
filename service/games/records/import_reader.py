"""Reading a record for import: verifies it, judges its table commands, and makes its stream.

`verification` proves the chance and every command of the game played; the reader judges the
table's commands too (T-…), and returns the entries that the record is of, sealed fields aside.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any, Final

import orjson

from ...rules import described
from ...rules.described import Command, Event
from ...rules.plain import Misshapen, Plain
from ...rules.ruleset import AnyRuleset, RuleViolation
from ...store import GENESIS_HASH, Entry
from .. import authorization, tracing
from ..codec import Step, encode
from ..game import Game, fold
from ..table import checks as table_checks
from ..table import decide as table_decide
from ..table import evolve as table_evolve
from ..table import state as table_state
from ..table import take_back
from ..table.commands import COMMANDS, GiveToBot, Undo
from ..table.events import (
    EVENTS,
    Abandoned,
    Duplicate,
    FinalScored,
    Forked,
    GameCreated,
    Imported,
    LawChanged,
    SeatClaimed,
    SeedRevealed,
    TableEvent,
    TokenReplaced,
    UndoAsked,
    Undone,
)
from ..table.state import Actor, Decision, DecisionContext, SentCommand, Table
from ..upcasters import upcast
from . import verification
from .format import EventFact, Record, StepRecord, parse_record, ruleset_of
from .verification import VerificationFailed

SERVICE_EVENTS: Final = (LawChanged, TokenReplaced, Abandoned, FinalScored, SeedRevealed)
"""Events that happen without a command, besides claims."""


@dataclass(frozen=True, slots=True)
class ImportTarget:
    """What the imported game gets from the import: its id, its host (a token's hash), who may read

    it, and the hexadecimal SHA-256 of the record as it was sent.
    """

    id: str
    client: str
    visibility: str
    digest: str


def judge_record(target: ImportTarget, body: bytes, now: int) -> tuple[Game, tuple[Entry, ...]]:
    """Returns the game of a record and its stream, all of it judged; `now` is ms since 1970.

    Besides what `verification.verify_record` proves, every command of the table is judged by the
    table's rules, and every event has its described form. Raises `Misshapen` or
    `VerificationFailed` with the place of the first error.
    """
    try:
        value: Plain = orjson.loads(body)
    except orjson.JSONDecodeError as fault:
        raise Misshapen("", "is not JSON: {fault}", fault=str(fault)) from None
    verification.verify_record(value)
    reader = _RecordReader(target, parse_record(value), now)
    entries = reader.read_entries()
    return fold(None, entries), entries


def _may_take_back_to(table: Table, version: int, seat: int | None = None) -> bool:
    """Returns whether a take-back may have returned to a version (T-7): that before the last

    decision of a person, or, where one is named, before the last one of a seat alone.

    A record does not say which commands were sent together, and those are taken back together:
    the take-back may reach any that the same seat sent right before, as long as they drew nothing.
    """
    link = table.decisions
    if seat is None:
        found = take_back.take_back_range(table)
        last = None if found is None else found[1][-1]
    else:
        last = next((one for one in _newest_first(table) if one.seats == {seat}), None)
    while link is not None:
        link, decision = link
        if last is not None and decision.version_before <= last.version_before:
            if decision.seats != last.seats or (
                decision.version_before < last.version_before and decision.drew
            ):
                return False
            if decision.version_before == version:
                return True
    return False


def _newest_first(table: Table) -> Iterator[Decision]:
    link = table.decisions
    while link is not None:
        link, decision = link
        yield decision


class _RecordReader:
    """Turns a verified record into the stream that it is the record of, sealed fields aside."""

    def __init__(self, target: ImportTarget, record: Record, now: int) -> None:
        self._target = target
        self._record = record
        self._ruleset: AnyRuleset = ruleset_of(record)
        self._commands: Mapping[str, type[Command]] = {**self._ruleset.commands, **COMMANDS}
        self._now = now
        self._at = next((step.at for step in record.steps if step.at is not None), now)
        self._table: Table | None = None
        self._tournament: Duplicate | None = None
        self._events_after: dict[int, tuple[EventFact, ...]] = {}

    def read_entries(self) -> tuple[Entry, ...]:
        """Returns the stream, judged step by step."""
        entries: list[Entry] = []
        previous = GENESIS_HASH
        for place, recorded in enumerate(self._record.steps):
            if recorded.again:
                continue  # it is of the same append as the take-back before it
            again = self._replays_after(place)
            version = len(entries)
            steps = [self._read_step(f"/steps/{place}", recorded, version, again)]
            for later, replayed in enumerate(again, place + 1):
                version += len(steps[-1].events)
                steps.append(self._read_step(f"/steps/{later}", replayed, version))
            append_id = hashlib.sha256(f"{self._target.id} {place}".encode()).hexdigest()[:32]
            sent_by = None if place else "import"
            appended = encode(
                previous, steps, append_id, self._at, sent_by, request=tracing.current_request()
            )
            entries += appended
            previous = appended[-1].hash
        return tuple(entries)

    def _replays_after(self, place: int) -> list[StepRecord]:
        """Returns the steps that the take-back at a place leaves standing (T-7)."""
        return list(takewhile(lambda step: step.again, self._record.steps[place + 1 :]))

    def _read_step(
        self,
        pointer: str,
        recorded: StepRecord,
        version: int,
        replays: Sequence[StepRecord] = (),
    ) -> Step:
        if recorded.at is not None:
            if not self._at <= recorded.at <= self._now:
                raise VerificationFailed(
                    f"{pointer}/at", "is before the step before it, or yet to come"
                )
            self._at = recorded.at
        if not recorded.events:
            raise VerificationFailed(f"{pointer}/events", "must not be empty")
        events = tuple(
            self._read_event(f"{pointer}/events/{place}", fact)
            for place, fact in enumerate(recorded.events)
        )
        command = None
        if recorded.command is not None:
            command = described.parse_command(
                self._commands, recorded.command, f"{pointer}/command"
            )
        try:
            self._judge(pointer, recorded.seat, command, events, replays)
        except RuleViolation as refusal:
            where = "events/0" if command is None else "command"
            raise VerificationFailed(f"{pointer}/{where}", str(refusal)) from None
        table = self._created_table(pointer)
        table.replays = tuple(
            (step.version - len(step.events), SentCommand(step.seat, step.command))
            for step in replays
        )
        if command is not None and command.type not in COMMANDS:
            self._events_after[version] = recorded.events
            if not recorded.again:
                seats = () if recorded.seat is None else (recorded.seat,)
                sent = SentCommand(recorded.seat, recorded.command)
                take_back.record_decision(table, version, seats, bool(recorded.draws), [sent])
        for event in events:
            table_evolve.evolve(table, event)
        draws = tuple((number, bound, value) for number, bound, value in recorded.draws)
        return Step(recorded.seat, command, draws, events, recorded.again)

    def _created_table(self, pointer: str) -> Table:
        if self._table is None:
            raise VerificationFailed(f"{pointer}/events/0", "must be the creation")
        return self._table

    def _judge(
        self,
        pointer: str,
        seat: int | None,
        command: Command | None,
        events: tuple[Event, ...],
        replays: Sequence[StepRecord],
    ) -> None:
        """Judges a step by the table's rules; those of the game played were applied before."""
        first, pointer_to_first = events[0], f"{pointer}/events/0"
        if isinstance(first, GameCreated):
            if self._table is not None or command is not None:
                raise VerificationFailed(pointer_to_first, "creates the game again")
            # Judged as the table it was: in a tournament an ending reveals nothing (T-14).
            original = replace(first, tournament=self._tournament)
            self._table = table_state.create_table(original, self._at)
            self._check_seats(pointer, events)
            return
        table = self._created_table(pointer)
        self._check_seats(pointer, events)
        if command is None:
            if isinstance(first, SeatClaimed):
                table_decide.decide_claim(
                    table,
                    first.seat,
                    table_state.NO_HASH,
                    first.name,
                    first.entropy,
                    table_state.NO_HASH,
                )
            elif not isinstance(first, SERVICE_EVENTS):
                raise VerificationFailed(pointer_to_first, "needs a command, and none was sent")
        elif command.type not in COMMANDS:
            table_checks.check_playing(table)
        else:
            self._judge_table_command(pointer, table, seat, command, events, replays)

    def _judge_table_command(
        self,
        pointer: str,
        table: Table,
        seat: int | None,
        command: Command,
        events: tuple[Event, ...],
        replays: Sequence[StepRecord],
    ) -> None:
        actor = Actor(seat)
        if seat is None:  # the host; for a seat, where the event names one
            named = getattr(events[0], "seat", None) if isinstance(command, GiveToBot) else None
            actor = Actor(named, host=True)
        # Whom the game waited for is not in the record: any seat may have been idle (T-4).
        context = DecisionContext(self._at, tuple(range(len(table.seats))))
        decided = table_decide.decide(table, actor, command, context)
        first = events[0]
        if isinstance(command, Undo) and isinstance(first, (Undone, UndoAsked)):
            decided = self._decided_take_back(table, decided, first, replays)
        stated = [
            (event.type, authorization.public_data(event)) for event in events[: len(decided)]
        ]
        follows = [(event.type, authorization.public_data(event)) for event in decided]
        if not decided or stated != follows:
            raise VerificationFailed(f"{pointer}/events", "do not follow from the table's rules")

    def _decided_take_back(
        self,
        table: Table,
        decided: list[Event],
        recorded: Undone | UndoAsked,
        replays: Sequence[StepRecord],
    ) -> list[Event]:
        """Returns what `undo` leads to, as recorded if that may have followed (T-7); nothing where

        what is replayed cannot stand.

        Whether several seats could act is not in the record: a seat may have asked for its own last
        decision or for the newest one.
        """
        version = recorded.to_version
        (event,) = decided
        if replays:
            stands = isinstance(event, UndoAsked) and self._may_stand(
                table, event, version, replays
            )
            return [recorded] if stands else []
        if isinstance(event, UndoAsked) and _may_take_back_to(table, version, event.seat):
            return [replace(event, to_version=version)]
        if isinstance(event, (Undone, UndoAsked)) and _may_take_back_to(table, version):
            return [replace(event, to_version=version)]
        return decided

    def _may_stand(
        self, table: Table, asked: UndoAsked, version: int, replays: Sequence[StepRecord]
    ) -> bool:
        """Returns whether these are the commands and events since a seat's own last decision, with

        nothing drawn. That they are legal without it has been verified.
        """
        taken = [one for one in _newest_first(table) if one.version_before >= version][::-1]
        own = list(takewhile(lambda one: one.seats == {asked.seat}, taken))
        since = taken[len(own) :]
        return (
            bool(own)
            and own[0].version_before == version
            and not any(one.drew or asked.seat in one.seats for one in since)
            and not any(one.drew for one in own)
            and [(one.commands, self._events_after[one.version_before]) for one in since]
            == [((SentCommand(step.seat, step.command),), step.events) for step in replays]
        )

    def _check_seats(self, pointer: str, events: tuple[Event, ...]) -> None:
        for place, event in enumerate(events):
            seat = getattr(event, "seat", None) if isinstance(event, TableEvent) else None
            if seat is not None and seat >= len(self._record.seats):
                raise VerificationFailed(
                    f"{pointer}/events/{place}/data/seat", "is no seat of this game"
                )

    def _read_event(self, pointer: str, fact: EventFact) -> Event:
        cls: type[Event] | None = EVENTS.get(fact.type) or self._ruleset.events.get(fact.type)
        if cls is None:
            raise Misshapen(f"{pointer}/type", "is no event that is known here")
        if cls is Forked:
            raise Misshapen(
                pointer, "is a branch, which cannot be imported: what led to it cannot be judged"
            )
        data = fact.data
        if not isinstance(data, dict):
            raise Misshapen(f"{pointer}/data", "must be an object")
        sealed = getattr(cls, "sealed", ())
        for name in sealed:
            if name in data:
                raise Misshapen(f"{pointer}/data/{name}", "is not known here")
        if fact.schema > cls.schema:
            raise Misshapen(f"{pointer}/schema", "is newer than what is known here")
        if fact.schema != cls.schema:
            data = upcast(fact.type, fact.schema, data)
        event: Event = described.parse(cls, {**data, **self._sealed_fields(cls)}, f"{pointer}/data")
        return self._imported_creation(event) if isinstance(event, GameCreated) else event

    def _sealed_fields(self, cls: type[Event]) -> dict[str, Any]:
        """Returns the sealed fields, which no record has: nobody's, but for the creation's."""
        if cls is GameCreated:
            return {
                "sealed_chance": verification.sealed_chance(self._record.chance),
                "host": self._target.client,
                "watch": None,
                "claims": [],
            }
        return dict.fromkeys(getattr(cls, "sealed", ()), table_state.NO_HASH)

    def _imported_creation(self, created: GameCreated) -> GameCreated:
        """Returns the creation of the imported game, marked as such."""
        self._tournament = created.tournament
        return replace(
            created,
            game=self._target.id,
            visibility=self._target.visibility,
            claims=tuple(
                table_state.NO_HASH if seat.kind == "human" else None for seat in created.seats
            ),
            forked_from=None,
            rematch_of=None,
            tournament=None,
            imported=Imported(created.game, self._target.digest),
        )
