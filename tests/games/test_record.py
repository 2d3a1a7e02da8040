"""Records are whole, prove themselves, and tell the place of the first fault."""

from __future__ import annotations

import contextlib
import copy
import json
import random
from typing import Any

import pytest

from service.cli.play import planned, played
from service.games import record as records
from service.games.access import new_token
from service.games.commands import Abandon, AcceptUndo, Resign, Undo
from service.games.events import SeatPlan
from service.games.game import Game
from service.games.handling import Creation, Handling, Request
from service.games.proof import NotProved, Proved, verify
from service.games.repository import Repository
from service.rules.plain import Command, Misshapen
from service.rules.ruleset import rulesets
from service.store.memory import MemoryStore

LAWS = list(rulesets().values())
TOKEN = new_token()


def bots(name: str) -> dict[str, Any]:
    law = rulesets()[name]
    handling, game = played(law, planned(law.seats[0], ("random",)), "record")
    return json.loads(json.dumps(records.of_game(handling.repository, game)))


class People:
    """A game of people that one client plays."""

    def __init__(self, seats: int, **creation: Any) -> None:
        law = LAWS[0]
        store = MemoryStore()
        self.handling = Handling(store, Repository(store))
        plans = tuple(SeatPlan("human") for _ in range(seats))
        asked = Creation(law, creation.pop("options", law.options()), plans, **creation)
        written = self.handling.create(asked, TOKEN, Request(TOKEN))
        self.id = written.game.id
        for seat, code in written.codes.items():
            self.handling.claim(self.id, seat, code, f"p{seat}", f"e{seat}", Request(TOKEN))

    @property
    def game(self) -> Game:
        return self.handling.repository.load(self.id).game

    def send(self, seat: int | None, command: Command) -> None:
        self.handling.send(self.id, seat, [command], Request(TOKEN))

    def play(self, generator: random.Random, most: int = 1_000) -> None:
        while most and (waiting := self.game.to_act()):
            game = self.game
            self.send(waiting[0], generator.choice(game.ruleset.legal(game.law, waiting[0])))
            most -= 1

    def record(self) -> dict[str, Any]:
        if self.game.table.status == "scoring":
            self.handling.score(self.game, "test")
        found = records.of_game(self.handling.repository, self.game)
        return json.loads(json.dumps(found))


@pytest.mark.parametrize("name", rulesets())
def test_games_of_bots_are_proved(name: str) -> None:
    record = bots(name)
    proved = verify(record)
    assert proved.draws == sum(len(step["draws"]) for step in record["steps"])
    assert proved.commands > 0


def test_a_running_game_has_no_record() -> None:
    people = People(2)
    with pytest.raises(records.Unfinished):
        people.record()


def test_taking_back_is_proved() -> None:
    people, generator = People(2), random.Random(2)
    people.play(generator, 5)
    for _ in range(2):
        people.send(people.game.to_act()[0], Undo())
        if people.game.table.asked is not None:
            people.send(1 - people.game.table.asked.seat, AcceptUndo())
        people.play(generator, 1)
    people.play(generator)
    record = people.record()
    types = [event["type"] for step in record["steps"] for event in step["events"]]
    assert types.count("undone") == 2
    assert verify(record).commands > 5
    later = next(step for step in record["steps"] if step["events"][-1]["type"] == "undone")
    later["events"][-1]["data"]["to_version"] = 10_000
    with pytest.raises(NotProved, match="taken back"):
        verify(record)


@pytest.mark.parametrize("seats", [2, 3])
def test_resigning_is_proved(seats: int) -> None:
    people, generator = People(seats), random.Random(3)
    people.play(generator, 7)
    people.send(1, Resign())
    while people.game.to_act():
        game = people.game
        seat = game.to_act()[0]
        command = generator.choice(game.ruleset.legal(game.law, seat))
        if game.table.seats[seat].bot:
            people.handling.play_bot(seat, command, game, "random")
        else:
            people.send(seat, command)
    record = people.record()
    assert record["final"]["resigned"] == [1]
    ranks = [seat["rank"] for seat in record["final"]["score"]["seats"]]
    assert ranks[1] == max(ranks)
    verify(record)
    for step in record["steps"]:
        for event in step["events"]:
            if event["type"] == "seat_resigned":
                event["data"]["seat"] = 9
    with pytest.raises(NotProved, match="resign"):
        verify(record)


def test_an_abandoned_game_is_proved() -> None:
    people = People(2)
    people.play(random.Random(4), 3)
    people.send(None, Abandon())
    record = people.record()
    assert record["final"]["type"] == "abandoned"
    assert verify(record).commands == 3


def test_arranged_chance_is_proved() -> None:
    law = rulesets()["carcassonne"]
    options = law.options(tiles=(("U", 2), ("X", 2)))
    people = People(2, options=options, outcomes=("U", "X", "U", "X"))
    people.play(random.Random(5))
    record = people.record()
    assert record["chance"]["outcomes"] == ["U", "X", "U", "X"]
    assert verify(record) == Proved(4, verify(record).commands)
    record["chance"]["outcomes"] = ["X", "U", "U", "X"]
    with pytest.raises(NotProved, match="commitment"):
        verify(record)


def test_chance_used_up_is_proved() -> None:
    law = rulesets()["carcassonne"]
    options = law.options(tiles=(("U", 2), ("X", 2)))
    people = People(2, options=options, outcomes=("U", "X"))
    people.play(random.Random(6))
    record = people.record()
    assert record["final"]["reason"] == "chance_exhausted"
    assert verify(record).draws == 2


def _first(record: dict[str, Any], name: str) -> dict[str, Any]:
    return next(step for step in record["steps"] if step[name])


def _another_draw(record: dict[str, Any]) -> None:
    draw = _first(record, "draws")["draws"][0]
    draw[2] = (draw[2] + 1) % draw[1]


def _a_gap(record: dict[str, Any]) -> None:
    _first(record, "draws")["draws"][0][0] += 1


def _out_of_bound(record: dict[str, Any]) -> None:
    draw = _first(record, "draws")["draws"][0]
    draw[2] = draw[1]


def _another_command(record: dict[str, Any]) -> None:
    _first(record, "command")["command"]["x"] = 77


def _another_seat(record: dict[str, Any]) -> None:
    step = _first(record, "command")
    step["seat"] = 1 - step["seat"]


def _another_event(record: dict[str, Any]) -> None:
    _first(record, "command")["events"][0]["data"]["rotation"] = (
        3 - (_first(record, "command")["events"][0]["data"]["rotation"])
    )


def _a_step_less(record: dict[str, Any]) -> None:
    steps = record["steps"]
    del steps[len(steps) // 2]


def _the_end_cut(record: dict[str, Any]) -> None:
    del record["steps"][-5:]


def _another_score(record: dict[str, Any]) -> None:
    record["final"]["score"]["seats"][0]["total"] += 1


def _another_seed(record: dict[str, Any]) -> None:
    record["chance"]["seed"] = "0" * 64


def _no_final(record: dict[str, Any]) -> None:
    record["final"] = {}


def _a_resignation_more(record: dict[str, Any]) -> None:
    record["final"]["resigned"] = [0]


def _a_misshapen_command(record: dict[str, Any]) -> None:
    _first(record, "command")["command"] = {"type": "place_tile"}


def _before_the_start(record: dict[str, Any]) -> None:
    record["steps"].insert(0, copy.deepcopy(_first(record, "command")))
    record["steps"][0]["draws"] = []


@pytest.mark.parametrize(
    "change",
    [
        _another_draw,
        _a_gap,
        _out_of_bound,
        _another_command,
        _another_seat,
        _another_event,
        _a_step_less,
        _the_end_cut,
        _another_score,
        _another_seed,
        _no_final,
        _a_resignation_more,
        _a_misshapen_command,
        _before_the_start,
    ],
)
def test_what_was_changed_is_found(change: Any) -> None:
    record = bots("carcassonne")
    change(record)
    with pytest.raises(NotProved) as caught:
        verify(record)
    assert caught.value.pointer.startswith(("/steps/", "/final", "/chance"))
    assert caught.value.detail


@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        ("/format", 2),
        ("/ruleset/id", "whist"),
        ("/chance/id", "é"),
        ("/chance/entropies", []),
        ("/chance/entropies/0", "xyz"),
        ("/chance/seed", None),
        ("/chance/bits", "0" * 64),
        ("/chance/seed", "Z" * 64),
        ("/options/two_tile_city", 3),
        ("/steps/0/version", "1"),
    ],
)
def test_what_is_no_record_is_refused(pointer: str, value: Any) -> None:
    record = bots("carcassonne")
    *path, last = pointer.strip("/").split("/")
    place: Any = record
    for name in path:
        place = place[int(name)] if isinstance(place, list) else place[name]
    place[int(last) if isinstance(place, list) else last] = value
    with pytest.raises(Misshapen) as caught:
        verify(record)
    assert caught.value.pointer == pointer


@pytest.mark.parametrize("seed", range(60))
def test_nothing_else_is_raised(seed: int) -> None:
    """Records with random places replaced by random values are proved, refused, never a crash."""
    generator = random.Random(seed)
    record: Any = bots("carcassonne")
    for _ in range(generator.randint(1, 3)):
        place: Any = record
        while True:
            keys = list(place) if isinstance(place, dict) else list(range(len(place)))
            key = generator.choice(keys)
            deeper = place[key]
            if isinstance(deeper, (dict, list)) and deeper and generator.random() < 0.8:
                place = deeper
                continue
            place[key] = generator.choice([None, -1, 10**30, "", "x", [], {}, True, 1.5, [[]]])
            break
    with contextlib.suppress(Misshapen, NotProved):
        assert verify(record).draws
