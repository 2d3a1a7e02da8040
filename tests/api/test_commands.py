"""Commands: listed, sent, repeated, tried, refused."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask

from schemas.requests import commands as commands_requests
from service.api import representations
from service.api.http import languages
from service.api.resources import commands
from service.games.legal_moves import Move
from service.rules import described
from service.rules.ruleset import rulesets
from tests.api.http_client import RULESET, SEATS, Person, anybody, code
from tests.rules.toy import PEBBLES, Take, Throw


def played(person: Person, game: str) -> None:
    while person.moves(game)["moves"]:
        assert person.move(game).status_code == 201


def test_every_move_listed_can_be_sent_as_it_stands(ana: Person, game: str) -> None:
    for move in ana.moves(game)["moves"]:
        body = {"seat": move["seat"], "command": move["command"]}
        assert ana.post(f"/v1/games/{game}/commands?dry_run=true", body).status_code == 200
        assert move["text"]
    played(ana, game)
    seen = ana.moves(game)
    assert seen["reason"] == "game_over"
    score = ana.get(f"/v1/games/{game}/score").json or {}
    assert (score["final"], score["recorded"]) == (True, False)


def test_moves_say_why_there_are_none(app: Flask, ana: Person) -> None:
    made = ana.create()
    game = made["game"]["id"]
    assert ana.moves(game)["reason"] == "not_started"
    assert [each["command"]["type"] for each in ana.moves(game)["table"]] == ["abandon"]
    people = [anybody(app) for _ in range(SEATS)]
    for seat, person in enumerate(people):
        person.claim(made, seat)
    idle = [person for person in people if not person.moves(game)["moves"]]
    assert {person.moves(game)["reason"] for person in idle} == {"not_your_turn"}
    assert Person(app).moves(game)["reason"] == "no_seat"
    assert Person(app).moves(game)["seats"] == []


def test_the_answer_holds_what_happened(ana: Person, game: str) -> None:
    before = ana.get(f"/v1/games/{game}").json or {}
    sent = ana.move(game)
    made = sent.json or {}
    versions = [each["version"] for each in made["events"]]
    assert versions == list(range(before["version"] + 1, made["version"] + 1))
    assert sent.headers["ETag"] == ana.get(f"/v1/games/{game}").headers["ETag"]
    page = ana.get(f"/v1/games/{game}/events?after={before['version']}").json or {}
    assert page["events"] == made["events"]


def test_a_repeated_command_has_one_effect(ana: Person, game: str) -> None:
    first = ana.moves(game)["moves"][0]
    tag = ana.get(f"/v1/games/{game}").headers["ETag"]
    headers = {"Idempotency_Key": "m1", "If_Match": tag}
    sent = ana.send(game, first["command"], first["seat"], **headers)
    again = ana.send(game, first["command"], first["seat"], **headers)
    assert sent.status_code == again.status_code == 201
    assert again.json == sent.json
    assert again.headers["Idempotent-Replayed"] == "true"
    assert "Idempotent-Replayed" not in sent.headers
    ana.move(game)
    later = ana.send(game, first["command"], first["seat"], **headers)
    assert later.json == sent.json
    other = ana.send(game, {"type": "resign"}, first["seat"], **headers)
    assert (other.status_code, code(other)) == (422, "key_reused")


def test_a_refusal_does_not_use_the_key(ana: Person, game: str) -> None:
    first = ana.moves(game)["moves"][0]
    refused = ana.send(
        game, first["command"], first["seat"], Idempotency_Key="k", If_Match='"1-0000000000000000"'
    )
    assert refused.status_code == 412
    sent = ana.send(game, first["command"], first["seat"], Idempotency_Key="k")
    assert sent.status_code == 201


def test_a_stale_condition_leads_to_what_was_missed(ana: Person, game: str) -> None:
    before = ana.get(f"/v1/games/{game}")
    ana.move(game)
    now = ana.get(f"/v1/games/{game}")
    for condition, after in (
        (before.headers["ETag"], (before.json or {})["version"]),
        ('"x", "y"', 0),
        (f"W/{now.headers['ETag']}", (now.json or {})["version"]),
        ("nonsense", 0),
        ('"999999-0123456789abcdef"', (now.json or {})["version"]),
    ):
        first = ana.moves(game)["moves"][0]
        stale = ana.send(game, first["command"], first["seat"], If_Match=condition)
        assert (stale.status_code, code(stale)) == (412, "stale")
        told = stale.json or {}
        assert told["version"] == (now.json or {})["version"]
        assert stale.headers["ETag"] == now.headers["ETag"]
        if not condition.startswith("W/"):
            assert stale.headers["Link"] == (f'</v1/games/{game}/events?after={after}>; rel="next"')
    first = ana.moves(game)["moves"][0]
    listed = f'"x", {now.headers["ETag"]}'
    assert ana.send(game, first["command"], first["seat"], If_Match=listed).status_code == 201
    assert ana.move(game, If_Match="*").status_code == 201


def test_the_rules_refuse_with_code_rule_and_a_way_on(app: Flask, ana: Person) -> None:
    made = ana.create()
    game = made["game"]["id"]
    people = [anybody(app) for _ in range(SEATS)]
    for seat, person in enumerate(people):
        person.claim(made, seat)
    mover = next(person for person in people if person.moves(game)["moves"])
    other = next(person for person in people if not person.moves(game)["moves"])
    command = mover.moves(game)["moves"][0]["command"]
    refused = other.send(game, command)
    told = refused.json or {}
    assert refused.status_code == 409
    assert told["rule"] in {rule.id for rule in RULESET.rules}
    assert told["type"] == f"/docs/rules/{RULESET.id}#{told['rule']}"
    assert told["version"] == (ana.get(f"/v1/games/{game}").json or {})["version"]
    assert told["links"]["moves"] == f"/v1/games/{game}/moves"
    table = other.send(game, {"type": "leave"}).json or {}
    assert table["type"] == f"/docs/rules/table#{table['rule']}"
    for refusal in (told, table):
        for language in languages.LANGUAGES:
            address, _, anchor = refusal["type"].partition("#")
            page = ana.client.get(address, headers={"Accept-Language": language})
            assert page.headers["Content-Language"] == language
            assert f'id="{anchor}"' in page.text


def test_rights_are_checked(app: Flask, ana: Person, game: str) -> None:
    command = ana.moves(game)["moves"][0]["command"]
    path = f"/v1/games/{game}/commands"
    nobody = Person(app).send(game, command, 0)
    assert (nobody.status_code, code(nobody)) == (401, "token_required")
    assert nobody.headers["WWW-Authenticate"].startswith("Bearer")
    for text in ("Bearer x", "Basic abc", "Bearer bc_" + "A" * 43, "Bearer bl_" + "é" * 43, ""):
        answer = Person(app).post(path, {"command": command}, Authorization=text)
        assert (answer.status_code, code(answer)) == (401, "token_malformed")
        assert "invalid_token" in answer.headers["WWW-Authenticate"]
    stranger = anybody(app)
    assert stranger.send(game, command, 0).status_code == 403
    assert stranger.send(game, command).status_code == 403
    assert ana.send(game, command, 7).status_code == 403
    watcher = Person(app, "bw_" + "A" * 43)
    assert watcher.send(game, command, 0).status_code == 403
    assert ana.post("/v1/games/" + "a" * 26 + "/commands", {"command": command}).status_code == 404


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ([], ""),
        ({}, "/command"),
        ({"command": None}, "/command"),
        ({"command": {}}, "/command/type"),
        ({"command": {"type": "fly"}}, "/command/type"),
        ({"command": {"type": "resign", "x": 1}}, "/command/x"),
        ({"command": {"type": "give_to_bot"}}, "/command/level"),
        ({"command": {"type": "give_to_bot", "level": "god"}}, "/command/level"),
        ({"seat": -1, "command": {"type": "resign"}}, "/seat"),
        ({"seat": 8, "command": {"type": "resign"}}, "/seat"),
        ({"seat": True, "command": {"type": "resign"}}, "/seat"),
        ({"commands": []}, "/commands"),
        ({"commands": [{"type": "resign"}] * 33}, "/commands"),
        ({"commands": [{"type": "resign"}], "command": {"type": "resign"}}, "/command"),
    ],
)
def test_misshapen_commands_are_refused_with_their_place(
    ana: Person, game: str, body: Any, pointer: str
) -> None:
    answer = ana.post(f"/v1/games/{game}/commands", body)
    assert (answer.status_code, code(answer)) == (422, "misshapen")
    assert pointer in [error["pointer"] for error in (answer.json or {})["errors"]]


def test_the_seat_may_be_left_out_where_the_token_holds_one(app: Flask, ana: Person) -> None:
    made = ana.create()
    game = made["game"]["id"]
    bo = anybody(app)
    ana.claim(made, 0)
    for seat in range(1, SEATS):
        bo.claim(made, seat)
    while not ana.moves(game)["moves"]:
        bo.move(game)
    command = ana.moves(game)["moves"][0]["command"]
    assert ana.send(game, command).status_code == 201
    assert ana.send(game, {"type": "abandon"}).status_code == 201


def test_a_batch_is_all_or_nothing(ana: Person, game: str) -> None:
    path = f"/v1/games/{game}/commands"
    first = ana.moves(game)["moves"][0]
    before = ana.get(f"/v1/games/{game}").headers["ETag"]
    batch = [first["command"], first["command"]]
    refused = ana.post(path, {"seat": first["seat"], "commands": batch})
    assert refused.status_code == 409
    assert (refused.json or {})["index"] == 1 or code(refused) == "batch_past_chance"
    assert ana.get(f"/v1/games/{game}").headers["ETag"] == before
    alone = ana.post(path, {"seat": first["seat"], "commands": [first["command"]]})
    assert alone.status_code == 201


def test_a_dry_run_changes_nothing(ana: Person, game: str) -> None:
    path = f"/v1/games/{game}/commands"
    first = ana.moves(game)["moves"][0]
    before = ana.get(f"/v1/games/{game}")
    body = {"seat": first["seat"], "command": first["command"]}
    tried = ana.post(f"{path}?dry_run=true", body, Idempotency_Key="k").json or {}
    assert tried["version"] == (before.json or {})["version"]
    assert ana.get(f"/v1/games/{game}").headers["ETag"] == before.headers["ETag"]
    sent = ana.post(path, body, Idempotency_Key="k")
    assert "Idempotent-Replayed" not in sent.headers
    assert [each["data"] for each in tried["events"]] == [
        each["data"] for each in (sent.json or {})["events"]
    ][: len(tried["events"])]
    stale = ana.post(f"{path}?dry_run=true", body, If_Match=before.headers["ETag"])
    assert stale.status_code == 412
    assert ana.post(f"{path}?dry_run=maybe", body).status_code == 422


def test_trying_the_end_out_reveals_nothing(ana: Person, game: str) -> None:
    path = f"/v1/games/{game}/commands"
    abandon = {"seat": None, "command": {"type": "abandon"}}
    (tried,) = (ana.post(f"{path}?dry_run=true", abandon).json or {})["events"]
    assert tried["data"] == {"reason": "host", "revealed": None}
    (ended,) = (ana.post(path, abandon).json or {})["events"]
    assert set(ended["data"]["revealed"]) == {"seed"}


def test_handing_a_seat_over_gives_a_code(app: Flask, ana: Person, game: str) -> None:
    made = ana.send(game, {"type": "hand_over"}, 0, Idempotency_Key="h").json or {}
    again = ana.send(game, {"type": "hand_over"}, 0, Idempotency_Key="h").json or {}
    assert again == made
    (given,) = made["claim_codes"]
    bo = anybody(app)
    late = bo.post(
        f"/v1/games/{game}/seats/0",
        {"claim_code": given["claim_code"], "name": "Bo", "entropy": "late"},
    )
    assert (late.status_code, code(late)) == (409, "too_late_for_entropy")
    taken = bo.post(f"/v1/games/{game}/seats/0", {"claim_code": given["claim_code"], "name": "Bo"})
    assert taken.status_code == 201
    assert bo.moves(game)["seats"] == [0]
    assert ana.moves(game)["seats"] == list(range(1, SEATS))


def test_another_rulesets_command_is_not_legal(
    ana: Person, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = {**rulesets(), PEBBLES.id: PEBBLES}
    monkeypatch.setattr(commands_requests, "rulesets", lambda: known)
    monkeypatch.setattr(commands, "rulesets", lambda: known)
    answer = ana.send(game, {"type": "throw"}, 0)
    assert (answer.status_code, code(answer)) == (409, "other_ruleset")
    assert ana.send(game, {"type": "throw", "x": 1}, 0).status_code == 422


def test_events_are_read_page_by_page(ana: Person, game: str) -> None:
    for _ in range(3):
        ana.move(game)
    whole = ana.get(f"/v1/games/{game}/events").json or {}
    found: list[Any] = []
    path = f"/v1/games/{game}/events?limit=3"
    while True:
        answer = ana.get(path)
        found += (answer.json or {})["events"]
        if (answer.json or {})["next"] is None:
            break
        path = answer.headers["Link"].partition("<")[2].partition(">")[0]
    assert found == whole["events"]
    assert [each["version"] for each in found] == list(range(1, whole["version"] + 1))
    assert (ana.get(f"/v1/games/{game}/events?after=99999").json or {})["events"] == []
    assert ana.get(f"/v1/games/{game}/events?limit=501").status_code == 422
    assert ana.get(f"/v1/games/{game}/events?after=-1").status_code == 422


def test_nothing_sealed_is_ever_told(ana: Person, game: str) -> None:
    told = ana.get(f"/v1/games/{game}/events").text + ana.get(f"/v1/games/{game}").text
    for word in ("sealed_chance", '"token"', '"host"', '"claims"', '"claim"', '"watch"'):
        assert word not in told


def test_the_score_is_there_before_and_after(ana: Person) -> None:
    made = ana.create()
    before = ana.get(f"/v1/games/{made['game']['id']}/score").json or {}
    assert (before["seats"], before["final"]) == ([], False)


def test_runs_of_numbers_are_folded_and_null_is_kept(app: Flask) -> None:
    moves = [Move(0, Take("red", hole)) for hole in (None, 0, 1, 2, 4)]
    moves += [Move(0, Take("blue", 7)), Move(0, Throw()), Move(1, Throw())]
    with app.test_request_context():
        folded = representations.serialize_move_ranges(moves, PEBBLES)
    told = [(each["seat"], each["command"], each["text"]) for each in folded]
    assert told == [
        (0, {"type": "take", "colour": "red", "hole": None}, "Take red into hole –."),
        (
            0,
            {"type": "take", "colour": "red", "hole": {"min": 0, "max": 2}},
            "Take red into hole 0 … 2.",
        ),
        (0, {"type": "take", "colour": "red", "hole": 4}, "Take red into hole 4."),
        (0, {"type": "take", "colour": "blue", "hole": 7}, "Take blue into hole 7."),
        (0, {"type": "throw"}, "Throw the pebble away."),
        (1, {"type": "throw"}, "Throw the pebble away."),
    ]
    assert described.dump_command(moves[0].command)["hole"] is None
