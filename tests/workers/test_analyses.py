"""Advice is thought out once, of any ruleset, and every command of it is accepted."""

from __future__ import annotations

import random
from typing import Any

import pytest

from service.bot_levels import SEARCHING
from service.games import analyses, due_work, legal_moves
from service.games.analyses import Analysis, Choice, Question
from service.games.codec import decode_meta
from service.games.commands.errors import NotVisible
from service.games.commands.requests import Creation, RequestContext
from service.games.game import Game
from service.games.table.events import SeatPlan
from service.games.tokens import claim_code
from service.rules.chance import SealedChance
from service.rules.described import dump_command, parse_command
from service.rules.ruleset import AnyRuleset, rulesets
from workers import analyses as thinking
from workers import bot_sandbox, bots, jobs
from workers.bots import Advice, Ranked, random_level
from workers.context import WorkerContext

from .tables import HOST, START, Clock, context, lay, newest

RULESETS = pytest.mark.parametrize("ruleset", rulesets().values(), ids=lambda each: each.id)
FIRST = next(iter(rulesets().values()))
MEDIUM = SEARCHING[0]


def sat(here: WorkerContext, ruleset: AnyRuleset = FIRST, moves: int = 0) -> Game:
    """A table whose seats are all the host's, after some random moves."""
    game = lay(here, *[None] * min(ruleset.seats), ruleset=ruleset)
    for seat in range(min(ruleset.seats)):
        code = claim_code(HOST, game.id, seat, 0)
        game = here.command_handler.claim(
            game.id, seat, code, f"player {seat}", "", RequestContext(HOST)
        ).game
    generator = random.Random(moves)
    for _ in range(moves):
        seat = game.to_act()[0]
        command = random_level.choose(ruleset, game.state, seat, generator)
        game = here.command_handler.send(game.id, seat, [command], RequestContext(HOST)).game
    return game


def asked(here: WorkerContext, game: Game, **more: Any) -> Analysis:
    question = Question(**{"level": MEDIUM, "top": 20, **more})
    return analyses.request_analysis(here.command_handler, game.id, question, RequestContext(HOST))[
        0
    ]


def answered(here: WorkerContext, game: Game, **more: Any) -> Analysis:
    own = asked(here, game, **more).id
    assert jobs.do_work(here, due_work.ANALYSIS, own)
    return analyses.get_analysis(here.command_handler, game.id, own, HOST.hash)


@RULESETS
@pytest.mark.parametrize("moves", [0, 7])
def test_each_command_ranked_is_a_move_and_is_accepted(
    clock: Clock, ruleset: AnyRuleset, moves: int
) -> None:
    here = context(clock)
    game = sat(here, ruleset, moves)
    found = answered(here, game, seat=game.to_act()[-1])
    assert (found.status, found.version) == ("done", game.version)
    listed = [
        dump_command(move.command)
        for move in legal_moves.legal_moves(game, HOST.hash, START).game
        if move.seat == found.seat
    ]
    told = [choice.command for choice in found.ranked]
    assert all(listed.count(command) == told.count(command) == 1 for command in told)
    assert found.line[0] == told[0]
    assert (
        1
        <= (found.simulations or 0)
        <= bots.levels()[MEDIUM].parameters_for(ruleset.id).simulations
    )
    for choice in found.ranked:
        command = parse_command(ruleset.commands, dict(choice.command))
        here.command_handler.dry_run(game.id, found.seat, [command], RequestContext(HOST))
        assert 0 <= choice.win <= 1
        assert len(choice.points) == min(ruleset.seats)
    assert sum(choice.visits for choice in found.ranked) <= (found.simulations or 0)
    line = [parse_command(ruleset.commands, dict(command)) for command in found.line]
    for command in line:
        here.command_handler.send(game.id, found.seat, [command], RequestContext(HOST))


def test_plans_are_told_by_commands_of_their_own(clock: Clock) -> None:
    """Several plans may begin alike; each is told by what may be sent at once, none by nothing."""
    game = sat(context(clock))
    legal = FIRST.legal(game.state, game.to_act()[0])
    one, two, three, later = legal[:4]
    plans = [(one, later), (one, two), (two, one), (later, one, three)]
    ranked = tuple(Ranked(plan[0], 1, (1.0,), 0.5, 0.0, plan) for plan in plans)
    told = thinking._ranked_choices(Advice(ranked, 4, plans[0]), [one, two, three])
    assert [choice.command for choice in told] == [dump_command(each) for each in (one, two, three)]
    assert told[0] == Choice(dump_command(one), (1.0,), 0.5, 1)


def test_no_more_is_told_than_was_asked_for(clock: Clock) -> None:
    """The same search tells its best few, whatever else it looked at."""
    here = context(clock)
    game = sat(here, moves=2)
    many, few = answered(here, game), answered(here, game, top=2)
    assert few.ranked == many.ranked[:2]
    assert (few.id == many.id, few.line) == (False, many.line)
    assert answered(here, game, level=SEARCHING[-1]).id not in (few.id, many.id)


def test_advice_knows_nothing_of_the_seed(clock: Clock) -> None:
    """Two games that differ in what is sealed and drew the same so far: the same advice."""
    game_id, told, sealed = "a" * 26, [], []
    bits = bytes(32)
    for _ in range(2):
        here = context(clock)
        seats = (SeatPlan("human"),) * min(FIRST.seats)
        creation = Creation(FIRST, FIRST.options(), seats, id=game_id, bits=bits)
        here.command_handler.create(creation, HOST, RequestContext(HOST))
        for seat in range(len(seats)):
            code = claim_code(HOST, game_id, seat, 0)
            here.command_handler.claim(game_id, seat, code, "player", "", RequestContext(HOST))
        game = here.command_handler.repository.load(game_id).game
        entries = here.command_handler.repository.read_entries(game_id, 1, game.version)
        metas = [meta for meta in map(decode_meta, entries) if meta is not None]
        draws = [draw for meta in metas for step in meta.steps for draw in step.draws]
        found = answered(here, game)
        told.append((found.ranked, found.simulations, found.line, found.id))
        sealed.append(game.table.created.sealed_chance)
        entropies = [b""] * len(seats)
        bits = next(
            each
            for each in (number.to_bytes(32) for number in range(1, 1_000_000))
            if all(
                SealedChance(each, game_id, entropies, index).number(bound) == value
                for index, bound, value in draws
            )
        )
    assert sealed[0] != sealed[1]
    assert told[0] == told[1]


def test_a_job_that_comes_again_does_nothing(clock: Clock) -> None:
    here = context(clock)
    game = sat(here)
    found = answered(here, game)
    assert not jobs.do_work(here, due_work.ANALYSIS, found.id)
    assert analyses.get_analysis(here.command_handler, game.id, found.id, HOST.hash) == found
    assert here.command_handler.store.get_due(found.id, [due_work.ANALYSIS]) == {}
    assert not jobs.do_work(here, due_work.ANALYSIS, "a" * 26)


def test_a_job_thought_about_twice_at_once_finds_the_same(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = context(clock)
    game = sat(here)
    wanted = asked(here, game)
    think, found = bot_sandbox.run_in_child, []

    def twice(*args: Any) -> Any:
        monkeypatch.setattr(bot_sandbox, "run_in_child", think)
        assert jobs.do_work(here, due_work.ANALYSIS, wanted.id)
        found.append(analyses.get_analysis(here.command_handler, game.id, wanted.id, HOST.hash))
        return think(*args)

    monkeypatch.setattr(bot_sandbox, "run_in_child", twice)
    assert jobs.do_work(here, due_work.ANALYSIS, wanted.id)
    again = analyses.get_analysis(here.command_handler, game.id, wanted.id, HOST.hash)
    assert again.line[0] == found[0].line[0]
    assert again.status == "done"


def test_the_lease_counts_from_when_the_job_starts(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = context(clock)
    wanted = asked(here, sat(here))
    store = here.command_handler.store
    assert store.get_due(wanted.id, [due_work.ANALYSIS]) == {due_work.ANALYSIS: START}
    (lease,) = store.lease_due(wanted.id[0], {due_work.ANALYSIS: 7}).work
    assert (lease.game, lease.kind) == (wanted.id, due_work.ANALYSIS)
    clock.now += 5
    think, seen = bot_sandbox.run_in_child, []

    def watched(*args: Any) -> Any:
        seen.append(store.get_due(wanted.id, [due_work.ANALYSIS])[due_work.ANALYSIS])
        return think(*args)

    monkeypatch.setattr(bot_sandbox, "run_in_child", watched)
    assert jobs.do_work(here, due_work.ANALYSIS, wanted.id)
    assert seen == [START + 5 + analyses.LEASE]


def test_a_question_that_ends_its_workers_fails_and_may_be_asked_again(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = context(clock)
    game = sat(here)
    wanted = asked(here, game)

    def dead(*_: Any) -> Any:
        raise KeyboardInterrupt

    with monkeypatch.context() as dying:
        dying.setattr(bot_sandbox, "run_in_child", dead)
        for _ in range(analyses.MAX_ATTEMPTS):
            with pytest.raises(KeyboardInterrupt):
                jobs.do_work(here, due_work.ANALYSIS, wanted.id)
    assert not jobs.do_work(here, due_work.ANALYSIS, wanted.id)
    failed = analyses.get_analysis(here.command_handler, game.id, wanted.id, HOST.hash)
    assert (failed.status, failed.ranked) == ("failed", ())
    assert answered(here, game).status == "done"


def test_a_search_that_fails_is_told(
    clock: Clock, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    here = context(clock)
    game = sat(here)

    def broken(*_: Any) -> Any:
        raise ZeroDivisionError

    monkeypatch.setattr(bots, "search_advice", broken)
    assert answered(here, game).status == "failed"
    assert "ZeroDivisionError" in caplog.text


def test_a_game_that_is_gone_has_no_answer(clock: Clock) -> None:
    here = context(clock)
    game = sat(here)
    wanted = asked(here, game)
    here.command_handler.delete(game.id, RequestContext(HOST))
    assert jobs.do_work(here, due_work.ANALYSIS, wanted.id)
    assert here.command_handler.store.get_due(wanted.id, [due_work.ANALYSIS]) == {}


def test_a_version_that_the_store_has_lost_has_no_answer(clock: Clock) -> None:
    """The hash tells another past of the same length apart; asked again, it is another question."""
    here, other = context(clock), context(clock)
    game = sat(here)
    wanted = asked(here, game)
    store = here.command_handler.store
    held = store.get_temporary(wanted.id) or b""
    store.put_temporary(wanted.id, held.replace(game.hash.hex().encode(), b"0" * 64), 60_000)
    assert jobs.do_work(here, due_work.ANALYSIS, wanted.id)
    assert (
        analyses.get_analysis(here.command_handler, game.id, wanted.id, HOST.hash).status
        == "failed"
    )
    done = answered(here, game)
    held = store.get_temporary(done.id) or b""
    store.put_temporary(done.id, held.replace(game.hash.hex().encode(), b"0" * 64), 60_000)
    assert asked(here, game).status == "waiting"
    assert other.generator is not here.generator


def test_all_is_forgotten_after_a_while(clock: Clock) -> None:
    here = context(clock)
    game = sat(here)
    found = answered(here, game)
    assert found.until == clock.now + analyses.LIFETIME
    clock.now += analyses.LIFETIME - 1
    assert analyses.get_analysis(here.command_handler, game.id, found.id, HOST.hash) == found
    clock.now += 1
    with pytest.raises(NotVisible):
        analyses.get_analysis(here.command_handler, game.id, found.id, HOST.hash)
    waiting = asked(here, newest(here, game))
    clock.now += analyses.LIFETIME
    assert not jobs.do_work(here, due_work.ANALYSIS, waiting.id)
    assert here.command_handler.store.get_due(waiting.id, [due_work.ANALYSIS]) == {}


def test_luck_follows_from_the_question_alone(clock: Clock) -> None:
    here = context(clock)
    game = sat(here)
    one, other = asked(here, game), asked(here, game, top=3)
    harder = asked(here, game, level=SEARCHING[-1])
    first = thinking.analysis_generator(one).random()
    assert (
        first
        == thinking.analysis_generator(one).random()
        == thinking.analysis_generator(other).random()
    )
    assert first != thinking.analysis_generator(harder).random()
