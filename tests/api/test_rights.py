"""Who may do what: every operation of the contract for every kind of caller."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import pytest
from flask import Flask

from .talk import RULESET, SEATS, Person, anybody, operations

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
    "rotateToken": (401, 200, 200, 200, 200, 403),
}
"""Status by role, on a private game; the seat in question is seat 0, and it resigns."""

BODIES: Final[Mapping[str, Any]] = {
    "judgePosition": {"seats": SEATS},
    "createGame": {"ruleset": RULESET.id, "seats": [{"kind": "human"}] * SEATS},
    "claimSeat": {"claim_code": "bc_" + "A" * 43, "name": "Eve"},
    "sendCommands": {"seat": 0, "command": {"type": "resign"}},
    "rotateToken": {"token": "bl_" + "B" * 43},
}


def test_every_operation_has_its_row() -> None:
    assert {each["operationId"] for each in operations().values()} == set(EXPECTED)


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("name", EXPECTED)
def test_a_caller_may_do_what_the_table_says(app: Flask, name: str, role: str) -> None:
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
    where = path.format(game_id=made["game"]["id"], seat=0, ruleset=RULESET.id)
    body = BODIES.get(name)
    caller = callers[role]
    if name in ("getService", "getMetrics"):
        answer = caller.client.open(where, method=method.upper())
    else:
        answer = caller.ask(method.upper(), where, body)
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
