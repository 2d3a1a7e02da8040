"""The table's rules T-1 … T-11, told as: given these events, when this is sent, then that."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest

from service.bot_levels import LEVELS
from service.games.table import checks as table_checks
from service.games.table import decide as table_decide
from service.games.table import evolve as table_evolve
from service.games.table import rule_book as table_rule_book
from service.games.table import state as table_state
from service.games.table import take_back
from service.games.table.commands import (
    Abandon,
    AcceptUndo,
    GiveToBot,
    HandOver,
    Leave,
    RefuseUndo,
    Resign,
    Start,
    Undo,
)
from service.games.table.events import (
    Abandoned,
    FinalScored,
    GameCreated,
    GameStarted,
    SeatClaimed,
    SeatGivenToBot,
    SeatHandedOver,
    SeatLeft,
    SeatPlan,
    SeatResigned,
    TokenReplaced,
    UndoAccepted,
    UndoAsked,
    Undone,
    UndoRefused,
)
from service.games.table.state import Actor, DecisionContext, Table
from service.rules.described import Command, Event
from service.rules.ruleset import PlayEnded, RuleViolation
from tests.rules.toy import Throw

PATIENCE = 1_000
LAID = 5_000
SEALED = {"seed": "5" * 64}
HOST = Actor(None, host=True)
EARLY = DecisionContext(LAID + PATIENCE - 1)
RULES = {rule.id for rule in table_rule_book.RULES}


def code(letter: str) -> str:
    return letter * 64


def created(*levels: str | None, start: str = "full") -> GameCreated:
    """A creation with a bot of each level; None is a person's seat."""
    seats = tuple(
        SeatPlan("human") if level is None else SeatPlan("bot", f"bot {seat}", level)
        for seat, level in enumerate(levels)
    )
    claims = tuple(code(str(i)) if level is None else None for i, level in enumerate(levels))
    return GameCreated(
        game="a" * 26,
        ruleset="any",
        law=1,
        options={},
        seats=seats,
        visibility="public",
        start=start,
        chance="sealed",
        chance_id="a" * 26,
        commitment=code("c"),
        patience=PATIENCE,
        sealed_chance=SEALED,
        host=code("h"),
        watch=None,
        claims=claims,
    )


def claimed(seat: int, entropy: str = "") -> SeatClaimed:
    return SeatClaimed(seat, f"player {seat}", entropy, code("abcdefgh"[seat]))


@dataclass(frozen=True)
class Moved:
    """An append with game commands, in the DSL: after which version, by whom, drawing or not."""

    before: int
    seats: tuple[int, ...]
    drew: bool = False


@dataclass
class Given:
    """A table after some events, to send commands to."""

    table: Table
    moment: DecisionContext = EARLY

    def when(self, actor: Actor | int, command: Command) -> list[Event]:
        """What the command states; checks that judging changed nothing."""
        actor = actor if isinstance(actor, Actor) else Actor(actor)
        kept = self.table.clone()
        try:
            return table_decide.decide(self.table, actor, command, self.moment)
        finally:
            assert self.table == kept

    def refuses(self, actor: Actor | int, command: Command, rule: str, code: str) -> None:
        """Checks a refusal."""
        with pytest.raises(RuleViolation) as caught:
            self.when(actor, command)
        assert (caught.value.rule, caught.value.code) == (rule, code)

    def then(self, *events: Event | Moved) -> Given:
        """The table after further events."""
        after = self.table.clone()
        for event in events:
            if isinstance(event, Moved):
                take_back.record_decision(after, event.before, event.seats, event.drew)
            else:
                table_evolve.evolve(after, event)
        return replace(self, table=after)

    def at(self, now: int, *waiting: int) -> Given:
        """The same table at another moment, the game waiting for some seats."""
        return replace(self, moment=DecisionContext(now, waiting))


def given(creation: GameCreated, *events: Event | Moved) -> Given:
    return Given(table_state.create_table(creation, LAID)).then(*events)


def people(count: int, *events: Event | Moved) -> Given:
    """A table of people that is being played."""
    claims = [claimed(seat) for seat in range(count)]
    return given(created(*[None] * count), *claims, GameStarted(), *events)


def test_the_last_claim_starts_the_game() -> None:
    """T-1: the table starts by itself once every seat is filled."""
    table = given(created(None, None))
    assert table_decide.proceed(table.table) == []
    table = table.then(claimed(0))
    assert table_decide.proceed(table.table) == []
    table = table.then(claimed(1))
    assert table_decide.proceed(table.table) == [GameStarted()]
    assert table_decide.proceed(table.then(GameStarted()).table) == []


def test_bots_alone_start_at_once() -> None:
    """T-1: a table of bots is full when it is laid."""
    assert table_decide.proceed(given(created("easy", "random")).table) == [GameStarted()]


def test_the_host_starts() -> None:
    """T-1: laid with `start: host`, the table waits for the host."""
    table = given(created(None, "easy", start="host"))
    table.refuses(HOST, Start(), "T-1", "seats_open")
    table = table.then(claimed(0))
    assert table_decide.proceed(table.table) == []
    assert table.when(HOST, Start()) == [GameStarted()]
    table.refuses(0, Start(), "T-1", "not_the_host")
    table.refuses(Actor(0, host=True), Start(), "T-1", "not_the_host")
    table.then(GameStarted()).refuses(HOST, Start(), "T-1", "already_started")


def test_claiming_needs_the_code_of_an_open_seat() -> None:
    """T-1: a seat opens to its own code, once."""
    table = given(created(None, None)).table
    claim = table_decide.decide_claim(table, 0, code("0"), "Ann", "xyz", code("a"))
    assert claim == [SeatClaimed(0, "Ann", "xyz", code("a"))]
    for seat, given_code, wanted in ((0, "1", "wrong_claim_code"), (1, "0", "wrong_claim_code")):
        with pytest.raises(RuleViolation) as caught:
            table_decide.decide_claim(table, seat, code(given_code), "Ann", "", code("a"))
        assert (caught.value.rule, caught.value.code) == ("T-1", wanted)
    table_evolve.evolve(table, claim[0])
    assert table.seats[0].entropy == "xyz"
    with pytest.raises(RuleViolation) as caught:
        table_decide.decide_claim(table, 0, code("0"), "Bob", "", code("b"))
    assert (caught.value.rule, caught.value.code) == ("T-1", "seat_taken")


def test_of_two_the_other_wins() -> None:
    """T-2: of two seats one resigns and play ends."""
    table = people(2)
    events = table.when(1, Resign())
    assert events == [SeatResigned(1, None), PlayEnded("T-2", 1)]
    after = table.then(*events).table
    assert (after.status, after.resigned, after.ended_by_rules) == ("scoring", (1,), False)
    assert not after.seats[1].bot


def test_of_three_a_bot_plays_on() -> None:
    """T-2: of more seats the lowest bot plays on for the one that resigned."""
    table = people(3)
    events = table.when(1, Resign())
    assert events == [SeatResigned(1, LEVELS[0])]
    table = table.then(*events)
    assert table.table.status == "playing"
    assert table.table.human_seats == {0, 2}
    table.refuses(1, Resign(), "T-2", "seat_resigned")
    table.refuses(1, HandOver(), "T-2", "seat_resigned")


def test_resigning_is_the_seats_own() -> None:
    """T-2: only the seat itself resigns, and only in play."""
    people(2).refuses(HOST, Resign(), "T-2", "not_a_seat")
    people(2).refuses(Actor(0, host=True), Resign(), "T-2", "not_a_seat")
    given(created(None, None), claimed(0)).refuses(0, Resign(), "T-2", "not_started")


@pytest.mark.parametrize("table", [people(2), given(created(None, None))])
def test_the_host_abandons(table: Given) -> None:
    """T-3: the game ends without a winner, and the seed is shown."""
    assert table.when(HOST, Abandon()) == [Abandoned("host", SEALED)]
    table.refuses(0, Abandon(), "T-3", "not_the_host")
    table.refuses(Actor(0, host=True), Abandon(), "T-3", "not_the_host")
    after = table.then(Abandoned("host", SEALED)).table
    assert (after.status, after.reason) == ("abandoned", "host")


@pytest.mark.parametrize("level", LEVELS)
def test_a_seat_gives_itself_to_a_bot(level: str) -> None:
    """T-4: the seat itself names the level."""
    events = people(2).when(0, GiveToBot(level))
    assert events == [SeatGivenToBot(0, level)]
    after = people(2).then(*events)
    assert (after.table.seats[0].kind, after.table.seats[0].level) == ("bot", level)
    after.refuses(0, GiveToBot(LEVELS[0]), "T-4", "played_by_bot")
    after.refuses(0, Resign(), "T-4", "played_by_bot")


def test_the_host_gives_an_idle_seat_to_a_bot() -> None:
    """T-4: only a seat that the game has waited for, for as long as the table's patience."""
    as_host = Actor(0, host=True)
    table = people(2)
    late = LAID + PATIENCE
    assert table.at(late, 0).when(as_host, GiveToBot("easy")) == [SeatGivenToBot(0, "easy")]
    table.at(late, 1).refuses(as_host, GiveToBot("easy"), "T-4", "seat_not_idle")
    table.refuses(HOST, GiveToBot("easy"), "T-4", "not_a_seat")
    given(created(None, None)).refuses(as_host, GiveToBot("easy"), "T-4", "not_started")
    bot = table.then(SeatGivenToBot(0, "easy")).at(late, 0)
    bot.refuses(as_host, GiveToBot("random"), "T-4", "seat_not_idle")


def test_the_host_chooses_the_bot_of_a_resigned_seat() -> None:
    """T-4: for a resigned seat the host may choose another level at any time."""
    table = people(3, SeatResigned(1, "random"))
    actor = Actor(1, host=True)
    assert table.when(actor, GiveToBot("easy")) == [SeatGivenToBot(1, "easy")]
    table.refuses(actor, GiveToBot("random"), "T-4", "same_level")
    after = table.then(SeatGivenToBot(1, "easy"))
    assert after.table.resigned == (1,)


def test_handing_over() -> None:
    """T-5: the seat opens under a new code; who takes it has no say in chance."""
    table = people(2).then(claimed(0, "first"))
    assert table.table.seats[0].entropy == ""
    moment = DecisionContext(LAID, (), code("n"))
    events = table_decide.decide(table.table, Actor(0), HandOver(), moment)
    assert events == [SeatHandedOver(0, 1, code("n"))]
    after = table.then(*events)
    assert after.table.seats[0].token == code("a")
    assert after.when(0, Resign())
    with pytest.raises(RuleViolation) as caught:
        table_decide.decide_claim(after.table, 0, code("n"), "Eve", "late", code("e"))
    assert (caught.value.rule, caught.value.code) == ("T-5", "too_late_for_entropy")
    again = table_decide.decide_claim(after.table, 0, code("n"), "Eve", "", code("e"))
    taken = after.then(*again).table
    assert (taken.seats[0].token, taken.seats[0].claim, taken.hand_over_count) == (
        code("e"),
        None,
        1,
    )


def test_entropy_given_before_the_start_stays_with_the_seat() -> None:
    """T-5: a seat handed over keeps the entropy of the first who claimed it."""
    table = given(created(None, None), claimed(0, "first"), claimed(1), GameStarted())
    table = table.then(SeatHandedOver(0, 1, code("n")), replace(claimed(0), token=code("e")))
    assert table.table.seats[0].entropy == "first"


def test_handing_over_is_the_seats_own() -> None:
    """T-5: nobody hands over a seat that nobody has, or for others, or without end."""
    given(created(None, None)).refuses(0, HandOver(), "T-5", "seat_open")
    people(2).refuses(Actor(0, host=True), HandOver(), "T-5", "not_a_seat")
    often = SeatHandedOver(0, table_state.MAX_HAND_OVERS, code("n"))
    people(2, often).refuses(0, HandOver(), "T-5", "too_often")


def test_leaving() -> None:
    """T-6: before the start the seat is open again, under its first code."""
    table = given(created(None, None), claimed(0, "mine"))
    assert table.when(0, Leave()) == [SeatLeft(0)]
    after = table.then(SeatLeft(0))
    seat = after.table.seats[0]
    assert (seat.token, seat.claim, seat.entropy, seat.name) == (None, code("0"), "", None)
    after.refuses(0, Leave(), "T-6", "seat_open")
    people(2).refuses(0, Leave(), "T-6", "already_started")
    table.refuses(HOST, Leave(), "T-6", "not_a_seat")


def test_undo_of_an_own_move_without_draws_is_at_once() -> None:
    """T-7: the seat's own last decision, nothing drawn, is taken back at once."""
    table = people(2, Moved(7, (0,)))
    assert table.when(0, Undo()) == [Undone(7)]
    assert table.when(1, Undo()) == [UndoAsked(1, 7)]
    assert people(2, Moved(7, (0,), drew=True)).when(0, Undo()) == [UndoAsked(0, 7)]


def test_undo_takes_the_bots_moves_after_a_persons_along() -> None:
    """T-7: what bots decided after the person's move goes back too; their draws count."""
    table = given(created(None, None, "easy"), claimed(0), claimed(1), GameStarted())
    table = table.then(Moved(7, (0,)), Moved(9, (2,)))
    assert table.when(0, Undo()) == [Undone(7)]
    drew = table.then(Moved(12, (2,), drew=True))
    assert drew.when(0, Undo()) == [UndoAsked(0, 7)]
    only_bots = given(created(None, "easy"), claimed(0), GameStarted(), Moved(5, (1,)))
    only_bots.refuses(0, Undo(), "T-7", "nothing_to_undo")


def test_the_only_person_need_not_ask() -> None:
    """T-7: bots always agree."""
    table = given(created(None, "easy"), claimed(0), GameStarted())
    table = table.then(Moved(4, (0,), drew=True), Moved(6, (1,), drew=True))
    assert table.when(0, Undo()) == [Undone(4)]


def test_all_people_must_agree() -> None:
    """T-7: the last of the other people to accept takes the move back."""
    table = people(3, Moved(8, (1,), drew=True), UndoAsked(0, 8))
    table.refuses(1, Undo(), "T-7", "undo_asked")
    table.refuses(0, AcceptUndo(), "T-7", "undo_answered")
    assert table.when(1, AcceptUndo()) == [UndoAccepted(1)]
    table = table.then(UndoAccepted(1))
    table.refuses(1, AcceptUndo(), "T-7", "undo_answered")
    table.refuses(1, RefuseUndo(), "T-7", "undo_answered")
    assert table.when(2, AcceptUndo()) == [UndoAccepted(2), Undone(8)]
    after = table.then(UndoAccepted(2), Undone(8))
    assert (after.table.take_back_request, after.table.take_back_agreed) == (None, frozenset())
    after.refuses(0, Undo(), "T-7", "nothing_to_undo")


def test_a_person_who_became_a_bot_is_not_asked() -> None:
    """T-7: whoever is given to a bot meanwhile agrees as bots do."""
    table = people(3, Moved(8, (1,), drew=True), UndoAsked(0, 8), SeatGivenToBot(2, "easy"))
    assert table.when(1, AcceptUndo()) == [UndoAccepted(1), Undone(8)]


@pytest.mark.parametrize("command", [GiveToBot("easy"), Resign()])
def test_the_last_person_to_answer_may_leave_it_to_a_bot(command: Command) -> None:
    """T-7: the bot that takes the seat agrees, so the move is taken back with that."""
    asked = people(3, Moved(7, (0,), drew=True), UndoAsked(0, 7))
    assert not any(isinstance(event, Undone) for event in asked.when(2, command))
    events = asked.then(UndoAccepted(1)).when(2, command)
    assert events[1:] == [Undone(7)]
    assert events[0] == asked.when(2, command)[0]


def test_one_refusal_ends_the_question() -> None:
    """T-7: after a refusal nothing is asked any more, and asking again is possible."""
    table = people(3, Moved(8, (1,), drew=True), UndoAsked(0, 8), UndoAccepted(1))
    assert table.when(2, RefuseUndo()) == [UndoRefused(2)]
    after = table.then(UndoRefused(2))
    after.refuses(1, AcceptUndo(), "T-7", "undo_not_asked")
    after.refuses(1, RefuseUndo(), "T-7", "undo_not_asked")
    assert after.when(2, Undo()) == [UndoAsked(2, 8)]


def test_a_move_voids_the_question() -> None:
    """T-7: any game command in between ends it."""
    table = people(2, Moved(8, (1,), drew=True), UndoAsked(0, 8), Moved(12, (0,)))
    table.refuses(1, AcceptUndo(), "T-7", "undo_not_asked")
    assert table.when(0, Undo()) == [Undone(12)]


def test_undo_again_goes_further_back() -> None:
    """T-7: an undone takes the later decisions out; the next undo finds the earlier one."""
    table = people(2, Moved(7, (0,)), Moved(9, (1,)))
    table = table.then(Undone(9))
    assert table.when(0, Undo()) == [Undone(7)]
    table.then(Undone(7)).refuses(0, Undo(), "T-7", "nothing_to_undo")


def test_undo_before_the_start_or_by_the_host() -> None:
    """T-7: only seats take back, and only in play."""
    given(created(None, None), claimed(0)).refuses(0, Undo(), "T-7", "not_started")
    people(2, Moved(7, (0,))).refuses(HOST, Undo(), "T-7", "not_a_seat")


def test_patience_ends_no_sooner_than_its_time() -> None:
    """T-8: a millisecond before the time nothing has passed yet; a move begins it anew."""
    actor, command = Actor(0, host=True), GiveToBot("easy")
    table = people(2)
    early = table.at(LAID + PATIENCE - 1, 0)
    early.refuses(actor, command, "T-4", "seat_not_idle")
    assert table.at(LAID + PATIENCE, 0).when(actor, command)
    moved = replace(table.table.clone(), changed_at=LAID + 500)
    replace(table, table=moved).at(LAID + PATIENCE, 0).refuses(
        actor, command, "T-4", "seat_not_idle"
    )


def test_what_is_sealed_is_named() -> None:
    """T-9: chance, tokens and codes are sealed fields of the events that hold them."""
    assert GameCreated.sealed == ("sealed_chance", "host", "watch", "claims")
    assert SeatClaimed.sealed == ("token",)
    assert SeatHandedOver.sealed == ("claim",)
    assert TokenReplaced.sealed == ("old", "new")


ENDINGS: tuple[tuple[Event, ...], ...] = (
    (Abandoned("idle", SEALED),),
    (PlayEnded("T-2", 0),),
    (PlayEnded("X-1"), FinalScored({}, (), SEALED, True)),
)


@pytest.mark.parametrize("ending", ENDINGS)
def test_nothing_is_taken_after_the_end(ending: tuple[Event, ...]) -> None:
    """T-10: every command and claim is refused once play has ended."""
    over = people(2, SeatHandedOver(1, 1, code("n")), Moved(7, (0,)), *ending)
    for command in ALL:
        for actor in all_parties(2):
            over.refuses(actor, command, "T-10", "game_over")
            assert table_decide.legal(over.table, actor, over.moment) == []
    with pytest.raises(RuleViolation) as caught:
        table_decide.decide_claim(over.table, 1, code("n"), "Eve", "", code("e"))
    assert caught.value.rule == "T-10"
    with pytest.raises(RuleViolation, match="T-10"):
        table_checks.check_playing(over.table)
    assert table_decide.proceed(over.table) == []


def test_who_plays() -> None:
    """T-11: commands of the game are sent by the seat itself; bots' by the house."""
    table = people(3, SeatGivenToBot(1, "easy"), SeatResigned(2, "random")).table
    assert table_decide.check_may_play(table, Actor(0)) == 0
    for actor, rule in (
        (HOST, "T-11"),
        (Actor(0, host=True), "T-11"),
        (Actor(1), "T-4"),
        (Actor(2), "T-2"),
    ):
        with pytest.raises(RuleViolation) as caught:
            table_decide.check_may_play(table, actor)
        assert caught.value.rule == rule
    table_decide.check_bot(table, 1)
    with pytest.raises(RuleViolation, match="T-4 not_a_bot"):
        table_decide.check_bot(table, 0)
    with pytest.raises(RuleViolation, match="T-1 not_started"):
        table_decide.check_may_play(given(created(None, None), claimed(0)).table, Actor(0))


def test_commands_of_the_game_are_none_of_the_tables() -> None:
    """T-11: the table judges its own commands only."""
    people(2).refuses(0, Throw(), "T-11", "not_a_table_command")


def test_a_replaced_token_stands_everywhere() -> None:
    """T-9: a client may go by another token; whose game it is stays the same."""
    table = people(2).then(TokenReplaced(code("a"), code("x"))).table
    assert [seat.token for seat in table.seats] == [code("x"), code("b")]
    assert table.host == code("h")
    assert people(2).then(TokenReplaced(code("h"), code("x"))).table.host == code("x")


ALL: tuple[Command, ...] = (
    Start(),
    Resign(),
    Abandon(),
    *(GiveToBot(level) for level in LEVELS),
    HandOver(),
    Leave(),
    Undo(),
    AcceptUndo(),
    RefuseUndo(),
)


def all_parties(seats: int) -> list[Actor]:
    own = [Actor(seat) for seat in range(seats)]
    return [*own, HOST, *(Actor(seat, host=True) for seat in range(seats))]


def random_table(generator: random.Random) -> tuple[Table, DecisionContext]:
    """A table after random legal commands and moves, at a random moment."""
    levels: Sequence[str | None] = [
        generator.choice((None, None, None, *LEVELS)) for _ in range(generator.randint(2, 4))
    ]
    game = given(created(*levels, start=generator.choice(("full", "host"))))
    version = 1
    for seat, level in enumerate(levels):
        if level is None and generator.random() < 0.9:
            game = game.then(claimed(seat))
    game = game.then(*table_decide.proceed(game.table))
    for _ in range(generator.randint(0, 12)):
        moment = random_moment(generator, len(levels))
        version += 5
        if game.table.status == table_state.PLAYING and generator.random() < 0.4:
            seat = generator.randrange(len(levels))
            game = game.then(Moved(version, (seat,), generator.random() < 0.5))
            continue
        actor = generator.choice(all_parties(len(levels)))
        listed = table_decide.legal(game.table, actor, moment)
        if generator.random() < 0.9:  # games that end at once have little to tell
            listed = [one for one in listed if not isinstance(one, (Abandon, Resign))]
        if listed:
            command: Any = generator.choice(listed)
            game = game.then(*table_decide.decide(game.table, actor, command, moment))
    return game.table, random_moment(generator, len(levels))


def random_moment(generator: random.Random, seats: int) -> DecisionContext:
    waiting = tuple(seat for seat in range(seats) if generator.random() < 0.5)
    return DecisionContext(LAID + generator.choice((0, PATIENCE - 1, PATIENCE)), waiting)


def accepts(table: Table, actor: Actor, command: Command, moment: DecisionContext) -> bool:
    """Whether the table accepts the command; a refusal must name a rule of the book."""
    try:
        events = table_decide.decide(table, actor, command, moment)
    except RuleViolation as refusal:
        if refusal.rule not in RULES or not refusal.detail:
            raise
        return False
    return bool(events)


@pytest.mark.parametrize("seed", range(300))
def test_legal_is_what_decide_accepts(seed: int) -> None:
    """T-11: every command that may be sent is listed, and no other, for every party."""
    table, moment = random_table(random.Random(seed))
    kept = table.clone()
    for actor in all_parties(len(table.seats)):
        listed = table_decide.legal(table, actor, moment)
        accepted = [one for one in ALL if accepts(table, actor, one, moment)]
        assert listed == accepted
    assert table == kept


def test_random_tables_meet_every_command() -> None:
    """The tables above are no empty talk: every command is legal on some of them."""
    met = {
        command
        for seed in range(300)
        for table, moment in [random_table(random.Random(seed))]
        for actor in all_parties(len(table.seats))
        for command in table_decide.legal(table, actor, moment)
    }
    assert met == set(ALL)
