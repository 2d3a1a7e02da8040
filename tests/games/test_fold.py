"""Streams folded again: the same game at every version, whatever happened."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import orjson
import pytest

from service.games import codec, history, legal_moves, repository, views
from service.games import game as games
from service.games.authorization import public_data
from service.games.codec import decode_meta
from service.games.game import Game, NeedsFullStream, fold
from service.games.repository import Repository, UnknownGame
from service.games.table.clocks import Deadline
from service.games.table.commands import AcceptUndo, HandOver, Undo
from service.games.upcasters import upcast
from service.rules.chance import Chance, FreeChance
from service.rules.ruleset import AnyRuleset, rulesets, start
from service.store import GENESIS_HASH, Append, Corrupt, Entry, MemoryStore, chain_entry
from tests.games.play import Clock, House, person
from tests.rules.toy import PEBBLES, Options, Take

EVERY: list[tuple[AnyRuleset, int]] = [(PEBBLES, 120), *((law, 60) for law in rulesets().values())]
NAMES = [law.id for law, _ in EVERY]


def entries_of(context: House, game: Game) -> tuple[Entry, ...]:
    return context.repository.read_entries(game.id, 1, 10**6)


def busy_game(context: House, law: AnyRuleset, seed: int, steps: int) -> list[Game]:
    """Plays at random with much at the table; returns the live game after each append."""
    generator = random.Random(seed)
    levels = (None, None, "random")[: max(law.seats[0], 2 + seed % 2)]
    options = Options((("red", 20), ("blue", 0))) if law is PEBBLES else None
    game = context.seated(*levels, ruleset=law, options=options)
    live = [game]
    while game.table.status == "playing" and len(live) < steps:
        if generator.random() < 0.03 and 0 in game.table.human_seats:
            handed = context.send(game, 0, HandOver())
            live.append(handed.game)
            game = context.claim(game, 0, handed.codes[0]).game
        else:
            game = context.step(game, generator, 0.3)
        live.append(game)
    return live


@pytest.mark.broad
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("law", "steps"), EVERY, ids=NAMES)
def test_replay_is_what_was_live(context: House, law: AnyRuleset, steps: int, seed: int) -> None:
    live = busy_game(context, law, seed, steps)
    entries = entries_of(context, live[-1])
    for game in live:
        assert fold(None, entries[: game.version]) == game
    assert Repository(context.store).load(live[0].id).game == live[-1]


def test_random_games_take_back_and_resign(context: House) -> None:
    """The games above are no empty talk: all that a table knows happens in them."""
    met: set[str] = set()
    for seed in range(12):
        live = busy_game(context, PEBBLES, seed, 120)
        met |= {entry.type for entry in entries_of(context, live[-1])}
    assert met >= {"undone", "undo_asked", "undo_accepted", "undo_refused", "seat_handed_over"}
    assert met >= {"seat_resigned", "seat_given_to_bot", "play_ended"}


@pytest.mark.parametrize("seed", range(4))
def test_any_version_can_be_seen_again(
    context: House, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repository, "CHECKPOINT", 8)
    last = busy_game(context, PEBBLES, seed, 90)[-1]
    entries = entries_of(context, last)
    versions = list(range(1, last.version + 1)) * 2
    random.Random(seed).shuffle(versions)
    traveller = Repository(context.store, size=40)
    for version in versions:
        assert traveller.load_version(last.id, version) == fold(None, entries[:version])
    for version in (0, -1, last.version + 1):
        with pytest.raises(UnknownGame):
            traveller.load_version(last.id, version)


@pytest.mark.parametrize("checkpoint", [3, 4, 7])
def test_what_was_taken_back_is_seen_as_it_was(
    context: House, checkpoint: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Undone reaches back over checkpoints, and over what another process has kept."""
    monkeypatch.setattr(repository, "CHECKPOINT", checkpoint)
    game = context.seated(None, None, options=Options((("red", 9), ("blue", 0))))
    behind = Repository(context.store)
    for _ in range(3):
        context.send(game, 0, Take("red"))
        context.send(game, 1, Take("red"))
        assert behind.load(game.id).game == context.newest(game)
        for _ in range(2):
            context.send(game, 0, Undo())
            assert behind.load(game.id).game == context.newest(game)
            context.send(game, 1, AcceptUndo())
        last = context.newest(game)
        assert behind.load(game.id).game == last
        assert last.state == game.state
    entries = entries_of(context, last)
    for seed in range(4):
        versions = list(range(1, last.version + 1)) * 2
        random.Random(seed).shuffle(versions)
        traveller = Repository(context.store, size=20)
        for version in versions:
            assert traveller.load_version(last.id, version) == fold(None, entries[:version])


def test_the_cache_keeps_so_many_games(context: House) -> None:
    few = Repository(context.store, size=2)
    games = [context.seated(None, None) for _ in range(3)]
    for game in games:
        few.load(game.id)
    assert few.cached(games[0].id) is None
    assert few.cached(games[2].id) == games[2]
    assert few.load(games[0].id).game == games[0]


def rechained(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """The entries with hashes that fit."""
    previous, done = GENESIS_HASH, []
    for entry in entries:
        done.append(chain_entry(previous, entry.type, entry.schema, entry.data, entry.meta))
        previous = done[-1].hash
    return tuple(done)


def stored(game: str, entries: Sequence[Entry]) -> MemoryStore:
    store = MemoryStore(Clock())
    store.append(Append(game, 0, GENESIS_HASH, tuple(entries)))
    return store


def test_a_rewritten_stream_drops_what_was_kept(context: House) -> None:
    live = busy_game(context, PEBBLES, 1, 20)
    entries = list(entries_of(context, live[-1]))
    context.repository.load_version(live[-1].id, 3)
    meta = orjson.loads(entries[0].meta)
    entries[0] = replace(entries[0], meta=orjson.dumps({**meta, "id": "other"}))
    other = rechained(entries)
    context.repository._store = stored(live[-1].id, other)
    loaded = context.repository.load(live[-1].id).game
    assert loaded.hash == other[-1].hash != live[-1].hash
    assert context.repository.load_version(live[-1].id, 3).hash == other[2].hash


def test_streams_that_do_not_fit_are_corrupt(context: House) -> None:
    game = busy_game(context, PEBBLES, 1, 20)[-1]
    entries = entries_of(context, game)
    for place in range(len(entries)):
        spoilt = list(entries)
        spoilt[place] = replace(spoilt[place], data=spoilt[place].data + b" ")
        with pytest.raises(Corrupt, match=f"version {place + 1} "):
            fold(None, spoilt)
    with pytest.raises(Corrupt, match="version 3 "):
        fold(None, (*entries[:2], *entries[3:]))
    unknown = rechained([*entries, Entry("no_such", 1, b"{}", b"", b"")])
    with pytest.raises(Corrupt, match="no event is called no_such"):
        fold(None, unknown)
    with pytest.raises(Corrupt, match="does not begin with a creation"):
        fold(None, rechained(entries[1:]))
    with pytest.raises(Corrupt, match="nothing to fold"):
        fold(None, ())
    with pytest.raises(Corrupt):
        Repository(stored(game.id, unknown)).load(game.id)


def test_an_unknown_type_is_corrupt_even_where_it_was_taken_back(context: House) -> None:
    for seed in range(20):
        entries = list(entries_of(context, busy_game(context, PEBBLES, seed, 40)[-1]))
        backs = [place for place, entry in enumerate(entries) if entry.type == "undone"]
        if backs:
            break
    at = orjson.loads(entries[backs[0]].data)["to_version"]
    assert entries[at].type in PEBBLES.events
    entries[at] = replace(entries[at], type="no_such")
    with pytest.raises(Corrupt, match="no_such"):
        fold(None, rechained(entries))


def test_nothing_goes_back_twice_to_one_version(context: House) -> None:
    for seed in range(20):
        entries = list(entries_of(context, busy_game(context, PEBBLES, seed, 40)[-1]))
        backs = [entry for entry in entries if entry.type == "undone"]
        if backs:
            break
    assert len({orjson.loads(back.data)["to_version"] for back in backs}) == len(backs)
    with pytest.raises(Corrupt, match=f"version {len(entries) + 1} goes back"):
        fold(None, rechained([*entries, backs[0]]))


def test_what_reaches_back_before_the_base_needs_the_whole(context: House) -> None:
    for seed in range(20):
        entries = entries_of(context, busy_game(context, PEBBLES, seed, 40)[-1])
        backs = [place for place, entry in enumerate(entries) if entry.type == "undone"]
        if backs:
            break
    base = fold(None, entries[: backs[0]])
    kept = base.clone()
    with pytest.raises(NeedsFullStream):
        fold(base, entries[backs[0] :])
    assert base == kept


def test_old_schemas_become_new() -> None:
    steps = {
        ("x", 1): lambda data: {**data, "b": 1},
        ("x", 2): lambda data: {**data, "c": 2},
    }
    assert upcast("x", 1, {"a": 0}, steps) == {"a": 0, "b": 1, "c": 2}
    assert upcast("x", 2, {"a": 0}, steps) == {"a": 0, "c": 2}
    assert upcast("y", 1, {"a": 0}, steps) == {"a": 0}


def test_stored_events_of_an_earlier_schema_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def raised(type: str, schema: int, data: dict[str, Any]) -> dict[str, Any]:
        assert (type, schema) == ("thrown", 7)
        return {"seat": data["who"]}

    monkeypatch.setattr(codec, "upcast", raised)
    event = codec.decode_event(Entry("thrown", 7, b'{"who":1}', b"", b""), PEBBLES)
    assert event == PEBBLES.events["thrown"](seat=1)  # type: ignore[call-arg]


def shown(context: House, game: Game) -> str:
    """All that anyone may learn of a game but its id and what was published of its chance."""
    view = views.game_view(game)
    score = views.current_score(game)
    moves = [
        (move.seat, str(move.command))
        for seat in range(2)
        for found in [legal_moves.legal_moves(game, person(seat).hash, context.store.now())]
        for move in (*found.game, *found.table)
    ]
    lines = history.load_events(context.repository, game, 1, game.version)
    events = [(line.version, line.at, line.event.type, public_data(line.event)) for line in lines]
    told = json.dumps([view, score and score.plain(), moves, events])
    created = game.table.created
    return told.replace(game.id, "game").replace(created.commitment, "commitment")


class ForkedChance(Chance):
    """Draws that are the same for every seed up to a number, then the seed's own."""

    cut = 0

    def __init__(self, seed: bytes, chance_id: str, entropies: Any, start: int = 0) -> None:
        super().__init__(start)
        self._seed = seed

    def _value(self, bound: int) -> int:
        own = self._seed.hex() if self.next_index >= self.cut else ""
        return random.Random(f"{own} {self.next_index}").randrange(bound)


@pytest.mark.broad
@pytest.mark.parametrize("law", [law for law, _ in EVERY], ids=NAMES)
def test_what_will_be_drawn_shows_nowhere(law: AnyRuleset, monkeypatch: pytest.MonkeyPatch) -> None:
    """T-9: tables whose draws are equal so far read equal byte for byte."""
    monkeypatch.setattr(games, "SealedChance", ForkedChance)
    compared = differing = 0
    options = Options((("red", 20), ("blue", 1))) if law is PEBBLES else None
    set_up = start(law, 2, options or law.options(), FreeChance(random.Random(0)))[1].draws
    for seed in range(8):
        monkeypatch.setattr(ForkedChance, "cut", len(set_up) + 1 + seed // 2)
        generator = random.Random(seed)
        houses = [House(MemoryStore(Clock())) for _ in range(2)]
        pair = [
            context.seated(
                None,
                None,
                ruleset=law,
                options=options,
                bits=bytes([place]) * 32,
                deadline=Deadline("bot", total_seconds=600) if seed % 2 else None,
            )
            for place, context in enumerate(houses, start=1)
        ]
        while draws(houses[0], pair[0]) == draws(houses[1], pair[1]):
            assert shown(houses[0], pair[0]) == shown(houses[1], pair[1])
            compared += 1
            if pair[0].table.status != "playing":
                break
            seat = pair[0].to_act()[0]
            command = generator.choice(law.legal(pair[0].state, seat))
            pair = [
                context.send(game, seat, command).game
                for context, game in zip(houses, pair, strict=True)
            ]
        else:
            differing += 1
    assert compared >= 20
    assert differing >= 6


def draws(context: House, game: Game) -> list[tuple[int, int, int]]:
    metas = [decode_meta(entry) for entry in entries_of(context, game)]
    return [draw for meta in metas if meta for step in meta.steps for draw in step.draws]


def test_a_long_append_is_read_from_its_start(context: House, monkeypatch: Any) -> None:
    monkeypatch.setattr(history, "LOOK_BACK", 1)
    game = busy_game(context, PEBBLES, 2, 30)[-1]
    lines = history.load_events(context.repository, game, 1, game.version)
    for first in range(1, game.version + 1):
        assert (
            history.load_events(context.repository, game, first, first) == lines[first - 1 : first]
        )
