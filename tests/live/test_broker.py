"""The broker when notifications are lost, games removed, permissions changed: in one process."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from redis import Redis

from service.api.live import broker, inbox_updates, subscriber
from service.api.live.broker import Broker
from service.api.live.inbox import Inbox
from service.app import create_app
from service.config import Settings
from service.games.records import archive as archives
from service.games.repository import Repository
from service.store import MemoryStore, Unavailable
from service.store.redis_store import RedisStore
from tests.api.http_client import SEATS, Person, anybody

NEVER = 1e9


@pytest.fixture(autouse=True)
def _looks_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only news brings anything, unless a test says otherwise; readers are looked after often."""
    monkeypatch.setattr(broker, "POLL_INTERVAL", NEVER)
    monkeypatch.setattr(broker, "INBOX_INTERVAL", NEVER)
    monkeypatch.setattr(broker, "INSPECTION_INTERVAL", 0.05)
    monkeypatch.setattr(broker, "IDLE_SECONDS", 0.05)


@pytest.fixture
def ana(app: Flask) -> Person:
    return anybody(app)


@pytest.fixture
def game(ana: Person) -> str:
    """A game in play."""
    return laid(ana)


def laid(ana: Person, **more: Any) -> str:
    made = ana.create(**more)
    for seat in range(SEATS):
        ana.claim(made, seat)
    return str(made["game"]["id"])


def broker_of(app: Flask) -> Broker:
    found = app.extensions[broker.EXTENSION]
    assert isinstance(found, Broker)
    return found


@contextmanager
def listening(person: Person, path: str, last: object = "") -> Iterator[Iterator[bytes]]:
    """The parts of an event stream, beyond heartbeats."""
    headers = {"Accept": "text/event-stream", "Last-Event-ID": str(last)}
    if person.token:
        headers["Authorization"] = f"Bearer {person.token}"
    answer = person.client.get(path, headers=headers)
    assert answer.mimetype == "text/event-stream", answer.data
    parts = iter(answer.response)
    with closing(answer):
        yield (bytes(part) for part in parts if part != b":\n\n")  # type: ignore[arg-type]


def ids(part: bytes) -> list[int]:
    """The ids in a part of a stream."""
    return [int(line[4:]) for line in part.decode().splitlines() if line.startswith("id: ")]


def read_to(parts: Iterator[bytes], version: int) -> list[int]:
    """Reads until a version was told; returns the ids."""
    found: list[int] = []
    while not found or found[-1] < version:
        found += ids(next(parts))
    return found


def version_of(person: Person, game: str) -> int:
    return int((person.get(f"/v1/games/{game}").json or {})["version"])


def test_what_was_missed_is_told_when_the_connection_is_back(
    app: Flask, ana: Person, game: str, redis_url: str
) -> None:
    with (
        listening(ana, f"/v1/games/{game}/events") as parts,
        listening(ana, "/v1/turns") as turns,
        Redis.from_url(redis_url) as client,
    ):
        before = version_of(ana, game)
        assert ids(next(parts)) == [0]
        assert read_to(parts, before) == list(range(1, before + 1))
        assert b"event: turns" in next(turns)
        assert client.client_kill_filter(_type="pubsub")
        moved = (ana.move(game).json or {})["version"]
        assert read_to(parts, moved) == list(range(before + 1, moved + 1))
        assert b"event: turn\n" in next(turns)


def test_what_there_was_no_news_of_is_found_by_looking(
    app: Flask, ana: Person, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        listening(ana, f"/v1/games/{game}/events", 99) as parts,
        listening(ana, "/v1/turns") as turns,
    ):
        next(parts)
        next(turns)
        deaf = broker_of(app)
        monkeypatch.setattr(deaf, "_handle_notification", lambda *_: None)
        ana.move(game)
        monkeypatch.setattr(broker, "POLL_INTERVAL", 0.05)
        monkeypatch.setattr(broker, "INBOX_INTERVAL", 0.05)
        deaf._next_poll = deaf._next_inbox_poll = 0.0
        assert ids(next(parts))
        assert b"event: turn\n" in next(turns)


def test_who_knows_more_than_the_others_were_told_is_told_nothing_twice(
    app: Flask, ana: Person, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = version_of(ana, game)
    with listening(ana, f"/v1/games/{game}/events", before) as behind:
        next(behind)
        broker = broker_of(app)
        with monkeypatch.context() as deaf:
            deaf.setattr(broker, "_handle_notification", lambda *_: None)
            seen = (ana.move(game).json or {})["version"]
            time.sleep(0.1)  # for news that would still be under way
        with listening(ana, f"/v1/games/{game}/events", seen) as ahead:
            next(ahead)
            broker._schedule_all()
            moved = (ana.move(game).json or {})["version"]
            assert read_to(behind, moved) == list(range(before + 1, moved + 1))
            assert read_to(ahead, moved) == list(range(seen + 1, moved + 1))


def test_a_removed_game_is_the_end(app: Flask, ana: Person, game: str) -> None:
    with (
        listening(ana, f"/v1/games/{game}/events", 99) as parts,
        listening(ana, "/v1/turns") as turns,
    ):
        next(parts)
        assert game.encode() in next(turns)
        ana.ask("DELETE", f"/v1/games/{game}")
        broker_of(app)._schedule_all()
        assert b'"status":"gone"' in next(parts)
        assert next(parts, None) is None
        assert b"event: turn_over" in next(turns)
    headers = {"Accept": "text/event-stream"}
    answer = ana.client.get(f"/v1/games/{game}/events", headers=headers)
    assert answer.status_code == 410


def test_a_held_request_learns_of_the_removal(app: Flask, ana: Person, game: str) -> None:
    with ThreadPoolExecutor(1) as pool:
        path = f"/v1/games/{game}/events?after=99"
        held = pool.submit(Person(app, ana.token).get, path, Prefer="wait=30")
        while not broker_of(app)._channels.by_game:
            time.sleep(0.01)
        ana.ask("DELETE", f"/v1/games/{game}")
        while not held.done():
            broker_of(app)._schedule_all()
            time.sleep(0.05)
        assert held.result().status_code == 410


def test_an_archived_game_is_streamed_from_its_file(tmp_path: Path, store: RedisStore) -> None:
    app = create_app(Settings(data=tmp_path), store)
    ana = anybody(app)
    game = laid(ana)
    ana.send(game, {"type": "abandon"})
    version = version_of(ana, game)
    folder = tmp_path / "archive"
    assert archives.archive_game(store, Repository(store).load(game).game, folder)
    with listening(ana, f"/v1/games/{game}/events") as parts:
        assert read_to(parts, version)
        assert b"event: end" in next(parts)
        assert next(parts, None) is None
    answer = ana.get(f"/v1/games/{game}/events", Accept="text/event-stream", Last_Event_ID="99")
    assert answer.status_code == 204


def test_who_may_no_longer_read_is_told_no_more(app: Flask, ana: Person) -> None:
    eve = anybody(app)
    made = ana.create(visibility="private")
    game = made["game"]["id"]
    codes = {each["seat"]: each["claim_code"] for each in made["claim_codes"]}
    eve.post(f"/v1/games/{game}/seats/0", {"claim_code": codes[0], "name": "Eve"})
    with (
        listening(eve, f"/v1/games/{game}/events", 99) as hers,
        listening(ana, f"/v1/games/{game}/events", 99) as own,
    ):
        next(hers)
        next(own)
        eve.send(game, {"type": "leave"})
        assert b'"seat_left"' in next(own)
        assert next(hers, None) is None
    assert eve.get(f"/v1/games/{game}/events", Accept="text/event-stream").status_code == 404


def test_nothing_sealed_is_streamed(app: Flask, ana: Person, game: str) -> None:
    with listening(ana, f"/v1/games/{game}/events") as parts:
        next(parts)
        told = next(parts)
    for name in (b"sealed_chance", b"seed", b"host", b"claims", b"token"):
        assert name not in told


def test_a_failover_that_lost_something_ends_the_stream(
    app: Flask, ana: Person, game: str, redis_url: str
) -> None:
    version = version_of(ana, game)
    with (
        listening(ana, f"/v1/games/{game}/events", 99) as parts,
        Redis.from_url(redis_url) as client,
    ):
        next(parts)
        assert client.xdel(f"{{{game[0]}}}:{game}:events", f"{version}-0")
        broker_of(app)._schedule_all()
        assert next(parts, None) is None


def test_a_stream_outlives_a_store_that_fails_for_a_while(
    app: Flask, ana: Person, game: str, store: RedisStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = version_of(ana, game)
    with listening(ana, f"/v1/games/{game}/events", before) as parts:
        next(parts)
        broker = broker_of(app)
        read, fails = broker._repository.read_entries, [Unavailable("gone for a while")] * 3

        def entries(*asked: Any) -> Any:
            if fails:
                raise fails.pop()
            return read(*asked)

        monkeypatch.setattr(broker._repository, "read_entries", entries)
        moved = (ana.move(game).json or {})["version"]
        assert read_to(parts, moved) == list(range(before + 1, moved + 1))
        assert not fails


def test_a_stream_that_cannot_be_read_on_ends(
    app: Flask, ana: Person, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with listening(ana, f"/v1/games/{game}/events") as parts:
        assert ids(next(parts)) == [0]

        def failing(*_: Any) -> Any:
            raise Unavailable("gone")

        monkeypatch.setattr(broker_of(app)._repository, "read_entries", failing)
        assert next(parts, None) is None


def test_news_that_cannot_be_had_is_asked_for_again(
    app: Flask, ana: Person, game: str, store: RedisStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch, refusals = store.listen, [Unavailable("no permission")] * 2
    monkeypatch.setattr(broker, "START_SECONDS", 0.01)

    def refused() -> Any:
        if refusals:
            raise refusals.pop()
        return watch()

    monkeypatch.setattr(store, "listen", refused)
    with listening(ana, f"/v1/games/{game}/events", 99) as parts:
        next(parts)
        ana.move(game)
        assert ids(next(parts))
        assert not refusals


def test_a_corrupt_game_ends_its_streams_and_no_others(
    app: Flask, ana: Person, game: str, redis_url: str
) -> None:
    other = laid(ana)
    version = version_of(ana, game)
    with (
        listening(ana, f"/v1/games/{game}/events", 99) as parts,
        listening(ana, f"/v1/games/{other}/events", 99) as fine,
        Redis.from_url(redis_url) as client,
    ):
        next(parts)
        next(fine)
        client.xadd(f"{{{game[0]}}}:{game}:events", {"t": "x"}, id=f"{version + 1}-0")
        broker_of(app)._schedule_all()
        assert next(parts, None) is None
        ana.move(other)
        assert ids(next(fine))


def test_who_does_not_read_is_cut_off(
    app: Flask, ana: Person, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subscriber, "MAX_QUEUED", 1)
    path = f"/v1/games/{game}/events"
    with listening(ana, path, 99) as slow, listening(ana, "/v1/turns") as turns:
        next(slow)
        next(turns)
        while len(_closed(app)) < 2:  # several moves may be told to the turns' reader as one
            ana.move(game)
        assert next(slow, None) is None
        while next(turns, None) is not None:
            pass
    monkeypatch.undo()
    text = app.test_client().get("/metrics").text
    assert 'bailli_streams_cut_off_total{kind="events"}' in text


def _closed(app: Flask) -> set[subscriber.Subscriber]:
    return {reader for reader in broker_of(app)._subscribers if reader.closed}


def test_who_never_finishes_reading_is_cut_off(
    app: Flask, ana: Person, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subscriber, "STALLED_SECONDS", 0.01)
    with listening(ana, f"/v1/games/{game}/events", 99) as parts:
        next(parts)
        while not _closed(app):
            time.sleep(0.01)
        assert next(parts, None) is None


def test_the_subscription_ends_with_the_last_reader_and_begins_anew(
    app: Flask, ana: Person, game: str
) -> None:
    broker = broker_of(app)
    for _ in range(2):
        with listening(ana, f"/v1/games/{game}/events", 99) as parts:
            next(parts)
            assert broker._running
            ana.move(game)
            assert ids(next(parts))
        assert not broker._subscribers
        assert not broker._channels.by_game
        while broker._running:
            time.sleep(0.02)


def test_a_turn_in_a_new_game_is_told_and_strangers_are_not_looked_at(
    app: Flask, ana: Person
) -> None:
    eve, here = anybody(app), broker_of(app)
    with listening(ana, "/v1/turns") as turns:
        assert b'{"turns":[]}' in next(turns)
        strange = laid(eve)
        while strange not in here._inboxes.unrelated:
            time.sleep(0.01)
        eve.move(strange)
        mine = laid(ana)
        assert mine.encode() in next(turns)
    assert not here._inboxes.by_client


def test_the_games_of_many_strangers_are_not_remembered_for_ever(
    app: Flask, ana: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inbox_updates, "MAX_UNRELATED_GAMES", 1)
    eve, here = anybody(app), broker_of(app)
    with listening(ana, "/v1/turns") as turns:
        next(turns)
        for _ in range(3):
            strange = laid(eve)
            while strange not in here._inboxes.unrelated:
                time.sleep(0.01)
        assert len(here._inboxes.unrelated) == 1


def test_a_seat_that_changes_hands_takes_its_turn_along(app: Flask, ana: Person) -> None:
    game = laid(ana)
    eve = anybody(app)
    with listening(ana, "/v1/turns") as hers, listening(eve, "/v1/turns") as others:
        assert game.encode() in next(hers)
        next(others)
        assert ana.token
        assert eve.token
        ana.post("/v1/tokens/rotate", {"token": eve.token})
        assert b"event: turn_over" in next(hers)
        assert b"event: turn\n" in next(others)


def test_an_older_state_tells_a_client_nothing(app: Flask, ana: Person, game: str) -> None:
    repository = broker_of(app)._repository
    older = repository.load(game).game
    ana.move(game)
    inbox = Inbox(older.table.host)
    assert b"event: turn\n" in (inbox.update(game, repository.load(game).game) or b"")
    assert inbox.update(game, older) is None
    assert b"event: turn_over" in (inbox.update(game, None) or b"")


def test_head_tells_the_type_and_listens_to_nothing(app: Flask, ana: Person, game: str) -> None:
    for path in (f"/v1/games/{game}/events", "/v1/turns"):
        headers = {"Accept": "text/event-stream", "Authorization": f"Bearer {ana.token}"}
        answer = ana.client.head(path, headers=headers)
        assert (answer.mimetype, answer.data) == ("text/event-stream", b"")
    assert not broker_of(app)._subscribers


def test_listening_works_on_a_store_in_memory_too() -> None:
    app = create_app(Settings(rate_create=0, rate_claim=0), MemoryStore())
    ana = anybody(app)
    game = laid(ana)
    before = version_of(ana, game)
    with (
        listening(ana, f"/v1/games/{game}/events", before) as parts,
        listening(ana, "/v1/turns") as turns,
    ):
        next(parts)
        next(turns)
        moved = (ana.move(game).json or {})["version"]
        assert read_to(parts, moved) == list(range(before + 1, moved + 1))
        assert b"event: turn\n" in next(turns)
