"""Verification of records: the chance is recomputed, and every game command is judged again.

Nothing is needed but the record and the ruleset; of a branch also the other game's record.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...rules import described
from ...rules.chance import (
    ArrangedChance,
    Chance,
    RecordedChance,
    arranged_commitment,
    commitment,
    entropy_digest,
    sealed_value,
)
from ...rules.described import Event
from ...rules.plain import Misshapen, Plain
from ...rules.ruleset import AnyRuleset, Outcome, PlayEnded, RuleViolation, advance, options_of, run
from ..codec import from_past_event
from ..commands.verdicts import rank_resigned_last
from ..table.commands import COMMANDS
from ..table.events import (
    EVENTS,
    Expired,
    FinalScored,
    Forked,
    GameCreated,
    GameStarted,
    PastEvent,
    Place,
    SeatClaimed,
    SeatLeft,
    SeatResigned,
    SeedRevealed,
    Undone,
)
from .format import END_EVENTS, ChanceFacts, EventFact, Record, StepRecord, parse_record, ruleset_of


class VerificationFailed(Exception):
    """The record does not follow from the rules and its chance.

    `pointer` is the JSON Pointer of the first error; `detail` says in English what is wrong.
    """

    def __init__(self, pointer: str, detail: str) -> None:
        super().__init__(f"{pointer}: {detail}")
        self.pointer = pointer
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Verification:
    """What was verified: how many draws, and how many commands of the game were judged again.

    `taken_over` is the position that a branch continues from; the events that led there are
    verified only with the other game's record, and `past_verified` says so.
    """

    draws: int
    commands: int
    taken_over: Place | None = None
    past_verified: bool = False


def verify_record(value: Plain, source: Plain = None) -> Verification:
    """Verifies a record (JSON as plain data). Raises `Misshapen` for other data, and
    `VerificationFailed` with the place of the first error.

    A verified record has the head that the creation and the claims give; what was sealed has the
    published hash; every number drawn follows from it; and the rules, with these draws, allow every
    command and give exactly these events and this result. What people decided at the table (who
    claimed, resigned, or agreed to a take-back) is taken as recorded.

    A branch (T-12) is verified from the position on that it branches off at. What led there was
    played and drawn in another game: with that game's record as `source`, which is verified as
    well, it is checked to be the same.
    """
    record = parse_record(value)
    replay = _Replay(record)
    _check_head(record)
    _check_commitment(record)
    draws = _check_draws(record)
    verified = Verification(draws, replay.run(), replay.taken_over)
    if source is None:
        return verified
    if replay.taken_over is None:
        raise VerificationFailed("", "is no branch, and follows from no other game")
    verify_record(source)
    _check_past(replay, parse_record(source))
    return replace(verified, past_verified=True)


def _check_past(replay: _Replay, source: Record) -> None:
    """Checks that the past of a branch is the same as in the other game's record."""
    place = replay.taken_over
    if place is None or source.game != place.game:
        raise VerificationFailed("/game", "of the other record is not the game branched off from")
    if source.steps[-1].version < place.version:
        raise VerificationFailed(
            "/steps", "of the other record end before the position branched off at"
        )
    if tuple(events_leading_to(source, place.version)) != replay.past:
        raise VerificationFailed(
            replay.past_at, "is not what happened in the game branched off from"
        )


def events_leading_to(record: Record, version: int) -> list[PastEvent]:
    """Returns the events of the game played that count at a version of a record."""
    found: list[tuple[int, PastEvent]] = []
    events = [event for step in record.steps for event in step.events]
    for at, event in enumerate(events[:version], start=1):
        data = _members(event.data)
        if event.type == Undone.type:
            found = [each for each in found if each[0] <= data["to_version"]]
        elif event.type == Forked.type:
            found = [(at, _parse_past_event(past)) for past in data["past"]]
        elif event.type not in EVENTS:
            found.append((at, PastEvent(event.type, event.schema, event.data)))
    return [each for _, each in found]


def _parse_past_event(data: Any) -> PastEvent:
    return described.load(PastEvent, data)


def _check_head(record: Record) -> None:
    events = [event for step in record.steps for event in step.events]
    if not events or events[0].type != GameCreated.type:
        raise VerificationFailed("/steps", "must begin with the creation")
    created, chance = _members(events[0].data), record.chance
    if (created.get("forked_from") is not None) != (
        len(events) > 1 and events[1].type == Forked.type
    ):
        raise VerificationFailed("/steps/0/events", "must say what the branch goes on from")
    for pointer, name, recorded in (
        ("/game", "game", record.game),
        ("/ruleset/id", "ruleset", record.ruleset.id),
        ("/options", "options", record.options),
        ("/chance/kind", "chance", chance.kind),
        ("/chance/id", "chance_id", chance.id),
        ("/chance/commitment", "commitment", chance.commitment),
    ):
        if created.get(name) != recorded:
            raise VerificationFailed(pointer, "is not what the creation says")
    plans = created.get("seats")
    if not isinstance(plans, list) or len(plans) != len(record.seats):
        raise VerificationFailed("/seats", "are not as many as the creation says")
    for seat, (recorded, expected) in enumerate(
        zip(chance.entropies, _entropies(events, len(record.seats)), strict=True)
    ):
        if recorded != expected:
            raise VerificationFailed(f"/chance/entropies/{seat}", "is not what was claimed with")
    if record.ruleset.version > ruleset_of(record).version:
        raise VerificationFailed("/ruleset/version", "is newer than the ruleset known here")


def _entropies(events: Sequence[EventFact], seats: int) -> list[str]:
    """Returns the entropy that each seat had added to the chance by the start, hexadecimal."""
    entropies = [""] * seats
    for event in events:
        if event.type == GameStarted.type:
            break
        if event.type in (SeatClaimed.type, SeatLeft.type):
            data = _members(event.data)
            seat, entropy = data.get("seat"), data.get("entropy", "")
            if type(seat) is int and 0 <= seat < seats and isinstance(entropy, str):
                entropies[seat] = entropy.encode().hex()
    return entropies


def _check_commitment(record: Record) -> None:
    chance = record.chance
    if chance.outcomes is None:
        expected = commitment(bytes.fromhex(chance.seed or ""))
    else:
        expected = arranged_commitment(bytes.fromhex(chance.bits or ""), chance.outcomes)
    if expected != chance.commitment:
        raise VerificationFailed("/chance/commitment", "is not the hash of what was sealed")


def _check_draws(record: Record) -> int:
    """Checks that every draw follows from the seed. Returns how many draws there are."""
    chance = record.chance
    entropies = [bytes.fromhex(text) for text in chance.entropies]
    prefix = chance.id.encode("ascii") + b"\0" + entropy_digest(entropies)
    seed = bytes.fromhex(chance.seed or "")
    count = 0
    for place, step in enumerate(record.steps):
        for index, (number, bound, value) in enumerate(step.draws):
            pointer = f"/steps/{place}/draws/{index}"
            if number != count:
                raise VerificationFailed(pointer, f"must be draw {count}")
            if not 0 <= value < bound:
                raise VerificationFailed(pointer, "lies outside its bound")
            if chance.kind == "sealed" and sealed_value(seed, prefix, number, bound) != value:
                raise VerificationFailed(pointer, "does not follow from the seed")
            count += 1
    return count


@dataclass(slots=True)
class _Replay:
    """Replays the record; `states` are what take-backs may return to, by version."""

    record: Record
    ruleset: AnyRuleset = field(init=False)
    options: Any = field(init=False)
    state: Any = None
    commands: int = 0
    resigned: list[int] = field(default_factory=list)
    states: dict[int, Any] = field(default_factory=dict)
    started: bool = False
    taken_over: Place | None = None
    past: tuple[PastEvent, ...] = ()
    past_at: str = ""

    def __post_init__(self) -> None:
        self.ruleset = ruleset_of(self.record)
        begun = _begun_under(self.record)
        self.options = options_of(self.ruleset, begun, self.record.options, "/options")

    def run(self) -> int:
        """Judges all steps. Returns how many commands of the game were judged."""
        has_take_backs = any(
            event.type == Undone.type for step in self.record.steps for event in step.events
        )
        version = 0
        for place, step in enumerate(self.record.steps):
            version += len(step.events)
            if step.version != version:
                raise VerificationFailed(f"/steps/{place}/version", f"must be {version}")
            self._replay_step(f"/steps/{place}", step)
            if has_take_backs and self.state is not None:
                self.states[step.version] = self.ruleset.clone(self.state)
        self._check_final()
        return self.commands

    def _replay_step(self, pointer: str, step: StepRecord) -> None:
        played = [event for event in step.events if event.type not in EVENTS]
        types = [event.type for event in step.events]
        outcome = Outcome((), ())
        chance = self._chance(step)
        try:
            if Forked.type in types:
                self._take_over(pointer, step)
            if GameStarted.type in types:
                if self.started:
                    raise VerificationFailed(f"{pointer}/events", "start the game again")
                self.started = True
                if self.state is None:
                    self.state = self.ruleset.initial(len(self.record.seats), self.options)
                outcome = advance(self.ruleset, self.state, chance)
            elif self._is_game_command(step):
                outcome = self._judge_command(pointer, step, chance)
        except RuleViolation as refusal:
            raise VerificationFailed(f"{pointer}/command", str(refusal)) from None
        except Misshapen as fault:
            raise VerificationFailed(f"{pointer}/draws", fault.detail) from None
        for event in step.events:
            if event.type == SeatResigned.type:
                self._resign(pointer, event, played)
                played = []
            elif event.type == Undone.type:
                self._take_back(pointer, event)
        self._compare(pointer, step, played, outcome)

    def _chance(self, step: StepRecord) -> Chance:
        outcomes = self.record.chance.outcomes
        start = step.draws[0][0] if step.draws else 0
        if outcomes is None or not step.draws:
            return RecordedChance(step.draws, start)
        return ArrangedChance(outcomes[: start + len(step.draws)], start)

    def _is_game_command(self, step: StepRecord) -> bool:
        command = step.command
        name = command.get("type") if isinstance(command, dict) else None
        return command is not None and not (isinstance(name, str) and name in COMMANDS)

    def _judge_command(self, pointer: str, step: StepRecord, chance: Chance) -> Outcome:
        if not self.started:
            raise VerificationFailed(pointer, "comes before the start")
        try:
            command = described.parse_command(self.ruleset.commands, step.command)
        except Misshapen as fault:
            raise VerificationFailed(f"{pointer}/command{fault.pointer}", fault.detail) from None
        self.commands += 1
        seat = self._passing_seat(pointer, step) if step.seat is None else step.seat
        return run(self.ruleset, self.state, seat, command, chance)

    def _passing_seat(self, pointer: str, step: StepRecord) -> int:
        """Returns the seat that passed as its time ran out (T-8): its command names no seat."""
        first = step.events[0] if step.events else None
        seat = _members(first.data).get("seat") if first and first.type == Expired.type else None
        if type(seat) is not int or step.command["type"] not in self.ruleset.passes:
            raise VerificationFailed(f"{pointer}/seat", "is missing")
        return seat

    def _take_over(self, pointer: str, step: StepRecord) -> None:
        """Sets up the position that a branch continues from: as recorded, it is another game's."""
        place = f"{pointer}/events/1"
        if pointer != "/steps/0" or [e.type for e in step.events].count(Forked.type) > 1:
            raise VerificationFailed(f"{pointer}/events", "branch off again")
        try:
            forked = described.parse(Forked, step.events[1].data, f"{place}/data")
        except Misshapen as fault:
            raise VerificationFailed(fault.pointer, fault.detail) from None
        self.taken_over = Place(forked.game, forked.version)
        if _members(step.events[0].data).get("forked_from") != described.dump(self.taken_over):
            raise VerificationFailed(f"{place}/data", "is not what the creation says")
        self.past, self.past_at = forked.past, f"{place}/data/past"
        self.state = self.ruleset.initial(len(self.record.seats), self.options)
        for number, past in enumerate(forked.past):
            try:
                self.ruleset.evolve(self.state, from_past_event(past, self.ruleset))
            except Exception:  # rulesets trust events; ones that never happened may raise anything
                raise VerificationFailed(
                    f"{self.past_at}/{number}", "cannot have happened here"
                ) from None

    def _resign(self, pointer: str, resigned: EventFact, played: list[EventFact]) -> None:
        seat = _members(resigned.data).get("seat")
        if type(seat) is not int or not 0 <= seat < len(self.record.seats) or self.state is None:
            raise VerificationFailed(pointer, "no such seat can resign")
        self.resigned.append(seat)
        ends = [PlayEnded("T-2", seat)] if len(self.record.seats) == 2 else []  # T-2
        if [_fact(event) for event in ends] != played:
            raise VerificationFailed(f"{pointer}/events", "do not follow from the resignation")
        for event in ends:
            self.ruleset.evolve(self.state, event)

    def _take_back(self, pointer: str, event: EventFact) -> None:
        to_version = _members(event.data).get("to_version")
        if type(to_version) is not int or to_version not in self.states:
            raise VerificationFailed(pointer, "nothing can be taken back to that version")
        self.state = self.ruleset.clone(self.states[to_version])

    def _compare(
        self, pointer: str, step: StepRecord, played: list[EventFact], outcome: Outcome
    ) -> None:
        expected = [_fact(event) for event in outcome.events]
        if played != expected:
            raise VerificationFailed(f"{pointer}/events", "do not follow from the rules")
        if [tuple(draw) for draw in outcome.draws] != [tuple(draw) for draw in step.draws]:
            raise VerificationFailed(f"{pointer}/draws", "are not the draws that the rules ask for")
        if outcome.stopped and self.record.final.get("reason") != "chance_exhausted":
            raise VerificationFailed(f"{pointer}/draws", "lack a draw that the rules ask for")

    def _check_final(self) -> None:
        final = self.record.final
        if not isinstance(final, dict) or "type" not in final:
            raise VerificationFailed("/final", "must be the last event of the table")
        if final["type"] == FinalScored.type:
            self._check_score(final)
        ends = [
            event for step in self.record.steps for event in step.events if event.type in END_EVENTS
        ]
        if [{"type": event.type, **_members(event.data)} for event in ends] != [final]:
            raise VerificationFailed("/final", "must be the one event that ends the game")
        revealed = [final.get("revealed")]
        for event in (event for step in self.record.steps for event in step.events):
            if event.type == SeedRevealed.type:  # T-14
                revealed.append(_members(event.data).get("revealed"))
        if [each for each in revealed if each is not None] != [sealed_chance(self.record.chance)]:
            raise VerificationFailed("/final/revealed", "is not what was sealed")

    def _check_score(self, final: dict[str, Any]) -> None:
        if self.state is None or not self.ruleset.over(self.state):
            raise VerificationFailed("/final", "comes before play has ended")
        score = rank_resigned_last(self.ruleset.score(self.state), self.resigned).plain()
        if final.get("score") != score:
            raise VerificationFailed("/final/score", "does not follow from the rules")
        if final.get("resigned") != sorted(set(self.resigned)):
            raise VerificationFailed("/final/resigned", "are not the seats that resigned")


def _begun_under(record: Record) -> int:
    """Returns the version of the ruleset that a record's game was begun under."""
    first = record.steps[0].events[:1] if record.steps else ()
    law = _members(first[0].data).get("law") if first else None
    return law if type(law) is int else record.ruleset.version


def _members(data: Any) -> dict[str, Any]:
    return data if isinstance(data, dict) else {}


def sealed_chance(chance: ChanceFacts) -> dict[str, Plain]:
    """Returns what was sealed of a game's chance, in its stored form."""
    if chance.outcomes is None:
        return {"seed": chance.seed}
    return {"bits": chance.bits, "outcomes": list(chance.outcomes)}


def _fact(event: Event) -> EventFact:
    return EventFact(event.type, event.schema, described.dump(event))
