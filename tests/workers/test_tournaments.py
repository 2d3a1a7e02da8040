"""The job that shows a tournament's chance: once, everywhere, when the last table is over."""

from __future__ import annotations

import pytest

from service.games import owed, tournaments
from service.games.asked import Creation, Request
from service.games.commands import Abandon
from service.games.events import SeatPlan
from service.games.game import Game
from service.games.owed import Life
from tests.rules.toy import Pebbles
from workers import jobs
from workers.house import House
from workers.relay import Relay

from .tables import HOST, Clock, house, newest, owes


class Answering:
    """Answers each call at once."""

    def __init__(self, here: House) -> None:
        self.here = here

    def ring(self, lease: object) -> bool:
        jobs.answer(self.here, lease.kind, lease.game)  # type: ignore[attr-defined]
        return True


def lay(here: House, count: int) -> list[Game]:
    law = Pebbles()
    creation = Creation(law, law.options(), (SeatPlan("human"), SeatPlan("human")))
    _, laid = tournaments.lay(here.handling, creation, count, HOST, Request(HOST))
    return [each.game for each in laid]


def end(here: House, game: Game) -> None:
    here.handling.send(game.id, None, [Abandon()], Request(HOST))


def test_the_last_table_rings_for_all(clock: Clock) -> None:
    here = house(clock, Life(archive=60_000))
    relay = Relay(here, Answering(here))
    games = lay(here, 4)
    for game in games[:-1]:
        end(here, game)
        relay.look()
        assert owes(here, game)[owed.REVEAL] == clock.now + jobs.WAIT
    clock.now += 1_000
    end(here, games[-1])
    relay.look()
    clock.now += 1
    relay.look()
    for game in games:
        assert newest(here, game).table.revealed
        assert owed.REVEAL not in owes(here, game)
        assert owed.ARCHIVE in owes(here, game)


def test_a_deleted_table_is_noticed_in_time(clock: Clock) -> None:
    here = house(clock)
    relay = Relay(here, Answering(here))
    one, other = lay(here, 2)
    end(here, one)
    relay.look()
    here.handling.delete(other.id, Request(HOST))
    relay.look()
    assert not newest(here, one).table.revealed
    clock.now += jobs.WAIT
    relay.look()
    assert newest(here, one).table.revealed


@pytest.mark.parametrize("times", [2])
def test_it_is_shown_once(clock: Clock, times: int) -> None:
    here = house(clock)
    (game,) = lay(here, 1)
    end(here, game)
    assert [jobs.answer(here, owed.REVEAL, game.id) for _ in range(times)] == [True, False]
