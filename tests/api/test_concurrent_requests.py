"""Seats that may act at once: neither is refused because the other was quicker."""

from __future__ import annotations

import random
import threading
from typing import Any

import pytest
from werkzeug.test import TestResponse

from service.app import create_app
from service.config import RATE_LIMITED, Settings
from service.rules.chance import FreeChance
from service.rules.ruleset import AnyRuleset, rulesets, run, start
from service.store.redis_store import open_store
from tests.api.http_client import Person, anybody

ROUNDS = 12


def plays_at_once(ruleset: AnyRuleset) -> bool:
    """Returns whether several seats may act at once somewhere near the beginning of a game."""
    generator = random.Random(1)
    chance = FreeChance(generator)
    state, _ = start(ruleset, ruleset.seats[0], ruleset.options(), chance)
    for _ in range(60):
        acting = ruleset.to_act(state)
        if len(acting) > 1:
            return True
        command = generator.choice(ruleset.legal(state, acting[0]))
        run(ruleset, state, acting[0], command, chance)
    return False


TOGETHER = [ruleset for ruleset in rulesets().values() if plays_at_once(ruleset)]


@pytest.mark.broad
@pytest.mark.parametrize("ruleset", TOGETHER, ids=lambda ruleset: ruleset.id)
def test_two_seats_send_at_once(redis_url: str, ruleset: AnyRuleset) -> None:
    """Without If-Match each command is judged on the newest state, whoever won the race."""
    free = Settings(**{f"rate_{what}": 0 for what in RATE_LIMITED})
    app = create_app(free, open_store(redis_url))
    people = [anybody(app) for _ in range(ruleset.seats[0])]
    seats = [{"kind": "human"}] * len(people)
    made = people[0].post("/v1/games", {"ruleset": ruleset.id, "seats": seats}).json or {}
    for seat, person in enumerate(people):
        assert person.claim(made, seat).status_code == 201
    game = made["game"]["id"]
    generator = random.Random(2)
    raced = 0
    while raced < ROUNDS:
        chosen = [(person, _first(person, game, generator)) for person in people]
        ready = [(person, move) for person, move in chosen if move is not None]
        if len(ready) > 1:
            raced += 1
            answers = _at_once(game, ready)
            assert [answer.status_code for answer in answers] == [201] * len(ready)
            versions = sorted((answer.json or {})["version"] for answer in answers)
            assert len(set(versions)) == len(versions)
        else:
            person, move = ready[0]
            assert person.send(game, move["command"], move["seat"]).status_code == 201


def _first(person: Person, game: str, generator: random.Random) -> dict[str, Any] | None:
    moves = person.moves(game)["moves"]
    return generator.choice(moves) if moves else None


def _at_once(game: str, ready: list[tuple[Person, dict[str, Any]]]) -> list[TestResponse]:
    """Lets everybody send as nearly at the same time as can be."""
    barrier = threading.Barrier(len(ready))
    answers: dict[int, TestResponse] = {}

    def send(place: int, person: Person, move: dict[str, Any]) -> None:
        barrier.wait()
        answers[place] = person.send(game, move["command"], move["seat"])

    threads = [
        threading.Thread(target=send, args=(place, person, move))
        for place, (person, move) in enumerate(ready)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [answers[place] for place in range(len(ready))]
