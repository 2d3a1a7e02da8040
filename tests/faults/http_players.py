"""Clients over HTTP that go on through all faults, lose answers themselves, and remember what was

acknowledged.
"""

from __future__ import annotations

import http.client
import json
import random
import threading
import time
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from service.games.tokens import new_token
from service.rules.ruleset import AnyRuleset

PATIENCE = 20.0
"""Seconds that a client waits for an answer."""

STORE_AWAY = frozenset({"unavailable", "outcome_unknown", "busy"})


class Answer(NamedTuple):
    """An answer that says something for good."""

    status: int
    body: Any
    replayed: bool


@dataclass
class Traffic:
    """What clients together have seen: requests sent; answers that they lost themselves, or that a

    cut connection lost; services that nobody listened at, or that said "later"; repetitions.
    """

    sent: int = 0
    dropped: int = 0
    cut: int = 0
    away: int = 0
    refused: int = 0
    replayed: int = 0
    answered: float = 0.0
    moved: threading.Condition = field(default_factory=threading.Condition)

    def note(self, **counts: int) -> None:
        """Counts."""
        with self.moved:
            for name, count in counts.items():
                setattr(self, name, getattr(self, name) + count)
            self.moved.notify_all()

    def in_flight(self, seconds: float) -> None:
        """Returns when the next request has been sent, or after so long."""
        with self.moved:
            before = self.sent
            self.moved.wait_for(lambda: self.sent > before, seconds)


class Line:
    """A client's way to the service. Of requests with a key the answer is lost by a chance of

    `drops`: the client hangs up, at once or a little later, and asks again under the same key.
    """

    def __init__(
        self, port: int, traffic: Traffic, generator: random.Random, drops: float = 0.1
    ) -> None:
        self.token = new_token().text
        self.port = port
        self.traffic = traffic
        self._generator = generator
        self._drops = drops

    def surely(self, method: str, path: str, body: Any = None, key: str | None = None) -> Answer:
        """Asks until there is an answer that is not "later"; fails for a 500 and other nonsense."""
        again = False
        while True:
            answer = self._once(method, path, body, key)
            if answer is not None and answer.status < 500:
                assert again or not answer.replayed, "repeated by nobody"
                self.traffic.note(replayed=int(answer.replayed))
                self.traffic.answered = time.monotonic()
                return answer
            again = True
            time.sleep(0.05)

    def _once(self, method: str, path: str, body: Any, key: str | None) -> Answer | None:
        headers = {"Authorization": f"Bearer {self.token}"}
        data = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            data = json.dumps(body)
        if key is not None:
            headers["Idempotency-Key"] = key
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        with closing(connection):
            try:
                connection.connect()
            except OSError:
                self.traffic.note(away=1)
                return None
            try:
                connection.request(method, path, data, headers)
                self.traffic.note(sent=1)
                if key is not None and self._generator.random() < self._drops:
                    time.sleep(self._generator.choice((0, 0.005, 0.02)))
                    self.traffic.note(dropped=1)
                    return None
                answer = connection.getresponse()
                raw = answer.read()
            except (OSError, http.client.HTTPException):
                self.traffic.note(cut=1)
                return None
        told = json.loads(raw)
        if answer.status >= 500:
            assert answer.status == 503, told
            assert told["code"] in STORE_AWAY
            assert int(answer.headers["Retry-After"]) >= 1
            self.traffic.note(refused=1)
        return Answer(answer.status, told, answer.headers.get("Idempotent-Replayed") == "true")


class Acknowledged(NamedTuple):
    """A command that was answered with success, and the events told of it."""

    command: dict[str, Any]
    events: list[dict[str, Any]]


class Player(threading.Thread):
    """Plays one game after the other, seat 0 against bots, until it is told to stop.

    The bots are of `levels` in turn. `games` has each game's acknowledged commands in order;
    `fault` is what went wrong.
    """

    def __init__(
        self, line: Line, ruleset: AnyRuleset, generator: random.Random, levels: tuple[str, ...]
    ) -> None:
        super().__init__()
        self._levels = levels
        self.line = line
        self.ruleset = ruleset
        self.games: dict[str, list[Acknowledged]] = {}
        self.fault: BaseException | None = None
        self.stop = threading.Event()
        self._generator = generator

    def run(self) -> None:
        try:
            while not self.stop.is_set():
                self._play(self._lay())
        except BaseException as fault:
            self.fault = fault

    def _lay(self) -> str:
        number = len(self.games)
        level = self._levels[number % len(self._levels)]
        seats: list[dict[str, Any]] = [{"kind": "bot", "level": level}] * min(self.ruleset.seats)
        seats[0] = {"kind": "human"}
        asked = {"ruleset": self.ruleset.id, "seats": seats}
        made = self.line.surely("POST", "/v1/games", asked, f"table-{number}")
        assert made.status == 201, made
        game = str(made.body["game"]["id"])
        (code,) = made.body["claim_codes"]
        claim = {"claim_code": code["claim_code"], "name": "person"}
        sat = self.line.surely("POST", f"/v1/games/{game}/seats/0", claim, "claim")
        assert sat.status == 201, sat
        self.games[game] = []
        return game

    def _play(self, game: str) -> None:
        path = f"/v1/games/{game}"
        done = self.games[game]
        tries = 0
        while not self.stop.wait(self._generator.uniform(0, 0.03)):
            listed = self.line.surely("GET", f"{path}/moves")
            assert listed.status == 200, listed
            if listed.body["reason"] == "game_over":
                return
            if not listed.body["moves"]:
                continue
            move = self._generator.choice(listed.body["moves"])
            tries += 1
            asked = {"seat": move["seat"], "command": move["command"]}
            sent = self.line.surely("POST", f"{path}/commands", asked, f"move-{tries}")
            if sent.status != 409:  # others at the table were faster, and it is legal no longer
                assert sent.status == 201, sent
                done.append(Acknowledged(move["command"], sent.body["events"]))
