"""What clients see of bots: delays, limits, who moved in whose place."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from flask import Flask

from service.app import create_app
from service.bot_levels import LEVELS
from service.config import Settings
from service.games.codec import Replaced
from service.store import MemoryStore
from tests.api.http_client import RULESET, SEATS, Person, anybody, code, contract
from workers import jobs
from workers.context import WorkerContext, build_context

BOTS = {"ruleset": RULESET.id, "seats": [{"kind": "bot"}] * SEATS}


def test_a_delay_is_shown_and_kept(ana: Person) -> None:
    made = ana.create("human", *["bot"] * (SEATS - 1), bot_delay=1500)
    path = f"/v1/games/{made['game']['id']}"
    assert made["game"]["bot_delay"] == 1500
    assert (ana.get(path).json or {})["bot_delay"] == 1500
    (created, *_) = (ana.get(f"{path}/events").json or {})["events"]
    assert created["data"]["bot_delay"] == 1500
    ana.claim(made, 0)
    assert (ana.post(f"{path}/forks", {}).json or {})["game"]["bot_delay"] == 0
    ana.send(made["game"]["id"], {"type": "resign"}, 0)
    if SEATS == 2:
        assert (ana.post(f"{path}/rematch", {}).json or {})["game"]["bot_delay"] == 1500
    assert ana.create()["game"]["bot_delay"] == 0


def test_the_tables_of_a_tournament_have_a_delay(ana: Person) -> None:
    wanted = {**BOTS, "tables": 2, "bot_delay": 10_000}
    made = ana.post("/v1/tournaments", wanted).json or {}
    for table in made["tables"]:
        assert (ana.get(f"/v1/games/{table['game']}").json or {})["bot_delay"] == 10_000


@pytest.mark.parametrize("delay", [-1, 10_001, 0.5, True, "1", None])
def test_a_delay_that_is_none_is_refused(ana: Person, delay: Any) -> None:
    answer = ana.post("/v1/games", {**BOTS, "bot_delay": delay})
    assert answer.status_code == 422
    assert [each["pointer"] for each in (answer.json or {})["errors"]] == ["/bot_delay"]


def test_a_delay_belongs_to_what_a_key_stands_for(ana: Person) -> None:
    ana.create()
    ana.post("/v1/games", {**BOTS, "bot_delay": 1}, Idempotency_Key="k")
    again = ana.post("/v1/games", {**BOTS, "bot_delay": 2}, Idempotency_Key="k")
    assert code(again) == "key_reused"


def test_bots_moves_come_one_by_one(
    app: Flask, ana: Person, store: MemoryStore, clock: Any
) -> None:
    made = ana.create(*["bot"] * SEATS, bot_delay=400)["game"]
    context = build_context(store, Settings())
    path = f"/v1/games/{made['id']}/events?limit=100"
    for _ in range(5):
        clock.now += 399
        assert not jobs.do_work(context, "crowd", made["id"])
        clock.now += 1
        assert jobs.do_work(context, "crowd", made["id"])
    told = (ana.get(path).json or {})["events"]
    times = sorted({each["at"] for each in told})
    assert [later - sooner for sooner, later in itertools.pairwise(times)] == [400] * 5


@pytest.mark.parametrize("limits", [{"bots_client": 2, "bots_all": 0}, {"bots_all": 2}])
def test_games_of_bots_alone_are_limited(
    store: MemoryStore, limits: dict[str, int], clock: Any
) -> None:
    app = create_app(Settings(**limits), store)
    scope = "client" if "bots_client" in limits else "all"
    ana = anybody(app)
    first = ana.create(*["bot"] * SEATS)["game"]["id"]
    path = f"/v1/games/{first}"
    kept = ana.post("/v1/games", BOTS, Idempotency_Key="k")
    assert kept.status_code == 201
    refused = [
        ana.post("/v1/games", BOTS),
        ana.post("/v1/games", {**BOTS, "start": "host"}),
        ana.post("/v1/tournaments", {**BOTS, "tables": 1}),
        ana.post(f"{path}/forks", {}),
        anybody(app).post("/v1/games", BOTS),  # of the same address
    ]
    for answer in refused:
        assert (answer.status_code, code(answer)) == (429, "too_many_bots")
        told = answer.json or {}
        assert (told["scope"], told["limit"]) == (scope, 2)
        assert answer.headers["Retry-After"] == "10"
    assert ana.post("/v1/games", BOTS, Idempotency_Key="k").json == kept.json
    ana.create("human", *["bot"] * (SEATS - 1))
    ana.send(first, {"type": "abandon"})
    assert ana.post("/v1/games", BOTS).status_code == 201
    assert code(ana.post(f"{path}/rematch", {})) == "too_many_bots"


def test_a_network_of_addresses_is_one_client(store: MemoryStore) -> None:
    app = create_app(Settings(bots_client=1), store)
    answers = [
        app.test_client().post("/v1/games", json=BOTS, environ_overrides={"REMOTE_ADDR": address})
        for address in ("2001:db8::1", "2001:db8::2", "2001:db8:0:1::1")
    ]
    assert [answer.status_code for answer in answers] == [201, 429, 201]


def test_who_moved_in_whose_place_is_told(
    ana: Person, store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = ana.create(*["bot"] * SEATS)["game"]
    context: WorkerContext = build_context(store, Settings())
    game = context.command_handler.repository.load(made["id"]).game
    seat = game.to_act()[0]
    command = game.ruleset.legal(game.state, seat)[0]
    context.command_handler.play_bot(
        seat, command, game, "random", replaced=Replaced("easy", "random", "overran")
    )
    told = (ana.get(f"/v1/games/{made['id']}/events").json or {})["events"]
    marks = [each.get("replaced") for each in told]
    assert marks[: game.version] == [None] * game.version
    mark = {"level": "easy", "by": "random", "reason": "overran"}
    assert marks[game.version :] == [mark] * (len(told) - game.version) != []
    schema = contract()["components"]["schemas"]["Replaced"]["properties"]
    assert schema["level"]["enum"] == list(LEVELS)
    assert schema["reason"]["enum"] == ["failed", "overran"]
