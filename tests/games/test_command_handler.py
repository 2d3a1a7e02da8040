"""Requests carried out in full: written once, refused whole, repeated the same."""

from __future__ import annotations

import json
import random
import threading
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from service.games import authorization, history, legal_moves, tokens, tracing, views
from service.games.commands import verdicts
from service.games.commands.errors import Busy, Forbidden, KeyReused, NotVisible, Stale
from service.games.commands.requests import RequestContext
from service.games.commands.results import Committed
from service.games.due_work import KINDS
from service.games.game import Game, new_game
from service.games.records import archive as archives
from service.games.records import format as record_format
from service.games.records import verification
from service.games.repository import Repository, UnknownGame
from service.games.table.clocks import Deadline
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
from service.games.table.events import EVENTS, Abandoned
from service.games.tokens import Token
from service.rules.plain import Misshapen
from service.rules.ruleset import RuleViolation
from service.store import Append, Conflict, Gone, MemoryStore, StreamSlice
from tests.games.play import HOST, STRANGER, House, person
from tests.rules.toy import PEBBLES, Options, Take, Throw

RED = Options((("red", 9),))


def types(written: Committed) -> list[str]:
    return [line.event.type for line in written.events]


def red_game(context: House, seats: int = 2, **more: Any) -> Game:
    """A game of red pebbles alone: what comes is known, and yet drawn."""
    return context.seated(*[None] * seats, options=RED, **more)


def test_a_game_from_laying_to_the_result(any_house: House) -> None:
    laid = any_house.lay(None, None)
    assert types(laid) == ["game_created"]
    assert sorted(laid.codes) == [0, 1]
    assert laid.watch is None
    first = any_house.claim(laid.game, 0, laid.codes[0])
    assert types(first) == ["seat_claimed"]
    last = any_house.claim(laid.game, 1, laid.codes[1])
    assert types(last) == ["seat_claimed", "game_started", "drawn"]
    game = any_house.play_out(last.game, random.Random(1), 0)
    assert game.table.status == "finished"
    assert any_house.newest(game).version == game.version
    with pytest.raises(RuleViolation, match="T-10"):
        any_house.send(game, 0, Throw())


def test_bots_alone_start_with_the_creation(context: House) -> None:
    assert types(context.lay("random", "easy")) == ["game_created", "game_started", "drawn"]


def test_the_hosts_start(context: House) -> None:
    game = context.seated(None, None, start="host")
    assert game.table.status == "open"
    context.send(game, 1, Leave())
    with pytest.raises(RuleViolation, match="seats_open"):
        context.send(game, None, Start())
    code = tokens.claim_code(HOST, game.id, 1, 0)
    context.claim(game, 1, code)
    assert types(context.send(game, None, Start())) == ["game_started", "drawn"]


def test_undo_at_once_and_draws_that_come_anew(any_house: House) -> None:
    game = red_game(any_house, 2)
    before = any_house.newest(game)
    moved = any_house.send(game, 0, Throw()).game
    assert types(any_house.send(game, 0, Undo())) == ["undo_asked"]
    done = any_house.send(game, 1, AcceptUndo())
    assert types(done) == ["undo_accepted", "undone"]
    assert done.game.state == before.state
    assert done.game.table.next_draw == moved.table.next_draw
    assert any_house.newest(game).state == before.state


def test_undo_nested(context: House) -> None:
    game = red_game(context, 2)
    laws = [game.state]
    for seat in (0, 1, 0):
        laws.append(context.send(game, seat, Take("red")).game.state)
    for wanted in (2, 1, 0):
        context.send(game, 0, Undo())
        assert context.send(game, 1, AcceptUndo()).game.state == laws[wanted]
    with pytest.raises(RuleViolation, match="nothing_to_undo"):
        context.send(game, 0, Undo())
    assert context.send(game, 0, Take("red")).game.state == laws[1]
    context.send(game, 1, Undo())
    assert types(context.send(game, 0, RefuseUndo())) == ["undo_refused"]


def test_handing_over(any_house: House) -> None:
    game = red_game(any_house)
    handed = any_house.send(game, 0, HandOver(), key="k", fingerprint="f")
    code = handed.codes[0]
    assert any_house.send(game, 0, HandOver(), key="k", fingerprint="f").codes == {0: code}
    any_house.send(game, 0, Take("red"))
    heir = RequestContext(person(4))
    taken = any_house.command_handler.claim(game.id, 0, code, "heir", "", heir)
    assert authorization.seats_of(taken.game.table, person(4).hash) == (0,)
    with pytest.raises(Forbidden):
        any_house.send(game, 0, Resign())
    again = any_house.command_handler.send(game.id, 0, [HandOver()], heir)
    assert again.codes[0] != code


def test_rotating_a_token(any_house: House) -> None:
    games = [red_game(any_house) for _ in range(3)]
    new = Token("bl_" + "n" * 43)
    assert any_house.command_handler.rotate_token(person(0), new) == 3
    assert any_house.command_handler.rotate_token(person(0), new) == 0
    for game in games:
        assert authorization.seats_of(any_house.newest(game).table, new.hash) == (0,)
        with pytest.raises(Forbidden):
            any_house.send(game, 0, Take("red"))
        any_house.command_handler.send(game.id, None, [Take("red")], RequestContext(new))
    assert len(any_house.store.list_by_client(new.hash, 9)) == 3


def test_deleting(any_house: House) -> None:
    game = red_game(any_house)
    other = RequestContext(person(0))
    with pytest.raises(Forbidden):
        any_house.command_handler.delete(game.id, other)
    with pytest.raises(Stale):
        any_house.command_handler.delete(game.id, RequestContext(HOST, condition=lambda one: False))
    any_house.command_handler.delete(game.id, RequestContext(HOST))
    with pytest.raises(Gone, match="deleted"):
        any_house.newest(game)
    assert any_house.store.get_due(game.id, KINDS) == {}
    assert any_house.store.list_by_client(HOST.hash, 9) == []
    with pytest.raises(UnknownGame):
        any_house.repository.load("a" * 26)


def test_deleting_an_archived_game(any_house: House, tmp_path: Path) -> None:
    context = House(any_house.store, folder=tmp_path)
    game = context.send(red_game(context), None, Abandon()).game
    path = archives.archive_game(context.store, game, tmp_path)
    assert path is not None
    with pytest.raises(Gone, match="archived"):
        any_house.repository.restore_archived(game.id)
    with pytest.raises(Forbidden):
        context.command_handler.delete(game.id, RequestContext(person(0)))
    assert path.exists()
    context.command_handler.delete(game.id, RequestContext(HOST))
    assert not path.exists()
    for attempt in (
        context.repository.load,
        lambda id: context.command_handler.delete(id, RequestContext(HOST)),
    ):
        with pytest.raises(Gone, match="deleted"):
            attempt(game.id)


def test_a_game_ends_under_the_version_it_began_under(
    any_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the new version knows how the old one played."""
    game = red_game(any_house)
    monkeypatch.setattr(type(PEBBLES), "version", 2)
    monkeypatch.setattr(type(PEBBLES), "earlier", {1: {"throwing": False}})
    assert types(any_house.send(game, 0, Take("red")))[0] == "taken"
    ended = any_house.play_out(any_house.newest(game), random.Random(1), 0.2)
    assert ended.table.ruleset_version == 1
    record = record_format.record_of(any_house.repository, ended)
    assert record["ruleset"] == {"id": "pebbles", "version": 1}
    assert verification.verify_record(record).commands > 3


def test_a_game_goes_on_under_a_new_law(any_house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    game = red_game(any_house)
    assert types(any_house.send(game, 0, Take("red")))[0] == "taken"
    monkeypatch.setattr(type(PEBBLES), "version", 2)
    with pytest.raises(RuleViolation):
        any_house.send(game, 0, Take("red"))
    assert any_house.newest(game).table.ruleset_version == 1
    written = any_house.send(game, 1, Take("red"))
    assert types(written)[:2] == ["law_changed", "taken"]
    assert written.game.table.ruleset_version == any_house.newest(game).table.ruleset_version == 2
    assert types(any_house.send(game, 0, Take("red")))[0] == "taken"
    assert Repository(any_house.store).load(game.id).game == any_house.newest(game)
    ended = any_house.play_out(any_house.newest(game), random.Random(1), 0.2)
    assert (
        verification.verify_record(record_format.record_of(any_house.repository, ended)).commands
        > 3
    )


def test_taking_back_in_a_stream_that_was_rewritten_is_a_conflict(
    context: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = red_game(context)
    context.send(game, 0, Take("red"))
    context.send(game, 0, Undo())
    read, other = context.repository.read_entries, context.newest(red_game(context))
    answers = [(), read(other.id, 1, 4)]

    def entries(*asked: Any) -> Any:
        return answers.pop() if answers else read(*asked)

    monkeypatch.setattr(context.repository, "read_entries", entries)
    assert types(context.send(game, 1, AcceptUndo())) == ["undo_accepted", "undone"]
    assert answers == []


def test_a_key_twice_has_one_effect(any_house: House) -> None:
    game = red_game(any_house)
    first = any_house.send(game, 0, Take("red"), key="k", fingerprint="f")
    again = any_house.send(game, 0, Take("red"), key="k", fingerprint="f")
    assert (first.replayed, again.replayed) == (False, True)
    assert again.events == first.events
    assert any_house.newest(game).version == first.game.version
    with pytest.raises(KeyReused):
        any_house.send(game, 0, Throw(), key="k", fingerprint="g")
    other = any_house.send(game, 1, Take("red"), key="k", fingerprint="h")
    assert not other.replayed


def test_a_creation_repeated_makes_the_same_table(any_house: House) -> None:
    first = any_house.lay(None, None, key="k", visibility="private")
    again = any_house.lay(None, None, key="k", visibility="private")
    assert again.replayed
    assert (again.game.id, again.codes, again.watch) == (first.game.id, first.codes, first.watch)
    assert first.watch is not None
    with pytest.raises(KeyReused):
        any_house.lay(None, None, key="k", fingerprint="other")


def test_a_creation_whose_key_is_gone_is_known_by_what_it_made(
    any_house: House, tmp_path: Path
) -> None:
    """The archive keeps no keys: neither in the file nor when the game is back."""
    context = House(any_house.store, folder=tmp_path)
    first = context.lay(None, None, key="k")
    game = context.send(first.game, None, Abandon()).game
    archives.archive_game(context.store, game, tmp_path)
    for restored in (False, True):
        if restored:
            context.repository.restore_archived(game.id)
        again = context.lay(None, None, key="k")
        assert again.replayed
        assert (again.codes, again.events) == (first.codes, first.events)
        with pytest.raises(KeyReused):
            context.lay(None, "easy", key="k")
    assert context.store.read(game.id).entries


def test_two_creations_at_once_with_one_key(
    any_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The slower one looked before the faster one wrote: it finds the key when it writes."""
    first = any_house.lay(None, None, key="k")
    load, looks = any_house.repository.load, []

    def too_early(*asked: Any) -> Any:
        looks.append(asked)
        if len(looks) == 1:
            raise UnknownGame
        return load(*asked)

    monkeypatch.setattr(any_house.repository, "load", too_early)
    again = any_house.lay(None, None, key="k")
    assert again.replayed
    assert again.codes == first.codes
    assert len(looks) == 2


def test_two_at_once_with_one_key(any_house: House) -> None:
    game = red_game(any_house)
    barrier = threading.Barrier(2)
    done: list[Committed] = []

    def send() -> None:
        barrier.wait()
        done.append(any_house.send(game, 0, Take("red"), key="k", fingerprint="f"))

    threads = [threading.Thread(target=send) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(one.replayed for one in done) == [False, True]
    assert done[0].events == done[1].events
    assert any_house.newest(game).version == game.version + 2


def test_a_condition_that_does_not_hold(context: House) -> None:
    game = red_game(context)
    with pytest.raises(Stale) as caught:
        context.send(game, 0, Take("red"), condition=lambda newest: newest.version == 1)
    assert caught.value.game.version == game.version
    with pytest.raises(Stale):
        context.command_handler.dry_run(
            game.id, 0, [Throw()], RequestContext(person(0), condition=lambda _: False)
        )
    bots = context.lay("random", "random").game
    context.command_handler.play_bot(0, Take(bots.state.middle), bots, "bot")
    with pytest.raises(Stale):
        context.command_handler.play_bot(0, Take(bots.state.middle), bots, "bot")


class Crowded(MemoryStore):
    """A store where somebody else is always faster."""

    crowded = False

    def append(self, append: Append) -> Any:
        return Conflict(append.expected_version) if self.crowded else super().append(append)

    def remove_stream(self, *arguments: Any, **more: Any) -> bool:
        return False


def test_too_many_conflicts() -> None:
    store = Crowded()
    context = House(store)
    game = red_game(context)
    store.crowded = True
    with pytest.raises(Busy):
        context.send(game, 0, Take("red"))
    with pytest.raises(Busy):
        context.command_handler.delete(game.id, RequestContext(HOST))
    store.crowded = False
    assert context.newest(game).version == game.version


def test_a_batch_may_not_look_past_a_draw(context: House) -> None:
    """T-11: a batch that would go on after a draw is refused alike, whatever would come."""
    refusals = set()
    for seed in range(8):
        game = context.seated(None, None, bits=bytes([seed]) * 32)
        for last in (Take("red"), Take("blue"), Throw()):
            with pytest.raises(RuleViolation) as caught:
                context.send(game, 0, Take(game.state.middle), last)
            refusal = caught.value
            refusals.add((refusal.rule, refusal.code, refusal.detail, str(refusal.facts)))
        assert context.newest(game).version == game.version
    assert len(refusals) == 1
    assert refusals.pop()[:2] == ("T-11", "batch_past_chance")


class Asked(MemoryStore):
    """A store that notes how often it is read."""

    reads = 0

    def read(self, *where: Any, **more: Any) -> StreamSlice:
        self.reads += 1
        return super().read(*where, **more)

    def since(self) -> int:
        """How often it was read since this was asked."""
        self.reads, found = 0, self.reads
        return found


def test_what_is_kept_is_judged_without_asking() -> None:
    """One append and no read, until others change the game; then again when it has stood still."""
    store = Asked()
    here, there = House(store), House(store)
    game = red_game(here, 3)
    store.since()
    reads = []
    for seat, others in enumerate((False, True, True, False, False)):
        if others:
            there.send(game, 1, HandOver())
            store.since()
        here.send(game, seat % 3, Take("red"))
        reads.append(store.since())
    assert reads[0] == reads[4] == 0
    assert reads[1] > 1, "too late: it was asked whether it stands, and what had happened"
    assert reads[2] == reads[3] == 1, "it was asked first"


def test_what_is_kept_refuses_nothing() -> None:
    """A refusal, a condition that does not hold, a key: the newest state decides."""
    store = Asked()
    here, there = House(store), House(store)
    game = red_game(here)
    there.send(game, 0, Take("red"), key="k", fingerprint="f")
    assert here.send(game, 0, Take("red"), key="k", fingerprint="f").replayed
    there.send(game, 1, Take("red"))
    assert not here.send(game, 0, Take("red")).replayed
    with pytest.raises(RuleViolation, match="not_your_turn"):
        here.send(game, 0, Take("red"))
    there.send(game, 1, Take("red"))
    newest = there.newest(game).version
    request = RequestContext(person(0), condition=lambda known: known.version == newest)
    assert here.command_handler.send(game.id, 0, [Take("red")], request).game.version > newest
    with pytest.raises(Stale):
        here.command_handler.send(game.id, 1, [Take("red")], replace(request, token=person(1)))
    there.command_handler.delete(game.id, RequestContext(HOST))
    with pytest.raises(Gone):
        here.send(game, 1, Take("red"))


def test_where_milliseconds_count_the_time_is_asked_for() -> None:
    """T-8: a command's time is the store's own; T-4: no bot moves before its delay is over."""
    store = Asked()
    context = House(store)
    game = red_game(context, deadline=Deadline("resign", per_move_seconds=60))
    store.since()
    context.send(game, 0, Take("red"))
    assert store.since() == 1
    for delay in (0, 700):
        game = context.lay("easy", "easy", options=RED, bot_delay=delay).game
        store.since()
        context.command_handler.play_bot(0, Take("red"), game, "easy")
        assert store.since() == int(delay > 0)


def test_a_rotation_tells_no_games_facts_of_another() -> None:
    context = House(MemoryStore())
    for _ in range(2):
        red_game(context)
    with tracing.traced(request="r"):
        assert context.command_handler.rotate_token(HOST, Token("bl_" + "n" * 43)) == 2
        assert tracing.current_facts() == {"request": "r"}


def test_a_batch_is_carried_out_whole_or_not_at_all(context: House) -> None:
    """T-11: a refusal names the place; a table's command is sent alone."""
    game = red_game(context)
    with pytest.raises(RuleViolation) as caught:
        context.send(game, 0, Take("blue"), Take("red"))
    assert caught.value.facts["index"] == 0
    with pytest.raises(RuleViolation, match="batch_table_command"):
        context.send(game, 0, Undo(), Take("red"))
    assert context.newest(game).version == game.version
    assert types(context.send(game, 0, Take("red"))) == ["taken", "drawn"]


def test_a_dry_run_writes_nothing(any_house: House) -> None:
    game = red_game(any_house)
    request = RequestContext(person(0), key="k", fingerprint="f")
    tried = any_house.command_handler.dry_run(game.id, 0, [Take("red")], request)
    assert tried.stopped
    assert [line.event.type for line in tried.events] == ["taken"]
    assert any_house.newest(game).version == game.version
    assert any_house.newest(game).state == game.state
    assert not any_house.send(game, 0, Take("red"), key="k", fingerprint="f").replayed
    resigned = any_house.command_handler.dry_run(game.id, 0, [Resign()], RequestContext(person(0)))
    assert not resigned.stopped


@pytest.mark.parametrize("started", [False, True])
def test_a_dry_run_reveals_nothing(context: House, started: bool) -> None:
    """What an ending shows of the chance is shown by an ending only, not by trying one out."""
    game = red_game(context) if started else context.lay(None, None).game
    sealed = context.newest(game).table.created.sealed_chance
    tried = 0
    for token in (HOST, person(0), person(1)):
        moment = context.command_handler.store.now()
        for move in legal_moves.legal_moves(context.newest(game), token.hash, moment).table:
            found = context.command_handler.dry_run(
                game.id, move.seat, [move.command], RequestContext(token)
            )
            told = json.dumps([authorization.public_data(line.event) for line in found.events])
            assert sealed["seed"] not in told
            tried += 1
    assert tried >= (8 if started else 1)
    written = context.command_handler.send(game.id, None, [Abandon()], RequestContext(HOST))
    assert authorization.public_data(written.events[-1].event)["revealed"] == sealed


def test_arranged_chance(context: House) -> None:
    with pytest.raises(Misshapen) as caught:
        context.lay(None, None, outcomes=())
    assert caught.value.pointer == "/chance/outcomes"
    with pytest.raises(Misshapen) as caught:
        context.lay(None, None, outcomes=("green",))
    assert caught.value.pointer == "/chance/outcomes/0"
    with pytest.raises(Misshapen, match="2 or 3"):
        context.lay(None)
    game = context.seated(None, None, outcomes=("red", "blue"))
    context.send(game, 0, Take("red"))
    ended = context.send(game, 1, Take("blue"))
    assert isinstance(ended.events[-1].event, Abandoned)
    assert ended.game.table.reason == "chance_exhausted"
    assert context.newest(game).table.status == "abandoned"


def test_outcomes_used_up_in_the_set_up_end_the_game(context: House) -> None:
    """T-3: even where nothing was drawn, the table knows that it is over."""
    created = context.lay(None, None, outcomes=("red",), start="host").game.table.created
    sealed = {**created.sealed_chance, "outcomes": []}
    game = new_game(replace(created, sealed_chance=sealed, start="full"), 0)
    for seat in range(2):
        code = str(created.claims[seat])
        judged = verdicts.judge_claim(game, seat, code, "x", "", person(seat).hash)
    assert [event.type for event in judged.steps[0].events][1:] == ["game_started", "abandoned"]
    assert (game.table.status, game.table.reason) == ("abandoned", "chance_exhausted")


def test_private_games_are_hidden(any_house: House) -> None:
    """T-9: host, seats and watchers read; for others the game does not exist."""
    laid = any_house.lay(None, None, visibility="private")
    assert laid.watch is not None
    table = laid.game.table
    watcher = Token(laid.watch)
    assert authorization.may_read(table, watcher.hash)
    assert authorization.may_read(table, HOST.hash)
    assert not authorization.may_read(table, STRANGER.hash)
    assert not authorization.may_read(table, None)
    stranger = RequestContext(STRANGER)
    command_handler = any_house.command_handler
    with pytest.raises(NotVisible):
        command_handler.send(laid.game.id, None, [Abandon()], stranger)
    with pytest.raises(NotVisible):
        command_handler.delete(laid.game.id, stranger)
    with pytest.raises(NotVisible):
        command_handler.claim(laid.game.id, 0, "bc_wrong", "x", "", stranger)
    with pytest.raises(NotVisible):
        command_handler.claim(laid.game.id, 7, laid.codes[0], "x", "", stranger)
    with pytest.raises(Forbidden):
        command_handler.send(laid.game.id, None, [Abandon()], RequestContext(watcher))
    claimed = any_house.claim(laid.game, 0, laid.codes[0])
    assert authorization.may_read(claimed.game.table, person(0).hash)
    assert any_house.store.list_by_status("open", 9) == []


def test_no_such_seat(context: House) -> None:
    with pytest.raises(Forbidden):
        context.command_handler.send(red_game(context).id, 5, [Resign()], RequestContext(HOST))


def test_what_is_sealed_never_leaves(context: House) -> None:
    """T-9: sealed fields are in no public event, nor is their content."""
    game = red_game(context, 3, visibility="private")
    context.send(game, 0, HandOver())
    new = Token("bl_" + "n" * 43)
    context.command_handler.rotate_token(person(1), new)
    newest = context.newest(game)
    lines = history.load_events(context.repository, newest, 1, newest.version)
    secrets = {HOST.hash, person(0).hash, person(1).hash, person(2).hash, new.hash}
    secrets |= {newest.table.created.sealed_chance["seed"], str(newest.table.watch)}
    secrets |= {claim for claim in newest.table.created.claims if claim}
    for line in lines:
        shown = authorization.public_data(line.event)
        sealed = EVENTS[line.event.type].sealed if line.event.type in EVENTS else ()
        assert set(shown) == {one.name for one in fields(line.event)} - set(sealed)
        assert not any(secret in str(shown) for secret in secrets)
    assert not any(secret in str(views.game_view(newest)) for secret in secrets)


def test_tokens_tell_nothing_of_themselves() -> None:
    token = tokens.new_token()
    assert token.text not in repr(token)
    assert tokens.is_client_token(token.text)
    assert not tokens.is_client_token("bl_short")
    code = tokens.claim_code(token, "a" * 26, 0, 0)
    assert tokens.is_code(code)
    assert tokens.is_code(tokens.watch_code(token, "a" * 26))
    assert not tokens.is_code(token.text)
    assert code != tokens.claim_code(token, "a" * 26, 0, 1)


def test_who_may_send_as_whom(context: House) -> None:
    table = red_game(context).table
    assert authorization.actor_for(table, person(0).hash, None) == (0, False)
    assert authorization.actor_for(table, HOST.hash, 1) == (1, True)
    assert authorization.actor_for(table, STRANGER.hash, None) is None
    both = replace(table, seats=[replace(seat, token=HOST.hash) for seat in table.seats])
    assert authorization.actor_for(both, HOST.hash, None) == (None, True)
    assert authorization.actor_for(both, HOST.hash, 1) == (1, False)


def test_giving_to_a_bot_and_the_bots_move(context: House) -> None:
    game = red_game(context)
    given = context.send(game, 0, GiveToBot("easy"))
    assert "bot" in context.store.get_due(game.id, KINDS)
    with pytest.raises(RuleViolation, match="not_a_bot"):
        context.command_handler.play_bot(1, Take("red"), given.game, "bot")
    moved = context.command_handler.play_bot(0, Take("red"), given.game, "bot")
    assert types(moved) == ["taken", "drawn"]
    ended = context.command_handler.abandon(moved.game, "idle", "relay").game
    assert (ended.table.status, ended.table.reason) == ("abandoned", "idle")


def test_moves_say_why_there_are_none(context: House) -> None:
    laid = context.lay(None, None)

    def reason(game: Game, token: Token) -> str | None:
        return legal_moves.legal_moves(game, token.hash, 0).reason

    assert reason(laid.game, HOST) == "not_started"
    assert views.current_score(laid.game) is None
    game = red_game(context)
    assert reason(game, STRANGER) == "no_seat"
    assert reason(game, person(0)) is None
    assert reason(game, person(1)) == "not_your_turn"
    assert (
        reason(context.repository.load_version(game.id, game.version - 1), person(0))
        == "in_progress"
    )
    assert views.game_view(game)["undo"] is None
    context.send(game, 0, Take("red"))
    asked = context.send(game, 1, Undo()).game
    assert views.game_view(asked)["undo"] == {
        "seat": 1,
        "to_version": game.version,
        "agreed": [],
    }
    ended = context.send(game, None, Abandon()).game
    assert reason(ended, person(0)) == "game_over"
