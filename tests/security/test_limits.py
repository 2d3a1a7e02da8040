"""Nothing a client sends, opens or keeps is without a bound, and each bound is told."""

from __future__ import annotations

import contextlib
import gzip
import time
from collections.abc import Iterator
from typing import Any, Final

import pytest
from flask import Flask

from schemas.fields import MAX_OUTCOMES
from schemas.requests.commands import MAX_BATCH, MAX_STEPS
from service.api.http.rate_limits import FALLBACK_SECONDS, RateLimiter, rate_limit_key
from service.api.live.broker import EXTENSION, Broker
from service.api.resources.records import MAX_BYTES
from service.app import create_app
from service.config import RATE_LIMITED, Settings
from service.games import index_lists
from service.games.tokens import hash_secret
from service.rules.ruleset import MAX_SEATS
from service.store import MemoryStore
from service.store.rate_buckets import SharedBuckets
from tests.api.http_client import RULESET, SEATS, Person, anybody, code, contract, operations

WANTED: Final = {"ruleset": RULESET.id, "seats": [{"kind": "human"}] * SEATS}
WRONG: Final = "bc_" + "A" * 43
BODIES: Final = sorted(
    (method.upper(), path, each["operationId"])
    for (method, path), each in operations().items()
    if "requestBody" in each
)


@contextlib.contextmanager
def stream(person: Person, path: str, address: str) -> Iterator[Any]:
    """An event stream that is open."""
    headers = {"Accept": "text/event-stream", "Authorization": f"Bearer {person.token}"}
    where = {"REMOTE_ADDR": address}
    answer = person.client.get(path, headers=headers, environ_overrides=where)
    with contextlib.closing(answer):
        yield answer


class TestStreams:
    """How many streams and held requests one address may have open."""

    @pytest.fixture
    def app(self, store: MemoryStore) -> Flask:
        return create_app(Settings(streams_per_client=2), store)

    def test_an_address_has_so_many(self, app: Flask) -> None:
        """Whatever tokens it makes up; and a held request is one of them."""
        ana, eve = anybody(app), anybody(app)
        path = f"/v1/games/{ana.create()['game']['id']}/events?after=99"
        one, other = "198.51.100.1", "2001:db8::1"
        with contextlib.ExitStack() as open_ones:
            for person, what in ((ana, path), (eve, "/v1/turns")):
                assert open_ones.enter_context(stream(person, what, one)).status_code == 200
            for person, what in ((ana, path), (anybody(app), "/v1/turns")):
                with stream(person, what, one) as refused:
                    assert (refused.status_code, code(refused)) == (429, "too_many_streams")
                    assert refused.headers["Retry-After"] == "30"
                    assert "2 open event streams" in (refused.json or {})["detail"]
            held = ana.client.get(
                path,
                headers={"Prefer": "wait=1", "Authorization": f"Bearer {ana.token}"},
                environ_overrides={"REMOTE_ADDR": one},
            )
            assert held.status_code == 429
            with stream(ana, path, other) as elsewhere:
                assert elsewhere.status_code == 200
        with stream(ana, path, one) as later:
            assert later.status_code == 200
        broker = app.extensions[EXTENSION]
        assert isinstance(broker, Broker)
        assert not broker._addresses

    def test_a_refused_request_takes_no_place(self, app: Flask) -> None:
        ana = anybody(app)
        for _ in range(4):
            with stream(ana, "/v1/games/" + "a" * 26 + "/events", "198.51.100.1") as answer:
                assert answer.status_code == 404

    def test_zero_is_no_limit(self, store: MemoryStore) -> None:
        app = create_app(Settings(streams_per_client=0), store)
        ana = anybody(app)
        with contextlib.ExitStack() as open_ones:
            for _ in range(5):
                found = open_ones.enter_context(stream(ana, "/v1/turns", "198.51.100.1"))
                assert found.status_code == 200


class TestGames:
    """How many games that are not over one token may host."""

    @pytest.fixture
    def app(self, store: MemoryStore) -> Flask:
        return create_app(Settings(games_per_token=2), store)

    def refused(self, answer: Any) -> bool:
        assert answer.status_code in (201, 403), answer.data
        return answer.status_code == 403 and code(answer) == "too_many_games"

    def test_a_token_hosts_so_many(self, app: Flask, store: MemoryStore) -> None:
        ana, eve = anybody(app), anybody(app)
        first, _ = (ana.create()["game"]["id"] for _ in range(2))
        full = ana.post("/v1/games", WANTED)
        assert self.refused(full)
        assert "2 unfinished games and may host 2" in (full.json or {})["detail"]
        assert not self.refused(eve.post("/v1/games", WANTED)), "another token has its own"
        assert ana.send(first, {"type": "abandon"}).status_code == 201
        third = ana.create()["game"]["id"]
        assert self.refused(ana.post("/v1/games", WANTED))
        assert ana.ask("DELETE", f"/v1/games/{third}").status_code == 204
        assert not self.refused(ana.post("/v1/games", WANTED))

    def test_whatever_lays_a_game_counts(self, app: Flask) -> None:
        ana = anybody(app)
        made = ana.create()
        for seat in range(SEATS):
            ana.claim(made, seat)
        path = f"/v1/games/{made['game']['id']}"
        tables = {**WANTED, "tables": 2}
        assert self.refused(ana.post("/v1/tournaments", tables))
        assert not self.refused(ana.post(f"{path}/forks", {}))
        assert self.refused(ana.post(f"{path}/forks", {}))
        ana.send(made["game"]["id"], {"type": "abandon"})
        assert not self.refused(ana.post(f"{path}/rematch", {}))
        assert not self.refused(ana.post(f"{path}/rematch", {})), "it is laid already"
        assert self.refused(ana.post("/v1/tournaments", {**tables, "tables": 1}))
        assert not self.refused(anybody(app).post("/v1/tournaments", tables))

    def test_a_request_that_is_repeated_is_not_refused(self, app: Flask) -> None:
        ana = anybody(app)
        for key in ("one", "two"):
            assert not self.refused(ana.post("/v1/games", WANTED, Idempotency_Key=key))
        again = ana.post("/v1/games", WANTED, Idempotency_Key="one")
        assert again.status_code == 201
        assert self.refused(ana.post("/v1/games", WANTED, Idempotency_Key="three"))
        tables = {**WANTED, "tables": 2}
        eve = anybody(app)
        for _ in range(2):
            assert not self.refused(eve.post("/v1/tournaments", tables, Idempotency_Key="t"))

    def test_zero_is_no_limit(self, store: MemoryStore) -> None:
        ana = anybody(create_app(Settings(games_per_token=0, rate_create=0), store))
        assert not any(self.refused(ana.post("/v1/games", WANTED)) for _ in range(4))

    def test_to_play_is_not_to_host(self, app: Flask) -> None:
        ana, eve = anybody(app), anybody(app)
        for _ in range(2):
            eve.claim(ana.create(), 0)
        assert not self.refused(eve.post("/v1/games", WANTED))

    def test_games_go_with_the_token(self, app: Flask, store: MemoryStore) -> None:
        ana, new = anybody(app), anybody(app)
        for _ in range(2):
            ana.create()
        assert ana.post("/v1/tokens/rotate", {"token": new.token}).status_code == 200
        assert self.refused(new.post("/v1/games", WANTED))
        assert not self.refused(ana.post("/v1/games", WANTED)), "it is a token without games"

    def test_only_what_goes_on_is_listed(self, app: Flask, store: MemoryStore) -> None:
        ana = anybody(app)
        made = ana.create(*["bot"] * SEATS, start="host")
        own = index_lists.hosted_by(hash_secret(ana.token or ""))
        assert [each.game for each in store.list_by_client(own, 9)] == [made["game"]["id"]]
        ana.send(made["game"]["id"], {"type": "abandon"})
        assert store.list_by_client(own, 9) == []
        assert len(store.list_by_client(hash_secret(ana.token or ""), 9)) == 1


class TestBodies:
    """How much a request may say."""

    @pytest.mark.parametrize(("method", "path", "name"), BODIES, ids=lambda each: each)
    def test_size_and_depth(
        self, app: Flask, ana: Person, game: str, method: str, path: str, name: str
    ) -> None:
        where = path.format(game_id=game, seat=0, ruleset=RULESET.id, hook="h" * 16, number=1)
        most = MAX_BYTES if name == "importRecord" else Settings().body_bytes
        ask = {"Content-Type": "application/json"}
        long = ana.ask(method, where, raw=b'"' + b"x" * most + b'"', **ask)
        assert (long.status_code, code(long)) in ((413, "too_large"), (404, "not_found"))
        deep = ana.ask(method, where, raw=b"[" * 60_000, **ask)
        assert (deep.status_code, code(deep)) in ((400, "malformed_json"), (404, "not_found"))
        inside = b'{"a":' * 1_000 + b"1" + b"}" * 1_000
        assert ana.ask(method, where, raw=inside, **ask).status_code in (400, 404, 422)
        if "{hook}" not in path:
            assert long.status_code == 413

    def test_what_is_packed_is_measured_unpacked(self, ana: Person) -> None:
        bomb = gzip.compress(b" " * (MAX_BYTES * 4))
        assert len(bomb) < Settings().body_bytes
        answer = ana.ask("POST", "/v1/records", raw=bomb, Content_Encoding="gzip")
        assert (answer.status_code, code(answer)) == (413, "too_large")

    def test_lists_in_the_contract_have_ends(self) -> None:
        """Each list and text that a request may have says how long it may be."""
        assert not set(_endless(_requests()))
        for found in (
            {"type": "array"},
            {"type": "object", "properties": {"a": {"type": "string"}}},
        ):
            assert list(_endless(iter([("made up", found)])))

    @pytest.mark.parametrize(
        ("path", "body"),
        [
            ("/v1/games", {**WANTED, "seats": [{"kind": "human"}] * (MAX_SEATS + 1)}),
            ("/v1/games", {**WANTED, "chance": {"outcomes": [0] * (MAX_OUTCOMES + 1)}}),
            ("/v1/games", {**WANTED, "seats": [{"kind": "human", "name": "x" * 81}] * SEATS}),
            ("/v1/tournaments", {**WANTED, "tables": 101}),
            (
                f"/v1/rulesets/{RULESET.id}/positions",
                {"seats": SEATS, "steps": [[0, {}]] * (MAX_STEPS + 1)},
            ),
        ],
    )
    def test_one_more_is_misshapen(self, ana: Person, path: str, body: Any) -> None:
        answer = ana.post(path, body)
        assert (answer.status_code, code(answer)) == (422, "misshapen")

    def test_a_batch_has_an_end(self, ana: Person, game: str) -> None:
        own = ana.moves(game)["moves"][0]["command"]
        body = {"commands": [own] * (MAX_BATCH + 1)}
        answer = ana.post(f"/v1/games/{game}/commands", body)
        assert (answer.status_code, code(answer)) == (422, "misshapen")

    @pytest.mark.parametrize("query", ["limit=501", "limit=0", "limit=99999999999999999999"])
    def test_a_page_has_an_end(self, ana: Person, game: str, query: str) -> None:
        assert ana.get(f"/v1/games/{game}/events?{query}").status_code == 422
        assert ana.get(f"/v1/games?{query}").status_code == 422


def _requests() -> Iterator[tuple[str, Any]]:
    for each in operations().values():
        for kind in each.get("requestBody", {}).get("content", {}).values():
            yield each["operationId"], kind["schema"]


def _endless(schemas: Iterator[tuple[str, Any]]) -> Iterator[str]:
    """Yields the places of lists and texts without an end; named schemas once."""
    waiting, seen = list(schemas), set()
    while waiting:
        where, schema = waiting.pop()
        if "$ref" in schema:
            name = schema["$ref"].rpartition("/")[2]
            if name not in seen:
                seen.add(name)
                waiting.append((name, contract()["components"]["schemas"][name]))
            continue
        kind = schema.get("type")
        if kind == "array" and "maxItems" not in schema:
            yield where
        if kind == "string" and not {"maxLength", "pattern", "enum", "const"} & set(schema):
            yield where
        for word in ("oneOf", "anyOf", "allOf", "prefixItems"):
            waiting += [(f"{where}/{word}", inner) for inner in schema.get(word, ())]
        for name, inner in schema.get("properties", {}).items():
            waiting.append((f"{where}/{name}", inner))
        if isinstance(schema.get("items"), dict):
            waiting.append((f"{where}/items", schema["items"]))


class TestRates:
    """Limits by rate, counted for all processes together."""

    def test_processes_share_them(self, redis_url: str) -> None:
        settings = Settings(redis_url=redis_url, rate_judge=3)
        here, there = (anybody(create_app(settings, MemoryStore())) for _ in range(2))
        path = f"/v1/rulesets/{RULESET.id}/positions"
        found = [person.post(path, {"seats": SEATS}) for person in (here, there) * 3]
        assert [each.status_code for each in found] == [200, 200, 200, 429, 429, 429]
        assert 1 <= int(found[-1].headers["Retry-After"]) <= 20

    @pytest.mark.parametrize("what", RATE_LIMITED)
    def test_every_rate_is_asked_for(self, store: MemoryStore, what: str) -> None:
        """The second request of its sort is refused, and nothing of it is carried out."""
        rates = {f"rate_{each}": int(each == what) for each in RATE_LIMITED}
        ana = anybody(create_app(Settings(**rates), store))
        made = ana.create() if what != "create" else {"game": {"id": ""}}
        game = f"/v1/games/{made['game']['id']}"
        method, path, body = {
            "create": ("POST", "/v1/games", WANTED),
            "claim": ("POST", f"{game}/seats/0", {"claim_code": WRONG, "name": "Eve"}),
            "judge": ("POST", f"/v1/rulesets/{RULESET.id}/positions", {"seats": SEATS}),
            "import": ("POST", "/v1/records", {}),
            "tournament": ("POST", "/v1/tournaments", {**WANTED, "tables": 1}),
            "analyses": ("POST", f"{game}/analyses", {}),
            "tokens": ("POST", f"{game}/seats/0", {"claim_code": WRONG, "name": "Eve"}),
            "hooks": ("POST", f"{game}/webhooks", {"url": "https://receiver.invalid/"}),
        }[what]
        first, second = (ana.ask(method, path, body) for _ in range(2))
        assert first.status_code != 429
        assert (second.status_code, code(second)) == (429, "too_many")
        assert 1 <= int(second.headers["Retry-After"]) <= 60

    def test_a_bucket_fills_again_evenly(self, redis_url: str) -> None:
        shared = SharedBuckets(redis_url)
        try:
            assert [shared.take("a", 2, 400) for _ in range(2)] == [0, 0]
            wait = shared.take("a", 2, 400)
            assert 0 < wait <= 200
            assert shared.take("b", 2, 400) == 0
            time.sleep(wait / 1000 + 0.01)
            assert shared.take("a", 2, 400) == 0
        finally:
            shared.close()

    @pytest.mark.integration
    def test_without_the_server_each_counts_alone(self) -> None:
        """A queue server that is away is no reason not to serve, nor to serve without limits."""
        now = [0.0]
        shared = SharedBuckets("redis://127.0.0.1:1/0")
        limits = RateLimiter(lambda _: 2, lambda: now[0], shared)
        assert [limits.take("create", "a") for _ in range(3)] == [None, None, 30.0]
        now[0] = FALLBACK_SECONDS
        assert limits.take("create", "a") is not None

    @pytest.mark.integration
    def test_it_is_asked_again_after_a_while(self) -> None:
        now = [0.0]
        asked: list[str] = []
        away = SharedBuckets("redis://127.0.0.1:1/0")

        class Counted:
            def take(self, name: str, most: int, period: int) -> int:
                asked.append(name)
                return away.take(name, most, period)

        limits = RateLimiter(lambda _: 9, lambda: now[0], Counted())
        for now[0] in (0.0, 1.0, FALLBACK_SECONDS - 0.1, FALLBACK_SECONDS, FALLBACK_SECONDS + 1):
            limits.take("create", "a")
        assert asked == ["create a"] * 2

    @pytest.mark.parametrize(
        ("address", "whole"),
        [
            ("198.51.100.7", "198.51.100.7"),
            ("::ffff:198.51.100.7", "198.51.100.7"),
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
            ("2001:db8:1:2::", "2001:db8:1:2::/64"),
            ("fe80::1%eth0", "fe80::/64"),
            ("", ""),
            ("unix:", "unix:"),
        ],
    )
    def test_one_with_many_addresses_is_one(self, address: str, whole: str) -> None:
        assert rate_limit_key(address) == whole

    @pytest.mark.parametrize(("proxies", "statuses"), [(0, [200, 429, 429]), (1, [200, 200, 429])])
    def test_only_what_a_trusted_proxy_says_counts(
        self, store: MemoryStore, proxies: int, statuses: list[int]
    ) -> None:
        """Whatever a client itself says of where it comes from is passed over."""
        app = create_app(Settings(rate_judge=1, proxies=proxies), store)
        path = f"/v1/rulesets/{RULESET.id}/positions"
        found = [
            app.test_client()
            .post(path, json={"seats": SEATS}, headers={"X-Forwarded-For": told})
            .status_code
            for told in ("1.1.1.1, 198.51.100.1", "2.2.2.2, 198.51.100.2", "3.3.3.3, 198.51.100.2")
        ]
        assert found == statuses

    def test_guesses_at_a_private_table_count(self, store: MemoryStore) -> None:
        """The answer to the last guess is the same for a table that is not there."""
        app = create_app(Settings(rate_tokens=3), store)
        made = anybody(app).create(visibility="private")
        asked = {"claim_code": WRONG, "name": "Eve"}
        for number, game in enumerate((made["game"]["id"], "a" * 26)):
            eve = anybody(app)
            where = {"REMOTE_ADDR": f"198.51.100.{number}"}
            found = [
                eve.client.post(
                    f"/v1/games/{game}/seats/0",
                    json=asked,
                    headers={"Authorization": f"Bearer {eve.token}"},
                    environ_overrides=where,
                ).status_code
                for _ in range(5)
            ]
            assert found == [404, 404, 404, 429, 429]
