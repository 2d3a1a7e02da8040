"""Redis fails in every way that can be brought about: the API says "later" and recovers by itself.

No answer is a 500; each 503 says when to come back; nothing is half written; what is asked again
under its key is done once.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from typing import Any, NamedTuple

import pytest
from redis import Redis

from service.games.tokens import new_token
from service.store.embedded import EmbeddedServer, free_port
from tests.api.http_client import RULESET
from tests.faults.disturbances import REFUSING, ServerTrouble, paused
from tests.live.api_server import Client, Served, path_of, served
from tests.store.proxy import Fault, Proxy
from tests.store.streams import kept

LATER = frozenset({"unavailable", "outcome_unknown", "busy"})


class Place(NamedTuple):
    """An API, the server behind it and the way between them, which may be bad."""

    api: Served
    server: EmbeddedServer
    proxy: Proxy
    admin: Redis


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("place")
    port = free_port()
    with (
        EmbeddedServer(folder / "redis", port=port) as server,
        Proxy(port) as proxy,
        Redis.from_url(server.url) as admin,
        served(f"redis://127.0.0.1:{proxy.port}/0", folder / "var", BAILLI_WEB_WORKERS="1") as api,
    ):
        yield Place(api, server, proxy, admin)


class Asked(NamedTuple):
    """A request, and what is right as its answer in the end."""

    method: str
    path: str
    body: Any = None
    key: str | None = None
    fine: tuple[int, ...] = (200,)


class Scene:
    """Somebody's games, and all that can be asked about them."""

    def __init__(self, api: Served) -> None:
        self.ana = Client(api.port)
        self.other = Client(api.port)
        self.path = path_of(self.ana.play())
        self.moved = self.ana.move(self.path)
        self.doomed = path_of(self.ana.play())
        self.opened = self._lay(self.ana)
        self.theirs = self._lay(self.other)
        over = path_of(self.ana.play())
        self.ana.send(over, {"type": "abandon"})
        self.record = self.ana.get(f"{over}/record")
        self.fresh = new_token().text
        self.games = self.count()

    @staticmethod
    def _lay(host: Client) -> dict[str, Any]:
        seats = [{"kind": "human"}] * min(RULESET.seats)
        status, _, made = host.ask("POST", "/v1/games", {"ruleset": RULESET.id, "seats": seats})
        assert status == 201
        return dict(made)

    def count(self) -> int:
        """How many games Ana has."""
        return len(self.ana.get("/v1/games?mine=true&limit=100")["games"])

    def reads(self) -> list[Asked]:
        """Everything that can be read."""
        paths = ["", "/moves", "/events", "/score", "/board.svg", "?version=1", "/webhooks"]
        places = ["/v1/games", "/v1/games?mine=true", "/v1/turns", "/v1/rulesets", "/livez"]
        found = [Asked("GET", self.path + path) for path in paths]
        return [*found, *(Asked("GET", path) for path in places), Asked("GET", "/readyz")]

    def writes(self) -> list[Asked]:
        """Everything that can be changed, each by itself."""
        first = self.ana.get(f"{self.path}/moves")["moves"][0]
        command = {"seat": first["seat"], "command": first["command"]}
        seats = [{"kind": "human"}] * min(RULESET.seats)
        code = self.opened["claim_codes"][0]
        claim = {"claim_code": code["claim_code"], "name": "Ana"}
        seat = f"{path_of(self.opened)}/seats/{code['seat']}"
        hook = {"url": "https://receiver.invalid/"}
        return [
            Asked("POST", f"{self.path}/commands", command, "move", (201,)),
            Asked("POST", f"{self.path}/commands?dry_run=true", command, fine=(200, 409)),
            Asked("POST", "/v1/games", {"ruleset": RULESET.id, "seats": seats}, "lay", (201,)),
            Asked("POST", seat, claim, "claim", (201,)),
            Asked("POST", f"{self.path}/forks", {"version": self.moved}, "fork", (201,)),
            Asked("POST", f"{self.path}/webhooks", hook, "hook", (201,)),
            Asked("POST", "/v1/records", self.record, "import", (202,)),
            Asked("DELETE", self.doomed, fine=(204, 410)),
        ]

    def ask(self, asked: Asked) -> tuple[int, Any, Any]:
        """Asks, and holds the answer against what is promised."""
        headers = {} if asked.key is None else {"Idempotency_Key": asked.key}
        status, told, body = self.ana.ask(asked.method, asked.path, asked.body, **headers)
        if status not in asked.fine:
            assert status in (503, 504), (asked, status, body)
            assert body["code"] in LATER
            assert told["Content-Type"] == "application/problem+json"
            assert int(told["Retry-After"]) >= 1
        return status, told, body

    def ask_all(self, many: list[Asked]) -> list[int]:
        """Asks all at the same time; returns the states of the answers."""
        with ThreadPoolExecutor(len(many)) as pool:
            return [status for status, _, _ in pool.map(self.ask, many)]

    def recover(self, seconds: float = 15) -> None:
        """Waits until the API is ready by itself."""
        limit = time.monotonic() + seconds
        while self.ask(Asked("GET", "/readyz"))[0] != 200:
            assert time.monotonic() < limit, "it does not recover"
            time.sleep(0.05)

    def finish(self, writes: list[Asked]) -> None:
        """Asks for all that was asked before, again: it is done, and once."""
        answers = {}
        for asked in writes:
            status, _, answers[asked.key] = self.ask(asked)
            assert status in asked.fine
        events = self.ana.get(f"{self.path}/events?after={self.moved}")["events"]
        assert events == answers["move"]["events"]
        assert self.count() == self.games + 1 + 1 - 1, "one laid, one branch, one deleted"
        assert len(self.ana.get(f"{self.path}/webhooks")["webhooks"]) == 1
        for asked in self.reads():
            assert self.ask(asked)[0] == 200


Trouble = Callable[[Place], AbstractContextManager[None]]


def of_the_server(trouble: ServerTrouble) -> Trouble:
    """A trouble that is brought about from another connection."""
    return lambda place: trouble(place.admin)


@contextmanager
def gone(place: Place) -> Iterator[None]:
    """It was killed, and is started again."""
    place.server.kill()
    try:
        yield
    finally:
        place.server.start()


def on_the_way(fault: Fault) -> Trouble:
    """Every script meets this fault of the connection."""

    @contextmanager
    def trouble(place: Place) -> Iterator[None]:
        place.proxy.always = fault
        try:
            yield
        finally:
            place.proxy.always = None
            time.sleep(0.3)  # what is late has arrived

    return trouble


@contextmanager
def stopped(place: Place) -> Iterator[None]:
    """It stands still; connections are taken, and nothing is answered."""
    os.kill(place.server.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(place.server.pid, signal.SIGCONT)


REFUSED: dict[str, Trouble] = {
    **{name: of_the_server(trouble) for name, trouble in REFUSING.items()},
    "gone": gone,
    "cut before": on_the_way("before"),
    "cut in mid-request": on_the_way("half"),
}
"""Troubles in which nothing is written."""

OPEN: dict[str, Trouble] = {
    "cut inside": on_the_way("inside"),
    "cut after": on_the_way("after"),
    "late": on_the_way("late"),
    "slow": on_the_way("slow"),
}
"""Troubles in which things may be written."""

ENDLESS: dict[str, Trouble] = {"paused": of_the_server(paused), "stopped": stopped}
"""Troubles that last longer than anybody waits: three times five seconds, at most."""


@pytest.mark.parametrize("trouble", REFUSED.values(), ids=REFUSED)
def test_nothing_is_written(place: Place, trouble: Trouble) -> None:
    scene = Scene(place.api)
    reads, writes = scene.reads(), scene.writes()
    before = kept(place.admin)
    with trouble(place):
        scene.ask_all(reads)
        states = dict(zip([asked.path for asked in writes], scene.ask_all(writes), strict=True))
    assert {state for path, state in states.items() if "dry_run" not in path} == {503}
    scene.recover()
    assert kept(place.admin) == before
    scene.finish(writes)


@pytest.mark.parametrize(
    "trouble",
    [*OPEN.values(), *(pytest.param(each, marks=pytest.mark.long) for each in ENDLESS.values())],
    ids=[*OPEN, *ENDLESS],
)
def test_what_is_asked_again_is_done_once(place: Place, trouble: Trouble) -> None:
    scene = Scene(place.api)
    reads, writes = scene.reads(), scene.writes()
    with trouble(place):
        states = scene.ask_all([*reads, *writes])
    assert set(states) <= {200, 201, 202, 204, 409, 410, 503}
    scene.recover()
    scene.finish(writes)


def test_a_short_pause_is_waited_for(place: Place) -> None:
    """CLIENT PAUSE for less than the time-out: everything is answered, if later."""
    scene = Scene(place.api)
    writes = scene.writes()
    place.admin.client_pause(700)
    assert 503 not in scene.ask_all(writes)
    scene.finish(writes)


@pytest.mark.parametrize("first", ["before", "half", "inside", "after", "late"])
def test_one_fault_is_nobody_s_business(place: Place, first: Fault) -> None:
    """A single sending that fails is settled within the request."""
    scene = Scene(place.api)
    writes = scene.writes()
    place.proxy.meet(first)  # a command of a game that is known begins with its append
    assert scene.ask(writes[0])[0] == 201
    assert place.proxy.requests > 1, "it was asked what had become of the append"
    time.sleep(0.3)
    scene.finish(writes)
