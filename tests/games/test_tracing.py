"""What work has to do with: ids that are believed, facts that come and go."""

from __future__ import annotations

import threading

import pytest

from service.games import tracing
from service.games.codec import Meta, decode_meta, encode
from service.games.game import fold
from service.store import GENESIS_HASH, MemoryStore
from tests.workers.tables import Clock, context, lay, metas, newest

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
SPAN = "00f067aa0ba902b7"


@pytest.mark.parametrize(
    ("own", "parent", "name"),
    [
        ("abc-1", "", "abc-1"),
        ("abc-1", f"00-{TRACE}-{SPAN}-01", "abc-1"),
        ("", f"00-{TRACE}-{SPAN}-01", TRACE),
        ("a b", f"00-{TRACE}-{SPAN}-00", TRACE),
        ("", f"01-{TRACE}-{SPAN}-01-more", TRACE),
        ("", "", None),
        ("x" * 65, "", None),
        ("é", "", None),
        ("abc\n", "", None),
        ("", f"ff-{TRACE}-{SPAN}-01", None),
        ("", f"00-{TRACE.upper()}-{SPAN}-01", None),
        ("", f"00-{'0' * 32}-{SPAN}-01", None),
        ("", f"00-{TRACE}-{'0' * 16}-01", None),
        ("", f"00-{TRACE}-{SPAN}", None),
        ("bl_" + "x" * 43, "", None),
        ("a.BW_" + "x" * 43, "", None),
        ("whsec_x", "", None),
    ],
)
def test_which_ids_are_believed(own: str, parent: str, name: str | None) -> None:
    assert tracing.request_id_from(own, parent) == name


def test_facts_are_those_of_the_present_work() -> None:
    assert tracing.current_facts() == {}
    tracing.note(game="nobody's")
    assert (tracing.current_facts(), tracing.current_request()) == ({}, None)
    with tracing.traced(request="one"):
        tracing.note(game="g", seat=None)
        assert tracing.current_facts() == {"request": "one", "game": "g"}
        with tracing.traced(kind="bot"):
            assert tracing.current_request() is None
        with pytest.raises(KeyError), tracing.traced(request="two"):
            raise KeyError
        elsewhere: list[object] = []
        thread = threading.Thread(target=lambda: elsewhere.append(tracing.current_facts()))
        thread.start()
        thread.join()
        assert elsewhere == [{}]
        assert tracing.current_request() == "one"
    assert tracing.current_facts() == {}


def test_an_append_keeps_the_request_that_it_goes_back_to() -> None:
    here = context(Clock())
    with tracing.traced(request="first"):
        game = lay(here, "random", "random")
    assert [meta.request for meta in metas(here, game)] == ["first"]
    store = here.command_handler.store
    assert isinstance(store, MemoryStore)
    assert fold(None, store.read(game.id).entries).request == "first"
    assert game.clone().request == newest(here, game).request == "first"


def test_appends_from_before_there_were_ids_are_read() -> None:
    here = context(Clock())
    game = lay(here, "random", None)
    (first, *_) = here.command_handler.store.read(game.id).entries
    assert b'"request"' not in first.meta
    meta = decode_meta(first)
    assert isinstance(meta, Meta)
    assert (meta.request, game.request) == (None, None)
    assert encode(GENESIS_HASH, [], "a", 1) == ()
