"""What is answered where copies that are waited for do not confirm an append."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask

from service.app import install_services
from service.store import Acknowledgement
from service.store.redis_store import open_store
from tests.api.conftest import FREE
from tests.api.http_client import RULESET, SEATS, Person, anybody


@pytest.fixture
def ana(shared_app: Flask, redis_url: str) -> Iterator[Person]:
    """Somebody at a service that waits, in vain, for a replica that is not there."""
    store = open_store(redis_url, acks=Acknowledgement(0, 1, 1))
    install_services(shared_app, FREE, store)
    yield anybody(shared_app)
    store.close()


def unconfirmed(answer: Any) -> bool:
    assert answer.status_code == 201, answer.data
    return bool(answer.json["durable"] is False)


def test_it_stands_and_is_said_not_to_be_confirmed(ana: Person) -> None:
    made = ana.create()
    game = made["game"]["id"]
    assert made["durable"] is False
    assert all(unconfirmed(ana.claim(made, seat)) for seat in range(SEATS))
    assert unconfirmed(ana.move(game))
    version = (ana.get(f"/v1/games/{game}").json or {})["version"]
    assert unconfirmed(ana.post(f"/v1/games/{game}/forks", {"version": version}))
    wanted = {"ruleset": RULESET.id, "seats": [{"kind": "human"}] * SEATS, "tables": 2}
    assert unconfirmed(ana.post("/v1/tournaments", wanted))


def test_a_repetition_asks_again(ana: Person, redis_url: str) -> None:
    made = ana.create()
    game = made["game"]["id"]
    for seat in range(SEATS):
        ana.claim(made, seat)
    move = ana.moves(game)["moves"][0]
    for repeated in (False, True):
        answer = ana.send(game, move["command"], move["seat"], Idempotency_Key="k")
        assert ("Idempotent-Replayed" in answer.headers) is repeated
        assert unconfirmed(answer)
    content = unanimous(ana.app, redis_url, ana)
    answer = content.send(game, move["command"], move["seat"], Idempotency_Key="k")
    assert answer.headers["Idempotent-Replayed"] == "true"
    assert "durable" not in (answer.json or {})


def test_a_table_that_is_asked_for_again(ana: Person) -> None:
    asked = {"ruleset": RULESET.id, "seats": [{"kind": "human"}] * SEATS}
    answers = [ana.post("/v1/games", asked, Idempotency_Key="t") for _ in range(2)]
    assert all(unconfirmed(answer) for answer in answers)
    assert "Idempotent-Replayed" in answers[1].headers


def unanimous(app: Flask, redis_url: str, person: Person) -> Person:
    """The same person at a service that asks for its server's file alone."""
    install_services(app, FREE, open_store(redis_url, acks=Acknowledgement(1, 0, 4_000)))
    return Person(app, person.token)
