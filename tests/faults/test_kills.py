"""Parts are killed in mid-game: nothing acknowledged is lost or doubled, every game ends."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from service.cli.supervisor import Part
from service.games import table as tables
from service.games.access import new_token
from service.rules.ruleset import rulesets
from service.store.protocol import Unavailable

from .people import Person
from .place import Place, laid, running

STUCK = 10.0
"""Seconds after which a bot counts as stuck."""


class Watch:
    """Watches games; notes the longest time that one waited for a bot or for its result, counted

    from the last kill on.
    """

    def __init__(self, place: Place) -> None:
        self._load = place.house.handling.repository.load
        self._seen: dict[str, tuple[int, float]] = {}
        self.killed = 0.0
        self.longest = 0.0

    def look(self, games: list[str]) -> bool:
        """Returns whether all games are over."""
        over = True
        for game_id in games:
            try:
                game = self._load(game_id).game
            except Unavailable:
                over = False
                continue
            table = game.table
            version, since = self._seen.get(game_id, (0, 0.0))
            bots = [seat for seat in game.to_act() if table.seats[seat].bot]
            if version != game.version:
                self._seen[game_id] = (game.version, time.monotonic())
            elif bots or table.status == tables.SCORING:
                waited = time.monotonic() - max(since, self.killed)
                self.longest = max(self.longest, waited)
            over = over and table.status == tables.FINISHED
        return over


def killed(folder: Path, kills: int, seed: int) -> None:
    """Plays games while parts are killed, so many times; checks all that was promised."""
    generator = random.Random(seed)
    ruleset = next(iter(rulesets().values()))
    host = new_token()
    with running(folder) as place:
        watch = Watch(place)
        people: list[Person] = []
        threads = []
        games: list[str] = []
        victims: list[Part] = []

        def lay_more(round_: int) -> None:
            with_person = laid(place, ruleset, host, f"person {round_}", None, "easy")
            games.append(with_person)
            games.append(laid(place, ruleset, host, f"bots {round_}", "random", "easy"))
            person = Person(place.house, with_person, 0, random.Random(seed + round_))
            people.append(person)
            person.sit(host)
            threads.append(person.play())

        lay_more(0)
        for round_ in range(1, kills + 1):
            pause = time.monotonic() + generator.uniform(0.3, 1.2)
            while time.monotonic() < pause:
                watch.look(games)
                time.sleep(0.05)
            if not victims:
                victims = [place.worker, place.relay, place.server]
                generator.shuffle(victims)
            place.kill(victims.pop())
            watch.killed = time.monotonic()
            if watch.look(games) or round_ % 5 == 0:
                lay_more(round_)
        limit = time.monotonic() + 60
        while not watch.look(games):
            assert time.monotonic() < limit, "a game does not end"
            time.sleep(0.05)
        for thread in threads:
            thread.join(10)
        for person in people:
            assert person.fault is None
            assert person.acknowledged == person.recorded()
            assert person.acknowledged
        assert watch.longest < STUCK
        assert place.starts >= 3 + kills - 1, "parts were killed, and started again but for one"
        print(f"longest wait for a bot: {watch.longest:.1f} s in {len(games)} games")


def test_ten_kills(tmp_path: Path) -> None:
    killed(tmp_path, 10, 1)


@pytest.mark.long
def test_a_hundred_kills(tmp_path: Path) -> None:
    for round_ in range(5):
        killed(tmp_path / str(round_), 20, 100 + round_)
