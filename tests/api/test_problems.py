"""Every code of the registry is documented, and reached."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from schemas.requests import commands as commands_requests
from service.api.http.problems import PROBLEM_TYPES
from service.api.http.rate_limits import MAX_BUCKETS, RateLimiter
from service.api.resources import commands
from service.app import create_app
from service.config import Settings
from service.games.commands.conflict_retry import ConflictRetry
from service.games.webhooks import model as webhook_model
from service.games.webhooks.service import MAX_PER_CLIENT
from service.rules.ruleset import rulesets
from service.store import Conflict, Corrupt, MemoryStore, OutcomeUnknown, Unavailable
from tests.api.http_client import RULESET, SEATS, Person, anybody, code, contract
from tests.rules.toy import PEBBLES

WANTED: Final = {"ruleset": RULESET.id, "seats": [{"kind": "human"}] * SEATS}
Reach = Callable[["Scene"], TestResponse]


class Scene:
    """A hosted game, and what it stands on."""

    def __init__(self, app: Flask, store: MemoryStore, patch: pytest.MonkeyPatch) -> None:
        self.app = app
        self.store = store
        self.patch = patch
        self.host = anybody(app)
        self.made = self.host.create()
        self.game = str(self.made["game"]["id"])
        self.path = f"/v1/games/{self.game}"

    def failing(self, name: str, fault: Any) -> None:
        """Lets a method of the store fail, or answer the same each time."""

        def method(*_: Any, **__: Any) -> Any:
            if isinstance(fault, Exception):
                raise fault
            return fault

        self.patch.setattr(self.store, name, method)


def _gone(scene: Scene) -> TestResponse:
    scene.host.ask("DELETE", scene.path)
    return scene.host.get(scene.path)


def _key_reused(scene: Scene) -> TestResponse:
    scene.host.post("/v1/games", WANTED, Idempotency_Key="k")
    return scene.host.post("/v1/games", {**WANTED, "start": "host"}, Idempotency_Key="k")


def _other(scene: Scene) -> TestResponse:
    known = {**rulesets(), PEBBLES.id: PEBBLES}
    scene.patch.setattr(commands_requests, "rulesets", lambda: known)
    scene.patch.setattr(commands, "rulesets", lambda: known)
    return scene.host.send(scene.game, {"type": "throw"})


def _too_many(scene: Scene) -> TestResponse:
    app = create_app(Settings(rate_create=1), scene.store)
    person = anybody(app)
    person.post("/v1/games", WANTED)
    return person.post("/v1/games", WANTED)


def _too_many_bots(scene: Scene) -> TestResponse:
    person = anybody(create_app(Settings(bots_client=1), scene.store))
    wanted = {**WANTED, "seats": [{"kind": "bot"}] * SEATS}
    person.post("/v1/games", wanted)
    return person.post("/v1/games", wanted)


def _too_many_streams(scene: Scene) -> TestResponse:
    person = anybody(create_app(Settings(streams_per_client=1), scene.store))
    path = f"{scene.path}/events?after=99"
    with person.client.get(path, headers={"Accept": "text/event-stream"}):
        return person.get(path, Prefer="wait=1")


def _too_many_games(scene: Scene) -> TestResponse:
    person = anybody(create_app(Settings(games_per_token=1), scene.store))
    person.post("/v1/games", WANTED)
    return person.post("/v1/games", WANTED)


def _internal(scene: Scene) -> TestResponse:
    scene.failing("read", Corrupt("the hash of version 3 does not fit"))
    return scene.host.get(scene.path)


def _busy(scene: Scene) -> TestResponse:
    scene.failing("append", Conflict(9))
    return scene.host.send(scene.game, {"type": "abandon"})


def _unavailable(scene: Scene) -> TestResponse:
    scene.failing("now", Unavailable("no connection"))
    return scene.host.get("/readyz")


def _unknown(scene: Scene) -> TestResponse:
    def lost(*_: Any) -> Any:
        raise OutcomeUnknown("no answer")

    scene.patch.setattr(ConflictRetry, "append", lost)
    return scene.host.send(scene.game, {"type": "abandon"}, Idempotency_Key="k")


def _hook(scene: Scene) -> str:
    answer = scene.host.post(f"{scene.path}/webhooks", {"url": "https://receiver.invalid/"})
    return str((answer.json or {})["webhook"]["id"])


def _hooks_full(scene: Scene) -> TestResponse:
    for _ in range(MAX_PER_CLIENT):
        _hook(scene)
    return scene.host.post(f"{scene.path}/webhooks", {"url": "https://receiver.invalid/"})


def _hook_disabled(scene: Scene) -> TestResponse:
    own = _hook(scene)
    kept = (1, b"{}")
    webhook_model.change_webhook(
        scene.store,
        scene.game,
        own,
        lambda present: webhook_model.Change(replace(present, disabled="gone"), None, kept),
    )
    return scene.host.post(f"{scene.path}/webhooks/{own}/deliveries/1/replay")


def _past_chance(scene: Scene) -> TestResponse:
    command = {"type": "resign"}
    name = next(iter(RULESET.commands))
    command = _some_command(name)
    body = {"seats": SEATS, "steps": [[0, command]]}
    return scene.host.post(f"/v1/rulesets/{RULESET.id}/positions", body)


def _some_command(name: str) -> dict[str, Any]:
    """A well-shaped command of a type: the first value of each field."""
    schema = contract()["components"]["schemas"]
    for described in schema.values():
        kind = described.get("properties", {}).get("type", {}).get("enum")
        if kind == [name] and "data" not in described["properties"]:
            return {
                field: _some_value(inner)
                for field, inner in described["properties"].items()
                if field in described.get("required", ())
            }
    raise LookupError(name)


def _some_value(schema: dict[str, Any]) -> Any:
    if "enum" in schema:
        return schema["enum"][0]
    if "anyOf" in schema:
        return _some_value(schema["anyOf"][0])
    return schema.get("minimum", 0)


REACHED: Final[dict[str, Reach]] = {
    "bad_request": lambda scene: scene.host.post("/v1/games", WANTED, Idempotency_Key="a b"),
    "malformed_json": lambda scene: scene.host.ask("POST", "/v1/games", raw=b"{"),
    "token_required": lambda scene: Person(scene.app).get("/v1/turns"),
    "token_malformed": lambda scene: Person(scene.app, "x").get("/v1/turns"),
    "forbidden": lambda scene: anybody(scene.app).ask("DELETE", scene.path),
    "wrong_claim_code": lambda scene: anybody(scene.app).post(
        f"{scene.path}/seats/0", {"claim_code": "bc_" + "A" * 43, "name": "Eve"}
    ),
    "not_found": lambda scene: scene.host.get("/v1/games/" + "a" * 26),
    "method_not_allowed": lambda scene: scene.host.ask("PATCH", scene.path),
    "illegal": lambda scene: scene.host.send(scene.game, {"type": "start"}),
    "other_ruleset": _other,
    "past_chance": _past_chance,
    "not_finished": lambda scene: scene.host.get(f"{scene.path}/record"),
    "hooks_full": _hooks_full,
    "hook_disabled": _hook_disabled,
    "gone": _gone,
    "stale": lambda scene: scene.host.send(scene.game, {"type": "abandon"}, If_Match='"x"'),
    "too_large": lambda scene: scene.host.ask("POST", "/v1/games", raw=b" " * 65537),
    "wrong_media_type": lambda scene: scene.host.ask(
        "POST", "/v1/games", raw=b"{}", Content_Type="text/plain"
    ),
    "misshapen": lambda scene: scene.host.post("/v1/games", {}),
    "key_reused": _key_reused,
    "too_many": _too_many,
    "too_many_bots": _too_many_bots,
    "too_many_streams": _too_many_streams,
    "too_many_games": _too_many_games,
    "internal": _internal,
    "busy": _busy,
    "streams_full": lambda scene: anybody(create_app(Settings(streams=0), scene.store)).get(
        f"{scene.path}/events", Prefer="wait=1"
    ),
    "unavailable": _unavailable,
    "outcome_unknown": _unknown,
}


def test_every_code_has_a_way_to_it() -> None:
    assert set(REACHED) == set(PROBLEM_TYPES)


@pytest.mark.parametrize("name", REACHED)
def test_a_code_is_reached(
    name: str, app: Flask, store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = REACHED[name](Scene(app, store, monkeypatch))
    assert answer.status_code == PROBLEM_TYPES[name].status
    told = answer.json or {}
    if name == "illegal":  # stands for the rules' own codes
        assert told["rule"]
        assert told["code"] not in PROBLEM_TYPES
    elif name == "wrong_claim_code":
        assert told["code"] == name
        assert told["rule"]
    else:
        assert told["code"] == name
        assert told["title"] == PROBLEM_TYPES[name].title
        assert told["type"] == f"/docs/problems#{name}"
    if answer.status_code in (429, 503):
        assert int(answer.headers["Retry-After"]) >= 1


def test_every_code_is_documented_in_the_contract() -> None:
    documented: dict[str, set[int]] = {}
    for path in contract()["paths"].values():
        for method, operation in path.items():
            if method == "parameters":
                continue
            for status, answer in operation["responses"].items():
                for name in PROBLEM_TYPES:
                    if f"- `{name}`:" in answer["description"]:
                        documented.setdefault(name, set()).add(
                            500 if status == "default" else int(status)
                        )
    elsewhere = {"method_not_allowed"}  # of paths, not of operations
    assert documented == {
        name: {known.status} for name, known in PROBLEM_TYPES.items() if name not in elsewhere
    }


def test_the_pages_tell_every_code_and_rule(app: Flask) -> None:
    page = app.test_client().get("/docs/problems")
    assert page.mimetype == "text/html"
    for name in PROBLEM_TYPES:
        assert f'id="{name}"' in page.text
    table = app.test_client().get("/docs/rules/table").text
    assert 'id="T-14"' in table
    assert app.test_client().get("/docs/rules/nothing").status_code == 404


@pytest.mark.parametrize(
    "odd",
    [
        "%0A" + "a" * 26,
        "a" * 26 + "%0A",
        "a" * 10_000,
        "é" * 26,
        "%00" * 26,
        "A" * 26,
        "a" * 25,
        "..%2F..%2Fetc",
        "1" * 26,
        "٣" * 26,
    ],
)
def test_odd_ids_are_not_found(app: Flask, odd: str) -> None:
    nobody = Person(app)
    for method, path in (
        ("GET", f"/v1/games/{odd}"),
        ("GET", f"/v1/games/{odd}/moves"),
        ("POST", f"/v1/games/{odd}/commands"),
        ("POST", f"/v1/games/{odd}/seats/0"),
        ("GET", f"/v1/rulesets/{odd.replace('a', 'A')}"),
    ):
        answer = nobody.client.open(path, method=method, json={})
        assert (answer.status_code, code(answer)) == (404, "not_found")


@pytest.mark.parametrize("seat", ["8", "-1", "00", "x", "٣", "%0A", "1.0", "0" * 1000])
def test_odd_seats_are_not_found(app: Flask, ana: Person, seat: str) -> None:
    made = ana.create()
    answer = ana.client.post(f"/v1/games/{made['game']['id']}/seats/{seat}", json={})
    assert answer.status_code == 404


def test_405_names_the_methods(app: Flask, ana: Person, game: str) -> None:
    for path, methods in (
        ("/v1/games", {"GET", "POST"}),
        (f"/v1/games/{game}", {"GET", "DELETE"}),
        (f"/v1/games/{game}/commands", {"POST"}),
        ("/livez", {"GET"}),
    ):
        answer = ana.ask("PUT", path)
        assert (answer.status_code, code(answer)) == (405, "method_not_allowed")
        allowed = {each.strip() for each in answer.headers["Allow"].split(",")}
        assert allowed - {"HEAD", "OPTIONS"} == methods


@pytest.mark.parametrize(
    "raw",
    [b"", b"{", b"\xff", b'{"a": NaN}', b'{"a": "\\ud800"}', b"[" * 5000, b"'", b"{}x"],
)
def test_what_is_not_json_is_400(ana: Person, game: str, raw: bytes) -> None:
    for path in ("/v1/games", f"/v1/games/{game}/commands", f"/v1/rulesets/{RULESET.id}/positions"):
        answer = ana.ask("POST", path, raw=raw)
        assert (answer.status_code, code(answer)) == (400, "malformed_json")


def test_a_body_without_a_length_is_bounded_too(ana: Person) -> None:
    for size, status in ((65_536, 400), (65_537, 413), (200_000, 413)):
        answer = ana.client.post(
            "/v1/games",
            input_stream=__import__("io").BytesIO(b"x" * size),
            content_type="application/json",
            environ_overrides={"wsgi.input_terminated": True, "HTTP_TRANSFER_ENCODING": "chunked"},
        )
        assert answer.status_code == status


def test_failing_tokens_are_limited(store: MemoryStore) -> None:
    app = create_app(Settings(rate_tokens=3), store)
    found = [Person(app, "guess").get("/v1/turns").status_code for _ in range(5)]
    assert found == [401, 401, 401, 429, 429]


def test_failing_claim_codes_are_limited(store: MemoryStore) -> None:
    app = create_app(Settings(rate_tokens=2), store)
    host = anybody(app)
    path = f"/v1/games/{host.create()['game']['id']}/seats/0"
    asked = {"claim_code": "bc_" + "A" * 43, "name": "Eve"}
    found = [host.post(path, asked).status_code for _ in range(4)]
    assert found == [403, 403, 429, 429]


def test_limits_fill_up_again(store: MemoryStore) -> None:
    now = [0.0]
    limits = RateLimiter(lambda what: 60, lambda: now[0])
    assert [limits.take("create", "a") for _ in range(61)] == [None] * 60 + [1.0]
    assert limits.take("create", "b") is None
    now[0] = 1.0
    assert limits.take("create", "a") is None
    assert limits.take("create", "a") == 1.0
    for number in range(MAX_BUCKETS + 1):
        limits.take("create", str(number))
    assert limits.take("create", "a") is None
