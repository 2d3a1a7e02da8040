"""T-7 where several seats may act: a seat takes its own last decision back, and no other one."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from typing import Any

import orjson
import pytest

from service.games import legal_moves
from service.games.codec import Step, StepFact, decode_meta, encode
from service.games.commands import verdicts
from service.games.commands.requests import RequestContext
from service.games.commands.results import Committed
from service.games.game import Game, NeedsFullStream, counted_events, fold
from service.games.records import import_reader, verification
from service.games.repository import Repository
from service.games.table import take_back
from service.games.table.clocks import Deadline
from service.games.table.commands import Abandon, AcceptUndo, Undo
from service.games.table.events import UndoAsked, Undone
from service.games.table.state import Actor, SentCommand
from service.rules.described import Command
from service.rules.orleans import RULESET, Options
from service.rules.orleans.commands import (
    DrawFollowers,
    EndPlanning,
    PlaceFollower,
    ReopenPlanning,
    WithdrawFollower,
)
from service.rules.orleans.state import ACTIONS, FOLLOWERS, PLANNING
from service.store import MemoryStore

from .play import HOST, START, Clock, House, person
from .test_fold import entries_of, stored
from .test_record_import import recorded, sent
from .test_table import Moved, people

TOTAL = Deadline("resign", total_seconds=60, increment_seconds=5)


def planning(house: House, *levels: str | None, **more: Any) -> Game:
    """A game in its first planning: of two people, if no levels are named."""
    game = house.seated(*(levels or (None, None)), ruleset=RULESET, **more)
    assert game.state.step == PLANNING
    return game


def placings(game: Game, seat: int) -> list[PlaceFollower]:
    return [one for one in RULESET.legal(game.state, seat) if isinstance(one, PlaceFollower)]


def place(house: House, game: Game, seat: int) -> Game:
    """Puts a follower of a seat down."""
    return house.send(game, seat, placings(game, seat)[0]).game


def plan(house: House, game: Game, seat: int) -> Game:
    """Fills the Farm House of a seat, so that it has an action."""
    wanted = [one for one in placings(game, seat) if one.place == "farm_house"]
    spaces = {one.space: one for one in wanted}
    return house.send(game, seat, *spaces.values()).game


def types(committed: Committed) -> list[str]:
    return [line.event.type for line in committed.events]


def check_stream(house: House, game: Game) -> None:
    """Folds from the start, from any version and from checkpoints lead to the same game."""
    entries = entries_of(house, game)
    assert fold(None, entries) == house.newest(game) == game
    assert Repository(house.store).load(game.id).game == game
    for version in range(1, len(entries), 1 + len(entries) // 25):
        before = fold(None, entries[:version])
        assert house.repository.load_version(game.id, version) == before
        try:
            assert fold(before, entries[version:]) == game
        except NeedsFullStream:
            continue
    state = RULESET.initial(len(game.table.seats), game.options)
    for past in counted_events(entries, RULESET):
        RULESET.evolve(state, verification.from_past_event(past, RULESET))
    assert state == game.state


def check_record(house: House, game: Game) -> Any:
    """Ends a game; its record is verified and imported. Returns the record."""
    house.send(game, None, Abandon())
    value = recorded(house, game)
    assert verification.verify_record(value).commands > 0
    target = import_reader.ImportTarget("i" * 26, HOST.hash, "public", "0" * 64)
    here, entries = import_reader.judge_record(target, orjson.dumps(value), house.store.now())
    assert here.state == game.state
    copied = House(stored(here.id, entries))
    assert recorded(copied, here)["steps"][1:] == value["steps"][1:]
    return value


@pytest.mark.parametrize("seats", [2, 3])
def test_undo_takes_ones_own_placing_back_and_leaves_the_others(
    any_house: House, seats: int
) -> None:
    game = planning(any_house, *[None] * seats)
    before = game
    game = place(any_house, game, 0)
    for seat in range(1, seats):
        game = place(any_house, place(any_house, game, seat), seat)
    others = [game.state.seats[seat] for seat in range(1, seats)]
    done = any_house.send(game, 0, Undo())
    placed = ["follower_placed"] * 2 * (seats - 1)
    assert types(done)[0] == "undone"
    assert len(types(done)) == 1 + len(placed)
    assert done.events[0].event == Undone(before.version)
    assert done.game.state.seats[0] == before.state.seats[0]
    assert list(done.game.state.seats[1:]) == others
    (fact, *again) = decode_meta(entries_of(any_house, done.game)[game.version]).steps  # type: ignore[union-attr]
    assert not fact.again
    assert all(step.again for step in again)
    check_stream(any_house, done.game)
    value = check_record(any_house, done.game)
    assert [step.get("again", False) for step in value["steps"]].count(True) == len(placed)


def test_undo_leaves_a_batch_in_one_piece(context: House) -> None:
    """What was sent together before is taken back together afterwards."""
    game = place(context, planning(context), 0)
    first = placings(game, 1)[0]
    batch = [first, WithdrawFollower(first.place, first.space), first]
    empty = game.state.seats[1]
    game = context.send(game, 1, *batch).game
    one = game.state.seats[1]
    game = place(context, game, 1)
    game = context.send(game, 0, Undo()).game
    assert [len(each.commands) for each in decisions(game)] == [1, 3]
    game = context.send(game, 1, Undo()).game
    assert game.state.seats[1] == one
    game = context.send(game, 1, Undo()).game
    assert game.state.seats[1] == empty
    check_stream(context, game)
    check_record(context, game)


def decisions(game: Game) -> list[Any]:
    """A game's decisions, newest first."""
    found, link = [], game.table.decisions
    while link is not None:
        link, decision = link
        found.append(decision)
    return found


def test_two_undos_in_a_row_and_one_of_the_other_seat(context: House) -> None:
    game = planning(context)
    nothing = game.state
    one = place(context, game, 0)
    two = place(context, place(context, one, 1), 0)
    game = place(context, two, 1)
    placed = game.state.seats[1]
    game = context.send(game, 0, Undo()).game
    assert (game.state.seats[0], game.state.seats[1]) == (one.state.seats[0], placed)
    game = context.send(game, 0, Undo()).game
    assert (game.state.seats[0], game.state.seats[1]) == (nothing.seats[0], placed)
    game = context.send(game, 1, Undo()).game
    assert (game.state.seats[0], game.state.seats[1]) == (nothing.seats[0], two.state.seats[1])
    game = place(context, game, 0)
    done = context.send(game, 1, Undo())
    assert types(done)[0] == "undone"
    assert done.game.state == one.state
    again = context.send(done.game, 0, Undo())
    assert types(again) == ["undone"]
    assert again.game.state == nothing
    assert legal_moves.legal_moves(again.game, person(1).hash, START).table
    check_stream(context, again.game)
    check_record(context, again.game)


def test_undo_of_the_end_of_planning_while_the_other_plans(context: House) -> None:
    game = place(context, planning(context), 0)
    planned = game.state.seats[0]
    game = context.send(game, 0, EndPlanning()).game
    game = place(context, game, 1)
    theirs = game.state.seats[1]
    game = context.send(game, 0, Undo()).game
    assert (game.state.seats[0], game.state.seats[1]) == (planned, theirs)
    assert game.to_act() == (0, 1)
    check_stream(context, game)
    check_record(context, game)


def test_a_placing_while_the_other_may_reopen_is_simultaneous(context: House) -> None:
    game = context.send(planning(context), 0, EndPlanning()).game
    before = game.state.seats[1]
    game = place(context, game, 1)
    assert game.table.decisions is not None
    assert game.table.decisions[1].simultaneous
    game = context.send(game, 0, ReopenPlanning()).game
    game = context.send(game, 1, Undo()).game
    assert game.state.seats[1] == before
    assert game.to_act() == (0, 1)
    check_record(context, game)


def test_in_turn_nothing_is_simultaneous(context: House) -> None:
    game = planning(context, options=Options(planning="in_turn"))
    game = context.send(game, 0, EndPlanning()).game
    end = game.version
    game = context.send(game, 1, placings(game, 1)[0]).game
    asked = context.send(game, 0, Undo())
    assert [line.event for line in asked.events] == [UndoAsked(0, end)]


def test_once_actions_began_the_seat_asks_for_its_own_decision(context: House) -> None:
    game = plan(context, plan(context, planning(context), 0), 1)
    planned = game.state
    start = game.version
    game = context.send(game, 0, EndPlanning()).game
    game = context.send(game, 1, EndPlanning()).game
    assert game.state.step == ACTIONS
    asked = context.send(game, 0, Undo())
    assert [line.event for line in asked.events] == [UndoAsked(0, start)]
    done = context.send(asked.game, 1, AcceptUndo())
    assert types(done) == ["undo_accepted", "undone"]
    assert done.game.state == planned
    check_stream(context, done.game)
    check_record(context, done.game)


def test_a_replayed_decision_is_asked_for_without_what_came_before_it(context: House) -> None:
    """The version before it lies within the take-back's append."""
    game = plan(context, place(context, planning(context), 0), 1)
    planned = game.state.seats[1]
    game = context.send(game, 1, EndPlanning()).game
    game = context.send(game, 0, Undo()).game
    free = game.state.seats[0]
    game = context.send(game, 0, EndPlanning()).game
    assert game.state.step == ACTIONS
    asked = context.send(game, 1, Undo())
    assert types(asked) == ["undo_asked"]
    done = context.send(game, 0, AcceptUndo())
    assert (done.game.state.seats[0], done.game.state.seats[1]) == (free, planned)
    assert done.game.to_act() == (0, 1)
    check_stream(context, done.game)
    check_record(context, done.game)


def following(context: House) -> Game:
    """A game in which both seats must choose how many followers to draw."""
    game = planning(context)
    generator = random.Random(5)
    while game.state.step != FOLLOWERS or len(game.to_act()) < 2:
        seat = game.to_act()[0]
        chosen = generator.choice(RULESET.legal(game.state, seat))
        game = context.send(game, seat, chosen).game
    return game


def test_what_was_drawn_must_be_agreed(context: House) -> None:
    game = following(context)
    start = game.version
    for seat in (0, 1):
        draw = [c for c in RULESET.legal(game.state, seat) if isinstance(c, DrawFollowers)][-1]
        game = context.send(game, seat, draw).game
    asked = context.send(game, 0, Undo())
    assert [line.event for line in asked.events] == [UndoAsked(0, start)]


def test_without_earlier_states_a_seat_asks(context: House) -> None:
    """A dry run knows them too; whoever has none asks."""
    game = place(context, place(context, planning(context), 0), 1)
    request = RequestContext(person(0))
    tried = context.command_handler.dry_run(game.id, 0, [Undo()], request)
    assert tried.events[0].event == Undone(game.version - 2)
    assert not tried.stopped
    assert context.newest(game) == game
    (step,) = verdicts.judge_commands(game.clone(), Actor(0), [Undo()], START).steps
    assert [event.type for event in step.events] == ["undo_asked"]


def test_time_that_passed_a_seat_on_does_not_stand_by_itself(context: House) -> None:
    """T-8: what nobody sent cannot be sent again."""
    game = place(context, place(context, planning(context), 0), 1)
    changed = game.clone()
    assert changed.table.decisions is not None
    older, newest = changed.table.decisions
    nobodys = tuple(SentCommand(None, one.command) for one in newest.commands)
    changed.table.decisions = ((older, newest), newest._replace(
        version_before=game.version, seats=frozenset(), commands=nobodys
    ))  # fmt: skip
    judged = verdicts.judge_commands(
        changed,
        Actor(0),
        [Undo()],
        START,
        state_at=lambda version: context.repository.load_version(game.id, version),
    )
    assert judged.take_back_to is None
    assert isinstance(judged.steps[0].events[0], UndoAsked)


def test_own_decision_is_the_last_of_the_seat_if_it_was_simultaneous() -> None:
    table = people(3, Moved(7, (0,)), Moved(9, (1,))).table
    assert take_back.own_decision(table, 0) is None
    assert take_back.own_decision(table, 2) is None
    take_back.record_decision(table, 11, {0}, False, simultaneous=True)
    take_back.record_decision(table, 13, {1}, False, simultaneous=True)
    found = take_back.own_decision(table, 0)
    assert found is not None
    assert (found[0].version_before, [one.version_before for one in found[1]]) == (11, [13])


def test_bots_placings_stand_as_well(context: House) -> None:
    game = planning(context, None, None, "easy")
    own = game.state.seats[0]
    game = place(context, game, 0)
    game = context.command_handler.play_bot(2, placings(game, 2)[0], game, "easy").game
    game = place(context, game, 1)
    theirs = game.state.seats[1], game.state.seats[2]
    done = context.send(game, 0, Undo()).game
    assert (done.state.seats[1], done.state.seats[2]) == theirs
    assert done.state.seats[0] == own
    check_record(context, done)


def seconds(context: House, by: int) -> None:
    assert isinstance(context.store, MemoryStore)
    assert isinstance(context.store.clock, Clock)
    context.store.clock.now += by * 1_000


def clocks(game: Game) -> list[tuple[float, float | None]]:
    return [
        (bank / 1000, None if until is None else (until - START) / 1000)
        for bank, until in game.table.clocks
    ]


def test_what_stands_keeps_its_increment_and_stops_no_clock(context: House) -> None:
    game = planning(context, deadline=TOTAL)
    seconds(context, 10)
    game = place(context, game, 0)
    seconds(context, 10)
    game = place(context, game, 1)
    assert clocks(game) == [(45, 65), (45, 65)]
    seconds(context, 10)
    game = context.send(game, 0, Undo()).game
    assert clocks(game) == [(30, 60), (35, 65)]
    game = context.send(game, 1, Undo()).game
    assert clocks(game) == [(30, 60), (30, 60)]
    check_stream(context, game)


def test_a_seat_that_plans_on_gains_nothing_while_its_clock_stands(context: House) -> None:
    """T-8: nobody waited for it."""
    game = planning(context, deadline=TOTAL)
    seconds(context, 10)
    game = context.send(game, 0, EndPlanning()).game
    assert clocks(game) == [(55, None), (50, 60)]
    for _ in range(3):
        game = context.send(game, 0, ReopenPlanning()).game
        assert game.table.clocks[0].bank == 55_000
        game = context.send(game, 0, Undo()).game
        assert clocks(game) == [(55, None), (50, 60)]
    check_stream(context, game)


def _other_command(steps: list[Any], place: int) -> None:
    steps[place]["command"]["space"] += 1


def _one_less(steps: list[Any], place: int) -> None:
    del steps[place]


def _moved_on(steps: list[Any], place: int) -> None:
    steps[place]["again"] = False


def _nobodys(steps: list[Any], place: int) -> None:
    steps[place]["seat"] = None


def _too_early(steps: list[Any], place: int) -> None:
    steps[place - 2]["again"] = True


def _by_another(steps: list[Any], place: int) -> None:
    steps[place - 1]["seat"] = 1


@pytest.mark.parametrize(
    "change", [_other_command, _one_less, _moved_on, _nobodys, _too_early, _by_another]
)
def test_records_whose_replay_does_not_follow_are_refused(
    context: House, change: Callable[[list[Any], int], None]
) -> None:
    game = place(context, place(context, planning(context), 0), 1)
    game = context.send(game, 0, Undo()).game
    context.send(game, None, Abandon())
    value = recorded(context, game)
    value = copy.deepcopy(value)
    steps = value["steps"]
    (place_of_replay,) = [at for at, step in enumerate(steps) if step.get("again")]
    change(steps, place_of_replay)
    version = 0
    for step in steps:
        version += len(step["events"])
        step["version"] = version
    assert sent(context, value).status == "refused"


def choose(game: Game, generator: random.Random) -> tuple[int, Command]:
    seat = generator.choice(game.to_act())
    return seat, generator.choice(RULESET.legal(game.state, seat))


@pytest.mark.parametrize("seed", range(6))
def test_taken_back_alone_is_as_if_it_had_never_been_sent(seed: int) -> None:
    """The state is that of a game in which the seat did not send the command, at any time."""
    generator = random.Random(seed)
    house = House(MemoryStore(Clock()))
    game = planning(house, *[None] * (2 + seed % 3))
    counted: list[tuple[int, Command]] = []
    alone = 0
    start = game
    for _ in range(90):
        if game.state.step != PLANNING:
            break
        if generator.random() < 0.3 and counted:
            seat = generator.choice(sorted({seat for seat, _ in counted}))
            done = house.send(game, seat, Undo())
            game = done.game
            assert types(done)[0] == "undone"
            at = max(at for at, (by, _) in enumerate(counted) if by == seat)
            alone += at < len(counted) - 1
            del counted[at]
        else:
            seat, command = choose(game, generator)
            if isinstance(command, EndPlanning) and len(game.to_act()) == 1:
                continue
            game = house.send(game, seat, command).game
            counted.append((seat, command))
        state = RULESET.clone(start.state)
        for by, command in counted:
            for event in RULESET.decide(state, by, command):
                RULESET.evolve(state, event)
        assert game.state == state
    assert alone >= 5
    check_stream(house, game)
    check_record(house, game)


def test_lively_games_with_take_backs_are_verified_and_imported() -> None:
    """Whatever is asked, agreed, refused and taken back, in all phases."""
    replayed = 0
    for seed in range(4):
        generator = random.Random(seed)
        house = House(MemoryStore(Clock()))
        game = planning(house, *[None, None, "easy"][: 2 + seed % 2])
        for _ in range(120):
            if game.table.status == "playing":
                game = house.step(game, generator, 0.3)
        entries = entries_of(house, game)
        assert fold(None, entries) == game
        metas = [decode_meta(entry) for entry in entries]
        replayed += sum(step.again for meta in metas if meta for step in meta.steps)
        if game.table.status == "playing":
            check_record(house, game)
    assert replayed > 0


def test_only_replays_are_marked_in_the_stream() -> None:
    """What is stored of games without them is as it was."""
    command = EndPlanning()
    marked = Step(0, command, (), (Undone(3),), again=True)
    (entry,) = encode(b"", [marked], "id", 5)
    (plain,) = encode(b"", [marked._replace(again=False)], "id", 5)
    assert b"again" not in plain.meta
    assert decode_meta(plain).steps == (StepFact.of(marked._replace(again=False)),)  # type: ignore[union-attr]
    assert decode_meta(entry).steps == (StepFact.of(marked),)  # type: ignore[union-attr]
