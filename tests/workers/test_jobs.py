"""The jobs: they do what is owed, once, and nothing else."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest

from service.games import owed
from service.games import table as tables
from service.games.access import Token, claim_code
from service.games.handling import Request, Stale
from service.games.owed import Life
from service.rules.plain import Command
from service.rules.ruleset import rulesets
from tests.rules.toy import Throw
from workers import bots, jobs
from workers.bots import any_move

from .tables import HOST, START, Clock, bys, house, lay, newest, owes


def test_bots_play_on_in_one_job_until_play_ends(clock: Clock) -> None:
    here = house(clock)
    game = lay(here, "random", "easy")
    assert owes(here, game) == {owed.BOT: START, owed.IDLE: START + 30 * 86_400_000}
    assert jobs.answer(here, owed.BOT, game.id)
    assert newest(here, game).table.status == tables.SCORING
    assert set(bys(here, game)) == {None, "random", "easy"}
    assert owes(here, game) == {owed.SCORE: START}


def test_a_bot_stops_where_a_person_must_act(clock: Clock) -> None:
    here = house(clock)
    game = lay(here, "easy", None)
    assert not jobs.answer(here, owed.BOT, game.id)
    guest = Token("bl_" + "g" * 43)
    here.handling.claim(game.id, 1, claim_code(HOST, game.id, 1, 0), "Guest", "", Request(guest))
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
        dues.append(owes(here, game)[owed.BOT])
        return written

    monkeypatch.setattr(here.handling, "play_bot", noted)
    assert jobs.answer(here, owed.BOT, game.id)
    assert dues == [START + jobs.LEASE] * 2
    assert owes(here, game)[owed.BOT] == START
    assert newest(here, game).table.status == tables.PLAYING


def test_a_slow_bot_lets_others_have_their_turn(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = house(clock)
    game = lay(here, "random", "random")
    monkeypatch.setattr(jobs, "MOST_SECONDS", 0.0)
    assert jobs.answer(here, owed.BOT, game.id)
    assert bys(here, game) == [None, "random"]
    assert owes(here, game)[owed.BOT] == START


def test_a_failing_bot_is_replaced_for_the_move(
    clock: Clock, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    here = house(clock)
    game = lay(here, "easy", "easy")

    def broken(*_: Any) -> Command:
        raise ZeroDivisionError

    monkeypatch.setattr(bots, "LEVELS", {**bots.LEVELS, "easy": broken})
    assert jobs.answer(here, owed.BOT, game.id)
    assert set(bys(here, game)) == {None, "random for easy"}
    assert "ZeroDivisionError" in caplog.text


def test_a_forbidden_choice_is_replaced_for_the_move(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = house(clock)
    game = lay(here, "easy", "easy")
    monkeypatch.setattr(bots, "LEVELS", {**bots.LEVELS, "easy": lambda *_: (Throw(),)})
    assert jobs.answer(here, owed.BOT, game.id)
    assert set(bys(here, game)) == {None, "easy", "random for easy"}


def test_a_late_answer_is_refused(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two workers think about the same move: the second finds that the game has moved on."""
    here = house(clock)
    game = lay(here, "random", "random")
    other = house(clock)
    other.handling.store = here.handling.store
    other.handling.repository._store = here.handling.store
    jobs.move(other, game, 0)
    with pytest.raises(Stale):
        jobs.move(here, game, 0)
    think = bots.line

    def beaten(*args: Any) -> Sequence[Command]:
        monkeypatch.setattr(bots, "line", think)
        now = newest(other, game)
        jobs.move(other, now, now.to_act()[0])
        return think(*args)

    monkeypatch.setattr(bots, "line", beaten)
    assert not jobs.answer(here, owed.BOT, game.id)
    assert newest(here, game).version == len(here.handling.store.read(game.id).entries)


def test_a_thinking_bot_makes_one_move_and_its_lease_counts_anew(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = house(clock)
    monkeypatch.setattr(owed, "QUICK_LEVELS", ("random",))
    game = lay(here, "easy", "easy")
    assert owed.THINK in owes(here, game)
    seen = []
    think = bots.line

    def watched(*args: Any) -> Sequence[Command]:
        seen.append(owes(here, game)[owed.THINK])
        return think(*args)

    monkeypatch.setattr(bots, "line", watched)
    assert jobs.answer(here, owed.THINK, game.id)
    assert seen == [START + jobs.THINKING]
    assert bys(here, game) == [None, "easy"]


def test_a_turn_that_was_thought_out_is_carried_out_without_another_search(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All that one search brought is sent, each command in an append of its own."""
    here = house(clock)
    law = next(iter(rulesets().values()))
    game = lay(here, *["medium"] * min(law.seats), ruleset=law)
    think, thought = bots.line, []

    def watched(*args: Any) -> Sequence[Command]:
        thought.append(think(*args))
        return thought[-1]

    monkeypatch.setattr(bots, "line", watched)
    assert jobs.answer(here, owed.THINK, game.id)
    assert len(thought) == 1
    assert bys(here, game) == [None, *["medium"] * len(thought[0])]
    assert owes(here, game)[owed.THINK] == START


def test_the_rest_of_a_line_that_is_forbidden_is_replaced(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = house(clock)
    law = next(iter(rulesets().values()))
    game = lay(here, *["easy"] * min(law.seats), ruleset=law)

    def doubled(*args: Any) -> Sequence[Command]:
        first = any_move.choose(*args[:3], args[4])
        return first, first

    monkeypatch.setattr(bots, "line", doubled)
    jobs.move(here, game, game.to_act()[0])
    assert bys(here, game) == [None, "easy", "random for easy"]


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
