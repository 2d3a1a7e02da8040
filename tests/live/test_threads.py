"""The same on plain threads: the development server, and pieces of it by themselves."""

from __future__ import annotations

import contextlib
import http.client
import secrets
import socket
import threading
import time
from collections.abc import Iterator

import pytest
from flask import Flask
from werkzeug.serving import WSGIRequestHandler, make_server

from service.api.live import broker, draining, event_streams, subscriber
from service.api.live.broker import Broker
from service.api.live.subscriber import Message, Subscriber, disconnected
from service.games.codec import Step, encode
from service.games.repository import Repository
from service.games.table.events import UndoRefused
from service.store import Append
from service.store.redis_store import RedisStore
from tests.live.api_server import Client, Listener, path_of

SMALL = 4096


class _Quiet(WSGIRequestHandler):
    def log(self, *_: object) -> None:
        """Says nothing of a request."""


@pytest.fixture
def port(app: Flask, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The application on threads; readers are looked after often."""
    monkeypatch.setattr(broker, "INSPECTION_INTERVAL", 0.05)
    server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=_Quiet)
    server.daemon_threads = True  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield int(server.port)
    server.shutdown()
    thread.join()
    server.server_close()


def broker_of(app: Flask) -> Broker:
    found = app.extensions[broker.EXTENSION]
    assert isinstance(found, Broker)
    return found


def until_empty(app: Flask) -> None:
    limit = time.monotonic() + 20
    while broker_of(app)._subscribers:
        assert time.monotonic() < limit
        time.sleep(0.01)


def test_streams_and_held_requests_on_threads(app: Flask, port: int) -> None:
    ana = Client(port)
    made = ana.play()
    path = path_of(made)
    version = ana.get(path)["version"]
    assert ana.get(f"{path}/events?after={version}", Prefer="wait=1")["events"] == []
    with (
        Listener(port, f"{path}/events", last=version) as stream,
        Listener(port, "/v1/turns", ana.token) as turns,
    ):
        waits = turns.next()
        assert waits is not None
        assert waits.event == "turns"
        stream.opened()
        state = ana.get("/v1/turns", Prefer="wait=1")["state"]
        assert state == waits.id
        moved = ana.move(path)
        assert ana.get(f"/v1/turns?after={state}", Prefer="wait=20")["state"] != state
        told = [stream.next() for _ in range(moved - version)]
        assert [message.id for message in told if message] == [
            str(number) for number in range(version + 1, moved + 1)
        ]
        stream.beat()
        ended = ana.send(path, {"type": "abandon"})
        last = [stream.next() for _ in range(ended - moved + 1)][-1]
        assert last is not None
        assert last.event == "end"
        assert stream.next() is None
        over = turns.next()
        while over is not None and over.event != "turn_over":
            over = turns.next()
        assert over is not None
    until_empty(app)


def test_who_hangs_up_on_a_thread_is_forgotten(app: Flask, port: int) -> None:
    ana = Client(port)
    path = path_of(ana.play())
    for asked in (f"{path}/events?after=99", "/v1/turns"):
        stream = Listener(port, asked, ana.token)
        stream.opened()
        assert broker_of(app)._subscribers
        stream.close()
        until_empty(app)


def test_who_does_not_read_on_a_thread_is_cut_off(
    app: Flask, port: int, store: RedisStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_streams, "SEND_BUFFER_BYTES", SMALL)
    ana = Client(port)
    made = ana.play()
    game_id = made["game"]["id"]
    with Listener(port, f"{path_of(made)}/events?after=99", receive=SMALL) as slow:
        slow.opened()
        repository = Repository(store)
        step = Step(None, None, (), (UndoRefused(0),) * 100)
        first = repository.load(game_id).game.version + 1
        while broker_of(app)._subscribers:
            game = repository.load(game_id).game
            entries = encode(game.hash, [step], secrets.token_hex(8), store.now())
            store.append(Append(game_id, game.version, game.hash, entries))
        got = []
        with contextlib.suppress(OSError, http.client.IncompleteRead):
            while (message := slow.next()) is not None:
                got.append(int(message.id))
        written = repository.load(game_id).game.version
        assert got == list(range(first, first + len(got)))
        assert first + len(got) <= written


def test_leaving_lets_everybody_go_and_nobody_in(
    app: Flask, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    ana = Client(port)
    path = path_of(ana.play())
    with Listener(port, f"{path}/events?after=99") as stream:
        stream.opened()
        leaving = draining._draining.predicate
        draining.drain_when(lambda: True)
        try:
            assert stream.next() is None
            with Listener(port, f"{path}/events") as late:
                assert late.status == 503
        finally:
            draining.drain_when(leaving)


def test_a_reader_that_was_cut_off_is_told_nothing_more() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        reader = Subscriber("events", None, ours)
        assert reader.enqueue([Message(1, b"x", 0.0)])
        assert disconnected([reader]) == []
        assert reader.disconnect()
        assert not reader.disconnect()
        assert reader.receive() is None
        assert theirs.recv(1) == b""
        assert disconnected([reader]) == [reader]


def test_bytes_that_a_client_sends_are_no_farewell() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        reader = Subscriber("events", None, ours)
        theirs.sendall(b"?")
        assert disconnected([reader]) == []
        theirs.close()
        reader.writing_since = 1.0
        assert disconnected([reader]) == [], "it is being written to: that tells by itself"
        assert reader.is_stalled(1.0 + subscriber.STALLED_SECONDS + 1)
        assert not reader.is_stalled(2.0)
