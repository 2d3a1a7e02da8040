"""T-8: clocks that follow from the record, and what follows when one has run out."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import orjson
import pytest

from service.games import due_work, history, views
from service.games.commands.errors import KeyReused, Stale
from service.games.commands.results import Committed
from service.games.game import Game, fold
from service.games.records import format as record_format
from service.games.records import verification
from service.games.table import clocks as table_clocks
from service.games.table import decide as table_decide
from service.games.table import seat_clocks, take_back
from service.games.table import state as table_state
from service.games.table.clocks import Clock, Deadline
from service.games.table.commands import AcceptUndo, GiveToBot, HandOver, Undo
from service.games.table.events import (
    Abandoned,
    Expired,
    GameStarted,
    SeatGivenToBot,
    SeatResigned,
    UndoAsked,
    Undone,
)
from service.rules.described import Event
from service.rules.plain import Misshapen
from service.rules.ruleset import PlayEnded, RuleViolation
from service.store import Append, Corrupt, MemoryStore
from tests.games.test_fold import entries_of, rechained
from tests.rules.toy import Options, Take, Throw, Thrown

from .play import START, House
from .play import Clock as StandingClock
from .test_table import Given, Moved, claimed, created, given

RED = Options((("red", 9), ("blue", 0)))
BY_MOVE = Deadline("bot", per_move_seconds=10, level="random")
TOTAL = Deadline("resign", total_seconds=60, increment_seconds=5)
PASSING = Deadline("pass", per_move_seconds=10)


def timed(deadline: Deadline, seats: int = 2, *events: Event | Moved) -> Given:
    """A table of people with a deadline that is being played."""
    creation = replace(created(*[None] * seats), deadline=deadline)
    claims = [claimed(seat) for seat in range(seats)]
    return given(creation, *claims, GameStarted(), *events)


def append(game: Given, at: int, waiting: tuple[int, ...], *acting: int, drew: bool = False) -> Any:
    """The table after an append at a time: who acted in it, whom the game waits for then."""
    table = game.table.clone()
    table.changed_at = at
    if acting:
        take_back.record_decision(table, 10, acting, drew)
    seat_clocks.settle_clocks(table, waiting)
    return replace(game, table=table)


def seconds(context: House, by: float) -> None:
    """Lets time pass."""
    assert isinstance(context.store, MemoryStore)
    assert isinstance(context.store.clock, StandingClock)
    context.store.clock.now += round(by * 1000)


def laid(context: House, deadline: Deadline, seats: int = 2, **more: Any) -> Game:
    return context.seated(
        *[None] * seats, options=more.pop("options", RED), deadline=deadline, **more
    )


def clocks(game: Game) -> list[tuple[float, float | None]]:
    """Each clock in seconds, its time counted from the start."""
    return [
        (bank / 1000, None if until is None else (until - START) / 1000)
        for bank, until in game.table.clocks
    ]


def told(written: Committed) -> list[Event]:
    return [line.event for line in written.events]


def test_before_the_start_no_clock_runs() -> None:
    """T-8: each seat has its whole bank; the first append that waits for it lets it run."""
    table = given(replace(created(None, None), deadline=TOTAL))
    assert table.table.clocks == (Clock(60_000), Clock(60_000))
    assert seat_clocks.first_to_expire(table.table) is None
    assert table_state.create_table(created(None, None), 0).clocks == ()


def test_seats_that_act_at_once_have_their_own_clocks() -> None:
    """T-8: who has acted stands still, the other's time goes on as it was."""
    start = append(timed(TOTAL), 1_000, (0, 1))
    assert start.table.clocks == (Clock(60_000, 61_000), Clock(60_000, 61_000))
    one = append(start, 11_000, (1,), 0)
    assert one.table.clocks == (Clock(55_000), Clock(50_000, 61_000))
    assert seat_clocks.first_to_expire(one.table) == (61_000, 1)
    both = append(one, 21_000, (0, 1), 1)
    assert both.table.clocks == (Clock(55_000, 76_000), Clock(45_000, 66_000))
    by_move = append(append(timed(BY_MOVE), 0, (0, 1)), 4_000, (0, 1), 0)
    assert by_move.table.clocks == (Clock(10_000, 14_000), Clock(6_000, 10_000))
    assert append(by_move, 5_000, (0,)).table.clocks == (Clock(9_000, 14_000), Clock(10_000))


def test_the_first_to_run_out_goes_first_and_of_equals_the_lower_seat() -> None:
    """T-8: one seat after the other, each in an append of its own."""
    table = append(timed(BY_MOVE, 3), 0, (1, 2))
    assert seat_clocks.first_to_expire(table.table) == (10_000, 1)
    assert table_decide.decide_expiry(table.table, 2, 10_000, can_pass=False)[0] == Expired(
        2, "bot"
    )


def test_bots_have_no_clock() -> None:
    """T-8: a bot's time is the house's affair; a seat given to a bot has none from then on."""
    game = given(replace(created(None, "easy"), deadline=TOTAL), claimed(0), GameStarted())
    game = append(game, 1_000, (0, 1))
    assert [clock.until for clock in game.table.clocks] == [61_000, None]
    game = append(game, 2_000, (0,), 1)
    assert game.table.clocks[1] == Clock(60_000)
    game = append(game.then(SeatGivenToBot(0, "easy")), 3_000, (0,))
    assert seat_clocks.first_to_expire(game.table) is None


@pytest.mark.parametrize(
    ("deadline", "seats", "passing", "following"),
    [
        (BY_MOVE, 2, False, [Expired(0, "bot"), SeatGivenToBot(0, "random")]),
        (BY_MOVE, 2, True, [Expired(0, "bot"), SeatGivenToBot(0, "random")]),
        (TOTAL, 2, False, [Expired(0, "resign"), SeatResigned(0, None), PlayEnded("T-2", 0)]),
        (TOTAL, 3, False, [Expired(0, "resign"), SeatResigned(0, "random")]),
        (PASSING, 2, True, [Expired(0, "pass")]),
        (replace(PASSING, level="easy"), 2, False, [Expired(0, "bot"), SeatGivenToBot(0, "easy")]),
    ],
)
def test_what_follows(
    deadline: Deadline, seats: int, passing: bool, following: list[Event]
) -> None:
    """T-8: what was chosen at creation, and never a millisecond before its time."""
    game = append(timed(deadline, seats), 0, (0,))
    until, seat = seat_clocks.first_to_expire(game.table) or (0, 9)
    kept = game.table.clone()
    with pytest.raises(RuleViolation, match="T-8 in_time"):
        table_decide.decide_expiry(game.table, seat, until - 1, can_pass=passing)
    with pytest.raises(RuleViolation, match="T-8 in_time"):
        table_decide.decide_expiry(game.table, 1, until + 10**9, can_pass=passing)
    assert table_decide.decide_expiry(game.table, seat, until, can_pass=passing) == following
    assert game.table == kept


def test_without_a_deadline_nothing_expires() -> None:
    """T-8: a table laid without one waits for ever, and so does one that is not played."""
    game = given(created(None, None), claimed(0), claimed(1), GameStarted())
    with pytest.raises(RuleViolation, match="T-8 in_time"):
        table_decide.decide_expiry(game.table, 0, 10**12, can_pass=True)
    with pytest.raises(RuleViolation, match="T-1 not_started"):
        table_decide.decide_expiry(
            given(replace(created(None, None), deadline=TOTAL)).table, 0, 10**12, can_pass=True
        )


def test_who_runs_out_of_time_is_asked_no_more() -> None:
    """T-7: a question that waited only for the seat is answered by its going."""
    game = append(timed(BY_MOVE, 2, Moved(9, (0,)), UndoAsked(0, 9)), 0, (1,))
    following = table_decide.decide_expiry(game.table, 1, 10_000, can_pass=False)
    assert following == [Expired(1, "bot"), SeatGivenToBot(1, "random"), Undone(9)]


def test_a_question_answered_by_going_takes_the_move_back(context: House) -> None:
    game = laid(context, TOTAL, 3)
    context.send(game, 0, Take("red"))
    context.send(game, 0, Undo())
    game = context.send(game, 2, AcceptUndo()).game
    seconds(context, 60)
    game = context.command_handler.expire_seat(game, 1, "worker").game
    assert game.to_act() == (0,)
    assert game.table.resigned == (1,)
    assert clocks(game) == [(60, 120), (0, None), (60, None)]
    assert fold(None, entries_of(context, game)) == game


@pytest.mark.parametrize(
    ("deadline", "pointer"),
    [
        (Deadline("bot"), "/deadline"),
        (Deadline("bot", per_move_seconds=1, total_seconds=1), "/deadline"),
        (
            Deadline("bot", per_move_seconds=1, increment_seconds=1),
            "/deadline/increment_seconds",
        ),
        (Deadline("resign", per_move_seconds=1, level="easy"), "/deadline/level"),
    ],
)
def test_a_deadline_that_makes_no_sense_is_refused(
    context: House, deadline: Deadline, pointer: str
) -> None:
    with pytest.raises(Misshapen) as caught:
        laid(context, deadline)
    assert caught.value.pointer == pointer


def test_pass_needs_a_game_that_knows_one() -> None:
    assert table_clocks.validate_deadline(PASSING, ("throw",)) == replace(PASSING, level="easy")
    with pytest.raises(Misshapen) as caught:
        table_clocks.validate_deadline(PASSING, ())
    assert caught.value.pointer == "/deadline/on_expiry"


def test_a_creation_with_another_deadline_is_another_creation(context: House) -> None:
    first = context.lay(None, None, key="k", deadline=TOTAL)
    again = context.lay(None, None, key="k", deadline=TOTAL)
    assert again.game.id == first.game.id
    with pytest.raises(KeyReused):
        context.lay(None, None, key="k", fingerprint="g", deadline=BY_MOVE)


def test_a_total_is_used_up_by_thinking_and_grows_by_the_increment(context: House) -> None:
    game = laid(context, TOTAL)
    assert clocks(game) == [(60, 60), (60, None)]
    seconds(context, 12)
    game = context.send(game, 0, Take("red")).game
    assert clocks(game) == [(53, None), (60, 72)]
    seconds(context, 1.5)
    game = context.send(game, 1, Take("red")).game
    assert clocks(game) == [(53, 66.5), (63.5, None)]
    seconds(context, 3.5)
    game = context.send(game, 1, HandOver()).game
    assert clocks(game) == [(49.5, 66.5), (63.5, None)]
    assert views.clocks_view(game) == [
        {"seat": 0, "bank": 49_500, "deadline": START + 66_500},
        {"seat": 1, "bank": 63_500, "deadline": None},
    ]


def test_a_moves_time_begins_anew_with_each_move(context: House) -> None:
    game = laid(context, BY_MOVE)
    seconds(context, 9)
    game = context.send(game, 0, Take("red")).game
    assert clocks(game) == [(10, None), (10, 19)]
    seconds(context, 4)
    game = context.send(game, 1, Throw()).game
    assert clocks(game) == [(10, 23), (10, None)]


def test_a_seat_handed_over_keeps_its_clock(context: House) -> None:
    game = laid(context, TOTAL)
    seconds(context, 10)
    handed = context.send(game, 0, HandOver())
    seconds(context, 10)
    game = context.claim(handed.game, 0, handed.codes[0]).game
    assert clocks(game) == [(40, 60), (60, None)]


def test_what_is_owed_is_the_next_deadline(context: House) -> None:
    game = laid(context, TOTAL)
    due = context.store.get_due
    assert due(game.id, (due_work.DEADLINE,)) == {due_work.DEADLINE: START + 60_000}
    seconds(context, 1)
    context.send(game, 0, Take("red"))
    assert due(game.id, (due_work.DEADLINE,)) == {due_work.DEADLINE: START + 61_000}
    context.send(game, 1, GiveToBot("easy"))
    assert due(game.id, (due_work.DEADLINE,)) == {}
    assert due(context.seated(None, None).id, (due_work.DEADLINE,)) == {}


def test_undo_gives_no_time_back_and_takes_the_increment(context: House) -> None:
    """T-7, T-8: a move made and taken back costs what it took to think it out."""
    game = laid(context, TOTAL)
    seconds(context, 12)
    context.send(game, 0, Take("red"))
    seconds(context, 3)
    context.send(game, 0, Undo())
    seconds(context, 1)
    game = context.send(game, 1, AcceptUndo()).game
    assert clocks(game) == [(48, 16 + 48), (56, None)]
    assert game.table.decisions is None


def test_undo_of_ones_own_turn_does_not_refill_a_moves_time() -> None:
    """T-7, T-8: acting again and again in one's own turn gains nothing by taking back."""
    game = append(timed(BY_MOVE), 0, (0,))
    game = append(game, 4_000, (0,), 0)
    assert game.table.clocks[0] == Clock(10_000, 14_000)
    game = append(game.then(Undone(10)), 7_000, (0,))
    assert game.table.clocks[0] == Clock(3_000, 10_000)


def test_too_early_is_refused_and_late_jobs_find_nothing(any_house: House) -> None:
    game = laid(any_house, BY_MOVE)
    with pytest.raises(RuleViolation, match="T-8 in_time"):
        any_house.command_handler.expire_seat(game, 0, "worker")
    assert any_house.newest(game).version == game.version


@pytest.mark.parametrize("deadline", [BY_MOVE, TOTAL, PASSING])
def test_a_late_command_stands_if_it_is_first(context: House, deadline: Deadline) -> None:
    """T-8: whoever appends first wins."""
    game = laid(context, deadline)
    seconds(context, 100)
    moved = context.send(game, 0, Take("red")).game
    with pytest.raises(Stale):
        context.command_handler.expire_seat(game, 0, "worker")
    assert context.newest(game) == moved
    assert moved.table.clocks[0].bank == (5_000 if deadline is TOTAL else 10_000)


@pytest.mark.parametrize(
    ("deadline", "refusal"),
    [(BY_MOVE, "T-4 played_by_bot"), (TOTAL, "T-10 game_over"), (PASSING, "P-2 not_your_turn")],
)
def test_what_followed_stands_if_it_is_first(
    context: House, deadline: Deadline, refusal: str
) -> None:
    game = laid(context, deadline)
    seconds(context, 60)
    done = context.command_handler.expire_seat(game, 0, "worker").game
    with pytest.raises(RuleViolation, match=refusal):
        context.send(game, 0, Take("red"))
    with pytest.raises(Stale):
        context.command_handler.expire_seat(game, 0, "worker")
    assert context.newest(game) == done


def interposed(
    context: House, monkeypatch: pytest.MonkeyPatch, first: Callable[[], object]
) -> None:
    """Lets something happen between the judging and the appending of what comes next."""
    write = context.store.append

    def late(append: Append) -> Any:
        monkeypatch.setattr(context.store, "append", write)
        first()
        return write(append)

    monkeypatch.setattr(context.store, "append", late)


def test_time_wins_over_a_command_that_is_judged_but_not_written(
    context: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = laid(context, BY_MOVE)

    def run_out() -> None:
        seconds(context, 10)
        context.command_handler.expire_seat(game, 0, "worker")

    interposed(context, monkeypatch, run_out)
    with pytest.raises(RuleViolation, match="T-4 played_by_bot"):
        context.send(game, 0, Take("red"))
    assert [entry.type for entry in entries_of(context, game)][-2:] == [
        "expired",
        "seat_given_to_bot",
    ]


def test_a_command_wins_over_time_that_is_judged_but_not_written(
    context: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = laid(context, BY_MOVE)
    seconds(context, 10)
    interposed(context, monkeypatch, lambda: context.send(game, 0, Take("red")))
    with pytest.raises(Stale):
        context.command_handler.expire_seat(game, 0, "worker")
    assert "expired" not in [entry.type for entry in entries_of(context, game)]


def test_a_request_counts_from_when_it_came(
    context: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """T-8: judged twice because somebody else was faster, it is no later for that."""
    game = laid(context, TOTAL)
    seconds(context, 10)

    def busy() -> None:
        seconds(context, 2)
        context.send(game, 1, HandOver())
        seconds(context, 20)

    interposed(context, monkeypatch, busy)
    written = context.send(game, 0, Take("red"))
    assert written.events[-1].at == START + 12_000, "not before the append that was faster"
    assert clocks(written.game) == [(53, None), (60, 72)]


def test_a_pass_is_the_rulesets_command_with_its_draws(context: House) -> None:
    game = laid(context, PASSING)
    seconds(context, 10)
    written = context.command_handler.expire_seat(game, 0, "worker")
    assert told(written)[:2] == [Expired(0, "pass"), Thrown(0)]
    assert [line.event.type for line in written.events[2:]] == ["drawn"]
    assert written.game.table.next_draw == 2
    assert clocks(written.game) == [(10, None), (10, 20)]
    assert written.game.table.human_seats == {0, 1}


def test_where_no_pass_is_legal_a_bot_plays_on(context: House) -> None:
    game = laid(context, PASSING)
    context.send(game, 0, Throw())
    game = context.send(game, 1, Take("red")).game
    seconds(context, 10)
    written = context.command_handler.expire_seat(game, 0, "worker")
    assert told(written) == [Expired(0, "bot"), SeatGivenToBot(0, "easy")]


def test_a_pass_is_nobodys_decision(context: House) -> None:
    """T-7: it ends a question, and it is taken back with the move before it."""
    game = laid(context, PASSING)
    context.send(game, 0, Take("red"))
    game = context.send(game, 0, Undo()).game
    assert game.table.take_back_request is not None
    seconds(context, 10)
    game = context.command_handler.expire_seat(game, 1, "worker").game
    assert game.table.take_back_request is None
    context.send(game, 1, Undo())
    game = context.send(game, 0, AcceptUndo()).game
    assert game.to_act() == (0,)
    assert game.state.thrown == [False, False]
    assert fold(None, entries_of(context, game)) == game


def test_a_pass_after_which_arranged_chance_is_used_up_ends_the_game(context: House) -> None:
    game = laid(context, PASSING, outcomes=("red",))
    seconds(context, 10)
    written = context.command_handler.expire_seat(game, 0, "worker")
    last = told(written)[-1]
    assert isinstance(last, Abandoned)
    assert last.reason == "chance_exhausted"
    assert verification.verify_record(record_format.record_of(context.repository, written.game))


def random_game(context: House, deadline: Deadline, seed: int) -> list[Game]:
    """Plays at random while time passes; returns the live game after each append."""
    generator = random.Random(seed)
    options = Options((("red", 20), ("blue", 0)))
    game = laid(context, deadline, 2 + seed % 2, options=options)
    live = [game]
    while game.table.status == "playing" and len(live) < 60:
        seconds(context, generator.random() * 6)
        expiry = seat_clocks.first_to_expire(game.table)
        late = expiry is not None and expiry[0] <= context.store.now()
        if expiry is not None and late and generator.random() < 0.7:
            game = context.command_handler.expire_seat(game, expiry[1], "worker").game
        else:
            game = context.step(game, generator, 0.25)
        live.append(game)
    if game.table.status == "scoring":
        live.append(context.command_handler.append_result(game, "worker").game)
    return live


DEADLINES = [
    replace(BY_MOVE, per_move_seconds=4),
    replace(TOTAL, total_seconds=12, increment_seconds=2),
    replace(PASSING, per_move_seconds=4),
    Deadline("pass", total_seconds=9, level="random"),
]


@pytest.mark.broad
@pytest.mark.parametrize("deadline", DEADLINES, ids=lambda deadline: deadline.on_expiry)
@pytest.mark.parametrize("seed", range(8))
def test_replay_is_what_was_live(context: House, deadline: Deadline, seed: int) -> None:
    live = random_game(context, deadline, seed)
    entries = entries_of(context, live[-1])
    for game in live:
        assert fold(None, entries[: game.version]) == game
        running = {seat for seat, clock in enumerate(game.table.clocks) if clock.until is not None}
        assert running == game.table.human_seats.intersection(game.to_act())
    for version in range(1, len(entries) + 1):
        base = context.repository.load_version(live[-1].id, version)
        assert base == fold(None, entries[:version])
    if live[-1].table.status in ("finished", "abandoned"):
        assert verification.verify_record(record_format.record_of(context.repository, live[-1]))


def test_the_random_games_are_no_empty_talk() -> None:
    following: set[str] = set()
    types: set[str] = set()
    for deadline in DEADLINES:
        for seed in range(8):
            context = House(MemoryStore(StandingClock()))
            last = random_game(context, deadline, seed)[-1]
            for line in history.load_events(context.repository, last, 1, last.version):
                types.add(line.event.type)
                if isinstance(line.event, Expired):
                    following.add(line.event.following)
    assert following == {"bot", "resign", "pass"}
    assert types >= {"undone", "thrown", "seat_given_to_bot", "final_scored"}


def passed_record(context: House) -> Any:
    game = laid(context, PASSING, options=Options((("red", 2), ("blue", 0))))
    seconds(context, 10)
    context.command_handler.expire_seat(game, 0, "worker")
    game = context.send(game, 1, Take("red")).game
    game = context.command_handler.append_result(game, "worker").game
    return orjson.loads(orjson.dumps(record_format.record_of(context.repository, game)))


def test_a_record_with_a_pass_is_proved(context: House) -> None:
    value = passed_record(context)
    assert verification.verify_record(value) == verification.Verification(2, 2)
    (step,) = [step for step in value["steps"] if step["events"][0]["type"] == "expired"]
    assert (step["seat"], step["command"]) == (None, {"type": "throw"})


@pytest.mark.parametrize("how", ["no expiry", "no seat", "another command", "another seat"])
def test_only_a_pass_is_sent_by_nobody(context: House, how: str) -> None:
    value = passed_record(context)
    place, step = next(
        (place, step)
        for place, step in enumerate(value["steps"])
        if step["events"][0]["type"] == "expired"
    )
    if how == "no expiry":
        step["events"].pop(0)
        for later in value["steps"][place:]:
            later["version"] -= 1
    elif how == "no seat":
        step["events"][0]["data"]["seat"] = "0"
    elif how == "another command":
        step["command"] = {"type": "take", "colour": "red", "hole": None}
    else:
        step["events"][0]["data"]["seat"] = 1
    with pytest.raises(verification.VerificationFailed) as caught:
        verification.verify_record(value)
    assert caught.value.pointer == f"/steps/{place}/" + (
        "command" if how == "another seat" else "seat"
    )


def test_streams_from_before_there_were_deadlines_are_read(context: House) -> None:
    game = context.seated(None, None)
    entries = list(entries_of(context, game))
    data = orjson.loads(entries[0].data)
    assert (entries[0].schema, data.pop("deadline")) == (2, None)
    entries[0] = replace(entries[0], schema=1, data=orjson.dumps(data))
    old = fold(None, rechained(entries))
    assert old.table == game.table
    assert views.game_view(old) == views.game_view(game)


def test_a_stream_that_goes_back_to_what_never_was_is_corrupt(context: House) -> None:
    game = laid(context, TOTAL)
    context.send(game, 0, Take("red"))
    context.send(game, 0, Undo())
    context.send(game, 1, AcceptUndo())
    entries = list(entries_of(context, game))
    assert entries[-1].type == "undone"
    entries[-1] = replace(entries[-1], data=b'{"to_version":%d}' % len(entries))
    with pytest.raises(Corrupt, match="never was"):
        fold(None, rechained(entries))
