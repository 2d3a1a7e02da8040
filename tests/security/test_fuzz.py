"""What nobody would send: whatever comes in, the answer is one of the contract's, and soon."""

from __future__ import annotations

import json
import logging
import random
from contextlib import closing
from typing import Any, Final

import pytest
from flask import Flask
from hypothesis import strategies as st
from werkzeug.test import EnvironBuilder, TestResponse, run_wsgi_app

from service.games.game import Game
from service.games.records import format as record_format
from service.games.records import import_reader, record_import
from service.games.records.record_import import Import
from service.games.records.verification import VerificationFailed
from service.games.table.commands import Abandon
from service.games.tokens import new_token
from service.rules.plain import Misshapen
from service.rules.ruleset import AnyRuleset, rulesets
from service.store import MemoryStore
from tests.api.http_client import RULESET, SEATS, Person, anybody, operations
from tests.api.test_rights import BODIES
from tests.games.play import START, Clock, House
from tests.security.corruption import SPOILS, many, spoiled, texts, written

LAWS = list(rulesets().values())
TIMES: Final = pytest.mark.parametrize("times", [1, pytest.param(100, marks=pytest.mark.long)])
ID: Final = "i" * 26


@pytest.fixture(autouse=True)
def _errors_are_seen(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL)


def fine(answer: TestResponse) -> None:
    """Asserts that an answer is none of a service that stumbles."""
    assert answer.status_code < 500, answer.data
    if answer.status_code >= 400:
        assert answer.mimetype == "application/problem+json"
        assert answer.json


def recorded(law: AnyRuleset, moves: int, *, ended: bool) -> Any:
    """The record of a game that was abandoned after so many moves, or played to its end."""
    context = House(MemoryStore(Clock()))
    game: Game = context.newest(context.seated(*[None] * min(law.seats), ruleset=law))
    generator = random.Random(moves)
    while (acting := game.to_act()) and (ended or moves > 0):
        command = generator.choice(game.ruleset.legal(game.state, acting[0]))
        game = context.send(game, acting[0], command).game
        moves -= 1
    if not ended:
        game = context.send(game, None, Abandon()).game
    return json.loads(json.dumps(record_format.record_of(context.repository, context.newest(game))))


@TIMES
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.id)
def test_records(app: Flask, law: AnyRuleset, times: int) -> None:
    """A record that was touched is refused with a place, and breaks nothing that judges it."""
    value = recorded(law, 8, ended=False)
    import_reader.judge_record(wanted(b""), written(value), START)
    eve = anybody(app)
    pointers: list[str] = []

    def check(example: tuple[Any, int]) -> None:
        spoils, cut = example
        body = written(spoiled(value, spoils), cut)
        sent = eve.client.post(
            "/v1/records",
            data=body,
            content_type="application/json",
            headers={"Authorization": f"Bearer {eve.token}"},
        )
        fine(sent)
        assert sent.status_code in (202, 400, 422)
        if sent.status_code == 202:
            try:
                import_reader.judge_record(wanted(body), body, START)
            except (Misshapen, VerificationFailed) as fault:
                pointers.append(fault.pointer)

    many(40 * times, st.tuples(SPOILS, st.just(0) | st.integers(0, 10**6)), check)
    assert all(pointer == "" or pointer[0] == "/" for pointer in pointers)
    assert len(set(pointers)) > 5


def wanted(body: bytes) -> Import:
    return Import(ID, new_token().hash, "public", record_import.record_digest(body))


@TIMES
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.id)
def test_positions(app: Flask, law: AnyRuleset, times: int) -> None:
    """What is judged without a game: any steps, options and outcomes."""
    path = f"/v1/rulesets/{law.id}/positions"
    client = app.test_client()
    body: dict[str, Any] = {"seats": min(law.seats), "steps": [], "chance": {"seed": "1f" * 32}}
    body["options"] = (client.get(f"/v1/rulesets/{law.id}").json or {})["options"] and {}
    for _ in range(4):
        move = (client.post(path, json=body).json or {})["moves"][-1]
        body["steps"].append([move["seat"], move["command"]])
    outcomes = {**body, "chance": {"outcomes": ["x", 0, 1]}}

    def check(example: tuple[Any, bool, int]) -> None:
        spoils, arranged, cut = example
        data = written(spoiled(outcomes if arranged else body, spoils), cut)
        fine(client.post(path, data=data, content_type="application/json"))

    some = st.tuples(SPOILS, st.booleans(), st.just(0) | st.integers(0, 2_000))
    many(40 * times, some, check)


@TIMES
def test_bodies(app: Flask, ana: Person, times: int) -> None:
    """Every operation that takes a body, with and without a key."""
    made = ana.create()
    for seat in range(SEATS):
        ana.claim(made, seat)
    game = made["game"]["id"]
    hook = ana.post(f"/v1/games/{game}/webhooks", {"url": "https://receiver.invalid/"}).json or {}
    ways = [
        (method.upper(), path, BODIES[each["operationId"]])
        for (method, path), each in operations().items()
        if "requestBody" in each and each["operationId"] not in ("importRecord", "rotateToken")
    ]
    first = ana.moves(game)["moves"][0]
    own = {"seat": first["seat"], "command": first["command"]}
    ways += [("POST", "/v1/games/{game_id}/commands?dry_run=true", own)]
    ways += [("POST", "/v1/games/{game_id}/commands?dry_run=true", {"commands": [own["command"]]})]
    assert len(ways) > 8

    def check(example: tuple[Any, Any, bool, int]) -> None:
        (method, path, body), spoils, keyed, cut = example
        where = path.format(
            game_id=game, seat=0, ruleset=RULESET.id, hook=hook["webhook"]["id"], number=1
        )
        if where.endswith("/commands"):
            where += "?dry_run=true"
        headers = {"Authorization": f"Bearer {ana.token}"}
        if keyed:
            headers["Idempotency-Key"] = f"k{len(spoils)}"
        fine(
            ana.client.open(
                where,
                method=method,
                data=written(spoiled(body, spoils), cut),
                content_type="application/json",
                headers=headers,
            )
        )

    some = st.tuples(st.sampled_from(ways), SPOILS, st.booleans(), st.just(0) | st.integers(0, 100))
    many(120 * times, some, check)


@TIMES
def test_headers(app: Flask, ana: Person, game: str, times: int) -> None:
    """Conditions, keys, preferences, languages, event ids: any text, and nearly right ones."""
    client = app.test_client()
    tag = ana.get(f"/v1/games/{game}").headers["ETag"]
    first = ana.moves(game)["moves"][0]
    command = {"seat": first["seat"], "command": first["command"]}
    right = {
        "If-Match": (tag, "*", f'W/{tag}, "x", {tag}', tag[:-1] + '-fr"'),
        "If-None-Match": (tag, "*", f"W/{tag}", f'{tag}, "y"'),
        "Idempotency-Key": ("key", '"key"', "k" * 255),
        "Prefer": ("wait=0", 'respond-async, wait="0"; x=y', "WAIT=0"),
        "Last-Event-ID": ("0", "12", "9999999999"),
        "Accept-Language": ("fr, en;q=0.5", "pt-BR,*;q=0.1", "x-klingon"),
        "Accept": ("application/json", "text/event-stream;q=0.1, */*", "text/event-stream"),
        "Authorization": (f"Bearer {ana.token}", f"bearer  {ana.token}", "Basic eA=="),
        "Content-Type": ("application/json", "application/x+json; charset=latin-1", "text/plain"),
        "Content-Encoding": ("gzip", "identity", "gzip, gzip"),
        "Content-Length": ("0", "12", "65537"),
        "X-Request-Id": ("r", "a.b-c"),
        "X-Forwarded-For": ("1.2.3.4", "::1"),
        "Range": ("bytes=0-1",),
    }
    paths = [
        *(f"/v1/games/{game}{tail}" for tail in ("", "/moves", "/events", "/score", "/board.svg")),
        *("/v1/games", "/v1/turns", "/", f"/v1/rulesets/{RULESET.id}"),
    ]
    headers = st.dictionaries(st.sampled_from(list(right)), st.just(""), min_size=1, max_size=4)
    chosen = headers.flatmap(
        lambda found: st.fixed_dictionaries({n: texts(*right[n]) for n in found})
    )

    def check(example: tuple[str, dict[str, str], bool]) -> None:
        path, sent, posted = example
        told = {"Authorization": f"Bearer {ana.token}", **sent}
        environment = {f"HTTP_{name.upper().replace('-', '_')}": v for name, v in told.items()}
        for name in ("CONTENT_TYPE", "CONTENT_LENGTH"):
            if f"HTTP_{name}" in environment:
                environment[name] = environment.pop(f"HTTP_{name}")
        if posted:
            path = "/v1/records" if path == "/" else f"/v1/games/{game}/commands?dry_run=true"
            answer = client.post(path, json=command, environ_overrides=environment)
        else:
            answer = client.get(path, environ_overrides=environment)
        with closing(answer):
            if answer.mimetype == "text/event-stream":
                assert answer.status_code == 200
                next(iter(answer.response))
            else:
                fine(answer)

    many(120 * times, st.tuples(st.sampled_from(paths), chosen, st.booleans()), check)


@pytest.mark.parametrize(
    "host", ["[:1]", "a b", "[", "]", "[::1", "\xff", "a:b:c", "", "x" * 3_000, "[::1]:99999999"]
)
def test_hosts(app: Flask, host: str) -> None:
    """Asked without the tests' client, which itself stumbles over some of them."""
    for path in ("/v1/games", "/v1/games/", "/", "/docs", "/docs/", "/v1/nothing"):
        environment = {**EnvironBuilder(path=path).get_environ(), "HTTP_HOST": host}
        parts, status, _ = run_wsgi_app(app, environment)
        assert status[0] != "5", b"".join(parts)


@TIMES
def test_queries(app: Flask, ana: Person, game: str, times: int) -> None:
    """Cursors, versions, limits: any text, and nearly right ones."""
    for _ in range(3):
        ana.create()
    cursor = str((ana.get("/v1/games?limit=2").json or {})["next"])
    state = str((ana.get("/v1/turns", Prefer="wait=0").json or {})["state"])
    right = {
        "cursor": (cursor, f"999999999999999-{'a' * 26}", cursor.upper()),
        "after": ("0", "3", state, "1000000000"),
        "limit": ("1", "100", "500"),
        "before": ("1",),
        "version": ("1", "4", "1000000000"),
        "lang": ("fr", "pt"),
        "status": ("open", "playing"),
        "ruleset": (RULESET.id,),
        "mine": ("true", "false"),
        "moves": ("true",),
        "ranges": ("true",),
    }
    paths = [
        *(f"/v1/games/{game}{tail}" for tail in ("", "/moves", "/events", "/score", "/board.svg")),
        *("/v1/games", "/v1/turns", "/v1/rulesets", "/"),
    ]
    names = st.lists(st.sampled_from(list(right)), min_size=1, max_size=5)
    chosen = names.flatmap(
        lambda found: st.tuples(*(st.tuples(st.just(n), texts(*right[n])) for n in found))
    )

    def check(example: tuple[str, tuple[tuple[str, str], ...]]) -> None:
        path, asked = example
        headers = {"Authorization": f"Bearer {ana.token}"}
        fine(ana.client.get(path, query_string=list(asked), headers=headers))
        raw = "&".join(f"{name}={value}" for name, value in asked)
        fine(ana.client.get(path, query_string=raw, headers=headers))

    many(80 * times, st.tuples(st.sampled_from(paths), chosen), check)
