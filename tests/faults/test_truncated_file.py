"""The power fails: of the append-only file only a part is there when the server starts again.

What is left is a prefix, whole appends of it only; what is asked again under its key is done once;
and whoever has seen versions that were written anew since finds out by their hashes.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from flask import Flask

from service.app import create_app
from service.config import RATE_LIMITED, Settings
from service.games.codec import decode_meta
from service.games.game import fold
from service.rules.ruleset import rulesets
from service.store import Entry
from service.store.embedded import EmbeddedServer
from service.store.redis_store import RedisStore, open_store
from tests.api.http_client import Person, anybody

FREE = Settings(**{f"rate_{what}": 0 for what in RATE_LIMITED})  # type: ignore[arg-type]
MOVES = 8


class House(NamedTuple):
    """An application on the server, with a memory of its own."""

    app: Flask
    store: RedisStore


class Power:
    """A server whose file can be cut, and two applications on it that live on meanwhile."""

    def __init__(self, folder: Path) -> None:
        self.server = EmbeddedServer(folder)
        self.server.start()
        self.houses = [self._house(), self._house()]

    def _house(self) -> House:
        store = open_store(self.server.url)
        return House(create_app(FREE, store), store)

    @property
    def file(self) -> Path:
        """Where each write is added at the end."""
        (found,) = (self.server.folder / "appendonlydir").glob("*.incr.aof")
        return found

    @property
    def written(self) -> int:
        """How long the file is."""
        return self.file.stat().st_size

    def cut(self, size: int) -> None:
        """Ends the server, leaves so many bytes of its file, and starts it again."""
        self.server.kill()
        with self.file.open("r+b") as file:
            file.truncate(size)
        self.server.start()

    def close(self) -> None:
        for context in self.houses:
            context.store.close()
        self.server.stop()


@pytest.fixture(scope="module")
def power(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Power]:
    made = Power(tmp_path_factory.mktemp("power"))
    yield made
    made.close()


class Sent(NamedTuple):
    """A command that was acknowledged, under which key, and how long the file was then."""

    key: str
    body: dict[str, Any]
    told: dict[str, Any]
    size: int


class Table:
    """A game of people, all seats held by one client, who sends keyed commands."""

    def __init__(self, power: Power, ruleset: str, seats: int, generator: random.Random) -> None:
        self.power = power
        self.person = anybody(power.houses[0].app)
        self.generator = generator
        asked = {"ruleset": ruleset, "seats": [{"kind": "human"}] * seats}
        made = self.person.post("/v1/games", asked).json or {}
        self.game = made["game"]["id"]
        self.path = f"/v1/games/{self.game}"
        for each in made["claim_codes"]:
            claim = {"claim_code": each["claim_code"], "name": "Ana"}
            assert self.person.post(f"{self.path}/seats/{each['seat']}", claim).status_code == 201
        self.begun = power.written
        self.sent: list[Sent] = []

    def moves(self) -> list[dict[str, Any]]:
        """What may be sent now."""
        return [
            {"seat": each["seat"], "command": each["command"]}
            for each in self.person.moves(self.game)["moves"]
        ]

    def send(self, key: str, body: dict[str, Any]) -> Any:
        """Sends a command under a key; returns what was answered with success."""
        answer = self.person.post(f"{self.path}/commands", body, Idempotency_Key=key)
        assert answer.status_code == 201, answer.data
        return answer

    def play(self, moves: int) -> None:
        """Plays so many random moves, fewer if the game ends."""
        for _ in range(moves):
            if listed := self.moves():
                body, key = self.generator.choice(listed), f"k{len(self.sent)}"
                told = self.send(key, body).json
                self.sent.append(Sent(key, body, told, self.power.written))

    def stream(self) -> tuple[Entry, ...]:
        """The game as it stands."""
        return self.power.houses[0].store.read(self.game).entries


def known(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Events without the time at which they were written."""
    return [{name: value for name, value in each.items() if name != "at"} for each in events]


RULESETS = [(ruleset.id, seats) for ruleset in rulesets().values() for seats in ruleset.seats[:2]]


def cut_once(power: Power, turn: int) -> bool:
    """Plays a game, cuts it at a random byte, and goes on. Returns whether a command was lost."""
    generator = random.Random(turn)
    table = Table(power, *RULESETS[turn % len(RULESETS)], generator)
    table.play(MOVES)
    before = table.stream()
    size = generator.randrange(table.begun, power.written + 1)
    power.cut(size)

    left = table.stream()
    assert left == before[: len(left)], "what is left is a prefix"
    assert fold(None, left).at_append_end, "of appends only whole ones are left"
    kept = [each for each in table.sent if each.size <= size]
    assert len(left) == (kept or [Sent("", {}, {"version": len(left)}, 0)])[-1].told["version"]

    for sent in table.sent:
        again = table.send(sent.key, sent.body)
        assert (again.headers.get("Idempotent-Replayed") == "true") == (sent in kept)
        assert known(again.json["events"]) == known(sent.told["events"])
    after = table.stream()
    assert [entry.data for entry in after] == [entry.data for entry in before]
    steps = [step for meta in map(decode_meta, after) if meta is not None for step in meta.steps]
    commands = [step.command for step in steps if step.command is not None]
    assert commands == [each.body["command"] for each in table.sent]
    return len(left) < len(before)


@pytest.mark.broad
@pytest.mark.parametrize("turns", [range(6), pytest.param(range(6, 106), marks=pytest.mark.long)])
def test_a_file_cut_at_any_byte(power: Power, turns: range) -> None:
    lost = [cut_once(power, turn) for turn in turns]
    assert any(lost)
    print(f"{sum(lost)} of {len(lost)} cuts lost a command")


def test_versions_written_anew_are_noticed(power: Power) -> None:
    """Another house has kept what was lost: it sees by the hash that another thing stands there."""
    _, second = power.houses
    table = Table(power, *RULESETS[0], random.Random(1))
    watcher = Person(second.app, table.person.token)
    begun = power.written
    listed = table.moves()
    lost = table.send("lost", listed[0]).json["version"]
    seen = watcher.get(table.path)
    assert (seen.json or {})["version"] == lost
    power.cut(begun)

    told = table.send("anew", listed[-1]).json
    table.play(3)
    events = table.person.get(f"{table.path}/events?limit=500").json or {}
    now = watcher.get(table.path)
    assert now.json == (table.person.get(table.path).json)
    assert watcher.get(f"{table.path}/events?limit=500").json == events
    assert [each for each in events["events"] if each in told["events"]] == told["events"]
    assert now.headers["ETag"] != seen.headers["ETag"]
    assert watcher.get(table.path, If_None_Match=seen.headers["ETag"]).status_code == 200
    stale = watcher.post(
        f"{table.path}/commands", listed[0], If_Match=seen.headers["ETag"], Idempotency_Key="late"
    )
    assert stale.status_code == 412


def test_a_version_that_comes_again_has_another_tag(power: Power) -> None:
    """The same number, the same command even: and yet not the same version."""
    _, second = power.houses
    table = Table(power, *RULESETS[0], random.Random(1))
    watcher = Person(second.app, table.person.token)
    begun = power.written
    move = table.moves()[0]
    lost = table.send("k", move).json
    seen = watcher.get(table.path)
    power.cut(begun)
    again = table.send("k", move)
    assert "Idempotent-Replayed" not in again.headers
    assert again.json["version"] == lost["version"]
    now = watcher.get(table.path)
    assert (now.json or {})["version"] == (seen.json or {})["version"]
    assert now.headers["ETag"] != seen.headers["ETag"]
    stale = watcher.post(f"{table.path}/commands", move, If_Match=seen.headers["ETag"])
    assert stale.status_code == 412
