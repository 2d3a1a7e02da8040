"""The service on a cluster: a master dies, its games answer 503 until its replica took over."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from redis import Redis

from service.app import create_app
from service.config import RATE_LIMITED, Settings
from service.games.table import state as table_state
from service.rules.ruleset import rulesets
from service.store import PARTITIONS
from service.store.embedded import EmbeddedServer
from service.store.redis_store import open_store
from tests.api.http_client import SEATS, Person, anybody, code
from tests.store.cluster import Cluster, running
from tests.workers.tables import lay, newest
from workers import worker as workers
from workers.context import build_context
from workers.queues import FAST, QueueDoorbell
from workers.relay import Relay

FREE = Settings(**{f"rate_{what}": 0 for what in RATE_LIMITED})
LIMIT = 60.0


def played(ana: Person) -> dict[str, str]:
    """Returns a game in play in each of many partitions, by partition."""
    games: dict[str, str] = {}
    for _ in range(40):
        made = ana.create()
        game = made["game"]["id"]
        if game[0] not in games:
            games[game[0]] = game
            for seat in range(SEATS):
                assert ana.claim(made, seat).status_code == 201
    return games


def moved(ana: Person, game: str, key: str, known: dict[str, Any]) -> Any:
    """Sends the same move until it is answered with success; returns how often it was refused."""
    refusals = 0
    limit = time.monotonic() + LIMIT
    while True:
        answer = ana.send(game, known["command"], known["seat"], Idempotency_Key=key)
        if answer.status_code == 201:
            return refusals
        assert (answer.status_code, answer.headers["Retry-After"]) == (503, "1")
        assert code(answer) in ("unavailable", "outcome_unknown")
        assert time.monotonic() < limit
        refusals += 1
        time.sleep(0.05)


@pytest.mark.long
def test_a_master_dies_under_the_api(tmp_path: Path) -> None:
    with running(tmp_path, node_timeout=2_000) as cluster:
        store = open_store(cluster.url, timeout=3)
        ana = anybody(create_app(FREE, store))
        games = played(ana)
        masters = {cluster.master_of(one).port for one in games}
        assert len(masters) == 3, "games are spread over all masters"
        first = {one: ana.moves(game)["moves"][0] for one, game in games.items()}
        victim = cluster.master_of(next(iter(games)))
        own = [one for one in games if cluster.master_of(one) is victim]
        victim.server.kill()
        for one in games:
            if one not in own:
                assert moved(ana, games[one], "first", first[one]) == 0, "others go on"
        assert moved(ana, games[own[0]], "first", first[own[0]]) > 0
        assert ana.get("/readyz").status_code == 200
        for one in own:
            moved(ana, games[one], "first", first[one])
        victim.server.start()
        for game in games.values():
            told = (ana.get(f"/v1/games/{game}/events").json or {})["events"]
            assert [event["version"] for event in told] == list(range(1, len(told) + 1))
        store.close()


@pytest.mark.long
def test_queues_on_a_server_of_their_own(cluster: Cluster, tmp_path: Path) -> None:
    """Bots play on a cluster; the queues' server holds nothing of the games, and may be lost."""
    cluster.empty()
    with EmbeddedServer(tmp_path) as bell:
        queues = Redis.from_url(Settings(queue_url=bell.url).resolve_queue_url(cluster.url))
        store = open_store(cluster.url)
        here = build_context(store, Settings())
        law = next(iter(rulesets().values()))
        games = [lay(here, "random", "random", ruleset=law) for _ in range(4)]
        relay = Relay(here, QueueDoorbell(queues))
        relay.poll()
        assert queues.keys("rq:*")
        bell.kill()
        (bell.folder / "appendonlydir").rename(tmp_path / "lost")
        bell.start()
        limit = time.monotonic() + LIMIT
        while any(newest(here, game).table.status != table_state.FINISHED for game in games):
            assert time.monotonic() < limit
            relay.poll()
            workers.run(FAST, here, queues, burst=True)
        kept = set().union(*cluster.keys().values())
        assert all(name.startswith("{") and name[1] in PARTITIONS for name in kept)
        assert all(name.startswith(b"rq:") for name in queues.keys("*"))
        queues.close()
        store.close()
