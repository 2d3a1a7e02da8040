"""A bot's advice over HTTP: who may ask for it, about what, how often, and what is told."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask

from service.app import create_app
from service.bot_levels import QUICK, SEARCHING
from service.config import Settings
from service.games.analyses import LIFETIME, MAX_OPEN
from service.games.tokens import new_token
from service.store import MemoryStore
from tests.api.http_client import RULESET, SEATS, Person, anybody, code
from workers import jobs
from workers.context import WorkerContext, build_context

from .conftest import Clock


@pytest.fixture
def context(store: MemoryStore) -> WorkerContext:
    """What works behind the API."""
    return build_context(store, Settings())


def path(game: str) -> str:
    return f"/v1/games/{game}/analyses"


def ask(person: Person, game: str, **body: Any) -> Any:
    answer = person.post(path(game), body)
    assert answer.status_code == 202, answer.data
    return answer.json


def think(context: WorkerContext, told: Any) -> None:
    assert jobs.do_work(context, "analysis", told["id"])


def test_advice_is_asked_for_thought_out_and_played(
    ana: Person, game: str, context: WorkerContext
) -> None:
    answer = ana.post(path(game), {"top": 3})
    told = answer.json or {}
    assert (answer.status_code, told["status"], told["ranked"]) == (202, "waiting", [])
    where = answer.headers["Location"]
    assert where == told["links"]["self"]
    assert answer.headers["Retry-After"] == "1"
    waiting = ana.get(where)
    assert (waiting.headers["Retry-After"], waiting.json) == ("1", told)
    think(context, told)
    done = ana.get(where)
    assert "Retry-After" not in done.headers
    found = done.json or {}
    moves = ana.moves(game)
    assert (found["status"], found["version"]) == ("done", moves["version"])
    assert (found["level"], found["top"], found["seat"]) == (SEARCHING[0], 3, moves["to_act"][0])
    assert 1 <= len(found["ranked"]) <= 3
    assert [each["rank"] for each in found["ranked"]] == list(range(1, len(found["ranked"]) + 1))
    for each in [*found["ranked"], found["line"][0]]:
        assert {name: each[name] for name in ("seat", "command", "text")} in moves["moves"]
    best = found["ranked"][0]
    assert len(best["expected_scores"]) == SEATS
    assert found["line"][0]["command"] == best["command"]
    assert ana.send(game, best["command"], best["seat"]).status_code == 201
    assert ana.get(where).json == found


def test_texts_come_in_the_readers_language(ana: Person, game: str, context: WorkerContext) -> None:
    told = ask(ana, game)
    think(context, told)
    texts = {}
    for language in ("en", "pt", "fr"):
        answer = ana.get(told["links"]["self"], Accept_Language=language)
        assert answer.headers["Content-Language"] == language
        texts[language] = [each["text"] for each in (answer.json or {})["ranked"]]
    assert len(set(map(tuple, texts.values()))) == 3


def test_the_same_question_is_the_same_analysis(
    ana: Person, game: str, context: WorkerContext
) -> None:
    first = ask(ana, game, level="medium")
    again = ana.post(path(game), {"level": "medium", "seat": first["seat"]})
    assert again.headers["Idempotent-Replayed"] == "true"
    assert again.json == first
    think(context, first)
    done = ana.post(path(game), {"version": first["version"]})
    assert (done.status_code, (done.json or {})["status"]) == (202, "done")
    assert not jobs.do_work(context, "analysis", first["id"])
    for other in ({"top": 4}, {"level": "hard"}):
        assert ask(ana, game, **other)["id"] != first["id"]
    ana.move(game)
    assert ask(ana, game)["id"] != first["id"]


def test_a_key_keeps_the_version_that_was_asked_about(ana: Person, game: str, clock: Clock) -> None:
    first = ana.post(path(game), {}, Idempotency_Key="k")
    ana.move(game)
    again = ana.post(path(game), {}, Idempotency_Key="k")
    assert again.json == first.json
    assert again.headers["Idempotent-Replayed"] == "true"
    other = ana.post(path(game), {"top": 2}, Idempotency_Key="k")
    assert (other.status_code, code(other)) == (422, "key_reused")
    ana.move(game, Idempotency_Key="m")
    taken = ana.post(path(game), {}, Idempotency_Key="m")
    assert (taken.status_code, code(taken)) == (422, "key_reused")
    clock.now += LIFETIME
    later = ana.post(path(game), {}, Idempotency_Key="k").json or {}
    assert later["version"] > (first.json or {})["version"]


def test_a_key_counts_for_what_was_asked_without_it(ana: Person, game: str) -> None:
    first = ask(ana, game)
    keyed = ana.post(path(game), {}, Idempotency_Key="k")
    assert (keyed.json, keyed.headers["Idempotent-Replayed"]) == (first, "true")
    other = ana.post(path(game), {"top": 2}, Idempotency_Key="k")
    assert (other.status_code, code(other)) == (422, "key_reused")
    ana.move(game)
    assert ana.post(path(game), {}, Idempotency_Key="k").json == first


def test_a_condition_holds_or_nothing_is_asked(ana: Person, game: str) -> None:
    tag = ana.get(f"/v1/games/{game}/moves").headers["ETag"]
    assert ana.post(path(game), {}, If_Match=tag, Idempotency_Key="k").status_code == 202
    ana.move(game)
    assert code(ana.post(path(game), {}, If_Match=tag)) == "stale"
    assert ana.post(path(game), {}, If_Match=tag, Idempotency_Key="k").status_code == 202


@pytest.mark.parametrize(
    "body",
    [
        *({"level": level} for level in QUICK),
        {"level": None},
        {"top": 0},
        {"top": 21},
        {"top": "3"},
        {"seat": 8},
        {"version": 0},
        {"what": 1},
        [],
    ],
)
def test_what_is_no_question_is_misshapen(ana: Person, game: str, body: Any) -> None:
    answer = ana.post(path(game), body)
    assert (answer.status_code, code(answer)) == (422, "misshapen")


def test_only_seats_are_advised(app: Flask, ana: Person, game: str) -> None:
    eve = anybody(app)
    for person, seat in ((eve, None), (eve, 0)):
        answer = person.post(path(game), {"seat": seat})
        assert (answer.status_code, code(answer)) == (403, "forbidden")
    assert code(Person(app).post(path(game), {})) == "token_required"
    assert code(ana.post(path("a" * 26), {})) == "not_found"
    assert code(ana.post(path(game), {"version": 9_999})) == "not_found"
    told = ask(ana, game)
    hidden = eve.get(told["links"]["self"])
    assert (hidden.status_code, code(hidden)) == (404, "not_found")
    assert code(Person(app).get(told["links"]["self"])) == "token_required"
    other = ana.create()["game"]["id"]
    assert code(ana.get(f"{path(other)}/{told['id']}")) == "not_found"
    assert code(ana.get(f"{path(game)}/{'a' * 26}")) == "not_found"
    assert code(ana.get(f"{path(game)}/{game}")) == "not_found"


def test_a_private_game_is_not_there_for_others(app: Flask, ana: Person) -> None:
    made = ana.create(visibility="private")
    for seat in range(SEATS):
        ana.claim(made, seat)
    game = made["game"]["id"]
    ask(ana, game)
    answer = anybody(app).post(path(game), {})
    assert (answer.status_code, code(answer)) == (404, "not_found")
    watcher = Person(app, made["watch_code"])
    assert code(watcher.post(path(game), {})) == "token_required"


def test_rights_follow_the_seat(app: Flask, ana: Person, game: str) -> None:
    told = ask(ana, game)
    new = new_token()
    assert ana.post("/v1/tokens/rotate", {"token": new.text}).status_code == 200
    assert ana.get(told["links"]["self"]).status_code == 404
    assert Person(app, new).get(told["links"]["self"]).json == told


def test_who_must_not_act_is_refused_by_the_rule(app: Flask, ana: Person) -> None:
    made = ana.create(*["human"] * SEATS)
    game = made["game"]["id"]
    people = [anybody(app) for _ in range(SEATS)]
    people[0].claim(made, 0)

    def refused(person: Person, **body: Any) -> tuple[int, str, str]:
        answer = person.post(path(game), body)
        return answer.status_code, code(answer), (answer.json or {})["rule"]

    assert refused(people[0]) == (409, "not_started", "T-1")
    for seat in range(1, SEATS):
        people[seat].claim(made, seat)
    started = ana.get(f"/v1/games/{game}").json or {}
    (acting,) = started["to_act"]
    waiting = (acting + 1) % SEATS
    assert refused(people[waiting]) == (409, "not_awaited", "T-9")
    inside = {"version": started["version"] - 1}
    assert refused(people[acting], **inside) == (409, "in_progress", "T-9")
    host = anybody(app)
    host.token = ana.token
    assert code(host.post(path(game), {})) == "forbidden"
    before = ask(people[acting], game)
    people[acting].move(game)
    people[waiting].send(game, {"type": "give_to_bot", "level": "random"})
    assert refused(people[waiting]) == (409, "played_by_bot", "T-4")
    ana.send(game, {"type": "abandon"})
    assert refused(people[acting]) == (409, "game_over", "T-10")
    assert ask(people[acting], game, version=before["version"]) == before


def test_the_past_is_advised_on_once_the_game_is_over(
    ana: Person, game: str, context: WorkerContext
) -> None:
    """What should I have done? The answer is about the version asked about."""
    then = ana.moves(game)
    ana.move(game)
    ana.send(game, {"type": "abandon"})
    told = ask(ana, game, version=then["version"])
    think(context, told)
    found = ana.get(told["links"]["self"]).json or {}
    assert (found["status"], found["version"]) == ("done", then["version"])
    assert found["ranked"][0]["command"] in [move["command"] for move in then["moves"]]


def seated(person: Person, **more: Any) -> str:
    made = person.create(**more)
    for seat in range(SEATS):
        person.claim(made, seat)
    assert made["game"]["advice"] is more["advice"]
    return str(made["game"]["id"])


def test_a_table_without_advice_gives_none(app: Flask, ana: Person) -> None:
    """Nor does a branch of it, its rematch, or its record taken in."""
    game = seated(ana, advice=False)
    refused = ana.post(path(game), {})
    assert (refused.status_code, code(refused)) == (409, "no_advice")
    assert (refused.json or {})["rule"] == "T-9"
    assert (refused.json or {})["type"] == "/docs/rules/table#T-9"
    assert code(anybody(app).post(path(game), {})) == "forbidden"
    fork = ana.post(f"/v1/games/{game}/forks", {}).json or {}
    assert fork["game"]["advice"] is False
    assert code(ana.post(path(fork["game"]["id"]), {})) == "no_advice"
    ana.send(game, {"type": "abandon"})
    rematch = ana.post(f"/v1/games/{game}/rematch", {}).json or {}
    assert rematch["game"]["advice"] is False
    assert code(ana.post(path(rematch["game"]["id"]), {})) == "no_advice"
    record = ana.get(f"/v1/games/{game}/record").json
    taken = ana.post("/v1/records", record).json or {}
    jobs.do_work(build_context(app.extensions["bailli"].store, Settings()), "import", taken["id"])
    assert (ana.get(f"/v1/games/{taken['id']}").json or {})["advice"] is False
    seated(ana, advice=True)


def test_another_advice_is_another_table(ana: Person) -> None:
    asked = {"ruleset": RULESET.id, "seats": [{"kind": "human"}] * SEATS}
    assert ana.post("/v1/games", asked, Idempotency_Key="k").status_code == 201
    other = ana.post("/v1/games", {**asked, "advice": False}, Idempotency_Key="k")
    assert (other.status_code, code(other)) == (422, "key_reused")


@pytest.mark.parametrize(("chosen", "status"), [(None, 409), (False, 409), (True, 202)])
def test_a_tournament_gives_advice_if_it_is_laid_so(
    ana: Person, chosen: bool | None, status: int
) -> None:
    asked = {"ruleset": RULESET.id, "seats": [{"kind": "human"}] * SEATS, "tables": 1}
    if chosen is not None:
        asked["advice"] = chosen
    laid = ana.post("/v1/tournaments", asked).json or {}
    (table,) = laid["tables"]
    for each in table["claim_codes"]:
        claim = {"claim_code": each["claim_code"], "name": "Ana"}
        ana.post(f"/v1/games/{table['game']}/seats/{each['seat']}", claim)
    assert ana.post(path(table["game"]), {}).status_code == status


def test_so_many_may_wait_at_a_time(ana: Person, game: str, context: WorkerContext) -> None:
    """What is done makes place; what was asked before needs none."""
    asked = [ask(ana, game, top=top) for top in range(1, MAX_OPEN + 1)]
    full = ana.post(path(game), {"top": 20})
    assert (full.status_code, code(full)) == (429, "too_many")
    assert int(full.headers["Retry-After"]) >= 1
    assert ask(ana, game, top=1) == asked[0]
    think(context, asked[2])
    assert ask(ana, game, top=20)["status"] == "waiting"
    assert ana.post(path(game), {"top": 19}).status_code == 429


def test_questions_are_limited_by_rate(store: MemoryStore) -> None:
    app = create_app(Settings(rate_analyses=2), store)
    found = [anybody(app).post(path("a" * 26), {}) for _ in range(3)]
    assert [answer.status_code for answer in found] == [404, 404, 429]
    assert int(found[-1].headers["Retry-After"]) >= 1
