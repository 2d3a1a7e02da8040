"""Where a bot fails or overruns the next lower level moves, and the record says so."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from prometheus_client import REGISTRY

from service import bot_levels
from service.api import representations
from service.bot_levels import LEVELS, levels, levels_down_from
from service.games import due_work, history
from service.games.codec import Replaced
from service.games.commands.requests import Creation, RequestContext
from service.games.game import Game
from service.games.table import state as table_state
from service.games.table.events import OVERRAN, SeatPlan
from tests.rules.toy import Options
from tests.workers.tables import HOST, START, Clock, bys, context, lay, metas, newest, owes
from tests.workers.unruly import install
from workers import bot_moves, bot_sandbox, bots, jobs
from workers.bot_sandbox import BotFailed
from workers.bots import Decision
from workers.context import WorkerContext


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Levels take next to no time, and yet enough to move in where machines are busy."""
    monkeypatch.setattr(bot_levels, "QUICK_SECONDS", 0.1)
    monkeypatch.setattr(bot_sandbox, "MARGIN", 0.4)
    short = {
        name: level
        if level.parameters is None
        else replace(level, parameters=replace(level.parameters, seconds=0.1), by_ruleset={})
        for name, level in levels().items()
    }
    monkeypatch.setattr(bot_sandbox, "levels", lambda: short)
    searching = {
        name: bots.search_chooser(level)
        for name, level in short.items()
        if level.parameters is not None
    }
    monkeypatch.setattr(bots, "LEVELS", {**bots.LEVELS, **searching})


def counted(level: str, reason: str) -> float:
    name = "bailli_bot_moves_replaced_total"
    return REGISTRY.get_sample_value(name, {"level": level, "reason": reason}) or 0.0


def moved(a_house: WorkerContext, game: Game) -> Game:
    """The game after the bot that must act has moved once."""
    return bot_moves.play_move(a_house, game, game.to_act()[0], may_continue=False).game


@pytest.mark.parametrize(
    ("level", "deeds", "made"),
    [
        ("easy", {"easy": "loop"}, "random for easy: overran"),
        ("easy", {"easy": "fail"}, "random for easy: failed"),
        ("hard", {"search": "loop"}, "easy for hard: overran"),
        ("hard", {"search": "die"}, "easy for hard: failed"),
        ("medium", {"search": "eat"}, "easy for medium: failed"),
        ("medium", {"search": "sleep", "easy": "fail"}, "random for medium: overran"),
        ("hard", {}, "hard"),
        ("easy", {"search": "fail"}, "easy"),
    ],
)
def test_a_lower_level_moves(
    clock: Clock, monkeypatch: pytest.MonkeyPatch, level: str, deeds: dict[str, str], made: str
) -> None:
    here = context(clock)
    game = lay(here, level, "random", ruleset=install(**deeds))
    reason = made.partition(": ")[2]
    if reason != OVERRAN:
        monkeypatch.setattr(bot_sandbox, "MARGIN", 20.0)
    before = counted(level, reason)
    game = moved(here, game)
    assert bys(here, game) == [None, made]
    assert counted(level, reason) - before == bool(reason)
    assert newest(here, game).table.seats[0].level == level


def test_medium_moves_for_hard(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bot_sandbox, "MARGIN", 20.0)
    here = context(clock)
    game = lay(here, "hard", "hard")

    def too_many(*_: Any) -> Decision:
        return Decision(bots.LEVELS["easy"](*_).line, 401)

    monkeypatch.setattr(bots, "LEVELS", {**bots.LEVELS, "hard": too_many})
    for _ in range(2):
        game = moved(here, game)
    assert metas(here, game)[1].replaced == Replaced("hard", "medium", "overran")
    assert bys(here, game) == [None, *["medium for hard: overran"] * 2]


def test_the_events_say_it(clock: Clock) -> None:
    here = context(clock)
    game = moved(here, lay(here, "easy", "random", ruleset=install(easy="fail")))
    game = moved(here, game)
    told = history.load_events(here.command_handler.repository, game, 1, game.version)
    shown = [representations.serialize_event(each).get("replaced") for each in told]
    first = metas(here, game)[0].size
    size = metas(here, game)[1].size
    replaced = {"level": "easy", "by": "random", "reason": "failed"}
    assert shown == [None] * first + [replaced] * size + [None] * (len(shown) - first - size)


def test_where_the_lowest_level_fails_the_move_waits(clock: Clock) -> None:
    here = context(clock)
    game = lay(here, "easy", "random", ruleset=install(easy="fail", random="fail"))
    with pytest.raises(BotFailed, match="no level moves"):
        jobs.do_work(here, due_work.BOTS_ONLY_MOVE, game.id)
    assert bys(here, game) == [None]
    assert due_work.BOTS_ONLY_MOVE in owes(here, game)
    install()
    assert jobs.do_work(here, due_work.BOTS_ONLY_MOVE, game.id)
    assert newest(here, game).table.status == table_state.SCORING


def test_what_is_left_of_a_line_when_the_turn_is_over_is_let_go(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = context(clock)
    game = lay(here, "easy", "easy")

    def chatty(*asked: Any) -> Decision:
        (command,) = bots.LEVELS["random"](*asked).line
        return Decision((command, command))

    monkeypatch.setattr(bots, "LEVELS", {**bots.LEVELS, "easy": chatty})
    game = moved(here, game)
    assert bys(here, game) == [None, "easy"]


def test_work_that_a_worker_was_lost_with_is_thought_about_apart(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a process of its own even dying does no harm."""
    here = context(clock)
    game = lay(here, "easy", "easy", ruleset=install(easy="die"))
    monkeypatch.setattr(jobs, "MAX_MOVES", 2)
    assert jobs.do_work(here, due_work.BOTS_ONLY_MOVE, game.id, worker_lost=True)
    assert bys(here, game) == [None, *["random for easy: failed"] * 2]


def test_levels_go_downwards() -> None:
    assert levels_down_from("hard") == ("hard", "medium", "easy", "random")
    assert levels_down_from("random") == ("random",)
    assert levels_down_from(LEVELS[-1]) == LEVELS[::-1]


def delayed(a_house: WorkerContext, delay: int, *levels_: str) -> Game:
    """A game of bots with a delay between their moves."""
    law = install()
    seats = tuple(SeatPlan("bot", level, level) for level in levels_)
    creation = Creation(law, Options(), seats, bot_delay=delay)
    return a_house.command_handler.create(creation, HOST, RequestContext(HOST)).game


@pytest.mark.parametrize(
    ("level", "kind"), [("easy", due_work.BOTS_ONLY_MOVE), ("medium", due_work.BOTS_ONLY_SEARCH)]
)
def test_a_delay_lies_between_moves(clock: Clock, level: str, kind: str) -> None:
    here = context(clock)
    game = delayed(here, 700, level, level)
    for move in range(1, 4):
        begun = clock.now
        assert owes(here, game)[kind] == begun + 700
        clock.now = begun + 699
        assert not jobs.do_work(here, kind, game.id)
        assert owes(here, game)[kind] == begun + 700
        clock.now = begun + 700
        assert jobs.do_work(here, kind, game.id)
        assert not jobs.do_work(here, kind, game.id)
        assert [meta.at for meta in metas(here, game)] == [START + 700 * n for n in range(move + 1)]


def test_a_line_is_cut_where_there_is_a_delay(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = context(clock)
    game = delayed(here, 700, "easy", "easy")
    clock.now += 700

    def chatty(*asked: Any) -> Decision:
        (command,) = bots.LEVELS["random"](*asked).line
        return Decision((command, command))

    monkeypatch.setattr(bots, "LEVELS", {**bots.LEVELS, "easy": chatty})
    assert jobs.do_work(here, due_work.BOTS_ONLY_MOVE, game.id)
    assert bys(here, game) == [None, "easy"]
