"""A machine that does what clients do, in any order, against a model of what must hold.

The model knows the version, who holds which seat and what was acknowledged; the rules are the
service's own affair.
"""

from __future__ import annotations

import random
import secrets
from typing import Any
from unittest import mock

import hypothesis
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from service.app import create_app, install_services
from service.config import RATE_LIMITED, Settings
from service.games.tokens import new_token
from service.store import MemoryStore
from tests.api.http_client import RULESET, Person, anybody

FREE = Settings(**{f"rate_{what}": 0 for what in RATE_LIMITED})


DEADLINES: list[Any] = [
    None,
    {"per_move_seconds": 600, "on_expiry": "bot"},
    {"total_seconds": 600, "increment_seconds": 5, "on_expiry": "resign"},
]

APP = create_app(FREE, MemoryStore())


class Clients(RuleBasedStateMachine):
    """2 to 5 seats, each held by a client of its own."""

    def __init__(self) -> None:
        super().__init__()
        generator = random.Random(len(RULESET.seats))  # the same games whenever steps are repeated
        self.secrets = mock.patch.object(secrets, "token_bytes", generator.randbytes)
        self.secrets.start()
        self.app = APP
        install_services(APP, FREE, MemoryStore())
        self.host = anybody(self.app)
        self.holders: dict[int, Person] = {}
        self.seats = 0
        self.game = ""
        self.codes: dict[int, str] = {}
        self.version = 0
        self.tag = ""
        self.history: list[Any] = []
        self.sent: list[tuple[Person, str, Any, Any]] = []
        self.keys = 0

    def teardown(self) -> None:
        self.secrets.stop()

    @initialize(seats=st.sampled_from(RULESET.seats), deadline=st.sampled_from(DEADLINES))
    def lay(self, seats: int, deadline: Any) -> None:
        made = self.host.create(*["human"] * seats, deadline=deadline)
        self.seats = seats
        self.game = made["game"]["id"]
        self.codes = {each["seat"]: each["claim_code"] for each in made["claim_codes"]}
        self.note(self.host.get(f"/v1/games/{self.game}").json)

    def note(self, seen: Any) -> None:
        assert seen["version"] >= self.version
        self.version = seen["version"]
        self.tag = self.host.get(f"/v1/games/{self.game}").headers["ETag"]

    def acknowledged(self, answer: Any) -> None:
        """What was written begins right after what was known."""
        versions = [each["version"] for each in answer["events"]]
        assert versions == list(range(self.version + 1, self.version + 1 + len(versions)))
        self.history += answer["events"]
        self.note(answer)

    def named(self) -> str:
        self.keys += 1
        return f"key-{self.keys}"

    @precondition(lambda self: len(self.holders) < self.seats)
    @rule(data=st.data())
    def claim(self, data: st.DataObject) -> None:
        free = [seat for seat in range(self.seats) if seat not in self.holders]
        seat = data.draw(st.sampled_from(free))
        person = anybody(self.app)
        asked = {"claim_code": self.codes[seat], "name": f"seat {seat}"}
        path = f"/v1/games/{self.game}/seats/{seat}"
        answer = person.post(path, asked, Idempotency_Key="claim")
        assert answer.status_code == 201
        self.holders[seat] = person
        self.acknowledged(answer.json)
        assert person.post(path, asked, Idempotency_Key="claim").json == answer.json

    @precondition(lambda self: self.holders)
    @rule(data=st.data(), conditional=st.booleans())
    def move(self, data: st.DataObject, conditional: bool) -> None:
        person = data.draw(st.sampled_from(list(self.holders.values())))
        listed = person.moves(self.game)
        moves = listed["moves"] + [
            each for each in listed["table"] if each["command"]["type"] in ("undo", "give_to_bot")
        ]
        if not moves:
            return
        move = data.draw(st.sampled_from(moves))
        key = self.named()
        headers = {"Idempotency_Key": key, **({"If_Match": self.tag} if conditional else {})}
        answer = person.send(self.game, move["command"], move["seat"], **headers)
        assert answer.status_code == 201, answer.data
        self.acknowledged(answer.json)
        self.sent.append((person, key, move, answer.json))

    @precondition(lambda self: self.sent)
    @rule(data=st.data())
    def repeat(self, data: st.DataObject) -> None:
        person, key, move, told = data.draw(st.sampled_from(self.sent))
        again = person.send(
            self.game,
            move["command"],
            move["seat"],
            Idempotency_Key=key,
            If_Match='"1-0000000000000000"',
        )
        assert (again.status_code, again.json) == (201, told)

    @precondition(lambda self: self.holders)
    @rule(data=st.data())
    def come_too_late(self, data: st.DataObject) -> None:
        person = data.draw(st.sampled_from(list(self.holders.values())))
        stale = person.send(
            self.game, {"type": "resign"}, None, If_Match=f'"{self.version}-ffffffffffffffff"'
        )
        assert stale.status_code == 412

    @precondition(lambda self: self.holders)
    @rule(data=st.data())
    def act_for_somebody_else(self, data: st.DataObject) -> None:
        seat = data.draw(st.sampled_from(list(self.holders)))
        stranger = anybody(self.app)
        assert stranger.send(self.game, {"type": "resign"}, seat).status_code == 403
        assert stranger.post(f"/v1/games/{self.game}/commands", {"x": 1}).status_code == 422

    @precondition(lambda self: self.holders)
    @rule(data=st.data())
    def change_the_token(self, data: st.DataObject) -> None:
        seat = data.draw(st.sampled_from(list(self.holders)))
        person = self.holders[seat]
        new = new_token().text
        assert person.post("/v1/tokens/rotate", {"token": new}).json == {"games": 1}
        fresh = Person(self.app, new)
        self.holders[seat] = fresh
        self.sent = [each for each in self.sent if each[0] is not person]
        (changed,) = fresh.get(f"/v1/games/{self.game}/events?after={self.version}").json["events"]  # type: ignore[index]
        assert changed == {
            "version": self.version + 1,
            "at": changed["at"],
            "type": "token_replaced",
            "data": {},
        }
        self.history.append(changed)
        self.note(fresh.get(f"/v1/games/{self.game}").json)

    @invariant()
    def everything_acknowledged_stands_in_order(self) -> None:
        if not self.game:
            return
        page = self.host.get(f"/v1/games/{self.game}/events?after=1&limit=500").json or {}
        assert page["events"] == self.history[:500]
        seen = self.host.get(f"/v1/games/{self.game}").json or {}
        assert seen["version"] == self.version
        people = {each["seat"] for each in seen["seats"] if each["kind"] == "human"}
        running = {each["seat"] for each in seen["clocks"] if each["deadline"] is not None}
        assert running == (people & set(seen["to_act"]) if seen["deadline"] else set())
        playing = len(self.holders) == self.seats
        assert (seen["status"] == "open") == (not playing)


def machine(examples: int, steps: int) -> None:
    hypothesis.stateful.run_state_machine_as_test(  # type: ignore[attr-defined]
        Clients,
        settings=hypothesis.settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            suppress_health_check=list(hypothesis.HealthCheck),
        ),
    )


@pytest.mark.broad
def test_clients_in_any_order() -> None:
    machine(25, 40)


@pytest.mark.long
def test_many_clients_in_any_order() -> None:
    machine(500, 50)
