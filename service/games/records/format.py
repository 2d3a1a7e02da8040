"""Record format 1: a game that is over in one self-contained file. docs/record.md describes it.

A record reveals all that was sealed of the game's chance, and has each step with its command, draws
and events; hashes of tokens and codes are left out. `verification` judges a record again.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import Annotated, Any, Final

from ...rules import described
from ...rules.chance import ENTROPY_BYTES, SEED_BYTES
from ...rules.described import Event, Structure
from ...rules.kinds import Either, Flag, Free, Many, Maybe, OneOf, Text, Whole
from ...rules.plain import Misshapen, Plain
from ...rules.ruleset import MAX_SEATS, AnyRuleset, rulesets
from ..authorization import public_data
from ..codec import decode_event, decode_meta
from ..game import Game
from ..repository import Repository
from ..table.commands import Undo
from ..table.events import HASH, SEAT, Abandoned, FinalScored, SeatPlan, Undone

FORMAT: Final = 1
MAX_STEPS: Final = 20_000
MAX_EVENTS: Final = 1_000
MAX_DRAWS: Final = 2_000
NUMBER: Final = Whole(0, 2**63 - 1)
END_EVENTS: Final = (FinalScored.type, Abandoned.type)


class Unfinished(ValueError):
    """The game is not over, so its chance is still sealed and it has no record."""


@dataclass(frozen=True, slots=True)
class RulesetName:
    """The ruleset of the game, and its version at the end."""

    id: Annotated[str, Text(64, 1), "the ruleset's id"]
    version: Annotated[int, Whole(1, 1_000_000), "its version"]


@dataclass(frozen=True, slots=True)
class ChanceFacts:
    """Where the draws came from, with what was sealed: `seed`, or `bits` and `outcomes`."""

    kind: Annotated[str, OneOf(("sealed", "arranged")), "where the draws come from"]
    id: Annotated[str, Text(64), "the id in the draws' derivation"]
    commitment: Annotated[str, HASH, "what was published before the first draw"]
    entropies: Annotated[
        tuple[str, ...], Many(Text(2 * ENTROPY_BYTES), MAX_SEATS), "hexadecimal, in seat order"
    ]
    seed: Annotated[str | None, Maybe(HASH), "the seed, hexadecimal"] = None
    bits: Annotated[str | None, Maybe(HASH), "the random bits beside the outcomes"] = None
    outcomes: Annotated[
        tuple[str | int, ...] | None,
        Maybe(Many(Either((NUMBER, Text(64))), MAX_STEPS)),
        "the arranged outcomes",
    ] = None


@dataclass(frozen=True, slots=True)
class EventFact:
    """An event as it was stored, without sealed fields."""

    type: Annotated[str, Text(64, 1), "its type"]
    schema: Annotated[int, Whole(1, 10_000), "the version of its form"]
    data: Annotated[Any, Free(), "its data"]


@dataclass(frozen=True, slots=True)
class StepRecord:
    """One step: the command, its draws, its events."""

    version: Annotated[int, Whole(1, 10**9), "the version after the step"]
    at: Annotated[int | None, Maybe(NUMBER), "when (ms since 1970)"]
    seat: Annotated[int | None, Maybe(SEAT), "who sent the command, if a seat did"]
    command: Annotated[Any, Maybe(Free()), "the command, if one was sent"]
    draws: Annotated[
        tuple[tuple[int, ...], ...],
        Many(Many(NUMBER, 3, 3), MAX_DRAWS),
        "number, bound and value of each draw",
    ]
    events: Annotated[
        tuple[EventFact, ...], Many(Structure(EventFact), MAX_EVENTS), "what happened"
    ]
    again: Annotated[
        bool, Flag(), "whether a command sent before stands without what was just taken back"
    ] = False


@dataclass(frozen=True, slots=True)
class Record:
    """A whole game."""

    format: Annotated[int, OneOf((FORMAT,)), "the version of this format"]
    game: Annotated[str, Text(64), "the game's id"]
    ruleset: Annotated[RulesetName, Structure(RulesetName), "what was played"]
    options: Annotated[Any, Free(), "the options"]
    seats: Annotated[tuple[SeatPlan, ...], Many(Structure(SeatPlan), MAX_SEATS), "the seats"]
    chance: Annotated[ChanceFacts, Structure(ChanceFacts), "the chance"]
    steps: Annotated[
        tuple[StepRecord, ...], Many(Structure(StepRecord), MAX_STEPS), "what happened"
    ]
    final: Annotated[Any, Free(), "the last event of the table: final_scored or abandoned"]


def record_of(repository: Repository, game: Game) -> dict[str, Plain]:
    """Returns the record of a game that is over, as plain data. Raises `Unfinished` otherwise."""
    table = game.table
    if not table.recordable:
        raise Unfinished("the game is not over, or other tables of its tournament are not")
    created = table.created
    steps = _record_steps(repository, game)
    last = [event for step in steps for event in step["events"] if event["type"] in END_EVENTS][-1]
    return {
        "format": FORMAT,
        "game": game.id,
        "ruleset": {"id": game.ruleset.id, "version": table.ruleset_version},
        "options": created.options,
        "seats": [
            {"kind": seat.kind, "name": seat.name, "level": seat.level} for seat in table.seats
        ],
        "chance": {
            "kind": created.chance,
            "id": created.chance_id,
            "commitment": created.commitment,
            "entropies": [seat.entropy.encode().hex() for seat in table.seats],
            **created.sealed_chance,
        },
        "steps": steps,
        "final": {"type": last["type"], **last["data"]},
    }


def _record_steps(repository: Repository, game: Game) -> list[dict[str, Plain]]:
    steps: list[dict[str, Plain]] = []
    ends: list[int] = []
    for version, entry in enumerate(repository.read_entries(game.id, 1, game.version), start=1):
        meta = decode_meta(entry)
        if meta is not None:
            end = version - 1
            for fact in meta.steps:
                end += fact.entries
                ends.append(end)
                steps.append(
                    {
                        "version": end,
                        "at": meta.at,
                        "seat": fact.seat,
                        "command": fact.command,
                        "draws": [list(draw) for draw in fact.draws],
                        "events": [],
                        **({"again": True} if fact.again else {}),
                    }
                )
        place = bisect_left(ends, version)
        event: Event = decode_event(entry, game.ruleset)
        steps[place]["events"].append(
            {"type": event.type, "schema": event.schema, "data": public_data(event)}
        )
    return steps


def parse_record(value: Plain) -> Record:
    """Returns the record that plain data holds. Raises `Misshapen` with a pointer to the error."""
    record = described.parse(Record, value)
    chance = record.chance
    if not record.chance.id.isascii():
        raise Misshapen("/chance/id", "must be ASCII")
    if len(chance.entropies) != len(record.seats):
        raise Misshapen("/chance/entropies", "must have one for each seat")
    for seat, entropy in enumerate(chance.entropies):
        _check_hexadecimal(entropy, f"/chance/entropies/{seat}")
    sealed = ("seed",) if chance.kind == "sealed" else ("bits", "outcomes")
    for name in ("seed", "bits", "outcomes"):
        found = getattr(chance, name)
        if (found is not None) != (name in sealed):
            raise Misshapen(f"/chance/{name}", "does not fit {kind} chance", kind=chance.kind)
        if isinstance(found, str):
            _check_hexadecimal(found, f"/chance/{name}", SEED_BYTES)
    _check_replays(record)
    return record


def _check_replays(record: Record) -> None:
    """Raises `Misshapen` where a step is replayed that follows no take-back, or draws (T-7)."""
    may_follow = False
    for place, step in enumerate(record.steps):
        if step.again and (not may_follow or step.seat is None or step.draws):
            raise Misshapen(f"/steps/{place}/again", "must be left out here")
        may_follow = step.again or (
            isinstance(step.command, dict)
            and step.command.get("type") == Undo.type
            and any(event.type == Undone.type for event in step.events)
        )


def ruleset_of(record: Record) -> AnyRuleset:
    """Returns the record's ruleset. Raises `Misshapen` if it is unknown here."""
    ruleset = rulesets().get(record.ruleset.id)
    if ruleset is None:
        raise Misshapen("/ruleset/id", "is not known here")
    return ruleset


def _check_hexadecimal(text: str, pointer: str, size: int | None = None) -> None:
    """Raises `Misshapen` for text that is not so many (None: any number of) bytes."""
    digits = set("0123456789abcdef")
    if not set(text) <= digits or len(text) % 2 or (size is not None and len(text) != 2 * size):
        raise Misshapen(pointer, "must be hexadecimal bytes in lower case")
