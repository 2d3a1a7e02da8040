"""Records come in judged, or not at all."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from service.games import authorization, due_work, tokens, tracing, views
from service.games.codec import decode_meta
from service.games.commands.branching import ForkRequest, create_fork, create_rematch
from service.games.commands.errors import KeyReused, NotVisible
from service.games.commands.requests import RequestContext
from service.games.game import Game
from service.games.records import format as record_format
from service.games.records import import_reader, record_import, verification
from service.games.records.record_import import (
    Fault,
    Import,
    get_import,
    record_digest,
    request_import,
    run_import,
)
from service.games.table import take_back
from service.games.table.commands import (
    Abandon,
    AcceptUndo,
    GiveToBot,
    HandOver,
    Leave,
    Resign,
    Undo,
)
from service.rules.ruleset import rulesets
from service.store import Unavailable
from tests.games.play import HOST, STRANGER, House, person
from tests.rules.toy import PEBBLES, Options, Take

MANY = Options((("red", 9), ("blue", 0)))
ID = "i" * 26


def recorded(context: House, game: Game) -> Any:
    return json.loads(json.dumps(record_format.record_of(context.repository, context.newest(game))))


def sent(context: House, value: Any, **more: Any) -> Import:
    """Sends a record, and lets it be judged."""
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    wanted = Import(ID, STRANGER.hash, more.get("visibility", "public"), record_digest(body))
    assert request_import(context.command_handler, wanted, body) == (wanted, False)
    assert context.store.get_due(ID, [due_work.IMPORT]) == {due_work.IMPORT: context.store.now()}
    assert get_import(context.command_handler, ID, STRANGER.hash).status == "waiting"
    found = run_import(context.command_handler, ID)
    assert found is not None
    assert get_import(context.command_handler, ID, STRANGER.hash) == found
    assert context.store.get_due(ID, [due_work.IMPORT]) == {}
    assert run_import(context.command_handler, ID) is None
    return found


def lively(context: House) -> Game:
    """A game in which everything happened that can."""
    laid = context.lay(None, None, None, options=MANY)
    game = context.claim(laid.game, 0, laid.codes[0], "zero").game
    context.send(game, 0, Leave())
    for seat, code in laid.codes.items():
        game = context.claim(laid.game, seat, code, f"é {seat}").game
    game = context.send(game, 0, Take("red")).game
    context.send(game, 1, Undo())
    context.send(game, 2, AcceptUndo())
    game = context.send(game, 0, AcceptUndo()).game
    handed = context.send(game, 0, HandOver())
    (code,) = handed.codes.values()
    game = context.claim(handed.game, 0, code).game
    context.command_handler.rotate_token(person(2), tokens.new_token())
    game = context.newest(game)
    context.send(game, 1, Resign())
    request = RequestContext(HOST)
    return context.command_handler.send(game.id, 1, [GiveToBot("easy")], request).game


@pytest.mark.broad
@pytest.mark.parametrize("law", [PEBBLES, *rulesets().values()], ids=lambda law: law.id)
@pytest.mark.parametrize("seed", range(3))
def test_a_record_becomes_the_game_that_it_tells(context: House, law: Any, seed: int) -> None:
    options = MANY if law is PEBBLES else None
    game = context.seated(*[None, None, "easy"][: 2 + seed % 2], ruleset=law, options=options)
    game = context.newest(context.play_out(game, random.Random(seed), 0.1))
    value = recorded(context, game)
    assert sent(context, value).status == "done"
    here = context.repository.load(ID).game
    origin = here.table.created.imported
    assert origin is not None
    assert (origin.game, origin.digest) == (game.id, record_digest(json.dumps(value).encode()))
    left = ("id", "imported")
    mine, theirs = views.game_view(here), views.game_view(game)
    for view in (mine, theirs):
        for name in left:
            del view[name]
    assert mine == theirs
    assert views.current_score(here) == views.current_score(game)
    again = recorded(context, here)
    assert again["steps"][1:] == value["steps"][1:]
    assert verification.verify_record(again).draws == game.table.next_draw
    assert [one.game for one in context.store.list_by_status(here.table.status, 9)].count(ID) == 1
    assert [one.game for one in context.store.list_by_client(STRANGER.hash, 9)] == [ID]


def test_everything_that_happens_at_a_table_is_taken(context: House) -> None:
    game = lively(context)
    game = context.send(game, None, Abandon()).game
    assert sent(context, recorded(context, game), visibility="private").status == "done"
    here = context.repository.load(ID).game
    assert not authorization.may_read(here.table, person(0).hash)
    assert authorization.is_host(here.table, STRANGER.hash)
    assert context.store.list_by_client("0" * 64, 9) == []
    with pytest.raises(Exception, match="T-10"):
        context.command_handler.send(ID, None, [Abandon()], RequestContext(STRANGER))
    assert create_rematch(
        context.command_handler, ID, "same", STRANGER, RequestContext(STRANGER)
    ).game.table.status == (
        "open" if None in [seat.token for seat in here.table.seats] else "playing"
    )


def test_commands_sent_together_are_taken_back_together(context: House) -> None:
    """T-7: how far that reaches back a record does not tell, but it is bounded."""
    table = context.seated(None, None, "easy", options=MANY).table.clone()
    assert not import_reader._may_take_back_to(table, 9)
    for before, seat, drew in ((9, 0, True), (12, 1, False), (14, 1, False), (16, 1, True)):
        take_back.record_decision(table, before, {seat}, drew)
    take_back.record_decision(table, 18, {2}, True)  # a bot's goes with them
    assert [
        import_reader._may_take_back_to(table, version) for version in (18, 16, 15, 14, 12, 9)
    ] == [
        False,
        True,
        False,
        True,
        True,
        False,
    ]


def test_a_record_without_times_is_of_now(context: House) -> None:
    game = context.seated(None, None, options=MANY)
    context.send(game, None, Abandon())
    value = recorded(context, game)
    for step in value["steps"]:
        step["at"] = None
    assert sent(context, value).status == "done"
    assert context.repository.load(ID).game.table.created_at == context.store.now()


def test_what_was_settled_is_not_judged_again(context: House) -> None:
    sent(context, {})
    context.store.set_due(ID, due_work.IMPORT, 5)
    assert run_import(context.command_handler, ID) is None
    assert context.store.get_due(ID, [due_work.IMPORT]) == {}
    context.store.clock.now += record_import.RESULT_LIFETIME + 1  # type: ignore[attr-defined]
    context.store.set_due(ID, due_work.IMPORT, 5)
    assert run_import(context.command_handler, ID) is None
    assert context.store.get_due(ID, [due_work.IMPORT]) == {}


def _late(value: Any) -> None:
    value["steps"][-1]["at"] = 10**15


def _early(value: Any) -> None:
    value["steps"][-1]["at"] = 1


def _draw(value: Any) -> None:
    value["chance"]["seed"] = "00" * 32


def _claim(value: Any) -> None:
    next(e for s in value["steps"] for e in s["events"] if e["type"] == "seat_claimed")["data"][
        "seat"
    ] = 7


def _two(value: Any) -> None:
    value["steps"][2]["events"][0]["data"]["seat"] = 0


def _sealed(value: Any) -> None:
    value["steps"][1]["events"][0]["data"]["token"] = "0" * 64


def _schema(value: Any) -> None:
    value["steps"][1]["events"][0]["schema"] = 9


def _unknown(value: Any) -> None:
    value["steps"][-1]["events"].append({"type": "x", "schema": 1, "data": {}})
    value["steps"][-1]["version"] += 1


def _text(value: Any) -> None:
    value["steps"][1]["events"][0]["data"] = "x"


def _nobody(value: Any) -> None:
    step = next(s for s in value["steps"] if (s["command"] or {}).get("type") == "undo")
    step["command"] = None


def _stranger(value: Any) -> None:
    next(s for s in value["steps"] if (s["command"] or {}).get("type") == "undo")["seat"] = None


def _other(value: Any) -> None:
    step = next(s for s in value["steps"] if (s["command"] or {}).get("type") == "undo")
    step["events"][0]["data"]["to_version"] += 1


def _twice(value: Any) -> None:
    value["steps"][1]["events"][0] = value["steps"][0]["events"][0]


def _seats(value: Any) -> None:
    value["steps"][0]["events"][0]["data"]["seats"].append({"kind": "bot"})


def _cut(value: Any) -> None:
    del value["steps"][-1]


def _foreign(value: Any) -> None:
    value["ruleset"]["id"] = "chess"


FAULTS: dict[str, tuple[Callable[[Any], None], str, str]] = {
    "to come": (_late, "/steps/{last}/at", "yet to come"),
    "out of order": (_early, "/steps/{last}/at", "before the step"),
    "other seed": (_draw, "/chance/commitment", "hash"),
    "no such seat": (_claim, "/steps/1/events/0/data/seat", "no seat"),
    "a seat twice": (_two, "/steps/2/events/0", "T-1 seat_taken"),
    "sealed": (_sealed, "/steps/1/events/0/data/token", "not known"),
    "newer": (_schema, "/steps/1/events/0/schema", "newer"),
    "unknown event": (_unknown, "/steps/{last}/events", "rules"),
    "no object": (_text, "", ""),
    "nobody's": (_nobody, "/steps/{undo}/events/0", "none was sent"),
    "another's": (_stranger, "/steps/{undo}/command", "T-7 not_a_seat"),
    "further back": (_other, "/steps/{undo}/events", "table's rules"),
    "created twice": (_twice, "/steps/1/events/0", "creates the game again"),
    "more seats": (_seats, "/seats", "as many"),
    "cut": (_cut, "/final", ""),
    "foreign": (_foreign, "/ruleset/id", "not known"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_what_was_touched_is_refused_with_its_place(context: House, name: str) -> None:
    laid = context.lay(None, None, options=MANY)
    for seat, code in laid.codes.items():
        context.claim(laid.game, seat, code)
    game = context.send(laid.game, 0, Take("red")).game
    context.send(game, 0, Undo())
    context.send(game, None, Abandon())
    value = recorded(context, game)
    change, pointer, detail = FAULTS[name]
    undo = next(
        place
        for place, step in enumerate(value["steps"])
        if (step["command"] or {}).get("type") == "undo"
    )
    pointer = pointer.format(last=len(value["steps"]) - 1, undo=undo)
    change(value)
    found = sent(context, value)
    assert found.status == "refused"
    assert found.fault is not None
    assert found.fault.pointer.startswith(pointer)
    assert detail in found.fault.detail
    assert context.store.read(ID).entries == ()


def test_branches_and_what_is_no_record_are_refused(context: House) -> None:
    game = context.seated(None, None, options=MANY)
    laid = create_fork(
        context.command_handler, game.id, ForkRequest(), HOST, RequestContext(HOST)
    ).game
    context.send(laid, None, Abandon())
    found = sent(context, recorded(context, laid))
    assert found.fault == Fault(
        "/steps/0/events/1",
        "is a branch, which cannot be imported: what led to it cannot be judged",
    )


def test_no_json_is_refused(context: House) -> None:
    assert sent(context, b"{").fault == Fault(
        "", "is not JSON: unexpected end of data: line 1 column 2 (char 1)"
    )


def test_a_record_is_taken_once_for_an_id(context: House) -> None:
    game = context.seated(None, None, options=MANY)
    context.send(game, None, Abandon())
    body = json.dumps(recorded(context, game)).encode()
    wanted = Import(ID, STRANGER.hash, "public", record_digest(body))
    other = Import(ID, STRANGER.hash, "private", record_digest(body))
    assert request_import(context.command_handler, wanted, body) == (wanted, False)
    assert request_import(context.command_handler, wanted, body) == (wanted, True)
    with pytest.raises(KeyReused):
        request_import(context.command_handler, other, body)
    run_import(context.command_handler, ID)
    found, again = request_import(context.command_handler, wanted, body)
    assert (found.status, again) == ("done", True)
    with pytest.raises(KeyReused):
        request_import(context.command_handler, other, body)
    context.store.clock.now += record_import.RESULT_LIFETIME + 1  # type: ignore[attr-defined]
    assert get_import(context.command_handler, ID, STRANGER.hash).status == "done"
    with pytest.raises(NotVisible):
        get_import(context.command_handler, ID, HOST.hash)
    with pytest.raises(NotVisible):
        get_import(context.command_handler, game.id, HOST.hash)
    with pytest.raises(NotVisible):
        get_import(context.command_handler, "j" * 26, HOST.hash)
    laid = Import(game.id, HOST.hash, "public", record_digest(body))
    with pytest.raises(KeyReused):
        request_import(context.command_handler, laid, body)


def test_a_worker_that_dies_loses_nothing(context: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Until it has died too often of the same record."""
    game = context.seated(None, None, options=MANY)
    context.send(game, None, Abandon())
    body = json.dumps(recorded(context, game)).encode()
    request_import(
        context.command_handler, Import(ID, STRANGER.hash, "public", record_digest(body)), body
    )

    def die(*_: Any) -> Any:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(record_import, "judge_record", die)
        for _ in range(record_import.MAX_ATTEMPTS):
            with pytest.raises(KeyboardInterrupt):
                run_import(context.command_handler, ID)
            due = context.store.get_due(ID, [due_work.IMPORT])[due_work.IMPORT]
            assert due == context.store.now() + record_import.LEASE
    found = run_import(context.command_handler, ID)
    assert found is not None
    assert found.status == "refused"


def test_a_store_that_fails_is_asked_again(context: House, monkeypatch: pytest.MonkeyPatch) -> None:
    game = context.seated(None, None, options=MANY)
    context.send(game, None, Abandon())
    body = json.dumps(recorded(context, game)).encode()
    request_import(
        context.command_handler, Import(ID, STRANGER.hash, "public", record_digest(body)), body
    )

    def fail(*_: Any) -> Any:
        raise Unavailable("no connection")

    with monkeypatch.context() as patch:
        patch.setattr(context.store, "import_stream", fail)
        with pytest.raises(Unavailable):
            run_import(context.command_handler, ID)
    with monkeypatch.context() as patch:  # it died after the game was placed
        patch.setattr(record_import, "_store_result", fail)
        with pytest.raises(Unavailable):
            run_import(context.command_handler, ID)
    found = run_import(context.command_handler, ID, archive=7)
    assert found is not None
    assert found.status == "done"


def test_a_game_laid_under_the_id_meanwhile_stays(context: House) -> None:
    game = context.seated(None, None, options=MANY)
    context.send(game, None, Abandon())
    body = json.dumps(recorded(context, game)).encode()
    request_import(
        context.command_handler, Import(ID, STRANGER.hash, "public", record_digest(body)), body
    )
    context.lay(None, None, id=ID)
    found = run_import(context.command_handler, ID)
    assert found is not None
    assert found.fault == Fault("", "another game was created with this key")


def test_one_that_breaks_the_judge_is_refused(
    context: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> Any:
        raise ZeroDivisionError

    monkeypatch.setattr(verification, "verify_record", broken)
    assert sent(context, {}).fault == Fault("", "could not be judged")


def test_an_import_is_archived_in_time_and_may_be_deleted(context: House) -> None:
    game = context.seated(None, None, options=MANY)
    context.send(game, None, Abandon())
    body = json.dumps(recorded(context, game)).encode()
    for letter, deleted in (("i", False), ("k", True)):
        one = letter * 26
        request_import(
            context.command_handler, Import(one, STRANGER.hash, "public", record_digest(body)), body
        )
        found = run_import(context.command_handler, one, archive=5)
        assert found is not None
        assert context.store.get_due(one, [due_work.ARCHIVE]) == {
            due_work.ARCHIVE: context.store.now() + 5
        }
        if deleted:
            context.command_handler.delete(one, RequestContext(STRANGER))
            context.store.put_temporary(
                one,
                record_import._pack(
                    Import(one, STRANGER.hash, "public", record_digest(body)), body
                ),
                1_000,
            )
            gone = run_import(context.command_handler, one)
            assert gone is not None
            assert gone.status == "done"


def test_a_record_is_judged_under_the_request_that_brought_it(context: House) -> None:
    game = context.seated(None, None, options=MANY)
    context.send(game, None, Abandon())
    body = json.dumps(recorded(context, game)).encode()
    wanted = Import(ID, STRANGER.hash, "public", record_digest(body))
    with tracing.traced(request="brought"):
        request_import(context.command_handler, wanted, body)
    with tracing.traced(game=ID):
        found = run_import(context.command_handler, ID)
        assert tracing.current_request() == "brought"
    assert found is not None
    assert (found.status, found.request) == ("done", "brought")
    metas = [decode_meta(entry) for entry in context.store.read(ID).entries]
    assert {meta.request for meta in metas if meta is not None} == {"brought"}
