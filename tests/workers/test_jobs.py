"""The jobs: they do what is owed, once, and nothing else."""

from __future__ import annotations

import logging
import random
from collections.abc import Sequence
from typing import Any

import pytest

from service.games import analyses, owed, tracing
from service.games import table as tables
from service.games.access import Token, claim_code
from service.games.asked import Request, Stale
from service.games.commands import GiveToBot
from service.games.game import Game
from service.games.owed import Life
from service.rules.plain import Command
from service.rules.ruleset import rulesets
from tests.rules.toy import Throw
from workers import bots, jobs, playing, thinking
from workers.bots import any_move
from workers.house import House

from .tables import HOST, START, Clock, bys, house, lay, metas, newest, owes

GUEST = Token("bl_" + "g" * 43)


def test_bots_play_on_in_one_job_until_play_ends(clock: Clock) -> None:
    here = house(clock)
    game = lay(here, "random", "easy")
    assert owes(here, game) == {owed.CROWD: START, owed.IDLE: START + 30 * 86_400_000}
    assert jobs.answer(here, owed.CROWD, game.id)
    assert newest(here, game).table.status == tables.SCORING
    assert set(bys(here, game)) == {None, "random", "easy"}
    assert owes(here, game) == {owed.SCORE: START}


def with_guest(a_house: House, *levels: str | None) -> Game:
    """A game in play in which a guest has the open seat."""
    game = lay(a_house, *levels)
    seat = levels.index(None)
    code = claim_code(HOST, game.id, seat, 0)
    a_house.handling.claim(game.id, seat, code, "Guest", "", Request(GUEST))
    jobs.answer(a_house, owed.BOT, game.id)
    return newest(a_house, game)


def first(a_house: House, game: Game, seat: int) -> Command:
    """The first command that a seat may send."""
    return game.ruleset.legal(newest(a_house, game).law, seat)[0]


def test_a_bot_stops_where_a_person_must_act(clock: Clock) -> None:
    here = house(clock)
    game = lay(here, "easy", None)
    assert not jobs.answer(here, owed.BOT, game.id)
    here.handling.claim(game.id, 1, claim_code(HOST, game.id, 1, 0), "Guest", "", Request(GUEST))
    assert jobs.answer(here, owed.BOT, game.id)
    assert newest(here, game).to_act() == (1,)
    assert owed.BOT not in owes(here, game)


def test_a_long_run_of_bots_lets_others_have_their_turn(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the job plays on, nobody else is called; when it pauses, work is due at once."""
    here = house(clock)
    game = lay(here, "random", "random")
    monkeypatch.setattr(jobs, "MOST_MOVES", 2)
    dues = []
    play = here.handling.play_bot

    def noted(*args: Any, **kwargs: Any) -> Any:
        written = play(*args, **kwargs)
        dues.append(owes(here, game)[owed.CROWD])
        return written

    monkeypatch.setattr(here.handling, "play_bot", noted)
    assert jobs.answer(here, owed.BOT, game.id)
    assert dues == [START + jobs.LEASE] * 2
    assert owes(here, game)[owed.CROWD] == START
    assert newest(here, game).table.status == tables.PLAYING


def test_a_slow_bot_lets_others_have_their_turn(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = house(clock)
    game = lay(here, "random", "random")
    monkeypatch.setattr(jobs, "MOST_ALONE", 0.0)
    assert jobs.answer(here, owed.CROWD, game.id)
    assert bys(here, game) == [None, "random"]
    assert owes(here, game)[owed.CROWD] == START


def test_bots_that_somebody_waits_for_have_longer_turns(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = house(clock)
    game = with_guest(here, "random", None, "random")
    monkeypatch.setattr(jobs, "MOST_SECONDS", 0.0)
    here.handling.send(game.id, 1, [first(here, game, 1)], Request(GUEST))
    assert jobs.answer(here, owed.BOT, game.id)
    assert bys(here, game) == [None, None, "random", None, "random"]
    assert owes(here, game)[owed.BOT] == START


def test_the_last_person_may_leave_before_the_job_comes(clock: Clock) -> None:
    """Then the same work is owed under another name; a job of either does it."""
    here = house(clock)
    game = with_guest(here, "random", None)
    here.handling.send(game.id, 1, [GiveToBot("random")], Request(GUEST))
    assert set(owes(here, game)) == {owed.CROWD, owed.IDLE}
    assert jobs.answer(here, owed.BOT, game.id)
    assert newest(here, game).table.status == tables.SCORING


def test_a_failing_bot_is_replaced_for_the_move(
    clock: Clock, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    here = house(clock)
    game = lay(here, "easy", "easy")

    def broken(*_: Any) -> Command:
        raise ZeroDivisionError

    monkeypatch.setattr(bots, "LEVELS", {**bots.LEVELS, "easy": broken})
    assert jobs.answer(here, owed.BOT, game.id)
    assert set(bys(here, game)) == {None, "random for easy: failed"}
    assert "ZeroDivisionError" in caplog.text


def test_a_forbidden_choice_is_replaced_for_the_move(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = house(clock)
    game = lay(here, "easy", "easy")
    monkeypatch.setattr(
        bots, "LEVELS", {**bots.LEVELS, "easy": lambda *_: bots.Thought((Throw(),))}
    )
    assert jobs.answer(here, owed.BOT, game.id)
    assert set(bys(here, game)) == {None, "easy", "random for easy: failed"}


def test_a_late_answer_is_refused(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two workers think about the same move: the second finds that the game has moved on."""
    here = house(clock)
    game = lay(here, "random", "random")
    other = house(clock)
    other.handling.store = here.handling.store
    other.handling.repository._store = here.handling.store
    playing.move(other, game, 0)
    with pytest.raises(Stale):
        playing.move(here, game, 0)
    think = thinking.line

    def beaten(*args: Any, **kwargs: Any) -> Sequence[Command]:
        monkeypatch.setattr(thinking, "line", think)
        now = newest(other, game)
        playing.move(other, now, now.to_act()[0])
        return think(*args, **kwargs)

    monkeypatch.setattr(thinking, "line", beaten)
    assert not jobs.answer(here, owed.BOT, game.id)
    assert newest(here, game).version == len(here.handling.store.read(game.id).entries)


def test_a_thinking_bot_makes_one_move_and_its_lease_counts_anew(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = house(clock)
    monkeypatch.setattr(owed, "QUICK_LEVELS", ("random",))
    game = lay(here, "easy", "easy")
    assert owed.CROWD_THINK in owes(here, game)
    seen = []
    think = thinking.line

    def watched(*args: Any, **kwargs: Any) -> Sequence[Command]:
        seen.append(owes(here, game)[owed.CROWD_THINK])
        return think(*args, **kwargs)

    monkeypatch.setattr(thinking, "line", watched)
    assert jobs.answer(here, owed.CROWD_THINK, game.id)
    assert seen == [START + jobs.THINKING]
    assert bys(here, game) == [None, "easy"]


def test_a_turn_that_was_thought_out_is_carried_out_without_another_search(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All that one search brought is sent, each command in an append of its own."""
    here = house(clock)
    law = next(iter(rulesets().values()))
    game = lay(here, *["medium"] * min(law.seats), ruleset=law)
    think, thought = thinking.line, []

    def watched(*args: Any, **kwargs: Any) -> Sequence[Command]:
        thought.append(think(*args, **kwargs))
        return thought[-1]

    monkeypatch.setattr(thinking, "line", watched)
    assert jobs.answer(here, owed.THINK, game.id)
    assert len(thought) == 1
    assert bys(here, game) == [None, *["medium"] * len(thought[0])]
    assert owes(here, game)[owed.CROWD_THINK] == START


def test_the_rest_of_a_line_that_is_forbidden_is_replaced(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = house(clock)
    law = next(iter(rulesets().values()))
    game = lay(here, *["easy"] * min(law.seats), ruleset=law)

    def doubled(ruleset: Any, state: Any, seat: int, *others: Any) -> bots.Thought:
        first = any_move.choose(ruleset, state, seat, random.Random(1))
        return bots.Thought((first, first))

    monkeypatch.setattr(bots, "LEVELS", {**bots.LEVELS, "easy": doubled})
    playing.move(here, game, game.to_act()[0])
    assert bys(here, game) == [None, "easy", "random for easy: failed"]


def test_the_result_is_appended_once(clock: Clock) -> None:
    here = house(clock)
    game = lay(here, "random", "random")
    jobs.answer(here, owed.BOT, game.id)
    assert jobs.answer(here, owed.SCORE, game.id, "relay")
    assert not jobs.answer(here, owed.SCORE, game.id)
    done = newest(here, game)
    assert done.table.status == tables.FINISHED
    assert bys(here, game)[-1] == "relay"
    assert owes(here, game) == {}


def test_unstarted_games_expire(clock: Clock) -> None:
    here = house(clock, Life(expire=1_000))
    game = lay(here, "random", None)
    assert not jobs.answer(here, owed.EXPIRE, game.id)
    assert owes(here, game) == {owed.EXPIRE: START + 1_000}
    clock.now += 1_000
    assert jobs.answer(here, owed.EXPIRE, game.id)
    ended = newest(here, game).table
    assert (ended.status, ended.reason) == (tables.ABANDONED, "expired")


def test_idle_games_are_abandoned(clock: Clock) -> None:
    here = house(clock, Life(abandon=1_000))
    game = lay(here, "random", "random")
    clock.now += 999
    assert not jobs.answer(here, owed.IDLE, game.id)
    clock.now += 1
    assert jobs.answer(here, owed.IDLE, game.id)
    ended = newest(here, game).table
    assert (ended.status, ended.reason) == (tables.ABANDONED, "idle")


def test_what_is_not_owed_is_taken_off_the_list(clock: Clock) -> None:
    here = house(clock)
    game = lay(here, "random", "random")
    store = here.handling.store
    store.set_due(game.id, owed.SCORE, START)
    assert not jobs.answer(here, owed.SCORE, game.id)
    assert owed.SCORE not in owes(here, game)


def test_unknown_and_deleted_games_owe_nothing(clock: Clock) -> None:
    here = house(clock)
    assert not jobs.answer(here, owed.BOT, "a" * 26)
    game = lay(here, "random", "random")
    assert not jobs.answer(here, owed.SCORE, game.id)
    here.handling.delete(game.id, Request(HOST))
    assert not jobs.answer(here, owed.BOT, game.id)


def test_the_job_works_in_the_house_of_its_process(clock: Clock) -> None:
    here = house(clock)
    game = lay(here, "random", "random")
    jobs.hold(here)
    assert jobs.work(owed.BOT, game.id)
    assert newest(here, game).table.status == tables.SCORING


def test_the_bots_generator_is_not_the_games() -> None:
    """A house without a given generator takes one from the system: two never agree."""
    clock = Clock()
    first, second = house(clock), house(clock)
    assert first.generator is not second.generator
    fresh = [type(first)(first.handling, first.life).generator.random() for _ in range(2)]
    assert fresh[0] != fresh[1]
    assert isinstance(first.generator, random.Random)


def test_a_job_goes_on_under_the_request_that_made_it_due(
    clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    """Its appends keep the id; what it logs has that, the game and the seat."""
    here, seen = house(clock), []
    with tracing.traced(request="hers"):
        game = lay(here, "random", "random")
    caplog.set_level(logging.INFO)
    caplog.handler.addFilter(lambda record: seen.append((record.msg, tracing.facts())) or True)
    assert jobs.answer(here, owed.BOT, game.id)
    assert jobs.answer(here, owed.SCORE, game.id)
    assert not jobs.answer(here, owed.SCORE, game.id)
    assert {meta.request for meta in metas(here, game)} == {"hers"}
    assert all(facts["request"] == "hers" and facts["game"] == game.id for _, facts in seen)
    assert {facts.get("seat") for told, facts in seen if told == "appended"} == {0, 1, None}
    assert [told for told, _ in seen if told != "appended"] == ["worked", "worked", "nothing to do"]
    assert tracing.facts() == {}


def test_a_question_is_thought_about_under_the_request_that_asked(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = house(clock)
    law = next(iter(rulesets().values()))
    game = lay(here, *[None] * min(law.seats), ruleset=law)
    for seat in range(min(law.seats)):
        code = claim_code(HOST, game.id, seat, 0)
        here.handling.claim(game.id, seat, code, "Ana", "", Request(HOST))
    with tracing.traced(request="asked"):
        question = analyses.Question("medium", 1)
        own = analyses.ask(here.handling, game.id, question, Request(HOST))[0].id
    seen = []

    def nothing(*_: Any, **__: Any) -> Any:
        seen.append(tracing.request())
        raise thinking.Failed("nothing comes of it")

    monkeypatch.setattr(thinking, "told_apart", nothing)
    assert jobs.answer(here, owed.ANALYSIS, own)
    assert seen == ["asked"]
