"""The jobs: they do what is owed, once, and nothing else."""

from __future__ import annotations

import logging
import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from service.games import analyses, due_work, tracing
from service.games.commands.errors import Stale
from service.games.commands.handler import CommandHandler
from service.games.commands.requests import RequestContext
from service.games.due_work import Lifetimes
from service.games.game import Game
from service.games.repository import Repository
from service.games.table import state as table_state
from service.games.table.commands import GiveToBot
from service.games.tokens import Token, claim_code
from service.rules.described import Command
from service.rules.ruleset import rulesets
from tests.rules.toy import Throw
from workers import bot_moves, bot_sandbox, bots, jobs
from workers.bots import random_level
from workers.context import WorkerContext

from .tables import HOST, START, Clock, bys, context, lay, metas, newest, owes

GUEST = Token("bl_" + "g" * 43)


def test_bots_play_on_in_one_job_until_play_ends(clock: Clock) -> None:
    here = context(clock)
    game = lay(here, "random", "easy")
    assert owes(here, game) == {
        due_work.BOTS_ONLY_MOVE: START,
        due_work.IDLE: START + 30 * 86_400_000,
    }
    assert jobs.do_work(here, due_work.BOTS_ONLY_MOVE, game.id)
    assert newest(here, game).table.status == table_state.SCORING
    assert set(bys(here, game)) == {None, "random", "easy"}
    assert owes(here, game) == {due_work.SCORE: START}


def with_guest(a_house: WorkerContext, *levels: str | None) -> Game:
    """A game in play in which a guest has the open seat."""
    game = lay(a_house, *levels)
    seat = levels.index(None)
    code = claim_code(HOST, game.id, seat, 0)
    a_house.command_handler.claim(game.id, seat, code, "Guest", "", RequestContext(GUEST))
    jobs.do_work(a_house, due_work.BOT_MOVE, game.id)
    return newest(a_house, game)


def first(a_house: WorkerContext, game: Game, seat: int) -> Command:
    """The first command that a seat may send."""
    return game.ruleset.legal(newest(a_house, game).state, seat)[0]


def test_a_bot_stops_where_a_person_must_act(clock: Clock) -> None:
    here = context(clock)
    game = lay(here, "easy", None)
    assert not jobs.do_work(here, due_work.BOT_MOVE, game.id)
    here.command_handler.claim(
        game.id, 1, claim_code(HOST, game.id, 1, 0), "Guest", "", RequestContext(GUEST)
    )
    assert jobs.do_work(here, due_work.BOT_MOVE, game.id)
    assert newest(here, game).to_act() == (1,)
    assert due_work.BOT_MOVE not in owes(here, game)


def test_a_long_run_of_bots_lets_others_have_their_turn(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the job plays on, nobody else is called; when it pauses, work is due at once."""
    here = context(clock)
    game = lay(here, "random", "random")
    monkeypatch.setattr(jobs, "MAX_MOVES", 2)
    dues = []
    play = here.command_handler.play_bot

    def noted(*args: Any, **kwargs: Any) -> Any:
        written = play(*args, **kwargs)
        dues.append(owes(here, game)[due_work.BOTS_ONLY_MOVE])
        return written

    monkeypatch.setattr(here.command_handler, "play_bot", noted)
    assert jobs.do_work(here, due_work.BOT_MOVE, game.id)
    assert dues == [START + jobs.LEASE] * 2
    assert owes(here, game)[due_work.BOTS_ONLY_MOVE] == START
    assert newest(here, game).table.status == table_state.PLAYING


def test_a_slow_bot_lets_others_have_their_turn(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = context(clock)
    game = lay(here, "random", "random")
    monkeypatch.setattr(jobs, "MAX_SECONDS_BOTS_ONLY", 0.0)
    assert jobs.do_work(here, due_work.BOTS_ONLY_MOVE, game.id)
    assert bys(here, game) == [None, "random"]
    assert owes(here, game)[due_work.BOTS_ONLY_MOVE] == START


def test_bots_that_somebody_waits_for_have_longer_turns(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = context(clock)
    game = with_guest(here, "random", None, "random")
    monkeypatch.setattr(jobs, "MAX_SECONDS", 0.0)
    here.command_handler.send(game.id, 1, [first(here, game, 1)], RequestContext(GUEST))
    assert jobs.do_work(here, due_work.BOT_MOVE, game.id)
    assert bys(here, game) == [None, None, "random", None, "random"]
    assert owes(here, game)[due_work.BOT_MOVE] == START


def test_the_last_person_may_leave_before_the_job_comes(clock: Clock) -> None:
    """Then the same work is owed under another name; a job of either does it."""
    here = context(clock)
    game = with_guest(here, "random", None)
    here.command_handler.send(game.id, 1, [GiveToBot("random")], RequestContext(GUEST))
    assert set(owes(here, game)) == {due_work.BOTS_ONLY_MOVE, due_work.IDLE}
    assert jobs.do_work(here, due_work.BOT_MOVE, game.id)
    assert newest(here, game).table.status == table_state.SCORING


def test_a_failing_bot_is_replaced_for_the_move(
    clock: Clock, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    here = context(clock)
    game = lay(here, "easy", "easy")

    def broken(*_: Any) -> Command:
        raise ZeroDivisionError

    monkeypatch.setattr(bots, "LEVELS", {**bots.LEVELS, "easy": broken})
    assert jobs.do_work(here, due_work.BOT_MOVE, game.id)
    assert set(bys(here, game)) == {None, "random for easy: failed"}
    assert "ZeroDivisionError" in caplog.text


def test_a_forbidden_choice_is_replaced_for_the_move(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = context(clock)
    game = lay(here, "easy", "easy")
    monkeypatch.setattr(
        bots, "LEVELS", {**bots.LEVELS, "easy": lambda *_: bots.Decision((Throw(),))}
    )
    assert jobs.do_work(here, due_work.BOT_MOVE, game.id)
    assert set(bys(here, game)) == {None, "easy", "random for easy: failed"}


def test_a_late_answer_is_refused(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two workers think about the same move: the second finds that the game has moved on."""
    here = context(clock)
    game = lay(here, "random", "random")
    store = here.command_handler.store
    other = replace(here, command_handler=CommandHandler(store, Repository(store), here.life))
    bot_moves.play_move(other, game, 0)
    with pytest.raises(Stale):
        bot_moves.play_move(here, game, 0)
    think = bot_sandbox.choose_line

    def beaten(*args: Any, **kwargs: Any) -> Sequence[Command]:
        monkeypatch.setattr(bot_sandbox, "choose_line", think)
        now = newest(other, game)
        bot_moves.play_move(other, now, now.to_act()[0])
        return think(*args, **kwargs)

    monkeypatch.setattr(bot_sandbox, "choose_line", beaten)
    assert not jobs.do_work(here, due_work.BOT_MOVE, game.id)
    assert newest(here, game).version == len(here.command_handler.store.read(game.id).entries)


def test_a_thinking_bot_makes_one_move_and_its_lease_counts_anew(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = context(clock)
    monkeypatch.setattr(due_work, "QUICK_LEVELS", ("random",))
    game = lay(here, "easy", "easy")
    assert due_work.BOTS_ONLY_SEARCH in owes(here, game)
    seen = []
    think = bot_sandbox.choose_line

    def watched(*args: Any, **kwargs: Any) -> Sequence[Command]:
        seen.append(owes(here, game)[due_work.BOTS_ONLY_SEARCH])
        return think(*args, **kwargs)

    monkeypatch.setattr(bot_sandbox, "choose_line", watched)
    assert jobs.do_work(here, due_work.BOTS_ONLY_SEARCH, game.id)
    assert seen == [START + jobs.SEARCH_LEASE]
    assert bys(here, game) == [None, "easy"]


def test_a_turn_that_was_thought_out_is_carried_out_without_another_search(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All that one search brought is sent, each command in an append of its own."""
    here = context(clock)
    law = next(iter(rulesets().values()))
    game = lay(here, *["medium"] * min(law.seats), ruleset=law)
    think, choose_decision = bot_sandbox.choose_line, []

    def watched(*args: Any, **kwargs: Any) -> Sequence[Command]:
        choose_decision.append(think(*args, **kwargs))
        return choose_decision[-1]

    monkeypatch.setattr(bot_sandbox, "choose_line", watched)
    assert jobs.do_work(here, due_work.BOT_SEARCH, game.id)
    assert len(choose_decision) == 1
    assert bys(here, game) == [None, *["medium"] * len(choose_decision[0])]
    assert owes(here, game)[due_work.BOTS_ONLY_SEARCH] == START


def test_the_rest_of_a_line_that_is_forbidden_is_replaced(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = context(clock)
    law = next(iter(rulesets().values()))
    game = lay(here, *["easy"] * min(law.seats), ruleset=law)

    def doubled(ruleset: Any, state: Any, seat: int, *others: Any) -> bots.Decision:
        first = random_level.choose(ruleset, state, seat, random.Random(1))
        return bots.Decision((first, first))

    monkeypatch.setattr(bots, "LEVELS", {**bots.LEVELS, "easy": doubled})
    bot_moves.play_move(here, game, game.to_act()[0])
    assert bys(here, game) == [None, "easy", "random for easy: failed"]


def test_the_result_is_appended_once(clock: Clock) -> None:
    here = context(clock)
    game = lay(here, "random", "random")
    jobs.do_work(here, due_work.BOT_MOVE, game.id)
    assert jobs.do_work(here, due_work.SCORE, game.id, "relay")
    assert not jobs.do_work(here, due_work.SCORE, game.id)
    done = newest(here, game)
    assert done.table.status == table_state.FINISHED
    assert bys(here, game)[-1] == "relay"
    assert owes(here, game) == {}


def test_unstarted_games_expire(clock: Clock) -> None:
    here = context(clock, Lifetimes(expire=1_000))
    game = lay(here, "random", None)
    assert not jobs.do_work(here, due_work.EXPIRE, game.id)
    assert owes(here, game) == {due_work.EXPIRE: START + 1_000}
    clock.now += 1_000
    assert jobs.do_work(here, due_work.EXPIRE, game.id)
    ended = newest(here, game).table
    assert (ended.status, ended.reason) == (table_state.ABANDONED, "expired")


def test_idle_games_are_abandoned(clock: Clock) -> None:
    here = context(clock, Lifetimes(abandon=1_000))
    game = lay(here, "random", "random")
    clock.now += 999
    assert not jobs.do_work(here, due_work.IDLE, game.id)
    clock.now += 1
    assert jobs.do_work(here, due_work.IDLE, game.id)
    ended = newest(here, game).table
    assert (ended.status, ended.reason) == (table_state.ABANDONED, "idle")


def test_what_is_not_owed_is_taken_off_the_list(clock: Clock) -> None:
    here = context(clock)
    game = lay(here, "random", "random")
    store = here.command_handler.store
    store.set_due(game.id, due_work.SCORE, START)
    assert not jobs.do_work(here, due_work.SCORE, game.id)
    assert due_work.SCORE not in owes(here, game)


def test_unknown_and_deleted_games_owe_nothing(clock: Clock) -> None:
    here = context(clock)
    assert not jobs.do_work(here, due_work.BOT_MOVE, "a" * 26)
    game = lay(here, "random", "random")
    assert not jobs.do_work(here, due_work.SCORE, game.id)
    here.command_handler.delete(game.id, RequestContext(HOST))
    assert not jobs.do_work(here, due_work.BOT_MOVE, game.id)


def test_the_job_works_in_the_house_of_its_process(clock: Clock) -> None:
    here = context(clock)
    game = lay(here, "random", "random")
    jobs.set_context(here)
    assert jobs.work(due_work.BOT_MOVE, game.id)
    assert newest(here, game).table.status == table_state.SCORING


def test_the_bots_generator_is_not_the_games() -> None:
    """A house without a given generator takes one from the system: two never agree."""
    clock = Clock()
    first, second = context(clock), context(clock)
    assert first.generator is not second.generator
    fresh = [type(first)(first.command_handler, first.life).generator.random() for _ in range(2)]
    assert fresh[0] != fresh[1]
    assert isinstance(first.generator, random.Random)


def test_a_job_goes_on_under_the_request_that_made_it_due(
    clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    """Its appends keep the id; what it logs has that, the game and the seat."""
    here, seen = context(clock), []
    with tracing.traced(request="hers"):
        game = lay(here, "random", "random")
    caplog.set_level(logging.INFO)
    caplog.handler.addFilter(
        lambda record: seen.append((record.msg, tracing.current_facts())) or True
    )
    assert jobs.do_work(here, due_work.BOT_MOVE, game.id)
    assert jobs.do_work(here, due_work.SCORE, game.id)
    assert not jobs.do_work(here, due_work.SCORE, game.id)
    assert {meta.request for meta in metas(here, game)} == {"hers"}
    assert all(facts["request"] == "hers" and facts["game"] == game.id for _, facts in seen)
    assert {facts.get("seat") for told, facts in seen if told == "appended"} == {0, 1, None}
    assert [told for told, _ in seen if told != "appended"] == ["worked", "worked", "nothing to do"]
    assert tracing.current_facts() == {}


def test_a_question_is_thought_about_under_the_request_that_asked(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = context(clock)
    law = next(iter(rulesets().values()))
    game = lay(here, *[None] * min(law.seats), ruleset=law)
    for seat in range(min(law.seats)):
        code = claim_code(HOST, game.id, seat, 0)
        here.command_handler.claim(game.id, seat, code, "Ana", "", RequestContext(HOST))
    with tracing.traced(request="asked"):
        question = analyses.Question("medium", 1)
        own = analyses.request_analysis(
            here.command_handler, game.id, question, RequestContext(HOST)
        )[0].id
    seen = []

    def nothing(*_: Any, **__: Any) -> Any:
        seen.append(tracing.current_request())
        raise bot_sandbox.BotFailed("nothing comes of it")

    monkeypatch.setattr(bot_sandbox, "run_in_child", nothing)
    assert jobs.do_work(here, due_work.ANALYSIS, own)
    assert seen == ["asked"]
