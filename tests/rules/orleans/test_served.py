"""Orléans over HTTP: a whole planning in one request."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask

from service.app import create_app
from service.config import Settings
from service.rules.orleans import RULESET
from service.store import MemoryStore
from tests.api.http_client import Person, anybody

PLANNING: list[dict[str, Any]] = [
    {
        "type": "place_follower",
        "follower": kind,
        "starting": True,
        "place": "village",
        "space": space,
    }
    for space, kind in enumerate(("farmer", "boatman", "craftsman"))
]
END: dict[str, Any] = {"type": "end_planning"}


@pytest.fixture
def app() -> Flask:
    return create_app(Settings(), MemoryStore())


@pytest.fixture
def table(app: Flask) -> tuple[str, Person, Person]:
    """Returns a game in the planning of round 1, and who holds its two seats."""
    people = anybody(app), anybody(app)
    asked = {"ruleset": RULESET.id, "seats": [{"kind": "human"}] * 2}
    made = people[0].post("/v1/games", asked).json or {}
    for seat, person in enumerate(people):
        assert person.claim(made, seat).status_code == 201
    return made["game"]["id"], *people


def post(person: Person, game: str, *commands: dict[str, Any]) -> Any:
    return person.post(f"/v1/games/{game}/commands", {"commands": list(commands)})


def test_a_planning_in_one_request(table: tuple[str, Person, Person]) -> None:
    """O-2.4: all placings and the end of planning go together; then the other seat's do."""
    game, ana, bo = table
    first = post(ana, game, *PLANNING, END)
    assert first.status_code == 201
    assert [event["type"] for event in first.json["events"]] == [
        *["follower_placed"] * 3,
        "planning_ended",
    ]
    second = post(bo, game, *PLANNING, END)
    assert second.status_code == 201
    assert second.json["events"][-1]["type"] == "phase_began"
    uses = [move["command"] for move in ana.moves(game)["moves"]]
    assert {use.get("place") for use in uses} == {"village", None}
    assert bo.moves(game)["reason"] == "not_your_turn"


def test_a_faulty_planning_is_refused_whole(table: tuple[str, Person, Person]) -> None:
    game, ana, _ = table
    answer = post(ana, game, *PLANNING, PLANNING[0], END)
    assert answer.status_code == 409
    assert (answer.json["rule"], answer.json["index"]) == ("O-2.4", 3)
    seen = ana.get(f"/v1/games/{game}").json or {}
    assert seen["board"]["seats"][0]["places"]["village"] == [None, None, None]


def test_a_batch_stops_before_what_chance_brought(table: tuple[str, Person, Person]) -> None:
    """The last planning leads to draws of a new round: nothing may follow it in the batch."""
    game, ana, bo = table
    assert post(ana, game, END).status_code == 201
    answer = post(bo, game, END, {"type": "draw", "count": 0})
    assert answer.status_code == 409
    assert answer.json["code"] == "batch_past_chance"
