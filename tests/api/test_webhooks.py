"""Webhooks over HTTP: whose they are, what is shown of them, what is shown only once."""

from __future__ import annotations

import base64
from dataclasses import replace
from typing import Any

import orjson
import pytest
from flask import Flask

from service.app import create_app
from service.config import Settings
from service.games.commands.handler import MAX_ATTEMPTS
from service.games.webhooks import model as webhook_model
from service.games.webhooks.counters import attempt_counts, disabling_counts
from service.games.webhooks.model import Change
from service.games.webhooks.service import MAX_PER_CLIENT, MAX_PER_GAME, MAX_REPLAYS, Delivery
from service.store import MemoryStore, Unavailable
from tests.api.http_client import SEATS, Person, anybody, code

URL = "https://receiver.invalid/bailli?key=1"
SECRET = "whsec_" + base64.b64encode(bytes(24)).decode()
OTHER = "whsec_" + base64.b64encode(bytes(64)).decode()


def add(person: Person, game: str, **more: Any) -> Any:
    """Adds a webhook; returns the whole answer's body."""
    answer = person.post(f"/v1/games/{game}/webhooks", {"url": URL, **more})
    assert answer.status_code == 201, answer.data
    return answer.json


def note(store: MemoryStore, game: str, own: str, count: int) -> None:
    """Writes deliveries down as if they had been made."""
    for _ in range(count):

        def sent(present: webhook_model.Webhook) -> Change:
            number = present.sent + 1
            made = Delivery(
                number, f"msg_{number}", "game.events", 1, 2, 3, 4, 1, False, 500, None, 5,
                "failed", "{}",
            )  # fmt: skip
            line = {name: getattr(made, name) for name in Delivery.__slots__}
            return Change(replace(present, sent=number), None, (number, orjson.dumps(line)))

        webhook_model.change_webhook(store, game, own, sent)


def test_what_is_made_is_shown(ana: Person, game: str) -> None:
    path = f"/v1/games/{game}/webhooks"
    answer = ana.post(path, {"url": URL, "events": ["game.finished", "seat.to_act"]})
    assert answer.status_code == 201
    assert answer.headers["Cache-Control"] == "no-store"
    made = answer.json or {}
    webhook = made["webhook"]
    assert answer.headers["Location"] == webhook["links"]["self"] == f"{path}/{webhook['id']}"
    assert made["secret"].startswith("whsec_")
    version = ana.get(f"/v1/games/{game}").json["version"]  # type: ignore[index]
    assert webhook == {
        "id": webhook["id"],
        "url": URL,
        "events": ["seat.to_act", "game.finished"],
        "status": "active",
        "reason": None,
        "version": version,
        "waiting": 0,
        "failures": 0,
        "next_attempt_at": None,
        "old_secret_until": None,
        "created_at": 1_700_000_000_000,
        "links": webhook["links"],
    }
    assert ana.get(webhook["links"]["self"]).json == {"webhook": webhook}
    assert ana.get(path).json == {"webhooks": [webhook]}
    assert ana.get(f"/v1/games/{game}").json["links"]["webhooks"] == path  # type: ignore[index]


def test_everything_is_told_unless_chosen(ana: Person, game: str) -> None:
    assert len(add(ana, game)["webhook"]["events"]) == 4
    assert add(ana, game, secret=SECRET)["secret"] == SECRET


def test_a_secret_is_shown_once(ana: Person, game: str, store: MemoryStore) -> None:
    made = add(ana, game, secret=SECRET)
    note(store, game, made["webhook"]["id"], 1)
    links = made["webhook"]["links"]
    seen = [
        ana.get(path).data
        for path in (
            links["self"], links["deliveries"], f"/v1/games/{game}/webhooks", f"/v1/games/{game}",
            f"/v1/games/{game}/events", "/metrics",
        )
    ]  # fmt: skip
    assert all(SECRET[6:].encode() not in each for each in seen)


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, "/url"),
        ({"url": None}, "/url"),
        ({"url": "ftp://x.example/"}, "/url"),
        ({"url": "http://127.0.0.1:5000/"}, "/url"),
        ({"url": "http://[::ffff:10.0.0.1]/"}, "/url"),
        ({"url": "http://169.254.169.254/"}, "/url"),
        ({"url": "https://x.example:22/"}, "/url"),
        ({"url": URL, "events": []}, "/events"),
        ({"url": URL, "events": ["all"]}, "/events/0"),
        ({"url": URL, "secret": "whsec_AAAA"}, "/secret"),
        ({"url": URL, "secret": 7}, "/secret"),
        ({"url": URL, "more": 1}, "/more"),
    ],
)
def test_misshapen_ones(ana: Person, game: str, body: Any, pointer: str) -> None:
    answer = ana.post(f"/v1/games/{game}/webhooks", body)
    assert (answer.status_code, code(answer)) == (422, "misshapen")
    assert (answer.json or {})["errors"][0]["pointer"] == pointer


def test_ones_own_network_if_it_is_set(store: MemoryStore) -> None:
    person = anybody(create_app(Settings(hooks_local=True, rate_hooks=0), store))
    game = person.create()["game"]["id"]
    url = "http://127.0.0.1:5000/"
    assert person.post(f"/v1/games/{game}/webhooks", {"url": url}).status_code == 201


class TestWhose:
    """Host and seats have webhooks, each their own."""

    def test_each_sees_its_own(self, app: Flask, ana: Person) -> None:
        made = ana.create()
        game = made["game"]["id"]
        bob = anybody(app)
        assert bob.post(f"/v1/games/{game}/webhooks", {"url": URL}).status_code == 403
        bob.claim(made, 0)
        his, hers = add(bob, game)["webhook"], add(ana, game)["webhook"]
        assert bob.get(f"/v1/games/{game}/webhooks").json == {"webhooks": [his]}
        assert ana.get(f"/v1/games/{game}/webhooks").json == {"webhooks": [hers]}
        for method, end in (
            ("GET", ""), ("DELETE", ""), ("POST", "/enable"), ("GET", "/deliveries"),
            ("POST", "/deliveries/1/replay"),
        ):  # fmt: skip
            answer = bob.ask(method, hers["links"]["self"] + end)
            assert (answer.status_code, code(answer)) == (404, "not_found")
        assert bob.post(hers["links"]["rotate"], {}).status_code == 404
        assert ana.get(hers["links"]["self"]).status_code == 200

    def test_strangers_and_watchers_have_none(self, app: Flask, ana: Person) -> None:
        public, private = ana.create(), ana.create(visibility="private")
        stranger = anybody(app)
        watcher = Person(app, private["watch_code"])
        for person, made, status in (
            (Person(app), public, 401),
            (stranger, public, 403),
            (stranger, private, 404),
            (watcher, private, 403),
        ):
            path = f"/v1/games/{made['game']['id']}/webhooks"
            assert person.get(path).status_code == status
            assert person.post(path, {"url": URL}).status_code == status

    def test_a_new_token_takes_them_over(self, app: Flask, ana: Person, game: str) -> None:
        made = add(ana, game)["webhook"]
        new = anybody(app)
        assert ana.post("/v1/tokens/rotate", {"token": new.token}).status_code == 200
        assert new.get(f"/v1/games/{game}/webhooks").json == {"webhooks": [made]}


class TestKeys:
    """Repeated under its key, a request makes one webhook."""

    def test_a_repetition_gives_the_same(self, ana: Person, game: str) -> None:
        path = f"/v1/games/{game}/webhooks"
        first, again = (ana.post(path, {"url": URL}, Idempotency_Key="k") for _ in range(2))
        assert first.json == again.json
        assert again.status_code == 201
        assert "Idempotent-Replayed" not in first.headers
        assert again.headers["Idempotent-Replayed"] == "true"
        assert len((ana.get(path).json or {})["webhooks"]) == 1

    def test_a_key_of_another_request(self, ana: Person, game: str) -> None:
        path = f"/v1/games/{game}/webhooks"
        ana.post(path, {"url": URL}, Idempotency_Key="k")
        ana.send(game, {"type": "abandon"}, Idempotency_Key="j")
        for body, key in (({"url": URL, "events": ["game.events"]}, "k"), ({"url": URL}, "j")):
            answer = ana.post(path, body, Idempotency_Key=key)
            assert (answer.status_code, code(answer)) == (422, "key_reused")
        assert ana.send(game, {"type": "abandon"}, Idempotency_Key="k").status_code == 422

    def test_what_was_removed_does_not_come_back(self, ana: Person, game: str) -> None:
        path = f"/v1/games/{game}/webhooks"
        made = (ana.post(path, {"url": URL}, Idempotency_Key="k").json or {})["webhook"]
        assert ana.ask("DELETE", made["links"]["self"]).status_code == 204
        answer = ana.post(path, {"url": URL}, Idempotency_Key="k")
        assert (answer.status_code, code(answer)) == (410, "gone")

    def test_two_at_once(
        self, ana: Person, game: str, store: MemoryStore, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path, change = f"/v1/games/{game}/webhooks", store.change_webhook
        answers = []

        def beaten(asked: Any) -> Any:
            monkeypatch.setattr(store, "change_webhook", change)
            answers.append(ana.post(path, {"url": URL}, Idempotency_Key="k"))
            return change(asked)

        monkeypatch.setattr(store, "change_webhook", beaten)
        answers.append(ana.post(path, {"url": URL}, Idempotency_Key="k"))
        assert answers[0].json == answers[1].json
        assert len((ana.get(path).json or {})["webhooks"]) == 1


def test_there_are_bounds(app: Flask, ana: Person) -> None:
    made = ana.create(*["human"] * SEATS, start="host")
    game = made["game"]["id"]
    for _ in range(MAX_PER_CLIENT):
        add(ana, game)
    answer = ana.post(f"/v1/games/{game}/webhooks", {"url": URL})
    assert (answer.status_code, code(answer)) == (409, "hooks_full")
    assert MAX_PER_GAME > MAX_PER_CLIENT


def test_a_full_game(app: Flask, ana: Person, game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.games.webhooks.service.MAX_PER_GAME", 1)
    add(ana, game)
    assert ana.post(f"/v1/games/{game}/webhooks", {"url": URL}).status_code == 409


def test_others_are_faster_every_time(
    ana: Person, game: str, store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries = []
    monkeypatch.setattr(store, "change_webhook", lambda asked: tries.append(asked))
    answer = ana.post(f"/v1/games/{game}/webhooks", {"url": URL})
    assert (answer.status_code, code(answer), len(tries)) == (503, "busy", MAX_ATTEMPTS)
    monkeypatch.undo()
    own = add(ana, game)["webhook"]["links"]
    monkeypatch.setattr(store, "change_webhook", lambda asked: False)
    answer = ana.post(own["enable"])
    assert (answer.status_code, code(answer)) == (503, "busy")


def test_a_secret_is_replaced(ana: Person, game: str) -> None:
    made = add(ana, game, secret=SECRET)
    links = made["webhook"]["links"]
    answer = ana.post(links["rotate"], {})
    assert answer.headers["Cache-Control"] == "no-store"
    fresh = answer.json or {}
    assert fresh["secret"] not in (SECRET, made["secret"])
    assert fresh["webhook"]["old_secret_until"] == 1_700_000_000_000 + 86_400_000
    for _ in range(2):
        own = ana.post(links["rotate"], {"secret": OTHER, "overlap_s": 0}).json or {}
        assert own["secret"] == OTHER
    assert ana.post(links["rotate"], {"overlap_s": -1}).status_code == 422


def test_one_is_woken(ana: Person, game: str, store: MemoryStore) -> None:
    made = add(ana, game)["webhook"]

    def asleep(present: webhook_model.Webhook) -> Change:
        return Change(replace(present, disabled="exhausted", failures=10))

    webhook_model.change_webhook(store, game, made["id"], asleep)
    shown = (ana.get(made["links"]["self"]).json or {})["webhook"]
    assert (shown["status"], shown["reason"], shown["failures"]) == ("disabled", "exhausted", 10)
    woken = (ana.post(made["links"]["enable"]).json or {})["webhook"]
    assert woken == made


def test_one_is_removed(ana: Person, game: str) -> None:
    made = add(ana, game)["webhook"]
    assert ana.ask("DELETE", made["links"]["self"]).status_code == 204
    for method in ("GET", "DELETE"):
        assert ana.ask(method, made["links"]["self"]).status_code == 404


@pytest.mark.parametrize("work", ["rotate", "enable"])
def test_one_that_is_removed_meanwhile(
    ana: Person, game: str, work: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = add(ana, game)["webhook"]
    monkeypatch.setattr(webhook_model, "find_webhook", lambda *_: None)
    body = {} if work == "rotate" else None
    assert ana.post(made["links"][work], body).status_code == 404


def test_deliveries_come_in_pages(ana: Person, game: str, store: MemoryStore) -> None:
    made = add(ana, game)["webhook"]
    path = made["links"]["deliveries"]
    assert ana.get(path).json == {"deliveries": [], "next": None}
    note(store, game, made["id"], 5)
    first = ana.get(f"{path}?limit=2")
    told = first.json or {}
    assert [each["number"] for each in told["deliveries"]] == [5, 4]
    assert told["next"] == 4
    assert first.headers["Link"] == f'<{path}?before=4&limit=2>; rel="next"'
    assert told["deliveries"][0] == {
        "number": 5, "message": "msg_5", "type": "game.events", "after": 1, "version": 2, "at": 4,
        "attempt": 1, "replay": False, "status": 500, "fault": None, "ms": 5, "outcome": "failed",
    }  # fmt: skip
    second = ana.get(f"{path}?limit=3&before=4").json or {}
    assert [each["number"] for each in second["deliveries"]] == [3, 2, 1]
    assert second["next"] is None
    assert ana.get(f"{path}?before=0").status_code == 422


def test_a_delivery_is_asked_for_again(ana: Person, game: str, store: MemoryStore) -> None:
    made = add(ana, game)["webhook"]
    path = made["links"]["deliveries"]
    assert ana.post(f"{path}/1/replay").status_code == 404
    note(store, game, made["id"], MAX_REPLAYS + 1)
    for number in (*range(1, MAX_REPLAYS + 1), 1):
        answer = ana.post(f"{path}/{number}/replay")
        assert (answer.status_code, answer.json) == (202, {"webhook": made})
    answer = ana.post(f"{path}/{MAX_REPLAYS + 1}/replay")
    assert (answer.status_code, code(answer)) == (409, "hooks_full")


def test_requests_that_send_are_limited(store: MemoryStore) -> None:
    person = anybody(create_app(Settings(rate_hooks=2), store))
    game = person.create()["game"]["id"]
    made = add(person, game)["webhook"]
    assert person.post(made["links"]["enable"]).status_code == 200
    for path, body in (
        (f"/v1/games/{game}/webhooks", {"url": URL}),
        (made["links"]["enable"], None),
        (made["links"]["rotate"], {}),
        (made["links"]["deliveries"] + "/1/replay", None),
    ):
        assert person.post(path, body).status_code == 429


@pytest.mark.parametrize("own", ["a", "A" * 16, "a" * 17, "a" * 15 + "1", "a" * 16 + "%0A"])
def test_odd_ids_are_not_found(ana: Person, game: str, own: str) -> None:
    assert ana.get(f"/v1/games/{game}/webhooks/{own}").status_code == 404


@pytest.mark.parametrize("number", ["0", "01", "-1", "x", "1" * 10])
def test_odd_numbers_are_not_found(ana: Person, game: str, number: str) -> None:
    path = add(ana, game)["webhook"]["links"]["deliveries"]
    assert ana.post(f"{path}/{number}/replay").status_code == 404


def test_the_workers_counters_are_shown(
    ana: Person, store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.add_counts(attempt_counts("delivered", True, 700))
    store.add_counts(attempt_counts("delivered", False, 90_000_000))
    store.add_counts(disabling_counts("gone"))
    text = ana.get("/metrics").get_data(as_text=True)
    for line in (
        'bailli_hook_deliveries_total{outcome="delivered"} 2.0',
        "bailli_hook_retries_total 1.0",
        'bailli_hooks_disabled_total{reason="gone"} 1.0',
        'bailli_hook_lag_seconds_bucket{le="0.5"} 0.0',
        'bailli_hook_lag_seconds_bucket{le="1.0"} 1.0',
        'bailli_hook_lag_seconds_bucket{le="+Inf"} 2.0',
        "bailli_hook_lag_seconds_sum 90000.7",
    ):
        assert line in text.splitlines()

    def away() -> Any:
        raise Unavailable("no connection")

    monkeypatch.setattr(store, "get_counts", away)
    text = ana.get("/metrics").get_data(as_text=True)
    assert "bailli_hook" not in text
    assert "bailli_requests_total" in text
