"""Streams and held requests of the API under gunicorn, over real sockets."""

from __future__ import annotations

import contextlib
import http.client
import secrets
import threading
import time
from pathlib import Path

from service.api.live.subscriber import MAX_QUEUED, SEND_BUFFER_BYTES
from service.games.codec import Step, encode
from service.games.repository import Repository
from service.games.table.events import UndoRefused
from service.store import Append, Appended
from service.store.embedded import EmbeddedServer
from service.store.redis_store import open_store
from tests.api.http_client import SEATS
from tests.live.api_server import Client, Listener, Served, path_of, served


def test_events_come_as_they_happen_and_the_end_is_told(api: Served, ana: Client) -> None:
    path = path_of(ana.play())
    version = ana.get(path)["version"]
    with Listener(api.port, f"{path}/events") as stream:
        assert stream.status == 200
        assert stream.headers["Content-Type"] == "text/event-stream; charset=utf-8"
        assert stream.headers["Cache-Control"] == "no-store"
        assert stream.headers["X-Accel-Buffering"] == "no"
        told = [stream.next() for _ in range(version)]
        assert stream.retry == 2000
        moved = ana.move(path)
        told += [stream.next() for _ in range(moved - version)]
        ended = ana.send(path, {"type": "abandon"})
        told += [stream.next() for _ in range(ended - moved)]
        end, nothing = stream.next(), stream.next()
    listed = ana.get(f"{path}/events")["events"]
    assert [message.data for message in told if message] == listed
    assert [message.id for message in told if message] == [str(n + 1) for n in range(ended)]
    assert {message.event for message in told if message} == {"message"}
    assert end is not None
    assert (end.id, end.event) == (str(ended), "end")
    assert end.data == {"version": ended, "status": "abandoned"}
    assert nothing is None
    for last, query in ((ended, ""), (None, f"?after={ended}"), (ended + 5, "")):
        with Listener(api.port, f"{path}/events{query}", last=last) as again:
            assert again.status == 204
    with Listener(api.port, f"{path}/events", last=ended - 1) as late:
        messages = [late.next(), late.next(), late.next()]
    assert [message and message.event for message in messages] == ["message", "end", None]


def test_a_stream_goes_on_where_it_was_left(api: Served, ana: Client) -> None:
    path = path_of(ana.play())
    version = ana.move(path)
    for last, query in (
        (version - 1, ""),
        (None, f"?after={version - 1}"),
        (version - 1, "?after=1"),
    ):
        with Listener(api.port, f"{path}/events{query}", last=last) as stream:
            message = stream.next()
            assert message is not None
            assert message.id == str(version)
    with Listener(api.port, f"{path}/events", last=version + 7) as ahead:
        ahead.opened()
        assert ahead.id == str(version), "the id tells that what the client knew is not so"
    with Listener(api.port, f"{path}/events", last="x") as odd:
        assert odd.status == 400
        assert odd.problem()["code"] == "bad_request"


def test_a_silent_stream_has_a_heartbeat(api: Served, ana: Client) -> None:
    path = path_of(ana.play())
    with (
        Listener(api.port, f"{path}/events?after=99") as stream,
        Listener(api.port, "/v1/turns", ana.token) as turns,
    ):
        stream.opened()
        stream.beat()
        turns.beat()
        stream.beat()
        assert stream.comments == 2


def test_what_is_taken_back_has_versions_too(api: Served, ana: Client) -> None:
    path = path_of(ana.play())
    before = ana.move(path)
    with Listener(api.port, f"{path}/events", last=before) as stream:
        first = ana.get(f"{path}/moves")["moves"][0]
        ana.send(path, first["command"], first["seat"])
        last = ana.send(path, {"type": "undo"}, first["seat"])
        asked = ana.get(path)["undo"]
        for seat in range(SEATS):
            if asked is not None and seat != first["seat"]:
                last = ana.send(path, {"type": "accept_undo"}, seat)
        told = [stream.next() for _ in range(last - before)]
    assert [message.id for message in told if message] == [
        str(n) for n in range(before + 1, last + 1)
    ]
    assert told[-1] is not None
    assert told[-1].data["type"] == "undone"


def test_a_private_game_is_told_to_those_who_may_read_it(api: Served, ana: Client) -> None:
    made = ana.play(visibility="private")
    path = path_of(made)
    for token in (None, Client(api.port).token):
        with Listener(api.port, f"{path}/events", token) as stream:
            assert stream.status == 404
            assert stream.problem()["code"] == "not_found"
    for token in (ana.token, made["watch_code"]):
        with Listener(api.port, f"{path}/events", token) as stream:
            message = stream.next()
            assert message is not None
            assert message.data["type"] == "game_created"


def test_a_held_request_is_answered_as_soon_as_something_happens(api: Served, ana: Client) -> None:
    path = path_of(ana.play())
    version = ana.get(path)["version"]
    found: list[object] = []
    watcher = Client(api.port)
    thread = threading.Thread(
        target=lambda: found.append(
            watcher.ask("GET", f"{path}/events?after={version}", Prefer="respond-async, wait=25")
        )
    )
    began = time.monotonic()
    thread.start()
    while not _open(api, "wait"):
        time.sleep(0.01)
    moved = ana.move(path)
    thread.join(20)
    assert time.monotonic() - began < 20, "it did not wait for its time to be up"
    (answer,) = found
    status, headers, body = answer  # type: ignore[misc]
    assert status == 200
    assert headers["Preference-Applied"] == "wait=25"
    assert "Prefer" in headers["Vary"]
    assert [event["version"] for event in body["events"]] == list(range(version + 1, moved + 1))


def test_a_held_request_ends_with_an_empty_page(api: Served, ana: Client) -> None:
    path = path_of(ana.play())
    version = ana.get(path)["version"]
    status, headers, body = ana.ask("GET", f"{path}/events?after={version}", Prefer="wait=1")
    assert (status, headers["Preference-Applied"]) == (200, "wait=1")
    assert body == {"version": version, "events": [], "next": None}
    waiting = Client(api.port)
    status, headers, body = waiting.ask("GET", "/v1/turns", Prefer="wait=1")
    assert (status, headers["Preference-Applied"]) == (200, "wait=1")
    assert (body["turns"], body["next"]) == ([], None)


def _counted(api: Served, name: str) -> int:
    """What a counter shows."""
    connection = http.client.HTTPConnection("127.0.0.1", api.port, timeout=20)
    connection.request("GET", "/metrics")
    text = connection.getresponse().read().decode()
    connection.close()
    for line in text.splitlines():
        if line.startswith(f"{name} "):
            return int(float(line.split()[-1]))
    return 0


def _open(api: Served, kind: str) -> int:
    """How many streams of a kind are open."""
    return _counted(api, f'bailli_streams_open{{kind="{kind}"}}')


def test_those_who_hang_up_are_forgotten(api: Served, ana: Client) -> None:
    path = path_of(ana.play())
    others = _open(api, "events")
    streams = [Listener(api.port, f"{path}/events?after=99") for _ in range(5)]
    for stream in streams:
        stream.opened()
    assert _open(api, "events") >= 5
    for stream in streams:
        stream.close()
    limit = time.monotonic() + 20
    while _open(api, "events") > others:
        assert time.monotonic() < limit
        time.sleep(0.1)


def test_who_reads_too_slowly_is_cut_off_and_loses_nothing(
    api: Served, api_server: EmbeddedServer, ana: Client
) -> None:
    made = ana.play()
    path, game_id = path_of(made), made["game"]["id"]
    version = ana.get(path)["version"]
    cut_off = 'bailli_streams_cut_off_total{kind="events"}'
    before = _counted(api, cut_off)
    slow = Listener(api.port, f"{path}/events", receive=4096)
    quick = Listener(api.port, f"{path}/events", last=version)
    slow.opened()
    quick.opened()
    store = open_store(api_server.url)
    repository = Repository(store)
    step = Step(None, None, (), (UndoRefused(0),) * 100)
    written = version
    wanted = version + MAX_QUEUED + 4 * SEND_BUFFER_BYTES // 100
    while written < wanted:
        game = repository.load(game_id).game
        entries = encode(game.hash, [step], secrets.token_hex(8), store.now())
        assert store.append(Append(game_id, game.version, game.hash, entries)) == Appended(
            written + 100
        )
        for _ in range(100):
            message = quick.next()
            assert message is not None
            written += 1
            assert message.id == str(written)
    store.close()
    last = 0
    with contextlib.suppress(http.client.IncompleteRead, OSError):
        while (message := slow.next()) is not None:
            last += 1
            assert message.id == str(last)
    assert last < written
    slow.close()
    assert _counted(api, cut_off) == before + 1
    with Listener(api.port, f"{path}/events", last=last) as again:
        for version in range(last + 1, written + 1):
            message = again.next()
            assert message is not None
            assert message.id == str(version)
    quick.close()


def test_turns_are_told_as_they_begin_and_cease(api: Served, ana: Client) -> None:
    eve = Client(api.port)
    made = ana.play(seats=SEATS, start="host")
    game = made["game"]["id"]
    with Listener(api.port, "/v1/turns", ana.token) as stream:
        all_ = stream.next()
        assert all_ is not None
        assert all_.event == "turns"
        assert [(turn["game"], turn["why"]) for turn in all_.data["turns"]] == [(game, "start")]
        ana.send(path_of(made), {"type": "start"})
        begun = stream.next()
        assert begun is not None
        assert (begun.event, begun.data["game"], begun.data["why"]) == ("turn", game, "move")
        assert begun.data == ana.get("/v1/turns")["turns"][0]
        with Listener(api.port, "/v1/turns", ana.token, begun.id) as same:
            same.opened()
            assert same.id == begun.id
            ana.send(path_of(made), {"type": "abandon"})
            for each in (stream, same):
                over = each.next()
                assert over is not None
                assert (over.event, over.data["game"]) == ("turn_over", game)
        with Listener(api.port, "/v1/turns", ana.token, begun.id) as late:
            missed = late.next()
            assert missed is not None
            assert (missed.event, missed.data) == ("turns", {"turns": []})
        second = ana.ask(
            "POST",
            "/v1/games",
            {"ruleset": made["game"]["ruleset"]["id"], "seats": [{"kind": "human"}] * SEATS},
        )[2]
        for seat in range(SEATS):
            (ana if seat else eve).claim(second, seat)
        with Listener(api.port, "/v1/turns", eve.token) as hers:
            told = hers.next()
            assert told is not None
            acting = ana.get(path_of(second))["to_act"]
            hers_now = [turn["game"] for turn in told.data["turns"]]
            assert hers_now == ([second["game"]["id"]] if 0 in acting else [])


def test_a_bot_sleeps_until_it_is_its_turn(api: Served, ana: Client) -> None:
    found: list[object] = []
    waiter = Client(api.port, ana.token)
    thread = threading.Thread(
        target=lambda: found.append(waiter.get("/v1/turns", Prefer="wait=30"))
    )
    thread.start()
    while not _open(api, "wait"):
        time.sleep(0.01)
    made = ana.play()
    thread.join(20)
    (body,) = found
    assert isinstance(body, dict)
    assert body["turns"][0]["game"] == made["game"]["id"]
    state = body["state"]
    same = ana.get(f"/v1/turns?after={state}", Prefer="wait=1")
    assert same["state"] == state
    ana.move(path_of(made))
    other = ana.get(f"/v1/turns?after={state}", Prefer="wait=25")
    assert other["state"] != state


def test_streams_end_when_the_service_does_and_are_bounded(
    api_server: EmbeddedServer, tmp_path: Path
) -> None:
    with served(api_server.url, tmp_path, BAILLI_STREAMS="3", BAILLI_WEB_WORKERS="1") as other:
        ana = Client(other.port)
        path = path_of(ana.play())
        streams = [Listener(other.port, f"{path}/events?after=99") for _ in range(3)]
        for stream in streams:
            stream.opened()
        for ask in (f"{path}/events", "/v1/turns"):
            with Listener(other.port, ask, ana.token) as full:
                assert full.status == 503
                assert full.headers["Retry-After"]
                assert full.problem()["code"] == "streams_full"
        assert ana.get(path)["status"] == "playing", "other requests are served"
        other.leave()
        assert [stream.next() for stream in streams] == [None] * 3
        for stream in streams:
            stream.close()
    with (
        served(api_server.url, tmp_path) as after,
        Listener(after.port, f"{path}/events", last=streams[0].id) as resumed,
    ):
        version = Client(after.port, ana.token).move(path)
        message = resumed.next()
        assert message is not None
        assert message.id == str(int(streams[0].id) + 1)
        assert int(message.id) <= version


def test_the_allowance_of_open_files_is_no_limit(
    api_server: EmbeddedServer, tmp_path: Path
) -> None:
    with served(api_server.url, tmp_path, files=64, BAILLI_WEB_WORKERS="1") as other:
        path = path_of(Client(other.port).play())
        streams = [Listener(other.port, f"{path}/events?after=99") for _ in range(150)]
        for stream in streams:
            stream.opened()
        for stream in streams:
            stream.close()


def test_head_opens_nothing(api: Served, ana: Client) -> None:
    path = path_of(ana.play())
    for asked in (f"{path}/events", "/v1/turns"):
        connection = http.client.HTTPConnection("127.0.0.1", api.port, timeout=20)
        headers = {"Accept": "text/event-stream", "Authorization": f"Bearer {ana.token}"}
        connection.request("HEAD", asked, headers=headers)
        answer = connection.getresponse()
        assert (answer.status, answer.read()) == (200, b"")
        assert answer.headers["Content-Type"].startswith("text/event-stream")
        connection.close()
