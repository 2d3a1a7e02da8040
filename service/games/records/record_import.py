"""Records that come in: judged again from the first command to the result, then a game of its own.

What was sent waits in the store, beside the id that the game will have, together with the work of
judging it; so a worker that dies loses nothing. What came of it is kept there for a while too.
"""

from __future__ import annotations

import hashlib
import logging
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Literal

import orjson

from ...rules import plain
from ...rules.plain import Command, Event, Misshapen, Plain
from ...rules.ruleset import AnyRuleset, RuleViolation
from ...store.hash_chain import GENESIS_HASH
from ...store.protocol import Entry, Gone
from .. import authorization, due_work, index_lists, tokens, tracing
from ..codec import Step, encode
from ..commands.errors import KeyReused, NotVisible
from ..commands.handler import CommandHandler
from ..game import Game, fold
from ..repository import UnknownGame
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
from ..table.state import Actor, DecisionContext, Table
from ..upcasters import upcast
from . import verification
from .format import EventFact, Record, StepRecord, parse_record, ruleset_of
from .verification import VerificationFailed

log = logging.getLogger(__name__)

Status = Literal["waiting", "done", "refused"]

WAITING: Final = 24 * due_work.HOUR
TOLD: Final = 24 * due_work.HOUR
"""How long (ms) a record waits to be judged, and how long it is told what came of it."""

LEASE: Final = 150_000
"""How long (ms) a record is left to the worker that judges it."""

MAX_ATTEMPTS: Final = 3
"""A record whose judging ended so many workers is refused."""

HOUSES_OWN: Final = (LawChanged, TokenReplaced, Abandoned, FinalScored, SeedRevealed)
"""What happens without a command, beside claims."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a record is refused: the place (a JSON Pointer into it), and in English what is wrong."""

    pointer: str
    detail: str


@dataclass(frozen=True, slots=True)
class Import:
    """A record that was sent: under which id, by whom (a token's hash), what came of it;

    `request` is the id of the request that brought it, for logs alone.
    """

    id: str
    client: str
    visibility: str
    digest: str
    status: Status = "waiting"
    attempts: int = 0
    fault: Fault | None = None
    request: str | None = None


def request_import(
    command_handler: CommandHandler, wanted: Import, body: bytes
) -> tuple[Import, bool]:
    """Lets a record's bytes wait to be judged. Returns the import, and whether it was there before.

    Raises `KeyReused` where the id is that of another request, and as the store does.
    """
    store = command_handler.store
    game = _game(command_handler, wanted.id)
    if game is None:
        now = store.now()
        packed = _packed(replace(wanted, request=tracing.current_request()), body)
        if store.hold(wanted.id, packed, WAITING, fresh=True, kind=due_work.IMPORT, due=now):
            return wanted, False
        held = store.held(wanted.id)
        known = None if held is None else _unpacked(held)[0]
    else:
        known = _known(game)
    if known is None or _request(known) != _request(wanted):
        raise KeyReused
    return known, True


def get_import(command_handler: CommandHandler, import_id: str, caller: str) -> Import:
    """Returns how far an import is. Raises `Hidden` for all but who sent the record."""
    held = command_handler.store.held(import_id)
    if held is None:
        game = _game(command_handler, import_id)
        known = None if game is None else _known(game)
    else:
        known = _unpacked(held)[0]
    if known is None or not tokens.same_hash(known.client, caller):
        raise NotVisible(import_id)
    return known


def run_import(
    command_handler: CommandHandler, import_id: str, archive: int | None = None
) -> Import | None:
    """Judges a record that waits and makes it a game, whose archiving is due `archive` ms later.

    Returns what came of it, None where nothing waits. Raises what the store raises.
    """
    store = command_handler.store
    held = store.held(import_id)
    if held is None:
        store.set_due(import_id, due_work.IMPORT, None)
        return None
    wanted, body = _unpacked(held)
    if wanted.status != "waiting":
        store.set_due(import_id, due_work.IMPORT, None)
        return None
    tracing.note(request=wanted.request)
    now = store.now()
    wanted = replace(wanted, attempts=wanted.attempts + 1)
    if wanted.attempts > MAX_ATTEMPTS:
        return _settled(
            command_handler, wanted, Fault("", "could not be judged in the time there is")
        )
    store.hold(import_id, _packed(wanted, body), WAITING, kind=due_work.IMPORT, due=now + LEASE)
    try:
        game, entries = judge_import(wanted, body, now)
    except (Misshapen, VerificationFailed) as fault:
        return _settled(command_handler, wanted, Fault(fault.pointer, fault.detail))
    except Exception:  # whatever a record breaks, it is not taken
        log.exception("the record of import %s could not be judged", import_id)
        return _settled(command_handler, wanted, Fault("", "could not be judged"))
    try:
        placed = store.place(import_id, entries, index_lists.restoration(game))
    except Gone:
        placed = True  # its host was quick to delete it
    if placed and archive is not None:
        store.set_due(import_id, due_work.ARCHIVE, now + archive)
    there = None if placed else _known(command_handler.repository.load(import_id).game)
    if not placed and (there is None or _request(there) != _request(wanted)):
        return _settled(
            command_handler, wanted, Fault("", "another game has been laid under this key")
        )
    return _settled(command_handler, wanted, None)


def _settled(command_handler: CommandHandler, wanted: Import, fault: Fault | None) -> Import:
    found = replace(wanted, status="done" if fault is None else "refused", fault=fault)
    command_handler.store.hold(wanted.id, _packed(found, b""), TOLD, kind=due_work.IMPORT)
    return found


def _game(command_handler: CommandHandler, game_id: str) -> Game | None:
    try:
        return command_handler.repository.load(game_id).game
    except UnknownGame:
        return None


def _known(game: Game) -> Import | None:
    """Returns the import that a game came from, None for a game that was laid here."""
    created = game.table.created
    if created.imported is None:
        return None
    digest = created.imported.digest
    return Import(game.id, created.host, created.visibility, digest, "done")


def _request(one: Import) -> tuple[str, ...]:
    """Returns what makes two imports the same request."""
    return one.id, one.client, one.visibility, one.digest


def _packed(wanted: Import, body: bytes) -> bytes:
    return orjson.dumps(asdict(wanted)) + b"\n" + zlib.compress(body)


def _unpacked(held: bytes) -> tuple[Import, bytes]:
    head, _, body = held.partition(b"\n")
    told = orjson.loads(head)
    fault = None if told["fault"] is None else Fault(**told["fault"])
    return Import(**{**told, "fault": fault}), zlib.decompress(body)


def record_digest(body: bytes) -> str:
    """Returns the hexadecimal SHA-256 of a record as it was sent."""
    return hashlib.sha256(body).hexdigest()


def judge_import(wanted: Import, body: bytes, now: int) -> tuple[Game, tuple[Entry, ...]]:
    """Returns the game that a record tells, and its stream, all of it judged.

    What `proof.verify` proves is proved; beside that every command of the table is judged by the
    table's rules, and every event has its described form. Raises `Misshapen` or `NotProved` with
    the place of the first fault.
    """
    try:
        value: Plain = orjson.loads(body)
    except orjson.JSONDecodeError as fault:
        raise Misshapen("", "is not JSON: {fault}", fault=str(fault)) from None
    verification.verify_record(value)
    reader = _Reader(wanted, parse_record(value), now)
    entries = reader.read()
    return fold(None, entries), entries


def _take_back_reaches(table: Table, version: int) -> bool:
    """Returns whether taking back may have reached to a version (T-7).

    A record does not tell which commands were sent together, and those are taken back together:
    it may be any that the same seat sent right before, as long as they drew nothing.
    """
    found = take_back.take_back_range(table)
    link = table.decisions
    last = None if found is None else found[1][-1]
    while link is not None:
        link, decision = link
        if last is not None and decision.before <= last.before:
            if decision.seats != last.seats or (decision.before < last.before and decision.drew):
                return False
            if decision.before == version:
                return True
    return False


class _Reader:
    """Turns a proved record into the stream that it is the record of, sealed fields aside."""

    def __init__(self, wanted: Import, record: Record, now: int) -> None:
        self._wanted = wanted
        self._record = record
        self._ruleset: AnyRuleset = ruleset_of(record)
        self._commands: Mapping[str, type[Command]] = {**self._ruleset.commands, **COMMANDS}
        self._now = now
        self._at = next((step.at for step in record.steps if step.at is not None), now)
        self._table: Table | None = None
        self._tournament: Duplicate | None = None

    def read(self) -> tuple[Entry, ...]:
        entries: list[Entry] = []
        previous = GENESIS_HASH
        for place, told in enumerate(self._record.steps):
            step = self._step(f"/steps/{place}", told, len(entries))
            name = hashlib.sha256(f"{self._wanted.id} {place}".encode()).hexdigest()[:32]
            by = None if place else "import"
            made = encode(previous, [step], name, self._at, by, request=tracing.current_request())
            entries += made
            previous = made[-1].hash
        return tuple(entries)

    def _step(self, pointer: str, told: StepRecord, version: int) -> Step:
        if told.at is not None:
            if not self._at <= told.at <= self._now:
                raise VerificationFailed(
                    f"{pointer}/at", "is before the step before it, or yet to come"
                )
            self._at = told.at
        if not told.events:
            raise VerificationFailed(f"{pointer}/events", "must not be empty")
        events = tuple(
            self._event(f"{pointer}/events/{place}", fact) for place, fact in enumerate(told.events)
        )
        command = None
        if told.command is not None:
            command = plain.parse_command(self._commands, told.command, f"{pointer}/command")
        try:
            self._judge(pointer, told.seat, command, events)
        except RuleViolation as refusal:
            where = "events/0" if command is None else "command"
            raise VerificationFailed(f"{pointer}/{where}", str(refusal)) from None
        table = self._laid(pointer)
        if command is not None and command.type not in COMMANDS and told.seat is not None:
            take_back.note_decision(table, version, {told.seat}, bool(told.draws))
        for event in events:
            table_evolve.evolve(table, event)
        draws = tuple((number, bound, value) for number, bound, value in told.draws)
        return Step(told.seat, command, draws, events)

    def _laid(self, pointer: str) -> Table:
        if self._table is None:
            raise VerificationFailed(f"{pointer}/events/0", "must be the creation")
        return self._table

    def _judge(
        self, pointer: str, seat: int | None, command: Command | None, events: tuple[Event, ...]
    ) -> None:
        """Judges what happened by the table's rules; the game's own were asked before."""
        first, place = events[0], f"{pointer}/events/0"
        if isinstance(first, GameCreated):
            if self._table is not None or command is not None:
                raise VerificationFailed(place, "creates the game again")
            # Judged as the table it was: in a tournament an ending shows nothing (T-14).
            as_it_was = replace(first, tournament=self._tournament)
            self._table = table_state.create_table(as_it_was, self._at)
            self._seats_in_range(pointer, events)
            return
        table = self._laid(pointer)
        self._seats_in_range(pointer, events)
        if command is None:
            if isinstance(first, SeatClaimed):
                table_decide.decide_claim(
                    table,
                    first.seat,
                    table_state.NO_CODE,
                    first.name,
                    first.entropy,
                    table_state.NO_CODE,
                )
            elif not isinstance(first, HOUSES_OWN):
                raise VerificationFailed(place, "is what nobody sent a command for")
        elif command.type not in COMMANDS:
            table_checks.check_playing(table)
        else:
            self._judge_table(pointer, table, seat, command, events)

    def _judge_table(
        self,
        pointer: str,
        table: Table,
        seat: int | None,
        command: Command,
        events: tuple[Event, ...],
    ) -> None:
        party = Actor(seat)
        if seat is None:  # the host; for a seat, where the event names one
            named = getattr(events[0], "seat", None) if isinstance(command, GiveToBot) else None
            party = Actor(named, host=True)
        waiting = tuple(range(len(table.seats)))
        decided = table_decide.decide(table, party, command, DecisionContext(self._at, waiting))
        asked = events[0]
        if isinstance(command, Undo) and isinstance(asked, (Undone, UndoAsked)):
            decided = [
                replace(event, to_version=asked.to_version)
                if isinstance(event, (Undone, UndoAsked))
                and _take_back_reaches(table, asked.to_version)
                else event
                for event in decided
            ]
        told = [(event.type, authorization.public_data(event)) for event in events[: len(decided)]]
        if told != [(event.type, authorization.public_data(event)) for event in decided]:
            raise VerificationFailed(f"{pointer}/events", "are not what the table's rules bring")

    def _seats_in_range(self, pointer: str, events: tuple[Event, ...]) -> None:
        for place, event in enumerate(events):
            seat = getattr(event, "seat", None) if isinstance(event, TableEvent) else None
            if seat is not None and seat >= len(self._record.seats):
                raise VerificationFailed(
                    f"{pointer}/events/{place}/data/seat", "is no seat of this game"
                )

    def _event(self, pointer: str, fact: EventFact) -> Event:
        cls: type[Event] | None = EVENTS.get(fact.type) or self._ruleset.events.get(fact.type)
        if cls is None:
            raise Misshapen(f"{pointer}/type", "is no event that is known here")
        if cls is Forked:
            raise Misshapen(pointer, "a branch is not imported: what led there can't be judged")
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
        event: Event = plain.parse(cls, {**data, **self._sealed(cls, data)}, f"{pointer}/data")
        return self._ours(event) if isinstance(event, GameCreated) else event

    def _sealed(self, cls: type[Event], data: Mapping[str, Any]) -> dict[str, Any]:
        """Returns sealed fields, which no record tells: nobody's, but for the creation's."""
        if cls is GameCreated:
            return {
                "sealed_chance": verification.sealed(self._record.chance),
                "host": self._wanted.client,
                "watch": None,
                "claims": [],
            }
        return dict.fromkeys(getattr(cls, "sealed", ()), table_state.NO_CODE)

    def _ours(self, created: GameCreated) -> GameCreated:
        """Returns the creation as that of a game here, marked."""
        self._tournament = created.tournament
        return replace(
            created,
            game=self._wanted.id,
            visibility=self._wanted.visibility,
            claims=tuple(
                table_state.NO_CODE if seat.kind == "human" else None for seat in created.seats
            ),
            forked_from=None,
            rematch_of=None,
            tournament=None,
            imported=Imported(created.game, self._wanted.digest),
        )
