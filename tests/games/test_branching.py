"""Branches and rematches: exactly the position, chance of their own, nothing leaks."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from service.games import authorization, due_work, history, legal_moves, views
from service.games.commands import branching
from service.games.commands.branching import ForkRequest, create_fork, create_rematch
from service.games.commands.errors import Forbidden, KeyReused, NotVisible
from service.games.commands.requests import RequestContext
from service.games.commands.results import Committed
from service.games.game import Game, fold
from service.games.records import format as record_format
from service.games.records import verification
from service.games.records.verification import VerificationFailed
from service.games.repository import UnknownGame
from service.games.table.commands import Abandon, AcceptUndo, GiveToBot, Leave, Resign, Undo
from service.games.table.events import Forked, SeatPlan
from service.rules.plain import Misshapen
from service.rules.ruleset import RuleViolation, advance, rulesets
from service.store import Gone, MemoryStore
from tests.rules.toy import PEBBLES, Options, Take

from .play import HOST, STRANGER, Clock, House, person

MANY = Options((("red", 9), ("blue", 0)))


def branch(context: House, game: Game, version: int | None = None, **more: Any) -> Committed:
    """The host's branch."""
    key = more.pop("key", None)
    request = RequestContext(HOST, key, more.pop("fingerprint", "f"))
    return create_fork(
        context.command_handler, game.id, ForkRequest(version, **more), HOST, request
    )


def again(context: House, game: Game, seat: int | None = None, order: str = "rotated") -> Committed:
    """The rematch that a seat, or (None) the host, asks for."""
    token = HOST if seat is None else person(seat)
    return create_rematch(context.command_handler, game.id, order, token, RequestContext(token))


def recorded(context: House, game: Game) -> Any:
    return json.loads(json.dumps(record_format.record_of(context.repository, context.newest(game))))


def finished(context: House, game: Game, seed: int = 1) -> Any:
    """The record of a game of the host alone, played to its end at random."""
    generator = random.Random(seed)
    while game.table.status == "playing":
        (seat,) = game.to_act()
        command = generator.choice(game.ruleset.legal(game.state, seat))
        if game.table.seats[seat].bot:
            game = context.command_handler.play_bot(seat, command, game, "bot").game
        else:
            game = context.command_handler.send(game.id, seat, [command], RequestContext(HOST)).game
    context.command_handler.append_result(game, "score")
    return recorded(context, game)


@pytest.mark.parametrize("law", [PEBBLES, *rulesets().values()], ids=lambda law: law.id)
def test_a_branch_goes_on_from_exactly_any_position(context: House, law: Any) -> None:
    """T-12: from any version in play, whether an append ends there or not, and moves taken back."""
    options = MANY if law is PEBBLES else None
    game = context.seated(None, None, ruleset=law, options=options)
    generator = random.Random(3)
    for _ in range(3):
        game = context.step(game, generator, 0)
    game = context.send(game, 0, Undo()).game
    if game.table.take_back_request is not None:
        game = context.send(game, 1, AcceptUndo()).game
    for _ in range(22):
        if game.table.status == "playing":
            game = context.step(game, generator, 0.3)
    whole = context.store.read(game.id).entries
    assert any(entry.type == "undone" for entry in whole)
    compared = 0
    for version in range(1, len(whole) + 1):
        then = fold(None, whole[:version])
        if then.table.status != "playing":
            with pytest.raises(RuleViolation, match="T-12 not_in_play"):
                branch(context, game, version)
            continue
        laid = branch(context, game, version, bits=bytes(32)).game
        assert laid.table.created.forked_from is not None
        if then.at_append_end:
            assert views.game_view(laid)["board"] == views.game_view(then)["board"]
            assert laid.table.next_draw == 0
        chance = laid.chance()
        chance.next_index = 0
        right = then.clone()
        advance(law, right.state, chance)
        assert law.view(laid.state) == law.view(right.state)
        assert laid.to_act() == law.to_act(right.state)
        assert (
            context.newest(laid).version == fold(None, context.store.read(laid.id).entries).version
        )
        compared += 1
    assert compared > 20


def test_who_branches_off_holds_peoples_seats(context: House) -> None:
    """T-12: people's seats by default, bots stay bots, nobody counts as resigned."""
    game = context.seated(None, "easy", None, options=MANY)
    game = context.send(game, 2, Resign()).game
    laid = branch(context, game)
    table = laid.game.table
    assert laid.codes == {}
    assert [seat.token for seat in table.seats] == [HOST.hash, None, None]
    assert [(seat.kind, seat.level) for seat in table.seats[1:]] == [
        ("bot", "easy"),
        ("bot", "random"),
    ]
    assert table.resigned == ()
    assert table.seats[0].name == "player 0"
    assert [game.game for game in context.store.list_by_client(HOST.hash, 9)].count(
        laid.game.id
    ) == 1
    assert due_work.IDLE in context.store.get_due(laid.game.id, due_work.KINDS)


def test_other_seats_are_claimed_first(context: House) -> None:
    """T-12: the position is seen at once; its chance begins with the last claim."""
    game = context.seated(None, None, options=MANY)
    laid = branch(context, game, seats=(SeatPlan("human"), SeatPlan("bot", None, "random")))
    table = laid.game.table
    assert table.status == "open"
    assert list(laid.codes) == [0]
    assert views.game_view(laid.game)["board"] == views.game_view(game)["board"]
    assert legal_moves.legal_moves(laid.game, HOST.hash, 0).reason == "not_started"
    played = context.claim(laid.game, 0, laid.codes[0], "mine").game
    assert played.table.status == "playing"
    assert played.to_act() == game.to_act()
    context.send(played, 0, Take("red"))
    with pytest.raises(Misshapen, match="/seats"):
        branch(context, game, seats=(SeatPlan("human"),))


def test_the_host_may_start_it(context: House) -> None:
    game = context.seated(None, None, options=MANY)
    laid = branch(context, game, start="host").game
    assert laid.table.status == "open"
    with pytest.raises(RuleViolation, match="T-1 not_started"):
        context.command_handler.send(laid.id, 0, [Take("red")], RequestContext(HOST))


def test_a_branch_has_a_life_of_its_own(context: House) -> None:
    """T-12: deleting the game leaves it alone, and nothing before it can be taken back."""
    game = context.seated(None, None, options=MANY)
    game = context.send(game, 0, Take("red")).game
    laid = branch(context, game).game
    context.command_handler.delete(game.id, RequestContext(HOST))
    context.repository.evict(laid.id)
    assert context.newest(laid).state is not None
    with pytest.raises(RuleViolation, match="T-7 nothing_to_undo"):
        context.command_handler.send(laid.id, 0, [Undo()], RequestContext(HOST))
    value = finished(context, laid)
    assert verification.verify_record(value).taken_over == laid.table.created.forked_from
    deeper = branch(context, context.seated(None, None, options=MANY))
    assert branch(context, deeper.game).game.to_act() == deeper.game.to_act()


def test_a_branch_is_proved_from_where_it_branches_off(context: House) -> None:
    game = context.seated(None, None, options=MANY)
    game = context.send(game, 0, Take("red")).game
    game = context.send(game, 1, Take("red")).game
    context.send(game, 1, Undo())
    game = context.send(game, 0, AcceptUndo()).game
    game = context.send(game, 1, Take("red")).game
    context.play_out(game, random.Random(2), 0)
    laid = branch(context, game, game.version).game
    value, source = finished(context, laid), recorded(context, game)
    told = verification.verify_record(value)
    assert not told.past_verified
    assert verification.verify_record(value, source).past_verified
    second = branch(context, laid, laid.version).game
    assert verification.verify_record(finished(context, second), value).past_verified


FAULTS: dict[str, tuple[Callable[[Any, Any], Any], str]] = {
    "past": (
        lambda value, source: value["steps"][0]["events"][1]["data"]["past"].pop(),
        "/steps/0/draws",
    ),
    "odd past": (
        lambda value, source: value["steps"][0]["events"][1]["data"]["past"][0].update(type="x"),
        "/steps/0/events/1/data/past/0",
    ),
    "no past": (
        lambda value, source: value["steps"][0]["events"][1]["data"].pop("past"),
        "/steps/0/events/1/data/past",
    ),
    "unmarked": (
        lambda value, source: value["steps"][0]["events"][0]["data"].pop("forked_from"),
        "/steps/0/events",
    ),
    "other place": (
        lambda value, source: value["steps"][0]["events"][1]["data"].update(version=1),
        "/steps/0/events/1/data",
    ),
    "twice": (
        lambda value, source: value["steps"][0]["events"].insert(2, value["steps"][0]["events"][1]),
        "/steps/0",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_branch_that_was_touched_is_not_proved(context: House, name: str) -> None:
    game = context.seated(None, None, options=MANY)
    game = context.send(game, 0, Take("red")).game
    value = finished(context, branch(context, game).game)
    change, pointer = FAULTS[name]
    change(value, None)
    with pytest.raises(VerificationFailed) as caught:
        verification.verify_record(value)
    assert caught.value.pointer.startswith(pointer)


def test_the_other_record_must_be_the_one(context: House) -> None:
    games = [
        context.seated(None, None, options=Options((("red", 9), ("blue", 9)))) for _ in range(2)
    ]
    values = [finished_by_people(context, game) for game in games]
    laid = branch(context, games[0], games[0].version).game
    value = finished(context, laid)
    with pytest.raises(VerificationFailed, match="/game"):
        verification.verify_record(value, values[1])
    with pytest.raises(VerificationFailed, match="is no branch"):
        verification.verify_record(values[0], values[1])
    data = value["steps"][0]["events"]
    for each in (data[0]["data"]["forked_from"], data[1]["data"]):
        each["version"] += 1
    with pytest.raises(VerificationFailed, match="past"):
        verification.verify_record(value, values[0])
    for each in (data[0]["data"]["forked_from"], data[1]["data"]):
        each["version"] = 10_000
    with pytest.raises(VerificationFailed, match="end before"):
        verification.verify_record(value, values[0])


def finished_by_people(context: House, game: Game) -> Any:
    return recorded(context, context.play_out(game, random.Random(4), 0))


def test_nothing_sealed_is_taken_over(context: House) -> None:
    """T-12: a branch of a live game holds nothing that its seed or tokens could be told from."""
    game = context.seated(None, None, options=MANY)
    laid = branch(context, game).game
    written = b"".join(entry.data + entry.meta for entry in context.store.read(laid.id).entries)
    created = game.table.created
    assert laid.table.created.sealed_chance != created.sealed_chance
    secrets = [created.sealed_chance["seed"], *filter(None, created.claims)]
    secrets += [seat.token for seat in game.table.seats if seat.token]
    for secret in secrets:
        assert secret.encode() not in written


def test_equal_draws_make_equal_branches() -> None:
    """Two games whose draws were the same so far and will differ: their branches are one."""
    answers, later = [], []
    for seed in (b"\1" * 32, b"\2" * 32):
        context = House(MemoryStore(Clock()))
        game = context.seated(None, None, options=MANY, bits=seed, id="a" * 26)
        for seat in (0, 1):
            game = context.send(game, seat, Take("red")).game
        later.append(game.chance().number(10**9))
        laid = branch(context, game, game.version - 1, bits=bytes(32), key="k").game
        told = [authorization.public_data(line.event) for line in told_of(context, laid)]
        answers.append(json.dumps([views.game_view(laid), told, laid.table.created.commitment]))
    assert later[0] != later[1]
    assert answers[0] == answers[1]


def told_of(context: House, game: Game) -> Any:
    return history.load_events(context.repository, game, 1, game.version)


def test_who_may_branch_off(context: House) -> None:
    """T-12: whoever may read; a private game's branches are private."""
    public = context.seated(None, None, options=MANY)
    laid = create_fork(
        context.command_handler, public.id, ForkRequest(), STRANGER, RequestContext(STRANGER)
    ).game
    assert authorization.is_host(laid.table, STRANGER.hash)
    private = context.seated(None, None, options=MANY, visibility="private")
    with pytest.raises(NotVisible):
        create_fork(
            context.command_handler, private.id, ForkRequest(), STRANGER, RequestContext(STRANGER)
        )
    with pytest.raises(Misshapen, match="/visibility"):
        branch(context, private, visibility="public")
    hidden = branch(context, private)
    assert not authorization.may_read(hidden.game.table, STRANGER.hash)
    assert hidden.watch is not None
    assert not branch(context, public, visibility="private").game.table.public
    with pytest.raises(UnknownGame):
        branch(context, public, public.version + 1)
    with pytest.raises(UnknownGame):
        branch(context, public, version=0)


def test_a_branch_is_laid_once_for_a_key(context: House) -> None:
    game = context.seated(None, None, options=MANY)
    first, second = (branch(context, game, key="k") for _ in range(2))
    assert second.replayed
    assert first.game.id == second.game.id
    with pytest.raises(KeyReused):
        branch(context, game, 5, key="k", fingerprint="g")


def test_a_past_that_is_too_long_is_refused(
    context: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """T-12: what led there must go into one append."""
    monkeypatch.setattr(branching, "MAX_PAST_BYTES", 10)
    with pytest.raises(RuleViolation, match="past_too_long"):
        branch(context, context.seated(None, None, options=MANY))


def test_a_past_of_an_unknown_type_is_corrupt(context: House) -> None:
    laid = branch(context, context.seated(None, None, options=MANY)).game
    (event,) = [line.event for line in told_of(context, laid) if isinstance(line.event, Forked)]
    assert event.past
    past = [type(each)("x", each.schema, each.data) for each in event.past]
    with pytest.raises(Exception, match="is called x"):
        laid.clone().apply(Forked(event.game, event.version, tuple(past)))


class TestRematch:
    """The same table again."""

    def over(self, context: House, *levels: str | None, **more: Any) -> Game:
        game = context.seated(*levels, options=MANY, **more)
        return context.send(game, None, Abandon()).game

    def test_the_same_people_sit_there(self, context: House) -> None:
        """T-13: rotated by one; the seats are held at once, under the same names."""
        game = self.over(context, None, "easy", None, visibility="private")
        laid = again(context, game, 2)
        table = laid.game.table
        assert [seat.token for seat in table.seats] == [None, person(2).hash, person(0).hash]
        assert [seat.name for seat in table.seats] == ["bot 1", "player 2", "player 0"]
        assert table.seats[0].level == "easy"
        assert authorization.is_host(table, person(2).hash)
        assert (table.status, table.public, table.created.rematch_of) == (
            "playing",
            False,
            game.id,
        )
        assert table.created.commitment != game.table.created.commitment
        assert laid.game.options == game.options
        assert laid.game.to_act() == (0,)
        assert laid.codes == {}

    def test_there_is_one_whoever_asks(self, context: House) -> None:
        """T-13: who asks later gets the same."""
        game = self.over(context, None, None)
        first, second = again(context, game, 0, "same"), again(context, game, 1)
        assert second.replayed
        assert first.game.id == second.game.id
        assert [seat.token for seat in second.game.table.seats] == [
            person(0).hash,
            person(1).hash,
        ]
        key = RequestContext(HOST, "k", "f")
        third = create_rematch(context.command_handler, game.id, "rotated", HOST, key)
        assert (third.replayed, third.game.id) == (True, first.game.id)

    def test_open_seats_are_claimed_with_the_hosts_codes(self, context: House) -> None:
        laid = context.lay(None, None, options=MANY)
        context.claim(laid.game, 0, laid.codes[0])
        context.send(laid.game, None, Abandon())
        first = again(context, laid.game, 0, "same")
        assert first.game.table.status == "open"
        assert list(first.codes) == [1]
        assert list(again(context, laid.game, 0, "same").codes) == [1]
        assert again(context, laid.game).codes == {}
        context.claim(first.game, 1, first.codes[1])
        assert context.newest(first.game).table.status == "playing"

    def test_seats_that_bots_played_on_are_peoples_again(self, context: House) -> None:
        """T-13: who resigned or left a seat to a bot has it again."""
        game = context.seated(None, None, None, options=MANY)
        context.send(game, 0, Resign())
        context.send(game, 1, GiveToBot("easy"))
        game = context.send(game, None, Abandon()).game
        table = again(context, game, order="same").game.table
        assert [seat.token for seat in table.seats] == [person(seat).hash for seat in range(3)]
        assert table.human_seats == {0, 1, 2}

    def test_it_waits_for_the_end(self, context: House) -> None:
        """T-13: not before play has ended; once it has, the result need not stand yet."""
        game = context.seated(None, None, options=MANY)
        with pytest.raises(RuleViolation, match="T-13 not_over"):
            again(context, game)
        scoring = context.send(game, 0, Resign()).game
        assert scoring.table.status == "scoring"
        assert again(context, scoring).game.table.status == "playing"

    def test_it_is_for_the_table(self, context: House) -> None:
        """T-13: for the host and the seats; others must not even know of a private game."""
        public, private = self.over(context, None, None), None
        with pytest.raises(Forbidden):
            create_rematch(
                context.command_handler, public.id, "same", STRANGER, RequestContext(STRANGER)
            )
        private = self.over(context, None, None, visibility="private")
        with pytest.raises(NotVisible):
            create_rematch(
                context.command_handler, private.id, "same", STRANGER, RequestContext(STRANGER)
            )

    def test_a_deleted_one_is_laid_again(self, context: House) -> None:
        """T-13: and so on, up to a bound."""
        game = self.over(context, None, None)
        seen = set()
        for _ in range(branching.MAX_REMATCHES):
            laid = again(context, game).game
            seen.add(laid.id)
            context.command_handler.delete(laid.id, RequestContext(HOST))
        assert len(seen) == branching.MAX_REMATCHES
        with pytest.raises(Gone):
            again(context, game)

    def test_arranged_chance_is_arranged_again(self, context: House) -> None:
        game = context.seated(None, None, outcomes=("red", "blue", "red"))
        game = context.send(game, None, Abandon()).game
        sealed = again(context, game).game.table.created.sealed_chance
        assert sealed["outcomes"] == ["red", "blue", "red"]
        assert sealed["bits"] != game.table.created.sealed_chance["bits"]

    def test_a_rematch_of_a_rematch(self, context: House) -> None:
        laid = context.lay(None, None, options=MANY, start="host")
        for seat, code in laid.codes.items():
            context.claim(laid.game, seat, code)
        context.send(laid.game, None, Abandon())
        first = again(context, laid.game).game
        assert first.table.status == "open"  # it waits for the host again
        context.command_handler.send(first.id, 0, [Leave()], RequestContext(person(1)))
        first = context.send(first, None, Abandon()).game
        second = again(context, first).game
        assert [seat.token for seat in second.table.seats] == [person(0).hash, None]
