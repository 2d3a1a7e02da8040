"""Duplicate tournaments: one chance for all tables, sealed until the last of them is over."""

from __future__ import annotations

import json
from typing import Any

import pytest

from service.games import authorization, due_work, history, views
from service.games.commands import tournaments
from service.games.commands.branching import ForkRequest, create_fork, create_rematch
from service.games.commands.errors import KeyReused, NotVisible
from service.games.commands.requests import Creation, RequestContext
from service.games.commands.results import Committed
from service.games.game import Game
from service.games.records import format as record_format
from service.games.records import record_import
from service.games.records.format import Unfinished, record_of
from service.games.records.record_import import Import
from service.games.records.verification import VerificationFailed, verify_record
from service.games.repository import Repository
from service.games.table.commands import Abandon, Resign
from service.games.table.events import SeatPlan
from service.rules.described import dump
from service.rules.ruleset import RuleViolation
from service.store import Gone, MemoryStore, Unavailable
from tests.rules.toy import PEBBLES, Options, Take

from .play import HOST, STRANGER, Clock, House, person

MIXED = Options((("red", 9), ("blue", 9)))


def lay(context: House, count: int = 3, **more: Any) -> list[Game]:
    """Lays a tournament of tables for two and lets people sit down."""
    key = more.pop("key", None)
    creation = Creation(
        PEBBLES, more.pop("options", MIXED), (SeatPlan("human"), SeatPlan("human")), **more
    )
    request = RequestContext(HOST, key, more.pop("fingerprint", "f"))
    _, laid = tournaments.create_tournament(context.command_handler, creation, count, HOST, request)
    return [seated(context, each) for each in laid]


def seated(context: House, laid: Committed) -> Game:
    game = laid.game
    for seat, code in laid.codes.items():
        game = context.claim(game, seat, code).game
    return game


def play(context: House, game: Game, most: int = 40) -> Game:
    """Plays the first legal command again and again."""
    for _ in range(most):
        if game.table.status == "playing":
            (seat,) = game.to_act()
            game = context.send(game, seat, game.ruleset.legal(game.state, seat)[0]).game
    return game


def draws(context: House, game: Game) -> list[Any]:
    """What was drawn, in order."""
    told = history.load_events(context.repository, game, 1, context.newest(game).version)
    return [dump(line.event) for line in told if line.event.type == "drawn"]


def over(context: House, game: Game) -> Game:
    return context.send(game, None, Abandon()).game


def text(context: House, game: Game) -> str:
    """All that a game tells."""
    newest = context.newest(game)
    told = history.load_events(context.repository, newest, 1, newest.version)
    return json.dumps(
        [views.game_view(newest), [authorization.public_data(line.event) for line in told]]
    )


def test_all_tables_have_the_same_draws(context: House) -> None:
    """T-14: the tournament's id stands in the derivation."""
    games = [play(context, game, 6) for game in lay(context)]
    assert len({game.id for game in games}) == 3
    assert len({game.table.created.chance_id for game in games}) == 1
    assert len({game.table.created.commitment for game in games}) == 1
    assert len({json.dumps(draws(context, game)) for game in games}) == 1
    marks = [game.table.created.tournament for game in games]
    assert [(mark.table, mark.tables) for mark in marks if mark] == [(0, 3), (1, 3), (2, 3)]


def test_no_seat_adds_to_the_chance(context: House) -> None:
    """T-14: entropy is refused."""
    creation = Creation(PEBBLES, MIXED, (SeatPlan("human"), SeatPlan("human")))
    _, laid = tournaments.create_tournament(
        context.command_handler, creation, 1, HOST, RequestContext(HOST)
    )
    with pytest.raises(RuleViolation, match="T-14 no_entropy"):
        context.claim(laid[0].game, 0, laid[0].codes[0], "mine")


@pytest.mark.parametrize("arranged", [False, True])
def test_one_ending_shows_nothing(context: House, arranged: bool) -> None:
    """T-14: neither the result nor an abandonment; a record is given out when all are over."""
    more = {"outcomes": ("red", "blue") * 9} if arranged else {}
    games = lay(context, **more)
    sealed = games[0].table.created.sealed_chance
    secret = sealed.get("seed") or sealed["bits"]
    first = play(context, games[0])
    first = context.command_handler.append_result(first, "score").game
    second = over(context, games[1])
    for game in (first, second):
        assert secret not in text(context, game)
        assert due_work.REVEAL in context.store.get_due(game.id, due_work.KINDS)
        assert due_work.ARCHIVE not in context.store.get_due(game.id, due_work.KINDS)
        with pytest.raises(Unfinished):
            record_of(context.repository, game)
    third = context.send(games[2], 0, Resign()).game
    now = context.store.now()
    assert tournaments.is_outstanding(
        context.repository, first, now, 10**9
    )  # its result is not told
    third = context.command_handler.append_result(third, "score").game
    assert secret not in text(context, third)
    assert not tournaments.is_outstanding(context.repository, first, now, 10**9)
    for game in (first, second, third):
        assert game.id not in tournaments.still_sealed(context.repository, game)
        game = context.command_handler.reveal_chance(game, "worker").game
        assert due_work.REVEAL not in context.store.get_due(game.id, due_work.KINDS)
        value = json.loads(json.dumps(record_of(context.repository, game)))
        assert verify_record(value).draws == game.table.next_draw
        value["steps"][-1]["events"][0]["data"]["revealed"] = None
        with pytest.raises(VerificationFailed, match="/final/revealed"):
            verify_record(value)
    assert tournaments.still_sealed(context.repository, first) == []


def test_arranged_chance_used_up_shows_nothing(context: House) -> None:
    games = [play(context, game) for game in lay(context, outcomes=("red", "blue", "red"))]
    for game in games:
        assert game.table.reason == "chance_exhausted"
        assert game.table.created.sealed_chance["bits"] not in text(context, game)


def test_deleted_tables_count_as_over(context: House) -> None:
    """T-14: and tables that were never laid, once nobody will repeat the request."""
    games = lay(context)
    first = over(context, games[0])
    context.command_handler.delete(games[1].id, RequestContext(HOST))
    now = context.store.now()
    assert tournaments.is_outstanding(context.repository, first, now, 5)
    over(context, games[2])
    assert not tournaments.is_outstanding(context.repository, first, now, 5)
    assert tournaments.still_sealed(context.repository, first) == [games[2].id]


def test_what_is_missing_is_laid_when_asked_again(
    context: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """T-14: with the same chance; as long as it is not shown."""
    creation = Creation(PEBBLES, MIXED, (SeatPlan("bot", None, "easy"),) * 2)
    request = RequestContext(HOST, "k", "f")
    appended = context.store.append
    count = [0]

    def twice(append: Any) -> Any:
        count[0] += 1
        if count[0] > 2:
            raise Unavailable("no connection")
        return appended(append)

    with monkeypatch.context() as patch:
        patch.setattr(context.store, "append", twice)
        with pytest.raises(Unavailable):
            tournaments.create_tournament(context.command_handler, creation, 4, HOST, request)
    assert count == [3]
    tournament, laid = tournaments.create_tournament(
        context.command_handler, creation, 3, HOST, request
    )
    assert [each.replayed for each in laid] == [True, True, False]
    assert len({each.game.table.created.commitment for each in laid}) == 1
    assert (
        tournaments.create_tournament(context.command_handler, creation, 3, HOST, request)[0]
        == tournament
    )
    with pytest.raises(KeyReused):
        tournaments.create_tournament(
            context.command_handler, creation, 3, HOST, RequestContext(HOST, "k", "g")
        )
    now = context.store.now()
    first = over(context, laid[0].game)
    for each in laid[1:]:
        over(context, each.game)
    mark = first.table.created.tournament
    assert mark is not None
    assert mark.tables == 4
    assert tournaments.is_outstanding(context.repository, first, now, 5)
    assert not tournaments.is_outstanding(context.repository, first, now + 5, 5)
    context.command_handler.reveal_chance(first, "worker")
    assert (
        len(tournaments.create_tournament(context.command_handler, creation, 4, HOST, request)[1])
        == 3
    )


def test_who_sees_how_it_stands(context: House) -> None:
    """T-14: who may read a table; of others' the score once it is told."""
    games = lay(context, visibility="private")
    mark = games[0].table.created.tournament
    assert mark is not None

    def seen(caller: str | None) -> list[Any]:
        found = tournaments.standings(context.repository, mark.id, caller)
        return [(each.status, each.seats is not None) for each in found.tables]

    assert seen(HOST.hash) == seen(person(0).hash) == [("playing", True)] * 3
    for caller in (STRANGER.hash, None):
        with pytest.raises(NotVisible):
            seen(caller)
    finished = context.command_handler.append_result(play(context, games[0]), "score").game
    assert finished.table.watch is not None
    watching = games[1].table.watch
    assert seen(watching) == [("finished", True), ("playing", True), ("playing", False)]
    totals = tournaments.standings(context.repository, mark.id, HOST.hash).tables[0].seats
    assert totals is not None
    assert all(seat["total"] is not None for seat in totals)
    context.command_handler.delete(games[0].id, RequestContext(HOST))
    assert seen(HOST.hash)[0] == ("deleted", False)
    for game in games[1:]:
        context.command_handler.delete(game.id, RequestContext(HOST))
    with pytest.raises(Gone):
        seen(HOST.hash)
    with pytest.raises(NotVisible):
        tournaments.standings(context.repository, "x" * 26, HOST.hash)


def test_open_tables_have_no_score(context: House) -> None:
    creation = Creation(PEBBLES, MIXED, (SeatPlan("human"), SeatPlan("human")))
    tournament, _ = tournaments.create_tournament(
        context.command_handler, creation, 1, HOST, RequestContext(HOST)
    )
    (table,) = tournaments.standings(context.repository, tournament, None).tables
    assert table.seats is not None
    assert [seat["total"] for seat in table.seats] == [None, None]


def test_rematches_and_branches_leave_the_tournament(context: House) -> None:
    """T-14: they have chance of their own, arranged outcomes stay sealed too."""
    outcomes = ("red", "blue") * 9
    games = lay(context, outcomes=outcomes)
    branch = create_fork(
        context.command_handler, games[0].id, ForkRequest(), HOST, RequestContext(HOST)
    ).game
    over(context, games[0])
    again = create_rematch(
        context.command_handler, games[0].id, "same", HOST, RequestContext(HOST)
    ).game
    for game in (branch, again):
        assert game.table.created.chance == "sealed"
        assert game.table.created.tournament is None
        assert game.table.created.chance_id == game.id


def test_equal_draws_make_equal_tournaments() -> None:
    """Two tournaments whose draws were the same so far and will differ tell the same, while one of

    their tables is over and another goes on.
    """
    told = []
    for rest in (("red",) * 9, ("blue",) * 9):
        context = House(MemoryStore(Clock()))
        outcomes = ("red", "blue", "red", "blue", *rest)
        games = lay(context, outcomes=outcomes, bits=bytes(32), key="k")
        first = context.send(games[0], 0, Take("red")).game
        over(context, first)
        context.send(games[1], 0, Take("red"))
        found = tournaments.standings(context.repository, _tournament(games[0]), None)
        commitment = games[0].table.created.commitment
        shown = [text(context, game) for game in games]
        shown += [json.dumps([[each.status, each.seats] for each in found.tables])]
        told.append("\n".join(shown).replace(commitment, "…"))
    assert told[0] == told[1]


def _tournament(game: Game) -> str:
    mark = game.table.created.tournament
    assert mark is not None
    return mark.id


def test_a_tables_record_is_taken_in(context: House) -> None:
    games = [over(context, play(context, game, 4)) for game in lay(context, 2)]
    game = context.command_handler.reveal_chance(games[0], "worker").game
    body = json.dumps(record_format.record_of(context.repository, game)).encode()
    wanted = Import("i" * 26, STRANGER.hash, "public", record_import.record_digest(body))
    record_import.request_import(context.command_handler, wanted, body)
    found = record_import.run_import(context.command_handler, wanted.id)
    assert found is not None
    assert found.status == "done", found.fault
    here = context.repository.load(wanted.id).game
    assert here.table.created.tournament is None
    assert here.table.created.chance_id == game.table.created.chance_id
    assert verify_record(json.loads(json.dumps(record_of(context.repository, here)))).draws


def test_a_revealed_table_is_folded_like_that(context: House) -> None:
    games = [over(context, game) for game in lay(context, 1)]
    context.command_handler.reveal_chance(games[0], "worker")
    assert Repository(context.store).load(games[0].id).game.table.recordable
