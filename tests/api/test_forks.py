"""Branches and rematches over HTTP."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask
from prometheus_client import REGISTRY

from tests.api.http_client import SEATS, Person, anybody, code


def counted(kind: str) -> float:
    return REGISTRY.get_sample_value("bailli_games_laid_total", {"kind": kind}) or 0.0


def test_a_branch_is_played_on(ana: Person, game: str) -> None:
    before = ana.get(f"/v1/games/{game}").json or {}
    ana.move(game)
    counts = counted("fork")
    answer = ana.post(f"/v1/games/{game}/forks", {"version": before["version"]})
    laid = (answer.json or {})["game"]
    assert answer.status_code == 201
    assert answer.headers["Location"] == laid["links"]["self"]
    assert laid["forked_from"] == {"game": game, "version": before["version"]}
    assert laid["board"] == before["board"]
    assert laid["to_act"] == before["to_act"]
    assert laid["chance"]["draws"] == 0
    assert counted("fork") == counts + 1
    assert ana.move(laid["id"]).status_code == 201
    told = ana.get(f"/v1/games/{laid['id']}/events").json or {}
    assert told["events"][1]["type"] == "forked"
    assert before["forked_from"] is None


def test_others_branch_off_too_but_need_a_token(app: Flask, ana: Person, game: str) -> None:
    path = f"/v1/games/{game}/forks"
    answer = anybody(app).post(
        path, {"seats": [{"kind": "human"}] + [{"kind": "bot"}] * (SEATS - 1)}
    )
    made = answer.json or {}
    assert made["game"]["status"] == "open"
    assert made["game"]["board"] is not None
    assert [each["seat"] for each in made["claim_codes"]] == [0]
    nobody = Person(app).post(path, {})
    assert (nobody.status_code, code(nobody)) == (401, "token_required")


def test_a_watch_code_branches_nothing_off(app: Flask, ana: Person) -> None:
    made = ana.create(*["bot"] * SEATS, visibility="private")
    watching = Person(app, made["watch_code"])
    answer = watching.post(f"/v1/games/{made['game']['id']}/forks", {})
    assert (answer.status_code, code(answer)) == (401, "token_required")
    assert anybody(app).post(f"/v1/games/{made['game']['id']}/forks", {}).status_code == 404
    public = ana.post(f"/v1/games/{made['game']['id']}/forks", {"visibility": "public"})
    assert (public.json or {})["errors"][0]["pointer"] == "/visibility"


@pytest.mark.parametrize(
    ("body", "status", "told"),
    [
        ({"version": 1}, 409, "not_in_play"),
        ({"version": 10**9}, 404, "not_found"),
        ({"version": 0}, 422, "misshapen"),
        ({"version": "2"}, 422, "misshapen"),
        ({"seats": []}, 422, "misshapen"),
        ({"chance": {}}, 422, "misshapen"),
    ],
)
def test_no_such_branch(ana: Person, game: str, body: Any, status: int, told: str) -> None:
    answer = ana.post(f"/v1/games/{game}/forks", body)
    assert (answer.status_code, code(answer)) == (status, told)


def test_a_branch_is_laid_once_for_a_key(ana: Person, game: str) -> None:
    first = ana.post(f"/v1/games/{game}/forks", {}, Idempotency_Key="k")
    counts = counted("fork")
    second = ana.post(f"/v1/games/{game}/forks", {}, Idempotency_Key="k")
    assert second.headers["Idempotent-Replayed"] == "true"
    assert second.json == first.json
    assert counted("fork") == counts
    other = ana.post(f"/v1/games/{game}/forks", {"version": 4}, Idempotency_Key="k")
    assert (other.status_code, code(other)) == (422, "key_reused")


def test_a_rematch_is_one_for_all(app: Flask, ana: Person) -> None:
    made = ana.create()
    people = [anybody(app) for _ in range(SEATS)]
    for seat, person in enumerate(people):
        person.claim(made, seat)
    path = f"/v1/games/{made['game']['id']}/rematch"
    early = people[0].post(path, {})
    assert (early.status_code, code(early)) == (409, "not_over")
    ana.send(made["game"]["id"], {"type": "abandon"})
    first, second = people[0].post(path, {}), people[1].post(path, {"seats": "same"})
    laid = (first.json or {})["game"]
    assert (second.json or {})["game"] == laid
    assert "Idempotent-Replayed" not in first.headers
    assert second.headers["Idempotent-Replayed"] == "true"
    assert laid["rematch_of"] == made["game"]["id"]
    assert laid["status"] == "playing"
    waiting = [
        turn["game"] for person in people for turn in (person.get("/v1/turns").json or {})["turns"]
    ]
    assert waiting == [laid["id"]]
    assert (people[1].moves(laid["id"]))["seats"] == [0]
    assert code(anybody(app).post(path, {})) == "forbidden"
    assert code(Person(app).post(path, {})) == "token_required"


def test_a_rematch_keeps_the_deadline(app: Flask, ana: Person) -> None:
    made = ana.create(deadline={"per_move_seconds": 60, "on_expiry": "bot", "level": "easy"})
    for seat in range(SEATS):
        ana.claim(made, seat)
    path = f"/v1/games/{made['game']['id']}"
    ana.send(made["game"]["id"], {"type": "resign"}, 0)
    again = ana.post(f"{path}/rematch", {}).json or {}
    before = ana.get(path).json or {}
    assert again["game"]["deadline"] == before["deadline"] is not None
