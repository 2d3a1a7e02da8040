"""Tables: laid, listed, looked at, removed."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask

from service.games.tokens import new_token
from tests.api.http_client import RULESET, SEATS, Person, anybody, code

from .conftest import Clock


def test_a_client_without_a_token_is_given_one_once(app: Flask) -> None:
    nobody = Person(app)
    made = nobody.create()
    assert made["token"].startswith("bl_")
    assert [each["seat"] for each in made["claim_codes"]] == list(range(SEATS))
    assert made["watch_code"] is None
    again = nobody.create()
    assert again["token"] is None


def test_the_answer_says_where_the_game_is(ana: Person) -> None:
    asked = {"ruleset": RULESET.id, "seats": [{"kind": "human"}] * SEATS}
    answer = ana.post("/v1/games", asked)
    assert answer.headers["Location"] == (answer.json or {})["game"]["links"]["self"]
    seen = ana.get(answer.headers["Location"])
    assert seen.headers["ETag"] == answer.headers["ETag"]
    assert seen.json == (answer.json or {})["game"]


def test_a_repeated_creation_is_the_same_table_with_the_same_codes(ana: Person) -> None:
    asked = {"ruleset": RULESET.id, "seats": [{"kind": "human"}] * SEATS}
    first = ana.post("/v1/games", asked, Idempotency_Key="k1")
    bare = ana.post("/v1/games", asked, Idempotency_Key='"k1"')
    assert bare.status_code == 201
    assert bare.headers["Idempotent-Replayed"] == "true"
    assert bare.json == first.json
    other = ana.post("/v1/games", {**asked, "start": "host"}, Idempotency_Key="k1")
    assert (other.status_code, code(other)) == (422, "key_reused")


@pytest.mark.parametrize("key", ["", "a b", "x" * 256, '"', "é"])
def test_strange_keys_are_refused(ana: Person, key: str) -> None:
    asked = {"ruleset": RULESET.id, "seats": [{"kind": "human"}] * SEATS}
    answer = ana.post("/v1/games", asked, Idempotency_Key=key)
    assert (answer.status_code, code(answer)) == (400, "bad_request")


def test_a_key_of_255_characters_is_taken(ana: Person) -> None:
    asked = {"ruleset": RULESET.id, "seats": [{"kind": "human"}] * SEATS}
    assert ana.post("/v1/games", asked, Idempotency_Key="x" * 255).status_code == 201


def test_bots_alone_start_at_once(ana: Person) -> None:
    made = ana.create(*["bot"] * SEATS)
    assert made["game"]["status"] == "playing"
    assert made["claim_codes"] == []


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ([], ""),
        ({}, "/ruleset"),
        ({"ruleset": 3}, "/ruleset"),
        ({"ruleset": "chess"}, "/ruleset"),
        ({"ruleset": RULESET.id}, "/seats"),
        ({"ruleset": RULESET.id, "seats": []}, "/seats"),
        ({"ruleset": RULESET.id, "seats": [3] * SEATS}, "/seats/0"),
        ({"ruleset": RULESET.id, "seats": [{"name": "x"}] * SEATS}, "/seats/0/kind"),
        ({"ruleset": RULESET.id, "seats": [{"kind": "cat"}] * SEATS}, "/seats/0/kind"),
        (
            {"ruleset": RULESET.id, "seats": [{"kind": "human", "level": "easy"}] * SEATS},
            "/seats/0/level",
        ),
        (
            {"ruleset": RULESET.id, "seats": [{"kind": "bot", "level": "god"}] * SEATS},
            "/seats/0/level",
        ),
        (
            {"ruleset": RULESET.id, "seats": [{"kind": "human", "name": "é" * 41}] * SEATS},
            "/seats/0/name",
        ),
        ({"ruleset": RULESET.id, "seats": [{"kind": "human"}] * SEATS, "x/y": 1}, "/x~1y"),
        (
            {"ruleset": RULESET.id, "seats": [{"kind": "human"}] * SEATS, "options": {"no": 1}},
            "/options/no",
        ),
        (
            {"ruleset": RULESET.id, "seats": [{"kind": "human"}] * SEATS, "options": None},
            "/options",
        ),
        (
            {
                "ruleset": RULESET.id,
                "seats": [{"kind": "human"}] * SEATS,
                "chance": {"outcomes": [True]},
            },
            "/chance/outcomes/0",
        ),
        (
            {
                "ruleset": RULESET.id,
                "seats": [{"kind": "human"}] * SEATS,
                "chance": {"outcomes": ["no such thing"]},
            },
            "/chance/outcomes/0",
        ),
        (
            {
                "ruleset": RULESET.id,
                "seats": [{"kind": "human"}] * SEATS,
                "chance": {"outcomes": []},
            },
            "/chance/outcomes",
        ),
    ],
)
def test_a_misshapen_table_is_refused_with_its_place(ana: Person, body: Any, pointer: str) -> None:
    answer = ana.post("/v1/games", body)
    assert (answer.status_code, code(answer)) == (422, "misshapen")
    assert pointer in [error["pointer"] for error in (answer.json or {})["errors"]]


def test_private_games_do_not_exist_for_strangers(app: Flask, ana: Person) -> None:
    made = ana.create(visibility="private")
    path = f"/v1/games/{made['game']['id']}"
    assert ana.get(path).status_code == 200
    assert Person(app, made["watch_code"]).get(path).status_code == 200
    for stranger in (Person(app), anybody(app)):
        for method, where in (
            ("GET", path),
            ("GET", f"{path}/moves"),
            ("GET", f"{path}/events"),
            ("GET", f"{path}/score"),
            ("GET", f"{path}/record"),
        ):
            answer = stranger.ask(method, where)
            assert (answer.status_code, code(answer)) == (404, "not_found")
    stranger = anybody(app)
    for body in ({"command": {"type": "start"}}, {"nonsense": 1}):
        assert stranger.post(f"{path}/commands", body).status_code == 404
    assert stranger.ask("DELETE", path).status_code == 404
    wrong = {"claim_code": "bc_" + "A" * 43, "name": "Eve"}
    assert stranger.post(f"{path}/seats/0", wrong).status_code == 404
    assert stranger.claim(made, 0).status_code == 201
    assert stranger.get(path).status_code == 200


def test_games_are_listed_page_by_page(app: Flask, ana: Person, clock: Clock) -> None:
    ids = []
    for _ in range(5):
        ids.append(ana.create()["game"]["id"])
        clock.now += 1
    ana.create(visibility="private")
    found: list[str] = []
    path = "/v1/games?limit=2"
    while True:
        answer = Person(app).get(path)
        page = answer.json or {}
        found += [each["id"] for each in page["games"]]
        if page["next"] is None:
            assert "Link" not in answer.headers
            break
        assert page["next"] in answer.headers["Link"]
        path = answer.headers["Link"].partition("<")[2].partition(">")[0]
    assert found == ids[::-1]


def test_lists_are_narrowed(app: Flask, ana: Person) -> None:
    open_one = ana.create()["game"]["id"]
    playing = ana.create(*["bot"] * SEATS)["game"]["id"]
    secret = ana.create(visibility="private")["game"]["id"]
    bo = anybody(app)
    other = bo.create()["game"]["id"]

    def listed(person: Person, query: str) -> set[str]:
        answer = person.get(f"/v1/games?{query}")
        return {each["id"] for each in (answer.json or {})["games"]}

    assert listed(bo, "status=playing") == {playing}
    assert listed(bo, "status=open") == {open_one, other}
    assert listed(bo, f"ruleset={RULESET.id}") == {open_one, playing, other}
    assert listed(bo, "ruleset=nothing") == set()
    assert listed(ana, "mine=true") == {open_one, playing, secret}
    assert listed(ana, "mine=true&status=open") == {open_one, secret}


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ("limit=0", "?limit"),
        ("limit=x", "?limit"),
        ("limit=1&limit=2", "?limit"),
        ("status=lost", "?status"),
        ("mine=perhaps", "?mine"),
        ("cursor=abc", "?cursor"),
        ("ruleset=%0A", "?ruleset"),
    ],
)
def test_a_strange_query_is_refused_with_its_place(ana: Person, query: str, pointer: str) -> None:
    answer = ana.get(f"/v1/games?{query}")
    assert answer.status_code == 422
    assert [error["pointer"] for error in (answer.json or {})["errors"]] == [pointer]


def test_a_removed_game_leaves_the_lists_and_is_gone(app: Flask, ana: Person) -> None:
    made = ana.create()
    path = f"/v1/games/{made['game']['id']}"
    assert anybody(app).ask("DELETE", path).status_code == 403
    stale = ana.ask("DELETE", path, If_Match='"7-0123456789abcdef"')
    assert (stale.status_code, code(stale)) == (412, "stale")
    assert ana.ask("DELETE", path, If_Match="*").status_code == 204
    assert (ana.get("/v1/games").json or {})["games"] == []
    for answer in (ana.get(path), ana.claim(made, 0), ana.ask("DELETE", path)):
        assert (answer.status_code, code(answer)) == (410, "gone")


def test_an_earlier_version_is_shown_as_it_was(ana: Person, game: str) -> None:
    path = f"/v1/games/{game}"
    before = ana.get(path)
    version = (before.json or {})["version"]
    assert ana.move(game).status_code == 201
    then = ana.get(f"{path}?version={version}")
    assert then.json == before.json
    assert then.headers["ETag"] == before.headers["ETag"]
    newest = (ana.get(path).json or {})["version"]
    assert ana.get(f"{path}?version={newest}").json == ana.get(path).json
    assert ana.get(f"{path}?version={newest + 1}").status_code == 404
    assert ana.get(f"{path}?version=0").status_code == 422


def test_a_version_inside_an_append_says_so(ana: Person, game: str) -> None:
    started = next(
        each["version"]
        for each in (ana.get(f"/v1/games/{game}/events").json or {})["events"]
        if each["type"] == "game_started"
    )
    seen = ana.get(f"/v1/games/{game}?version={started}").json or {}
    assert seen["in_progress"] is True
    assert seen["to_act"] == [] or seen["board"] is not None


def test_an_unchanged_game_is_not_sent_again(ana: Person, game: str) -> None:
    path = f"/v1/games/{game}"
    tag = ana.get(path).headers["ETag"]
    for condition in (tag, f"W/{tag}", f'"x", {tag}', "*"):
        answer = ana.get(path, If_None_Match=condition)
        assert (answer.status_code, answer.data) == (304, b"")
        assert answer.headers["ETag"] == tag
    for condition in ('"1-0000000000000000"', "nonsense", ""):
        assert ana.get(path, If_None_Match=condition).status_code == 200
    ana.move(game)
    assert ana.get(path, If_None_Match=tag).status_code == 200


def test_a_seat_is_claimed_with_its_own_code_only(app: Flask, ana: Person) -> None:
    made = ana.create()
    game = made["game"]["id"]
    codes = [each["claim_code"] for each in made["claim_codes"]]
    bo = anybody(app)
    wrong = bo.post(f"/v1/games/{game}/seats/0", {"claim_code": codes[1], "name": "Bo"})
    assert (wrong.status_code, code(wrong)) == (403, "wrong_claim_code")
    taken = bo.claim(made, 0, entropy="six dice")
    assert taken.status_code == 201
    assert (taken.json or {})["events"][0]["data"] == {
        "seat": 0,
        "name": "seat 0",
        "entropy": "six dice",
    }
    assert bo.claim(made, 0).status_code == 409
    seen = bo.get(f"/v1/games/{game}").json or {}
    assert seen["seats"][0]["name"] == "seat 0"
    assert seen["chance"]["entropies"][0] == "six dice"
    assert (
        bo.post(f"/v1/games/{game}/seats/7", {"claim_code": codes[0], "name": "x"}).status_code
        == 404
    )
    assert (
        bo.post(f"/v1/games/{game}/seats/8", {"claim_code": codes[0], "name": "x"}).status_code
        == 404
    )


def test_a_repeated_claim_is_one_claim(app: Flask, ana: Person) -> None:
    made = ana.create()
    bo = anybody(app)
    path = f"/v1/games/{made['game']['id']}/seats/0"
    asked = {"claim_code": made["claim_codes"][0]["claim_code"], "name": "Bo"}
    first = bo.post(path, asked, Idempotency_Key="once")
    again = bo.post(path, asked, Idempotency_Key="once")
    assert again.json == first.json
    assert again.headers["Idempotent-Replayed"] == "true"
    nobody = Person(app).post(path, asked, Idempotency_Key="once")
    assert (nobody.status_code, code(nobody)) == (401, "token_required")


def test_a_claim_without_a_token_makes_one(app: Flask, ana: Person) -> None:
    made = ana.create()
    nobody = Person(app)
    token = (nobody.claim(made, 0).json or {})["token"]
    assert Person(app, token).moves(made["game"]["id"])["seats"] == [0]


def test_a_token_is_replaced_in_all_games(app: Flask, ana: Person, game: str) -> None:
    ana.create()
    new = new_token().text
    answer = ana.post("/v1/tokens/rotate", {"token": new})
    assert answer.json == {"games": 2}
    assert ana.moves(game)["seats"] == []
    assert Person(app, new).moves(game)["seats"] == list(range(SEATS))
    assert ana.post("/v1/tokens/rotate", {"token": new}).json == {"games": 0}
    assert Person(app, new).post("/v1/tokens/rotate", {"token": new}).json == {"games": 0}
    watch = ana.create(visibility="private")["watch_code"]
    assert Person(app, watch).post("/v1/tokens/rotate", {"token": new}).status_code == 403


def test_turns_list_what_waits(app: Flask, ana: Person, game: str) -> None:
    waiting = (ana.get("/v1/turns").json or {})["turns"]
    assert [(each["game"], each["why"]) for each in waiting] == [(game, "move")]
    assert (anybody(app).get("/v1/turns").json or {})["turns"] == []
    assert Person(app).get("/v1/turns").status_code == 401
    hosted = ana.create(start="host")
    for seat in range(SEATS):
        ana.claim(hosted, seat)
    reasons = {each["game"]: each["why"] for each in (ana.get("/v1/turns").json or {})["turns"]}
    assert reasons == {game: "move", hosted["game"]["id"]: "start"}
    first = ana.get("/v1/turns?limit=1")
    assert (first.json or {})["next"]
    assert 'rel="next"' in first.headers["Link"]


def test_turns_list_a_question_about_taking_back(app: Flask, ana: Person) -> None:
    made = ana.create()
    game = made["game"]["id"]
    people = [anybody(app) for _ in range(SEATS)]
    for seat, person in enumerate(people):
        person.claim(made, seat)
    while True:  # until a move has drawn, which is not taken back without asking
        mover = next(person for person in people if person.moves(game)["moves"])
        sent = mover.move(game).json or {}
        if any(person is not mover and person.moves(game)["moves"] for person in people):
            break
        assert sent["version"]
    asked = mover.send(game, {"type": "undo"})
    assert [each["type"] for each in (asked.json or {})["events"]] == ["undo_asked"]
    other = next(person for person in people if person is not mover)
    assert (other.get("/v1/turns").json or {})["turns"][0]["why"] == "undo"
    assert other.get(f"/v1/games/{game}").json["undo"]["seat"] == people.index(mover)  # type: ignore[index]
    for person in people:
        if person is not mover:
            assert person.send(game, {"type": "accept_undo"}).status_code == 201
    assert mover.moves(game)["moves"]
