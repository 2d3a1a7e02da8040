"""Parts of the service are killed under load: nothing acknowledged is lost or doubled, versions

have no gaps, and every game of bots ends.
"""

from __future__ import annotations

import os
import random
import signal
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from redis import Redis, RedisError
from rq import Worker
from rq.serializers import JSONSerializer

from service.games.codec import decode_meta
from service.games.records import verification
from service.games.repository import Repository, UnknownGame
from service.games.table import state as table_state
from service.rules.ruleset import AnyRuleset, rulesets
from service.store import Unavailable
from service.store.redis_store import open_store
from tests.faults.http_players import Line, Player, Traffic
from tests.faults.local_service import Up, waited

STUCK = 10.0
"""Seconds after a kill by which each game that waited for a bot, or for its result, has moved."""

LEASE = 8.0
"""Of these the longest time for which work is left to a worker, and the relay's pause. On a machine

that takes longer for the rest (the service is started meanwhile) it may be as much longer.
"""

VICTIMS = ("api worker", "api", "relay", "fast worker", "slow worker", "server", "supervisor")
LEVELS = ("easy", "medium")
"""Whom people play against: bots that answer at once, and such as think."""

BOTS = 2
"""How many games of bots are kept going at a time."""


class Storm:
    """The service, people who play on it, and somebody who kills its processes."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.generator = random.Random(seed)
        self.up = Up(folder / "var", BAILLI_WEB_WORKERS="2")
        self.slowest_start = 0.0
        self.start()
        socket = f"unix://{self.up.folder}/redis.sock"
        self.store = open_store(socket, timeout=2)
        self.queues = Redis.from_url(f"{socket}?db=1")
        self.repository = Repository(self.store)
        self.traffic = Traffic()
        self.host = self.line()
        self.laws = list(rulesets().values())
        self.people = [
            Player(self.line(), law, self.random(), LEVELS[turn % 2 :] + LEVELS[: turn % 2])
            for turn, law in enumerate(self.laws)
        ]
        self.of_bots: list[str] = []
        self.recoveries: dict[str, list[float]] = defaultdict(list)
        for person in self.people:
            person.start()

    def start(self) -> None:
        """Starts the service, and notes how long that takes at most."""
        begun = time.monotonic()
        self.up.start()
        self.slowest_start = max(self.slowest_start, time.monotonic() - begun)

    def random(self) -> random.Random:
        return random.Random(self.generator.randrange(1 << 32))

    def line(self) -> Line:
        return Line(self.up.port, self.traffic, self.random())

    # Games

    def lay_bots(self) -> None:
        """Lays games of bots, of each ruleset and number of seats in turn, up to `BOTS` at once."""
        while len(self.unfinished()) < BOTS:
            number = len(self.of_bots)
            law: AnyRuleset = self.laws[number % len(self.laws)]
            count = law.seats[number // len(self.laws) % len(law.seats)]
            levels = ["easy", "random"] * count
            seats = [{"kind": "bot", "level": level} for level in levels[:count]]
            asked = {"ruleset": law.id, "seats": seats}
            made = self.host.surely("POST", "/v1/games", asked, f"bots-{number}")
            assert made.status == 201, made
            self.of_bots.append(made.body["game"]["id"])

    def status(self, game: str) -> tuple[int, bool, str] | None:
        """A game's version, whether it waits for the house, its status; None: not to be had."""
        try:
            found = self.repository.load(game).game
        except (Unavailable, UnknownGame):
            return None
        bots = any(found.table.seats[seat].bot for seat in found.to_act())
        return found.version, bots or found.table.status == table_state.SCORING, found.table.status

    def unfinished(self) -> list[str]:
        """The games of bots that have not ended, as far as can be seen."""
        return [
            game
            for game in self.of_bots
            if (found := self.status(game)) is None or found[2] != table_state.FINISHED
        ]

    # Kills

    def strike(self, victim: str) -> None:
        """Kills a part, and waits until each game that waited for the house has moved on."""
        self.lay_bots()
        hit = getattr(self, f"_kill_{victim.replace(' ', '_')}", None)
        games = [
            *self.of_bots[-2 * BOTS :],
            *(list(each.games)[-1] for each in self.people if each.games),
        ]
        seen = {game: self.status(game) for game in games}
        killed = hit() if hit is not None else self._killed(victim)
        waiting = {game: found[0] for game, found in seen.items() if found and found[1]}
        while waiting:
            for game, version in list(waiting.items()):
                found = self.status(game)
                if found is not None and found[0] > version:
                    del waiting[game]
            assert time.monotonic() < killed + 60, f"{victim}: {waiting} is stuck"
            time.sleep(0.02)
        while self.traffic.answered < killed:
            for person in self.people:
                assert person.fault is None, person.fault
            assert time.monotonic() < killed + 60, f"{victim}: nobody is answered"
            time.sleep(0.02)
        self.recoveries[victim].append(time.monotonic() - killed)

    def _killed(self, part: str) -> float:
        """Kills a part; returns when."""
        self.up.kill(part)
        return time.monotonic()

    def _kill_api_worker(self) -> float:
        """While a request is on its way through it, or was a moment ago."""
        waited(20, self.up.api_workers, "there is no API worker")
        self.traffic.in_flight(1)
        time.sleep(self.generator.uniform(0, 0.004))
        if workers := self.up.api_workers():
            os.kill(self.generator.choice(workers), signal.SIGKILL)
        return time.monotonic()

    def _kill_fast_worker(self) -> float:
        return self._kill_at_work("fast worker")

    def _kill_slow_worker(self) -> float:
        return self._kill_at_work("slow worker")

    def _kill_at_work(self, part: str) -> float:
        """In mid-job, if one comes soon."""
        limit = time.monotonic() + 3
        while time.monotonic() < limit and not self._busy(self.up.part(part)):
            time.sleep(0.002)
        return self._killed(part)

    def _busy(self, pid: int | None) -> bool:
        try:
            found = Worker.all(self.queues, serializer=JSONSerializer)
            return any(each.pid == pid and each.get_state() == "busy" for each in found)
        except RedisError:
            return False

    def _kill_supervisor(self) -> float:
        """And starts another one on the same data: nothing of the first lingers."""
        before = self.up.processes()
        assert len(before) > len(VICTIMS)
        assert self.up.end(signal.SIGKILL) == -signal.SIGKILL
        killed = time.monotonic()
        self.start()
        assert not set(before) & set(self.up.processes()), "processes of a killed one linger"
        return killed

    # The reckoning

    def end(self) -> None:
        """Waits for all to end, and checks all that was promised."""
        for person in self.people:
            person.stop.set()
        for person in self.people:
            person.join(60)
            assert person.fault is None, person.fault
            assert not person.is_alive()
        waited(90, lambda: not self.unfinished(), "a game of bots does not end")
        for game in self.of_bots:
            self._check_ended(game)
        commands = 0
        for person in self.people:
            listed = person.line.surely("GET", "/v1/games?mine=true&limit=100").body["games"]
            assert {each["id"] for each in listed} == set(person.games)
            for game in person.games:
                commands += self._check_played(person, game)
        assert commands > len(self.people)
        found = self.traffic
        assert found.dropped > 0
        assert found.replayed > 0
        print(f"\n{commands} commands in {found.sent} requests: {found.dropped} answers dropped, ")
        print(f"{found.cut} cut, {found.away} not let in, {found.refused} told to come later, ")
        print(f"{found.replayed} told again; {len(self.of_bots)} games of bots ended")
        print(f"the slowest start took {self.slowest_start:.1f} s")
        for victim, times in self.recoveries.items():
            print(f"{victim}: {len(times)} kills, again after {max(times):.1f} s at most")

    def events(self, line: Line, game: str) -> list[dict[str, Any]]:
        """All events of a game as clients read them; versions go 1 … n."""
        found: list[dict[str, Any]] = []
        while page := line.surely(
            "GET", f"/v1/games/{game}/events?after={len(found)}&limit=500"
        ).body["events"]:
            found += page
        assert [each["version"] for each in found] == list(range(1, len(found) + 1))
        return found

    def _check_ended(self, game: str) -> None:
        self.events(self.host, game)
        assert self.host.surely("GET", f"/v1/games/{game}/score").body["recorded"]
        assert verification.verify_record(
            self.host.surely("GET", f"/v1/games/{game}/record").body
        ).commands

    def _check_played(self, person: Player, game: str) -> int:
        """Every command acknowledged stands once and as it was told, and no other does."""
        acknowledged = person.games[game]
        told = self.events(person.line, game)
        for each in acknowledged:
            first = each.events[0]["version"]
            assert told[first - 1 : first - 1 + len(each.events)] == each.events
        assert Repository(self.store).load(game).game.version == len(told)
        metas = [decode_meta(entry) for entry in self.store.read(game).entries]
        steps = [step for meta in metas if meta is not None for step in meta.steps]
        own = [step.command for step in steps if step.seat == 0]
        assert own == [each.command for each in acknowledged]
        return len(own)

    def close(self) -> None:
        for person in self.people:
            person.stop.set()
        if self.up.running:
            self.up.end(signal.SIGTERM)
        self.store.close()
        self.queues.close()


def struck(folder: Path, kills: int, seed: int) -> None:
    """Lets a storm of so many kills go by, all victims in turn, in random order."""
    storm = Storm(folder, seed)
    try:
        victims: list[str] = []
        for _ in range(kills):
            victims = victims or storm.generator.sample(VICTIMS, len(VICTIMS))
            storm.strike(victims.pop())
            time.sleep(storm.generator.uniform(0, 0.4))
        storm.end()
        longest = max(max(times) for times in storm.recoveries.values())
        assert longest < max(STUCK, LEASE + storm.slowest_start)
    except BaseException:
        print(storm.up.told()[-10_000:])
        raise
    finally:
        storm.close()


def test_ten_kills(tmp_path: Path) -> None:
    struck(tmp_path, 10, 1)


@pytest.mark.long
def test_a_hundred_kills(tmp_path: Path) -> None:
    struck(tmp_path, 100, 2)
