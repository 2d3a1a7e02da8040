"""Records given out and taken in over HTTP."""

from __future__ import annotations

import gzip
import json
import random
from typing import Any

import pytest
from flask import Flask

from service.api.resources import records
from service.config import Settings
from service.games.records.record_import import run_import
from service.games.records.verification import verify_record
from service.store import MemoryStore
from tests.api.http_client import SEATS, Person, anybody, code
from workers import jobs
from workers.context import WorkerContext, build_context


@pytest.fixture
def context(store: MemoryStore) -> WorkerContext:
    """What works behind the API."""
    return build_context(store, Settings())


@pytest.fixture
def value(ana: Person, game: str, context: WorkerContext) -> Any:
    """The record of a game that people began and bots finished."""
    ana.move(game)
    for seat in range(SEATS):
        ana.send(game, {"type": "give_to_bot", "level": "random"}, seat)
    context.generator.seed(1)
    while jobs.do_work(context, "bot", game):
        pass
    jobs.do_work(context, "score", game)
    answer = ana.get(f"/v1/games/{game}/record")
    assert answer.status_code == 200
    return answer.json


def test_a_record_comes_back_as_a_game(app: Flask, value: Any, context: WorkerContext) -> None:
    eve = anybody(app)
    answer = eve.post("/v1/records", value)
    told = answer.json or {}
    assert (answer.status_code, told["status"]) == (202, "waiting")
    where = answer.headers["Location"]
    assert eve.get(where).headers["Retry-After"] == "1"
    assert anybody(app).get(where).status_code == 404
    assert jobs.do_work(context, "import", told["id"])
    done = eve.get(where).json or {}
    assert done["status"] == "done"
    game = eve.get(done["links"]["game"]).json or {}
    assert game["imported"]["game"] == value["game"]
    assert game["status"] == "finished"
    again = eve.get(f"/v1/games/{game['id']}/record").json
    verify_record(again)
    assert (again or {})["final"] == value["final"]
    assert not jobs.do_work(context, "import", told["id"])


def test_a_touched_record_is_refused_with_its_place(
    app: Flask, value: Any, context: WorkerContext
) -> None:
    eve = anybody(app)
    place = next(
        number
        for number, step in enumerate(value["steps"])
        if step["seat"] is not None and step["draws"]
    )
    value["steps"][place]["draws"][0][2] += 1
    told = eve.post("/v1/records", value).json or {}
    jobs.do_work(context, "import", told["id"])
    refused = eve.get(told["links"]["self"]).json or {}
    assert refused["status"] == "refused"
    assert refused["fault"]["pointer"] == f"/steps/{place}/draws/0"
    assert "game" not in refused["links"]
    assert eve.get(f"/v1/games/{told['id']}").status_code == 404


def test_a_command_that_the_rules_forbid_is_refused_by_its_rule(
    app: Flask, value: Any, context: WorkerContext
) -> None:
    eve = anybody(app)
    place = next(number for number, step in enumerate(value["steps"]) if step["seat"] is not None)
    value["steps"][place]["seat"] = (value["steps"][place]["seat"] + 1) % SEATS
    told = eve.post("/v1/records", value).json or {}
    jobs.do_work(context, "import", told["id"])
    fault = (eve.get(told["links"]["self"]).json or {})["fault"]
    assert fault["pointer"] == f"/steps/{place}/command"
    assert "-" in fault["detail"].split()[0]  # the rule


def test_a_gzipped_record_is_the_same(app: Flask, value: Any, store: MemoryStore) -> None:
    eve = anybody(app)
    raw = json.dumps(value).encode()
    options = {"Content_Encoding": "gzip", "Idempotency_Key": "k"}
    first = eve.ask("POST", "/v1/records", raw=gzip.compress(raw, mtime=0), **options)
    assert first.status_code == 202
    second = eve.ask("POST", "/v1/records", raw=raw, Idempotency_Key="k")
    assert second.headers["Idempotent-Replayed"] == "true"
    assert second.json == first.json
    other = eve.post("/v1/records?visibility=private", value, Idempotency_Key="k")
    assert (other.status_code, code(other)) == (422, "key_reused")


def test_a_private_import_is_its_owners(app: Flask, value: Any, context: WorkerContext) -> None:
    eve = anybody(app)
    told = eve.post("/v1/records?visibility=private", value).json or {}
    assert run_import(context.command_handler, told["id"]) is not None
    path = f"/v1/games/{told['id']}"
    assert eve.get(path).status_code == 200
    assert anybody(app).get(path).status_code == 404


BODY = {"format": 1, "ruleset": {}, "chance": {}, "steps": [], "final": {}}
RAW = json.dumps(BODY).encode()


@pytest.mark.parametrize(
    ("raw", "coding", "status", "told"),
    [
        (RAW[:-1], "identity", 400, "malformed_json"),
        (RAW, "gzip", 400, "malformed_json"),
        (gzip.compress(RAW, mtime=0)[:-9], "gzip", 400, "malformed_json"),
        (gzip.compress(RAW, mtime=0) + b"x", "gzip", 400, "malformed_json"),
        (gzip.compress(RAW[:-1], mtime=0), "gzip", 400, "malformed_json"),
        (RAW, "br", 415, "wrong_media_type"),
        (b" " * 5_001, "identity", 413, "too_large"),
        (gzip.compress(b" " * 10_000_000, mtime=0), "gzip", 413, "too_large"),
        (b"[]", "identity", 422, "misshapen"),
        (b"{}", "identity", 422, "misshapen"),
        (RAW, "identity", 202, ""),
        (gzip.compress(RAW, mtime=0), " GZIP ", 202, ""),
    ],
)
def test_bodies(
    app: Flask, monkeypatch: pytest.MonkeyPatch, raw: bytes, coding: str, status: int, told: str
) -> None:
    monkeypatch.setattr(records, "MAX_BYTES", 5_000)
    answer = anybody(app).ask("POST", "/v1/records", raw=raw, Content_Encoding=coding)
    assert answer.status_code == status, answer.data
    assert status == 202 or code(answer) == told


def test_a_body_longer_than_others_is_taken(app: Flask) -> None:
    raw = RAW + b" " * 200_000
    assert anybody(app).ask("POST", "/v1/records", raw=raw).status_code == 202


def test_any_bytes_are_answered(app: Flask) -> None:
    generator = random.Random(1)
    eve = anybody(app)
    for _ in range(50):
        raw = generator.randbytes(generator.randrange(200))
        for coding in ("identity", "gzip"):
            sent = b"\x1f\x8b\x08" + raw if coding == "gzip" else raw
            answer = eve.ask("POST", "/v1/records", raw=sent, Content_Encoding=coding)
            assert (answer.status_code, code(answer)) == (400, "malformed_json")
