"""What the Redis store writes where, and what makes it refuse: then nothing is half written."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest
from redis import DataError, Redis
from redis.crc import key_slot

from service.store import (
    GENESIS_HASH,
    LISTENING,
    MAX_ENTRIES,
    PARTITIONS,
    Append,
    Appended,
    Conflict,
    Corrupt,
    Gone,
    IdempotencyKey,
    IndexChange,
    KeyTaken,
    ListedGame,
    StoredWebhook,
    Unavailable,
    WebhookChange,
    append_and_resolve,
)
from service.store.embedded import EmbeddedServer, free_port
from service.store.redis_store import RedisStore, open_store

from .conftest import REDIS
from .streams import append_after, entries, full, kept, port, tls, words

NewId = Callable[[], str]
NO_INDEX = IndexChange(0)


@pytest.mark.parametrize("one", PARTITIONS)
def test_all_keys_of_a_game_lie_in_its_partition(
    direct: RedisStore, client: Redis, new_id: NewId, one: str
) -> None:
    """Every key of every script, by CRC16: the slot of the id's first character."""
    game = one + new_id()[1:]
    direct.append(full(game, direct))
    change = WebhookChange(game, "h", None, StoredWebhook("h", 1, b"d"), delivery=(1, b"sent"))
    direct.change_webhook(change)
    direct.lease_due(one, {})
    assert len(client.keys("*")) == 8
    names = set(client.keys("*"))
    stream = direct.read(game).entries
    direct.remove_stream(game, 2, "archived", b"", IndexChange(5, "open", None, (), ("c1",)))
    names |= set(client.keys("*"))
    direct.restore_stream(game, stream, IndexChange(5, None, "finished", ("c2",)))
    names |= set(client.keys("*"))
    assert len(names) == 11
    assert {key_slot(name) for name in names} == {key_slot(one.encode())}
    assert all(name.startswith(b"{%s}:" % one.encode()) for name in names)


def test_slots_follow_crc16() -> None:
    """The published check value of CRC-16/XMODEM."""
    assert key_slot(b"123456789") == 0x31C3 % 16384


NAMES = {"status": "status:open", "client": "client:c1", "due": "due", "leases": "leases"}
KEYS = ("events", "keys", "gone", "due", "leases", "hooks", "sent", "status", "client")
INDEX = IndexChange(5, "open", None, ("c1",))


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(
    "work",
    ["append", "remove", "restore", "set_due", "extend", "lease", "hold", "place", "change_hook"],
)
def test_a_key_of_another_type_is_refused(
    direct: RedisStore, client: Redis, new_id: NewId, key: str, work: str
) -> None:
    """Before anything is written, whichever key it is and whatever is asked."""
    game = new_id()
    append = full(game, direct)
    if work not in ("append", "place"):
        direct.append(append)
    if work == "restore":
        direct.remove_stream(game, 2, "archived", b"file", NO_INDEX)
    name = f"{{{game[0]}}}:" + NAMES.get(key, f"{game}:{key}")
    client.set(name, "text")
    before = kept(client)
    touched = {
        "append": KEYS,
        "remove": KEYS,
        "change_hook": KEYS[:7],
        "restore": ("events", "gone", "status", "client"),
        "place": ("events", "gone", "status", "client"),
        "hold": ("due", "leases"),
        "set_due": ("due", "leases"),
        "extend": ("due", "leases"),
        "lease": ("due", "leases"),
    }
    works: dict[str, Callable[[], Any]] = {
        "append": lambda: direct.append(append),
        "remove": lambda: direct.remove_stream(game, 2, "deleted", b"", INDEX, ["bot"]),
        "restore": lambda: direct.restore_stream(game, append.entries, INDEX),
        "place": lambda: direct.import_stream(game, append.entries, INDEX),
        "hold": lambda: direct.put_temporary(game, b"body", 60_000, kind="bot", due_at=7),
        "set_due": lambda: direct.set_due(game, "bot", 7),
        "extend": lambda: direct.extend_lease(game, "bot", 7),
        "lease": lambda: direct.lease_due(game[0], {}),
        "change_hook": lambda: direct.change_webhook(
            WebhookChange(game, "h", None, StoredWebhook("h", 1, b"d"))
        ),
    }
    if key in touched[work]:
        with pytest.raises(Corrupt):
            works[work]()
        assert kept(client) == before
    else:
        works[work]()
        assert client.get(name) == b"text"


@pytest.mark.parametrize("key", ["events", "keys", "gone"])
def test_a_key_of_another_type_cannot_be_read(
    direct: RedisStore, client: Redis, new_id: NewId, key: str
) -> None:
    game = new_id()
    client.set(f"{{{game[0]}}}:{game}:{key}", "text")
    with pytest.raises(Corrupt):
        direct.read(game, 1, "k")


@pytest.mark.parametrize(("part", "ask"), [("status:open", "status"), ("client:open", "client")])
def test_a_list_of_another_type_cannot_be_read(
    direct: RedisStore, client: Redis, part: str, ask: str
) -> None:
    client.set("{k}:" + part, "text")
    with pytest.raises(Corrupt):
        direct.list_by_status("open", 5) if ask == "status" else direct.list_by_client("open", 5)


def test_what_is_refused_changes_no_key(direct: RedisStore, client: Redis, new_id: NewId) -> None:
    game = new_id()
    append = full(game, direct)
    direct.append(append)
    before = kept(client)
    assert isinstance(direct.append(append), KeyTaken)
    other = replace(append, key=IdempotencyKey("other", "b"))
    assert direct.append(other) == Conflict(2)
    assert direct.append(replace(other, expected_version=2)) == Conflict(2)
    assert not direct.remove_stream(game, 1, "deleted", b"", INDEX, ["bot"])
    direct.set_due(game, "bot", 9, only_if=8)
    direct.extend_lease(game, "idle", 9)
    with pytest.raises(ValueError, match="not archived"):
        direct.restore_stream(game, append.entries, INDEX)
    assert kept(client) == before


@pytest.mark.parametrize(
    "change",
    [
        {"due_times": {"bot": 1, "idle": "soon"}},
        {"due_times": {"bot": "nan"}},
        {"index": IndexChange("late", None, "open")},  # type: ignore[arg-type]
    ],
)
def test_what_is_no_number_is_refused_first(
    direct: RedisStore, client: Redis, new_id: NewId, change: dict[str, Any]
) -> None:
    append = replace(append_after(direct, new_id(), "one"), **change)
    with pytest.raises(Unavailable, match="not a number"):
        direct.append(append)
    assert kept(client) == {}


def test_a_removal_and_a_return_want_numbers_too(
    direct: RedisStore, client: Redis, new_id: NewId
) -> None:
    game, odd = new_id(), IndexChange("late", None, "open")  # type: ignore[arg-type]
    append = append_after(direct, game, "one")
    direct.append(append)
    before = kept(client)
    with pytest.raises(Unavailable, match="not a number"):
        direct.remove_stream(game, 1, "archived", b"", odd)
    assert kept(client) == before
    direct.remove_stream(game, 1, "archived", b"", NO_INDEX)
    before = kept(client)
    with pytest.raises(Unavailable, match="not a number"):
        direct.restore_stream(game, append.entries, odd)
    assert kept(client) == before


class TestCorrupt:
    """A stream that cannot be right is refused; nothing is guessed and nothing is added."""

    FIELDS: ClassVar = {"t": "x", "v": 1, "d": "", "m": "", "h": b"h" * 32}

    @pytest.mark.parametrize(
        "names",
        [("2-0",), ("1-1",), ("5-0",), ("1-0", "3-0"), ("1-0", "2-1"), ("0-1", "1-0")],
        ids="+".join,
    )
    def test_a_gap(
        self, direct: RedisStore, client: Redis, new_id: NewId, names: tuple[str, ...]
    ) -> None:
        game = new_id()
        for name in names:
            client.xadd(f"{{{game[0]}}}:{game}:events", self.FIELDS, name)
        self._refused(direct, client, game)
        if names != ("0-1", "1-0"):  # what lies before the first asked version isn't seen
            with pytest.raises(Corrupt):
                direct.read(game)

    def test_a_cut_head(self, direct: RedisStore, client: Redis, new_id: NewId) -> None:
        game = new_id()
        direct.append(append_after(direct, game, "one", "two", "three"))
        client.xtrim(f"{{{game[0]}}}:{game}:events", maxlen=2, approximate=False)
        self._refused(direct, client, game, 3)
        with pytest.raises(Corrupt):
            direct.read(game)
        assert [entry.type for entry in direct.read(game, 2).entries] == ["two", "three"]

    @pytest.mark.parametrize("left", [0, 1])
    def test_a_cut_tail(self, direct: RedisStore, client: Redis, new_id: NewId, left: int) -> None:
        game = new_id()
        direct.append(append_after(direct, game, "one", "two"))
        names = ["1-0", "2-0"][left:]
        client.xdel(f"{{{game[0]}}}:{game}:events", *names)
        self._refused(direct, client, game, left)

    @pytest.mark.parametrize("field", ["t", "v", "d", "m", "h"])
    def test_a_missing_field(
        self, direct: RedisStore, client: Redis, new_id: NewId, field: str
    ) -> None:
        game = new_id()
        fields = {name: value for name, value in self.FIELDS.items() if name != field}
        client.xadd(f"{{{game[0]}}}:{game}:events", fields, "1-0")
        with pytest.raises(Corrupt):
            direct.read(game)
        if field == "h":
            self._refused(direct, client, game, 1)

    def test_a_schema_that_is_no_number(
        self, direct: RedisStore, client: Redis, new_id: NewId
    ) -> None:
        game = new_id()
        client.xadd(f"{{{game[0]}}}:{game}:events", {**self.FIELDS, "v": "x"}, "1-0")
        with pytest.raises(Corrupt):
            direct.read(game)

    @pytest.mark.parametrize("use", ["b", "b|1", "b|1|x"])
    def test_a_broken_use(self, direct: RedisStore, client: Redis, new_id: NewId, use: str) -> None:
        game = new_id()
        append = append_after(direct, game, "one", key=IdempotencyKey("k", "b"))
        client.hset(f"{{{game[0]}}}:{game}:keys", "k", use)
        before = kept(client)
        with pytest.raises(Corrupt):
            direct.append(append)
        with pytest.raises(Corrupt):
            direct.read(game, 1, "k")
        assert kept(client) == before

    @pytest.mark.parametrize("value", ["", "7", "x|{}"])
    def test_a_broken_webhook(
        self, direct: RedisStore, client: Redis, new_id: NewId, value: str
    ) -> None:
        game = new_id()
        client.hset(f"{{{game[0]}}}:{game}:hooks", "h", value)
        with pytest.raises(Corrupt):
            direct.list_webhooks(game)

    def test_a_stream_beside_its_tombstone(
        self, direct: RedisStore, client: Redis, new_id: NewId
    ) -> None:
        game = new_id()
        append = append_after(direct, game, "one")
        direct.append(append)
        client.hset(f"{{{game[0]}}}:{game}:gone", mapping={"why": "archived", "fact": ""})
        before = kept(client)
        with pytest.raises(Corrupt):
            direct.restore_stream(game, append.entries, NO_INDEX)
        assert kept(client) == before

    def test_a_rewritten_stream_is_noticed(
        self, direct: RedisStore, client: Redis, new_id: NewId
    ) -> None:
        game = new_id()
        direct.append(append_after(direct, game, "one"))
        late = append_after(direct, game, "two")
        client.delete(f"{{{game[0]}}}:{game}:events")
        direct.append(append_after(direct, game, "other"))
        assert direct.append(late) == Conflict(1)
        assert words(direct, game) == ["other"]

    def _refused(self, direct: RedisStore, client: Redis, game: str, version: int = 1) -> None:
        before = kept(client)
        with pytest.raises(Corrupt):
            direct.append(Append(game, version, b"h" * 32, entries(GENESIS_HASH, "one")))
        with pytest.raises(Corrupt):
            direct.remove_stream(game, version, "deleted", b"", NO_INDEX)
        assert kept(client) == before


class TestRefusals:
    """A server that may not write says so before the script begins."""

    def test_out_of_memory(self, direct: RedisStore, client: Redis, new_id: NewId) -> None:
        game = new_id()
        direct.append(append_after(direct, game, "one"))
        append = full(game, direct)
        before = kept(client)
        client.config_set("maxmemory", 1)
        try:
            with pytest.raises(Unavailable, match="memory"):
                append_and_resolve(direct, append)
            assert words(direct, game) == ["one"]
            assert kept(client) == before
        finally:
            client.config_set("maxmemory", 0)
        assert append_and_resolve(direct, append) == Appended(3)

    def test_a_read_only_replica(self, direct: RedisStore, client: Redis, new_id: NewId) -> None:
        game = new_id()
        direct.append(append_after(direct, game, "one"))
        append, before = full(game, direct), kept(client)
        client.replicaof("127.0.0.1", free_port())  # whom it waits for in vain
        try:
            for attempt in (
                lambda: append_and_resolve(direct, append),
                lambda: direct.set_due(game, "bot", 1),
                lambda: direct.extend_lease(game, "bot", 1),
                lambda: direct.lease_due(game[0], {}),
                lambda: direct.remove_stream(game, 1, "deleted", b"", NO_INDEX),
                lambda: direct.restore_stream(game, append.entries, NO_INDEX),
            ):
                with pytest.raises(Unavailable, match="read only"):
                    attempt()
            assert words(direct, game) == ["one"]
            assert kept(client) == before
        finally:
            client.replicaof("NO", "ONE")
        assert direct.append(append) == Appended(3)

    def test_too_few_replicas(self, direct: RedisStore, client: Redis, new_id: NewId) -> None:
        game = new_id()
        append = full(game, direct)
        client.config_set("min-replicas-to-write", 1)
        try:
            with pytest.raises(Unavailable, match="NOREPLICAS"):
                direct.append(append)
            assert kept(client) == {}
        finally:
            client.config_set("min-replicas-to-write", 0)

    def test_no_server(self, new_id: NewId) -> None:
        store = open_store(f"redis://127.0.0.1:{free_port()}/0")
        for attempt in (
            lambda: store.read(new_id()),
            lambda: append_and_resolve(
                store, Append(new_id(), 0, GENESIS_HASH, entries(GENESIS_HASH, "one"))
            ),
            store.now,
            lambda: store.list_by_status("open", 1),
            lambda: store.get_due(new_id(), ["bot"]),
        ):
            with pytest.raises(Unavailable):
                attempt()

    def test_a_message_that_may_not_be_sent_loses_nothing(
        self, direct: RedisStore, client: Redis, new_id: NewId
    ) -> None:
        game = new_id()
        client.acl_setuser(
            "mute", enabled=True, passwords=["+p"], keys=["*"], categories=["+@all"],
            reset_channels=True,
        )  # fmt: skip
        store = open_store(direct.url.replace("://", "://mute:p@"))
        try:
            assert store.append(full(game, store)) == Appended(2)
            with pytest.raises(Unavailable):
                next(store.listen())
        finally:
            store.close()
            client.acl_deluser("mute")
        assert words(direct, game) == ["one", "two"]


def test_a_value_that_cannot_be_sent_leaves_the_connection_whole(
    direct: RedisStore, new_id: NewId
) -> None:
    game = new_id()
    append = append_after(direct, game, "one", key=IdempotencyKey(None, "b"))  # type: ignore[arg-type]
    with pytest.raises(DataError):
        direct.append(append)
    assert direct.append(append_after(direct, game, "one")) == Appended(1)


def test_the_largest_append_and_return(direct: RedisStore, new_id: NewId) -> None:
    game = new_id()
    append = append_after(direct, game, *["many"] * MAX_ENTRIES)
    direct.append(append)
    more = append_after(direct, game, *["more"] * MAX_ENTRIES)
    direct.append(more)
    stream = direct.read(game).entries
    assert stream == append.entries + more.entries
    direct.remove_stream(game, 2 * MAX_ENTRIES, "archived", b"", NO_INDEX)
    with pytest.raises(Gone):
        direct.read(game)
    direct.restore_stream(game, stream, NO_INDEX)
    assert direct.read(game).entries == stream


def test_games_of_one_moment_in_one_partition_are_all_listed(direct: RedisStore) -> None:
    games = [f"a{letter}{'x' * 24}" for letter in "bcdefgh"]
    for game in games:
        direct.append(append_after(direct, game, "x", index=IndexChange(5, None, "open")))
    found: list[ListedGame] = []
    while page := direct.list_by_status("open", 2, found[-1] if found else None):
        found += page
    assert [listed.game for listed in found] == games[::-1]


@pytest.mark.skipif(REDIS is None, reason="there is no redis-server on the PATH")
@pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no openssl on the PATH")
def test_tls(tmp_path: Path, new_id: NewId) -> None:
    certificate, certified = tls(tmp_path)
    port_ = free_port()
    extra = (*certified, "--tls-port", str(port_))
    with EmbeddedServer(tmp_path / "data", binary=REDIS, extra=extra) as server:
        store = open_store(f"rediss://127.0.0.1:{port_}/0?ssl_ca_certs={certificate}")
        game = new_id()
        assert store.append(append_after(store, game, "one")) == Appended(1)
        assert words(store, game) == ["one"]
        assert next(store.listen()) == LISTENING
        store.close()
        untrusted = open_store(f"rediss://127.0.0.1:{port_}/0")
        with pytest.raises(Unavailable):
            untrusted.now()
        assert port(server) != port_


def test_a_unix_socket(tmp_path: Path, new_id: NewId) -> None:
    with EmbeddedServer(tmp_path, socket_path=tmp_path / "s") as server:
        store, game = open_store(server.url), new_id()
        assert store.append(append_after(store, game, "one")) == Appended(1)
        assert words(store, game) == ["one"]
        store.close()


UNDER_GEVENT = """
from gevent import monkey; monkey.patch_all()
import gevent, sys
from service.store import Appended
from service.store.redis_store import open_store
from tests.store.streams import append_after, words

store = open_store(sys.argv[1], connections=3)
games = [letter * 26 for letter in "abcdefghij"]

def write(game):
    for number in range(20):
        assert store.append(append_after(store, game, f"n{number}")) == Appended(number + 1)

gevent.joinall([gevent.spawn(write, game) for game in games], raise_error=True)
assert all(words(store, game) == [f"n{number}" for number in range(20)] for game in games)

# Whoever gives up while the answer is on its way leaves no answer behind for the next.
held = open_store(sys.argv[1], connections=1)
held.now()
held._client.client_pause(300, all=False)
with gevent.Timeout(0.1, False):
    held.append(append_after(store, games[0], "given up"))
gevent.sleep(0.5)
assert held.read(games[1]).entries[0].type == "n0"
assert held.append(append_after(held, games[1], "more")) == Appended(21)
print("fine")
"""


def test_greenlets_share_few_connections(server: EmbeddedServer, redis_url: str) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", UNDER_GEVENT, redis_url],
        capture_output=True, text=True, timeout=60, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert ran.stdout == "fine\n", ran.stderr
