"""Deadlines over HTTP: asked for at creation, told as times wherever a seat may look."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask

from service.api.http.services import EXTENSION
from service.rules.ruleset import rulesets
from tests.api.http_client import RULESET, SEATS, Person, anybody, code

from .conftest import Clock

TOTAL = {"total_seconds": 300, "increment_seconds": 5, "on_expiry": "bot", "level": "easy"}
WHOLE = {"per_move_seconds": None, **TOTAL}


def play(person: Person, **more: Any) -> str:
    """Lays a table and takes all its seats."""
    made = person.create(**more)
    for seat in range(SEATS):
        assert person.claim(made, seat).status_code == 201
    return str(made["game"]["id"])


def seen(person: Person, game: str, more: str = "") -> Any:
    return person.get(f"/v1/games/{game}{more}").json


def test_a_deadline_is_shown_as_a_time(app: Flask, ana: Person, clock: Clock) -> None:
    start = clock.now
    game = play(ana, deadline=TOTAL)
    view = seen(ana, game)
    (mover,) = view["to_act"]
    assert view["deadline"] == WHOLE
    shown = {each["seat"]: (each["bank"], each["deadline"]) for each in view["clocks"]}
    assert shown.pop(mover) == (300_000, start + 300_000)
    assert set(shown.values()) == {(300_000, None)}
    clock.now += 10_000
    assert seen(ana, game) == view, "what is left now is the reader's to reckon"
    assert seen(ana, game, "/moves")["clocks"] == view["clocks"]
    (turn,) = (ana.get("/v1/turns").json or {})["turns"]
    assert turn["deadline"] == start + 300_000
    listed = (anybody(app).get("/v1/games").json or {})["games"]
    assert [each["clocks"] for each in listed if each["id"] == game] == [view["clocks"]]
    assert ana.move(game).status_code == 201
    after = {each["seat"]: each["bank"] for each in seen(ana, game)["clocks"]}
    assert after[mover] == 295_000
    assert seen(ana, game, f"?version={view['version']}")["clocks"] == view["clocks"]


def test_without_a_deadline_there_are_no_clocks(ana: Person, game: str) -> None:
    view = seen(ana, game)
    assert (view["deadline"], view["clocks"]) == (None, [])
    assert seen(ana, game, "/moves")["clocks"] == []
    (turn,) = (ana.get("/v1/turns").json or {})["turns"]
    assert turn["deadline"] is None


def test_a_deadline_shown_can_be_asked_for_again(ana: Person) -> None:
    first = ana.create(deadline=TOTAL)["game"]["deadline"]
    assert ana.create(deadline=first)["game"]["deadline"] == first
    resign = {"per_move_seconds": 60, "on_expiry": "resign"}
    shown = ana.create(deadline=resign)["game"]["deadline"]
    assert shown["level"] is None
    assert ana.create(deadline=shown)["game"]["deadline"] == shown
    assert ana.create(deadline=None)["game"]["deadline"] is None


def test_a_seat_whose_time_ran_out_takes_no_more_commands(
    app: Flask, ana: Person, clock: Clock
) -> None:
    game = play(ana, deadline={"per_move_seconds": 60, "on_expiry": "bot"})
    (mover,) = seen(ana, game)["to_act"]
    move = ana.moves(game)["moves"][0]
    clock.now += 60_000
    command_handler = app.extensions[EXTENSION].command_handler
    command_handler.expire_seat(command_handler.repository.load(game).game, mover, "worker")
    refused = ana.send(game, move["command"], move["seat"])
    assert (refused.status_code, code(refused)) == (409, "played_by_bot")
    view = seen(ana, game)
    assert mover not in [each["seat"] for each in view["clocks"]]
    events = (ana.get(f"/v1/games/{game}/events?after={view['version'] - 2}").json or {})["events"]
    assert [(each["type"], each["data"]) for each in events] == [
        ("expired", {"seat": mover, "following": "bot"}),
        ("seat_given_to_bot", {"seat": mover, "level": "easy"}),
    ]


@pytest.mark.parametrize(
    ("deadline", "pointer"),
    [
        ({}, "/deadline/on_expiry"),
        ({"on_expiry": "bot"}, "/deadline"),
        ({"on_expiry": "bot", "per_move_seconds": 0}, "/deadline/per_move_seconds"),
        ({"on_expiry": "bot", "per_move_seconds": True}, "/deadline/per_move_seconds"),
        ({"on_expiry": "bot", "per_move_seconds": 9, "total_seconds": 9}, "/deadline"),
        (
            {"on_expiry": "bot", "per_move_seconds": 9, "increment_seconds": 1},
            "/deadline/increment_seconds",
        ),
        ({"on_expiry": "cry", "per_move_seconds": 9}, "/deadline/on_expiry"),
        ({"on_expiry": "bot", "per_move_seconds": 9, "level": "god"}, "/deadline/level"),
        ({"on_expiry": "resign", "per_move_seconds": 9, "level": "easy"}, "/deadline/level"),
        ({"on_expiry": "bot", "per_move_seconds": 9, "x": 1}, "/deadline/x"),
        (9, "/deadline"),
    ],
)
def test_a_misshapen_deadline_is_refused_with_its_place(
    ana: Person, deadline: Any, pointer: str
) -> None:
    seats = [{"kind": "human"}] * SEATS
    answer = ana.post("/v1/games", {"ruleset": RULESET.id, "seats": seats, "deadline": deadline})
    assert (answer.status_code, code(answer)) == (422, "misshapen")
    assert [error["pointer"] for error in (answer.json or {})["errors"]] == [pointer]


@pytest.mark.parametrize("name", rulesets())
def test_pass_is_for_games_that_know_one(ana: Person, name: str) -> None:
    law = rulesets()[name]
    answer = ana.post(
        "/v1/games",
        {
            "ruleset": name,
            "seats": [{"kind": "human"}] * min(law.seats),
            "deadline": {"on_expiry": "pass", "per_move_seconds": 9},
        },
    )
    assert answer.status_code == (201 if law.passes else 422)
