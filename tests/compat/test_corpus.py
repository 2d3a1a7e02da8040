"""Every stream that a version of this service has written is read, and comes to the same state."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import orjson
import pytest

from service.games import game as games
from service.games import index_lists, upcasters
from service.games.game import fold
from service.games.records import format as record_format
from service.games.records import verification
from service.games.table import events as table_events
from service.games.table import evolve as table_evolve
from service.games.table import state as table_state
from service.games.table.events import EVENTS, SeatClaimed
from service.rules.kinds import Whole
from service.rules.plain import Plain
from service.rules.ruleset import rulesets
from service.store import GENESIS_HASH, Entry, MemoryStore, chain_entry
from tests.games.play import Clock, House

from .streams import CORPUS, Stream, known, listed, state_hash, streams

STREAMS = streams()
WRITE = "BAILLI_WRITE" in os.environ

each = pytest.mark.parametrize(
    "stream", STREAMS, ids=lambda one: f"{one.written_by}-{one.game[:6]}"
)


@each
def test_a_stream_comes_to_its_state(stream: Stream) -> None:
    """Versions and hashes are as they were written; the state is what it was then."""
    game = fold(None, stream.entries())
    found = known(game, stream.known["about"], stream.written_by)
    if WRITE:
        path = CORPUS / stream.written_by / "games.json"
        path.write_text(
            json.dumps({**listed(stream.written_by), stream.game: found}, indent=1) + "\n"
        )
        return
    assert found == stream.known


@each
def test_a_stream_may_be_read_in_parts(stream: Stream) -> None:
    """A state that was kept half-way, and the rest of the stream, come to the same."""
    entries = stream.entries()
    if any(entry.type == "undone" for entry in entries):
        return  # a state before what is taken back does not suffice
    half = len(entries) // 2
    game = fold(fold(None, entries[:half]), entries[half:])
    assert known(game, stream.known["about"], stream.written_by) == stream.known


def cut(entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
    """A stream's first half, up to an append's end."""
    half = len(entries) // 2
    while not entries[half].meta:
        half += 1
    return entries[:half]


EARLIER = [stream for stream in STREAMS if stream.known["about"].startswith("a whole game of")]


@pytest.mark.parametrize("stream", EARLIER, ids=lambda one: f"{one.written_by}-{one.game[:6]}")
def test_a_game_ends_under_the_version_it_began_under(stream: Stream) -> None:
    """Played on from its middle, it is of the same version of its ruleset to the end and proves."""
    house = House(MemoryStore(Clock()))
    began = fold(None, cut(stream.entries()))
    assert house.store.import_stream(
        began.id, cut(stream.entries()), index_lists.restoration(began)
    )
    ended = house.play_out(house.newest(began), random.Random(stream.game), 0)
    record = record_format.record_of(house.repository, ended)
    assert record["ruleset"] == {"id": began.ruleset.id, "version": began.table.created.law}
    assert ended.table.status == "finished"
    assert verification.verify_record(record).commands > 0


def test_how_version_1_scored_is_how_its_games_score() -> None:
    """A game of Orléans by version 1 counts the present status, one of today that was reached."""
    first = next(stream for stream in EARLIER if "orleans" in stream.known["about"])
    game = fold(None, first.entries())
    assert game.table.ruleset_version == 1
    assert game.options.status == "present"
    assert "status" not in game.table.created.options
    assert type(game.options)().status == "reached"


def test_all_that_can_happen_is_in_the_corpus() -> None:
    """But for what hardly ever happens, which is named: a new event needs a new stream."""
    seen = {entry.type for stream in STREAMS for entry in stream.entries()}
    known_types = {*EVENTS, *(name for each in rulesets().values() for name in each.events)}
    rare = set(json.loads((CORPUS.parent / "rare.json").read_text()))
    assert seen <= known_types, "a type of event can't be taken away"
    assert known_types - seen == rare
    assert len(rare) < len(known_types) / 10


def rewritten(entries: tuple[Entry, ...], type: str, schema: int, change: Any) -> list[Entry]:
    """The stream as it would be if events of a type had been written in another schema."""
    made: list[Entry] = []
    previous = GENESIS_HASH
    for entry in entries:
        data, number = entry.data, entry.schema
        if entry.type == type:
            data, number = orjson.dumps(change(orjson.loads(data))), schema
        made.append(chain_entry(previous, entry.type, number, data, entry.meta))
        previous = made[-1].hash
    return made


def state(entries: Sequence[Entry], stream: Stream) -> str:
    """The hash of the state that entries of a stream, rewritten or not, come to."""
    return state_hash(fold(None, entries), stream.written_by)


@each
def test_the_first_schema_of_a_creation_is_read(stream: Stream) -> None:
    """`game_created` had no deadline in schema 1."""
    entries = stream.entries()
    if orjson.loads(entries[0].data)["deadline"] is not None:
        return

    def change(data: dict[str, Plain]) -> dict[str, Plain]:
        return {name: value for name, value in data.items() if name != "deadline"}

    old = rewritten(entries, "game_created", 1, change)
    assert state(old, stream) == stream.known["state"]


@dataclass(frozen=True, slots=True)
class SeatClaimedLater(SeatClaimed):
    """`seat_claimed` as a later version might have it: who sits counts from 1."""

    type: ClassVar[str] = "seat_claimed"
    schema: ClassVar[int] = 2
    chair: Annotated[int, Whole(1, 9), "the seat, counted from 1"]


def with_chair(data: dict[str, Plain]) -> dict[str, Plain]:
    """The upcaster that the change of the event brings along."""
    seat = data["seat"]
    assert isinstance(seat, int)
    return {**data, "chair": seat + 1}


@each
def test_an_event_may_change(stream: Stream, monkeypatch: pytest.MonkeyPatch) -> None:
    """A deliberate change: with its upcaster all old streams are read, without it none is."""
    entries = stream.entries()
    changed = {**EVENTS, SeatClaimedLater.type: SeatClaimedLater}
    monkeypatch.setattr(table_events, "EVENTS", changed)
    monkeypatch.setattr(games, "EVENTS", changed)
    chairs = []

    def claimed(table: table_state.Table, event: SeatClaimedLater) -> None:
        chairs.append(event.chair)
        table_evolve._APPLIERS[SeatClaimed](table, event)

    monkeypatch.setitem(table_evolve._APPLIERS, SeatClaimedLater, claimed)
    seats = [orjson.loads(entry.data)["seat"] for entry in entries if entry.type == "seat_claimed"]
    if seats:
        with pytest.raises(TypeError):
            fold(None, entries)
    monkeypatch.setitem(upcasters.STEPS, ("seat_claimed", 1), with_chair)
    assert state(entries, stream) == stream.known["state"]
    assert chairs == [seat + 1 for seat in seats]
