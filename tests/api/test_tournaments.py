"""Duplicate tournaments over HTTP."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask

from service.app import create_app
from service.config import Settings
from service.store import MemoryStore
from tests.api.http_client import RULESET, SEATS, Person, anybody, code
from workers import jobs
from workers.context import build_context

WANTED = {"ruleset": RULESET.id, "seats": [{"kind": "human"}] * SEATS, "tables": 3}


def laid(person: Person, **more: Any) -> Any:
    answer = person.post("/v1/tournaments", {**WANTED, **more})
    assert answer.status_code == 201, answer.data
    return answer.json


def test_people_play_the_same_draws(ana: Person) -> None:
    made = laid(ana)
    boards = set()
    for table in made["tables"]:
        codes = {each["seat"]: each["claim_code"] for each in table["claim_codes"]}
        path = f"/v1/games/{table['game']}"
        for seat in range(SEATS):
            asked = {"claim_code": codes[seat], "name": f"seat {seat}"}
            assert ana.post(f"{path}/seats/{seat}", asked).status_code == 201
        seen = ana.get(path).json or {}
        assert seen["tournament"]["id"] == made["tournament"]["id"]
        boards.add(str(seen["board"]))
        assert table["watch_code"]
    assert len(boards) == 1


def test_all_tables_have_the_deadline(ana: Person) -> None:
    deadline = {"total_seconds": 600, "increment_seconds": 5, "on_expiry": "resign"}
    made = laid(ana, deadline=deadline)
    for table in made["tables"]:
        seen = ana.get(f"/v1/games/{table['game']}").json or {}
        assert seen["deadline"] == {"per_move_seconds": None, "level": None, **deadline}


def test_its_tables_and_scores_are_told(app: Flask, ana: Person, store: MemoryStore) -> None:
    seats = [{"kind": "bot", "level": "random"}] * SEATS
    made = laid(ana, seats=seats, tables=2, visibility="public")
    path = made["tournament"]["links"]["self"]
    assert made["tournament"] == ana.get(path).json
    games = [table["game"] for table in made["tables"]]
    context = build_context(store, Settings())
    for place, game in enumerate(games):
        while jobs.do_work(context, "bot", game):
            pass
        jobs.do_work(context, "score", game)
        jobs.do_work(context, "reveal", game)
        seen = Person(app).get(path).json or {}
        assert [table["status"] == "finished" for table in seen["tables"]] == [True, place == 1]
        assert seen["revealed"] is (place == 1)
        if place == 0:
            assert ana.get(f"/v1/games/{game}/record").status_code == 409
    jobs.do_work(context, "reveal", games[0])
    for game in games:
        value = ana.get(f"/v1/games/{game}/record").json or {}
        assert value["chance"]["id"] == made["tournament"]["id"]
        assert value["final"]["revealed"] is None


def test_it_is_laid_once_for_a_key(ana: Person) -> None:
    first = ana.post("/v1/tournaments", WANTED, Idempotency_Key="k")
    second = ana.post("/v1/tournaments", WANTED, Idempotency_Key="k")
    assert second.json == first.json
    assert second.headers["Idempotent-Replayed"] == "true"
    assert "Idempotent-Replayed" not in first.headers
    other = ana.post("/v1/tournaments", {**WANTED, "tables": 4}, Idempotency_Key="k")
    assert (other.status_code, code(other)) == (422, "key_reused")


def test_private_ones_are_hidden(app: Flask, ana: Person) -> None:
    path = laid(ana)["tournament"]["links"]["self"]
    assert anybody(app).get(path).status_code == 404
    assert ana.get(path).status_code == 200
    assert ana.get("/v1/tournaments/" + "a" * 26).status_code == 404


def test_entropy_is_refused_by_the_rule(ana: Person) -> None:
    table = laid(ana)["tables"][0]
    claim = table["claim_codes"][0]
    asked = {"claim_code": claim["claim_code"], "name": "Ana", "entropy": "dice"}
    answer = ana.post(f"/v1/games/{table['game']}/seats/0", asked)
    assert (answer.status_code, (answer.json or {})["rule"]) == (409, "T-14")


@pytest.mark.parametrize(
    ("more", "pointer"),
    [
        ({"tables": 0}, "/tables"),
        ({"tables": 101}, "/tables"),
        ({"seats": []}, "/seats"),
        ({"chance": {"outcomes": []}}, "/chance/outcomes"),
        ({"entropy": "x"}, "/entropy"),
    ],
)
def test_no_such_tournament(ana: Person, more: Any, pointer: str) -> None:
    answer = ana.post("/v1/tournaments", {**WANTED, **more})
    assert answer.status_code == 422
    assert (answer.json or {})["errors"][0]["pointer"] == pointer


def test_a_hundred_tables_are_laid_at_once(ana: Person) -> None:
    assert len(laid(ana, tables=100)["tournament"]["tables"]) == 100


def test_tournaments_and_imports_are_limited(store: MemoryStore) -> None:
    app = create_app(Settings(rate_tournament=1, rate_import=1), store)
    eve = anybody(app)
    assert [eve.post("/v1/tournaments", WANTED).status_code for _ in range(2)] == [201, 429]
    body = dict.fromkeys(("format", "ruleset", "chance", "steps", "final"))
    assert [eve.post("/v1/records", body).status_code for _ in range(2)] == [202, 429]
