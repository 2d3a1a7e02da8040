"""The stateless judge."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask

from service.rules.ruleset import rulesets
from tests.api.http_client import RULESET, SEATS, Person, code

PATH = f"/v1/rulesets/{RULESET.id}/positions"
SEED = {"seed": "11" * 32}


def test_a_position_is_played_on_move_by_move(app: Flask) -> None:
    nobody = Person(app)
    steps: list[Any] = []
    for _ in range(5):
        asked = {"seats": SEATS, "steps": steps, "chance": SEED}
        judged = nobody.post(PATH, asked).json or {}
        assert judged["stopped"] is None
        first = judged["moves"][0]
        assert first["seat"] in judged["to_act"]
        steps.append([first["seat"], first["command"]])
    assert nobody.post(PATH, {"seats": SEATS, "steps": steps, "chance": SEED}).status_code == 200


def test_without_chance_it_stops_at_the_first_draw(app: Flask) -> None:
    judged = Person(app).post(PATH, {"seats": SEATS}).json or {}
    assert judged["stopped"] == "chance"
    assert judged["to_act"] == judged["moves"] == []
    assert judged["due"]["bound"] >= 1
    assert sum(judged["due"]["counts"]) in (0, judged["due"]["bound"])
    same = Person(app).post(PATH, {"seats": SEATS, "chance": None}).json
    arranged = Person(app).post(PATH, {"seats": SEATS, "chance": {"outcomes": []}}).json
    assert judged == same == arranged


def test_outcomes_are_taken_in_order(app: Flask) -> None:
    due = (Person(app).post(PATH, {"seats": SEATS}).json or {})["due"]
    outcomes: list[str | int] = [due["ids"][0] if due["ids"] else 0]
    judged = Person(app).post(PATH, {"seats": SEATS, "chance": {"outcomes": outcomes}}).json or {}
    assert judged["draws"] == 1


def test_the_first_step_refused_is_named(app: Flask) -> None:
    asked: dict[str, Any] = {"seats": SEATS, "chance": SEED}
    first = (Person(app).post(PATH, asked).json or {})["moves"][0]
    wrong = [(first["seat"] + 1) % SEATS, first["command"]]
    refused = Person(app).post(PATH, {**asked, "steps": [wrong]})
    told = refused.json or {}
    assert refused.status_code == 409
    assert told["index"] == 0
    assert told["rule"] in {rule.id for rule in RULESET.rules}
    assert told["type"].startswith(f"/docs/rules/{RULESET.id}#")


@pytest.mark.parametrize(
    ("more", "pointer"),
    [
        ({"seats": 99}, "/seats"),
        ({"seats": None}, "/seats"),
        ({"options": {"no": 1}}, "/options/no"),
        ({"steps": [1]}, "/steps/0"),
        ({"steps": [[0]]}, "/steps/0"),
        ({"steps": [[9, {}]]}, "/steps/0/0"),
        ({"steps": [[0, {"type": "no"}]]}, "/steps/0/1/type"),
        ({"steps": {}}, "/steps"),
        ({"chance": {}}, "/chance"),
        ({"chance": {"seed": "11" * 32, "outcomes": []}}, "/chance"),
        ({"chance": {"dice": 3}}, "/chance"),
        ({"chance": {"seed": "AA" * 32}}, "/chance/seed"),
        ({"chance": {"seed": 3}}, "/chance/seed"),
        ({"chance": {"outcomes": [1.5]}}, "/chance/outcomes/0"),
        ({"chance": {"outcomes": ["no such thing"]}}, "/chance/outcomes/0"),
        ({"more": 1}, "/more"),
    ],
)
def test_a_misshapen_position_is_refused_with_its_place(
    app: Flask, more: dict[str, Any], pointer: str
) -> None:
    answer = Person(app).post(PATH, {"seats": SEATS, **more})
    assert (answer.status_code, code(answer)) == (422, "misshapen")
    assert pointer in [error["pointer"] for error in (answer.json or {})["errors"]]


def test_a_seat_beyond_the_table_is_misshapen(app: Flask) -> None:
    asked: dict[str, Any] = {"seats": SEATS, "chance": SEED}
    first = (Person(app).post(PATH, asked).json or {})["moves"][0]
    answer = Person(app).post(PATH, {**asked, "steps": [[7, first["command"]]]})
    assert (answer.status_code, (answer.json or {})["errors"][0]["pointer"]) == (
        422,
        "/steps/0/0",
    )


def test_rulesets_describe_themselves(app: Flask) -> None:
    listed = (Person(app).get("/v1/rulesets").json or {})["rulesets"]
    assert [each["id"] for each in listed] == list(rulesets())
    for each in listed:
        full = Person(app).get(each["links"]["self"])
        told = full.json or {}
        ruleset = rulesets()[each["id"]]
        assert [one["type"] for one in told["commands"]] == list(ruleset.commands)
        assert {one["id"] for one in told["rules"]} == {rule.id for rule in ruleset.rules}
        assert len(told["components"]) == len(ruleset.components)
        again = Person(app).get(each["links"]["self"], If_None_Match=full.headers["ETag"])
        assert again.status_code == 304
    assert Person(app).get("/v1/rulesets/nothing").status_code == 404
    assert Person(app).post("/v1/rulesets/nothing/positions", {"seats": 2}).status_code == 404
