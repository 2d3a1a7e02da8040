"""Talking to the application: every answer is held against the contract."""

from __future__ import annotations

import functools
import json
import operator
from pathlib import Path
from typing import Any

import jsonschema_rs
import yaml
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from service.games.tokens import Token, new_token
from service.rules.ruleset import rulesets

CONTRACT = Path(__file__).parents[2] / "openapi.yaml"
RULESET = next(iter(rulesets().values()))
SEATS = min(RULESET.seats)


@functools.cache
def contract() -> dict[str, Any]:
    """The committed contract."""
    loaded: dict[str, Any] = yaml.load(CONTRACT.read_text(), yaml.CSafeLoader)
    return loaded


@functools.cache
def operations() -> dict[tuple[str, str], dict[str, Any]]:
    """Operations by method and path template."""
    return {
        (method, path): {**operation, "path_parameters": item.get("parameters", [])}
        for path, item in contract()["paths"].items()
        for method, operation in item.items()
        if method != "parameters"
    }


@functools.cache
def _validator(*place: str) -> Any:
    """Of a schema in the contract; in Rust, since games list many moves at each of their steps."""
    schema = functools.reduce(operator.getitem, place, contract())
    return jsonschema_rs.Draft202012Validator({**schema, "components": contract()["components"]})


def template(path: str) -> str | None:
    """The contract's path that a path is an instance of."""
    parts = path.split("/")
    for _, known in operations():
        words = known.split("/")
        if len(words) == len(parts) and all(
            word == part or word.startswith("{") for word, part in zip(words, parts, strict=True)
        ):
            return known
    return None


def check_answer(
    method: str, path: str, status: int, kind: str | None, body: bytes, headers: Any
) -> None:
    """Asserts that the contract has such an answer."""
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Request-Id"]
    known = template(path)
    operation = operations().get((method.lower(), known or ""))
    if status >= 400:
        assert kind == "application/problem+json", body
        problem = json.loads(body)
        _validator("components", "schemas", "Problem").validate(problem)
        assert problem["status"] == status
        if operation is None:
            assert status in (404, 405)
            return
    if operation is None:
        return
    named = "default" if status == 500 else str(status)
    answer = operation["responses"].get(named)
    assert answer is not None, f"{status} of {method} {path} is not in the contract: {body!r}"
    if kind == "text/event-stream":
        assert kind in answer["content"]
    elif status < 400 and "application/json" in answer.get("content", {}):
        assert kind == "application/json"
        place = ("paths", known or "", method.lower(), "responses", named)
        _validator(*place, "content", "application/json", "schema").validate(json.loads(body))


class Person:
    """Somebody with a token (or none) and a browser."""

    def __init__(self, app: Flask, token: Token | str | None = None) -> None:
        self.client: FlaskClient = app.test_client()
        self.app = app
        self.token = token.text if isinstance(token, Token) else token

    def ask(
        self, method: str, path: str, body: Any = None, *, raw: bytes | None = None, **headers: str
    ) -> TestResponse:
        """Sends a request; keyword arguments are headers, `_` for `-`."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.token and "Authorization" not in sent:
            sent["Authorization"] = f"Bearer {self.token}"
        options: dict[str, Any] = {"headers": sent, "method": method}
        if raw is not None:
            options["data"] = raw
            options["content_type"] = sent.pop("Content-Type", "application/json")
        elif body is not None:
            options["json"] = body
        answer = self.client.open(path, **options)
        check_answer(
            method,
            path.partition("?")[0],
            answer.status_code,
            answer.mimetype or None,
            answer.data,
            answer.headers,
        )
        return answer

    def get(self, path: str, **headers: str) -> TestResponse:
        return self.ask("GET", path, **headers)

    def post(self, path: str, body: Any = None, **headers: str) -> TestResponse:
        return self.ask("POST", path, body, **headers)

    def create(self, *seats: str, **more: Any) -> dict[str, Any]:
        """Lays a table with seats of these kinds; remembers the token that was made."""
        kinds = seats or ("human",) * SEATS
        asked = {"ruleset": RULESET.id, "seats": [{"kind": kind} for kind in kinds], **more}
        answer = self.post("/v1/games", asked)
        assert answer.status_code == 201, answer.data
        made: dict[str, Any] = answer.json or {}
        self.token = made["token"] or self.token
        return made

    def claim(self, made: dict[str, Any], seat: int, **more: Any) -> TestResponse:
        """Takes a seat of a table that somebody laid."""
        codes = {each["seat"]: each["claim_code"] for each in made["claim_codes"]}
        asked = {"claim_code": codes[seat], "name": f"seat {seat}", **more}
        return self.post(f"/v1/games/{made['game']['id']}/seats/{seat}", asked)

    def moves(self, game: str) -> dict[str, Any]:
        """What this person may send now."""
        listed: dict[str, Any] = self.get(f"/v1/games/{game}/moves").json or {}
        return listed

    def send(
        self, game: str, command: Any, seat: int | None = None, **headers: str
    ) -> TestResponse:
        """Sends one command."""
        body = {"command": command} if seat is None else {"seat": seat, "command": command}
        return self.post(f"/v1/games/{game}/commands", body, **headers)

    def move(self, game: str, **headers: str) -> TestResponse:
        """Makes the first move listed."""
        first = self.moves(game)["moves"][0]
        return self.send(game, first["command"], first["seat"], **headers)


def code(answer: TestResponse) -> str:
    """The code of a problem."""
    return str((answer.json or {})["code"])


def anybody(app: Flask) -> Person:
    """Somebody with a fresh token of their own."""
    return Person(app, new_token())
