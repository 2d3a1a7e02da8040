"""Who may do what: every operation of the contract for every kind of caller."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import pytest
from flask import Flask

from service.store import MemoryStore
from tests.api.http_client import RULESET, SEATS, Person, anybody, operations

from .test_webhooks import add, note

ROLES: Final = ("nobody", "stranger", "other seat", "seat", "host", "watcher")
ANY: Final = (200, 200, 200, 200, 200, 200)
READ: Final = (404, 404, 200, 200, 200, 200)

EXPECTED: Final[Mapping[str, tuple[int, ...]]] = {
    "getService": ANY,
    "getLive": ANY,
    "getReady": ANY,
    "getMetrics": ANY,
    "listRulesets": ANY,
    "getRuleset": ANY,
    "judgePosition": ANY,
    "createGame": (201, 201, 201, 201, 201, 401),
    "listGames": ANY,
    "getGame": READ,
    "getPicture": READ,
    "deleteGame": (401, 404, 403, 403, 204, 403),
    "claimSeat": (404, 404, 403, 403, 403, 401),
    "listMoves": READ,
    "sendCommands": (401, 404, 403, 201, 409, 403),
    "listEvents": READ,
    "listTurns": (401, 200, 200, 200, 200, 200),
    "getScore": READ,
    "getRecord": (404, 404, 409, 409, 409, 409),
    "forkGame": (401, 404, 201, 201, 201, 401),
    "askRematch": (401, 404, 409, 409, 409, 401),
    "askAnalysis": (401, 404, 403, 202, 403, 401),
    "getAnalysis": (401, 404, 404, 200, 404, 404),
    "importRecord": (401, 202, 202, 202, 202, 401),
    "getImport": (401, 404, 404, 404, 404, 404),
    "createTournament": (401, 201, 201, 201, 201, 401),
    "getTournament": (404, 404, 404, 404, 404, 404),
    "rotateToken": (401, 200, 200, 200, 200, 403),
    "createWebhook": (401, 404, 201, 201, 201, 403),
    "listWebhooks": (401, 404, 200, 200, 200, 403),
    "getWebhook": (401, 404, 404, 200, 404, 403),
    "deleteWebhook": (401, 404, 404, 204, 404, 403),
    "rotateWebhook": (401, 404, 404, 200, 404, 403),
    "enableWebhook": (401, 404, 404, 200, 404, 403),
    "listDeliveries": (401, 404, 404, 200, 404, 403),
    "replayDelivery": (401, 404, 404, 202, 404, 403),
}
"""Status by role, on a private game; the seat in question is seat 0, and it resigns. Webhook and

analysis are that seat's.
"""

BODIES: Final[Mapping[str, Any]] = {
    "judgePosition": {"seats": SEATS},
    "createGame": {"ruleset": RULESET.id, "seats": [{"kind": "human"}] * SEATS},
    "claimSeat": {"claim_code": "bc_" + "A" * 43, "name": "Eve"},
    "sendCommands": {"seat": 0, "command": {"type": "resign"}},
    "forkGame": {},
    "askRematch": {},
    "askAnalysis": {"seat": 0},
    "createTournament": {
        "ruleset": RULESET.id,
        "seats": [{"kind": "human"}] * SEATS,
        "tables": 2,
    },
    "importRecord": dict.fromkeys(("format", "ruleset", "chance", "steps", "final")),
    "rotateToken": {"token": "bl_" + "B" * 43},
    "createWebhook": {"url": "https://receiver.invalid/"},
    "rotateWebhook": {},
}


def test_every_operation_has_its_row() -> None:
    assert {each["operationId"] for each in operations().values()} == set(EXPECTED)


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("name", EXPECTED)
def test_a_caller_may_do_what_the_table_says(
    app: Flask, store: MemoryStore, name: str, role: str
) -> None:
    callers, asked = scene(app, store, name)
    check(callers[role], asked, name, role)


@pytest.mark.parametrize("name", EXPECTED)
def test_a_token_that_was_replaced_and_those_of_other_tables_are_strangers(
    app: Flask, store: MemoryStore, name: str
) -> None:
    callers, asked = scene(app, store, name)
    new, elsewhere = anybody(app), anybody(app)
    assert callers["seat"].post("/v1/tokens/rotate", {"token": new.token}).status_code == 200
    made = elsewhere.create(*["human"] * SEATS, visibility="private")
    elsewhere.claim(made, 0)
    check(callers["seat"], asked, name, "stranger")
    check(elsewhere, asked, name, "stranger")
    if EXPECTED[name] is READ:
        check(Person(app, made["watch_code"]), asked, name, "stranger")


Asked = tuple[str, str, Any]


def scene(app: Flask, store: MemoryStore, name: str) -> tuple[dict[str, Person], Asked]:
    """A private game with everybody who may come there, and the request of an operation."""
    host = anybody(app)
    made = host.create(*["human"] * SEATS, visibility="private")
    seats = [anybody(app) for _ in range(SEATS)]
    for number, person in enumerate(seats):
        if name != "claimSeat" or number > 0:  # the seat that is asked for stays open
            person.claim(made, number)
    if name == "claimSeat":
        seats[0] = seats[1]
    callers = {
        "nobody": Person(app),
        "stranger": anybody(app),
        "other seat": seats[1],
        "seat": seats[0],
        "host": host,
        "watcher": Person(app, made["watch_code"]),
    }
    ((method, path),) = [
        where for where, each in operations().items() if each["operationId"] == name
    ]
    game, hook, analysis = made["game"]["id"], "", ""
    if "{hook}" in path:
        hook = add(seats[0], game)["webhook"]["id"]
        note(store, game, hook, 1)
    if "{analysis}" in path:
        analysis = (seats[0].post(f"/v1/games/{game}/analyses", {}).json or {})["id"]
    where = path.format(
        game_id=game, seat=0, ruleset=RULESET.id, hook=hook, number=1, analysis=analysis
    )
    return callers, (method.upper(), where, BODIES.get(name))


def check(caller: Person, asked: Asked, name: str, role: str) -> None:
    """Asserts that a caller is answered like a role."""
    method, where, body = asked
    if name in ("getService", "getMetrics"):
        answer = caller.client.open(where, method=method)
    else:
        answer = caller.ask(method, where, body)
    assert answer.status_code == EXPECTED[name][ROLES.index(role)], answer.data


@pytest.mark.parametrize("role", ["nobody", "stranger"])
def test_public_games_are_read_by_anyone_and_changed_by_none(
    app: Flask, game: str, role: str
) -> None:
    caller = Person(app) if role == "nobody" else anybody(app)
    path = f"/v1/games/{game}"
    for suffix in ("", "/board.svg", "/moves", "/events", "/score"):
        assert caller.get(path + suffix).status_code == 200
    refused = 401 if role == "nobody" else 403
    assert caller.send(game, {"type": "resign"}, 0).status_code == refused
    assert caller.ask("DELETE", path).status_code == refused
