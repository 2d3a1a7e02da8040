"""The job that shows a tournament's chance: once, everywhere, when the last table is over."""

from __future__ import annotations

import pytest

from service.games import due_work
from service.games.commands import tournaments
from service.games.commands.requests import Creation, RequestContext
from service.games.due_work import Lifetimes
from service.games.game import Game
from service.games.table.commands import Abandon
from service.games.table.events import SeatPlan
from tests.rules.toy import Pebbles
from workers import jobs
from workers.context import WorkerContext
from workers.relay import Relay

from .tables import HOST, Clock, context, newest, owes


class Answering:
    """Answers each call at once."""

    def __init__(self, here: WorkerContext) -> None:
        self.here = here

    def ring(self, lease: object) -> bool:
        jobs.do_work(self.here, lease.kind, lease.game)  # type: ignore[attr-defined]
        return True


def lay(here: WorkerContext, count: int) -> list[Game]:
    law = Pebbles()
    creation = Creation(law, law.options(), (SeatPlan("human"), SeatPlan("human")))
    _, laid = tournaments.create_tournament(
        here.command_handler, creation, count, HOST, RequestContext(HOST)
    )
    return [each.game for each in laid]


def end(here: WorkerContext, game: Game) -> None:
    here.command_handler.send(game.id, None, [Abandon()], RequestContext(HOST))


def test_the_last_table_rings_for_all(clock: Clock) -> None:
    here = context(clock, Lifetimes(archive=60_000))
    relay = Relay(here, Answering(here))
    games = lay(here, 4)
    for game in games[:-1]:
        end(here, game)
        relay.poll()
        assert owes(here, game)[due_work.REVEAL] == clock.now + jobs.REVEAL_RETRY
    clock.now += 1_000
    end(here, games[-1])
    relay.poll()
    clock.now += 1
    relay.poll()
    for game in games:
        assert newest(here, game).table.chance_revealed
        assert due_work.REVEAL not in owes(here, game)
        assert due_work.ARCHIVE in owes(here, game)


def test_a_deleted_table_is_noticed_in_time(clock: Clock) -> None:
    here = context(clock)
    relay = Relay(here, Answering(here))
    one, other = lay(here, 2)
    end(here, one)
    relay.poll()
    here.command_handler.delete(other.id, RequestContext(HOST))
    relay.poll()
    assert not newest(here, one).table.chance_revealed
    clock.now += jobs.REVEAL_RETRY
    relay.poll()
    assert newest(here, one).table.chance_revealed


@pytest.mark.parametrize("times", [2])
def test_it_is_shown_once(clock: Clock, times: int) -> None:
    here = context(clock)
    (game,) = lay(here, 1)
    end(here, game)
    assert [jobs.do_work(here, due_work.REVEAL, game.id) for _ in range(times)] == [True, False]
