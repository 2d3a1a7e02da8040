"""The event store on Redis (7.0 or later) or Valkey. One script a change, no locks.

Every key of a game and of its partition has the partition's hash tag, so that a script's keys lie
in one slot of a cluster:

    {k}:<id>:events   stream      entry <version>-0 with fields t v d m h
    {k}:<id>:keys     hash        key name → fingerprint|first|last
    {k}:<id>:gone     hash        tombstone: why, fact
    {k}:<id>:held     string      bytes kept for a while
    {k}:due           sorted set  <id>:<kind> → time (ms)
    {k}:leases        hash        <id>:<kind> → how often taken
    {k}:status:<s>    sorted set  <id> → since (ms), newest first
    {k}:client:<c>    sorted set  the same, by client

What can be served is a single or replicated server: the keys would fit a cluster, the connections
know nothing of one, and `checks` refuses it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal

import redis
from redis import exceptions
from redis.backoff import NoBackoff
from redis.retry import Retry

from .asking import Script, answering, ask, opened, refusal, run, transaction
from .memory import DEFAULT_LEASE, list_order
from .protocol import (
    PARTITIONS,
    Append,
    Conflict,
    Corrupt,
    Entry,
    Gone,
    IndexChange,
    KeyTaken,
    KeyUse,
    Lease,
    Listed,
    Tail,
    Unavailable,
    Won,
    check_bounds,
    partition,
)

CHANNEL: Final = "bailli:appended"
TIMEOUT: Final = 5.0
CONNECTIONS: Final = 64
RECONNECT: Final = 0.2

_FIELDS: Final = [b"t", b"v", b"d", b"m", b"h"]

_APPEND: Final = Script("append")
_READ: Final = Script("read")
_REMOVE: Final = Script("remove")
_RESTORE: Final = Script("restore")
_PLACE: Final = Script("place")
_HOLD: Final = Script("hold")
_DUE: Final = Script("due")
_LEASE: Final = Script("lease")


def open_store(url: str, *, timeout: float = TIMEOUT, connections: int = CONNECTIONS) -> RedisStore:
    """Returns the store at a URL (redis://, rediss://, unix://). Connects when first used.

    `timeout` (seconds) bounds connecting and each answer; beyond `connections` callers wait.
    """
    return RedisStore(opened(url, timeout, connections), url, timeout)


class RedisStore:
    """Keeps what `protocol.Store` promises. Safe to share between threads and greenlets.

    Nothing that writes is ever sent twice by this class.
    """

    def __init__(self, pool: redis.ConnectionPool, url: str, timeout: float = TIMEOUT) -> None:
        self._timeout = timeout
        self._pool = pool
        self._client = redis.Redis(connection_pool=pool)
        self.url = url

    def close(self) -> None:
        """Closes all connections."""
        self._pool.disconnect()

    def read(self, game: str, first: int = 1, key: str | None = None) -> Tail:
        stream, keys, gone = names = _game_keys(game)[:3]
        commands = (
            ("HMGET", gone, "why", "fact"),
            ("TIME",),
            ("HGET", keys, key or ""),
            ("XRANGE", stream, f"{first}-0", "+"),
        )
        try:
            answers = ask(self._pool, transaction(*commands))
        except Unavailable as fault:
            if not isinstance(fault.__cause__, exceptions.OutOfMemoryError):
                raise
            # A full server queues no commands, but runs a script that only reads.
            answers = run(self._pool, _READ, names, [first, key or ""], Unavailable)
        fact, now, use, raw = answers
        if fact[0] is not None:
            raise Gone(game, fact[0].decode(), fact[1])
        entries = tuple(
            _entry(game, version, item) for version, item in enumerate(raw, start=first)
        )
        return Tail(first, entries, _milliseconds(now), _use(game, use) if use else None)

    def append(self, append: Append) -> Won | Conflict | KeyTaken:
        check_bounds(append)
        index_keys, operations = _index(append.game, append.index)
        key = append.key
        arguments: list[Any] = [
            append.game,
            append.expected_version,
            append.expected_hash,
            key.name if key else "",
            key.fingerprint if key else "",
            append.index.since if append.index else 0,
            CHANNEL,
            len(append.entries),
        ]
        for entry in append.entries:
            arguments += (entry.type, entry.schema, entry.data, entry.meta, entry.hash)
        arguments.append(len(append.due))
        for kind, due in append.due.items():
            arguments += (kind, "" if due is None else due)
        arguments += operations
        answer = run(self._pool, _APPEND, [*_game_keys(append.game), *index_keys], arguments)
        _check_gone(append.game, answer)
        if answer[0] == b"key":
            return KeyTaken(KeyUse(answer[1].decode(), answer[2], answer[3]))
        return Won(answer[1]) if answer[0] == b"won" else Conflict(answer[1])

    def remove(
        self,
        game: str,
        version: int,
        why: Literal["deleted", "archived"],
        fact: bytes,
        index: IndexChange,
        kinds: Sequence[str] = (),
    ) -> bool:
        index_keys, operations = _index(game, index)
        keys = [*_game_keys(game), *index_keys]
        arguments = [game, version, index.since, why, fact, len(kinds), *kinds, *operations]
        answer = run(self._pool, _REMOVE, keys, arguments)
        _check_gone(game, answer)
        return bool(answer[0] == b"won")

    def restore(self, game: str, entries: Sequence[Entry], index: IndexChange) -> None:
        if not self._whole(_RESTORE, game, entries, index):
            raise ValueError(f"{game} is not archived")

    def place(self, game: str, entries: Sequence[Entry], index: IndexChange) -> bool:
        answer = self._whole(_PLACE, game, entries, index)
        _check_gone(game, answer)
        return bool(answer[0] == b"won")

    def hold(
        self,
        game: str,
        data: bytes,
        ttl: int,
        *,
        fresh: bool = False,
        kind: str = "",
        due: int | None = None,
    ) -> bool:
        keys = [f"{{{partition(game)}}}:{game}:held", *_partition_keys(partition(game))]
        member = f"{game}:{kind}" if kind else ""
        arguments = [data, ttl, "fresh" if fresh else "", member, "" if due is None else due]
        return bool(run(self._pool, _HOLD, keys, arguments))

    def held(self, game: str) -> bytes | None:
        with answering():
            found: Any = self._client.get(f"{{{partition(game)}}}:{game}:held")
        return None if found is None else bytes(found)

    def set_due(self, game: str, kind: str, due: int | None, only_if: int | None = None) -> None:
        self._put_due(game, kind, due, "" if only_if is None else only_if)

    def extend(self, game: str, kind: str, until: int) -> None:
        self._put_due(game, kind, until, "owed")

    def lease(self, partition_: str, leases: Mapping[str, int], most: int = 100) -> list[Lease]:
        arguments: list[Any] = [most, DEFAULT_LEASE]
        for kind, lease in leases.items():
            arguments += (kind, lease)
        flat = run(self._pool, _LEASE, _partition_keys(partition_), arguments)
        taken = []
        for member, due, count in zip(flat[::3], flat[1::3], flat[2::3], strict=True):
            game, _, kind = member.decode().partition(":")
            taken.append(Lease(game, kind, int(float(due)), count))
        return taken

    def due(self, game: str, kinds: Sequence[str]) -> dict[str, int]:
        if not kinds:
            return {}
        with answering():
            members = [f"{game}:{kind}" for kind in kinds]
            scores = self._client.zmscore(_partition_keys(partition(game))[0], members)
        return {
            kind: int(score) for kind, score in zip(kinds, scores, strict=True) if score is not None
        }

    def list_status(self, status: str, most: int, before: Listed | None = None) -> list[Listed]:
        return self._list(f"status:{status}", most, before)

    def list_client(self, client: str, most: int, before: Listed | None = None) -> list[Listed]:
        return self._list(f"client:{client}", most, before)

    def now(self) -> int:
        with answering():
            return _milliseconds(self._client.time())

    def watch(self) -> Iterator[tuple[str, int] | None]:
        # A client of its own: on one with a timeout a quiet second would be an error.
        with redis.Redis.from_url(
            self.url,
            socket_timeout=None,
            socket_connect_timeout=self._timeout,
            retry=Retry(NoBackoff(), 0),
        ) as client:
            while True:
                try:
                    with client.pubsub(ignore_subscribe_messages=True) as listener:
                        listener.subscribe(CHANNEL)
                        while True:
                            message = listener.get_message(timeout=1.0)
                            yield None if message is None else _announced(message["data"])
                except exceptions.ResponseError as fault:
                    raise refusal(fault) from fault
                except (exceptions.RedisError, OSError):
                    time.sleep(RECONNECT)
                    yield None

    def _whole(
        self, script: Script, game: str, entries: Sequence[Entry], index: IndexChange
    ) -> Any:
        index_keys, operations = _index(game, index)
        stream, _, gone, _, _ = _game_keys(game)
        arguments: list[Any] = [game, index.since, len(entries)]
        for entry in entries:
            arguments += (entry.type, entry.schema, entry.data, entry.meta, entry.hash)
        return run(self._pool, script, [stream, gone, *index_keys], [*arguments, *operations])

    def _put_due(self, game: str, kind: str, due: int | None, condition: str | int) -> None:
        keys = _partition_keys(partition(game))
        arguments = [f"{game}:{kind}", "" if due is None else due, condition]
        run(self._pool, _DUE, keys, arguments)

    def _list(self, name: str, most: int, before: Listed | None) -> list[Listed]:
        """Merges the partitions' lists, each as far as it could reach into this page."""
        pipeline = self._client.pipeline(transaction=False)
        for one in PARTITIONS:
            key = f"{{{one}}}:{name}"
            newest = "+inf" if before is None else f"({before.since}"
            pipeline.zrevrangebyscore(key, newest, "-inf", 0, most, withscores=True)
            if before is not None:
                pipeline.zrangebyscore(key, before.since, before.since, withscores=True)
        with answering():
            answers = pipeline.execute()
        found = [Listed(game.decode(), int(since)) for answer in answers for game, since in answer]
        if before is not None:
            found = [one for one in found if list_order(one) < list_order(before)]
        return sorted(found, key=list_order, reverse=True)[:most]


def _game_keys(game: str) -> list[str]:
    one = partition(game)
    own = f"{{{one}}}:{game}"
    return [f"{own}:events", f"{own}:keys", f"{own}:gone", *_partition_keys(one)]


def _partition_keys(one: str) -> list[str]:
    return [f"{{{one}}}:due", f"{{{one}}}:leases"]


def _index(game: str, index: IndexChange | None) -> tuple[list[str], list[str]]:
    if index is None:
        return [], []
    tag = f"{{{partition(game)}}}"
    dropped = [] if index.status_from is None else [f"status:{index.status_from}"]
    dropped += [f"client:{client}" for client in index.clients_drop]
    added = [] if index.status_to is None else [f"status:{index.status_to}"]
    added += [f"client:{client}" for client in index.clients_add]
    keys = [f"{tag}:{name}" for name in (*dropped, *added)]
    return keys, ["drop"] * len(dropped) + ["add"] * len(added)


def _check_gone(game: str, answer: Sequence[Any]) -> None:
    if answer[0] == b"gone":
        raise Gone(game, answer[1].decode(), answer[2])


def _use(game: str, text: bytes) -> KeyUse:
    try:
        fingerprint, first, last = text.decode().rsplit("|", 2)
        return KeyUse(fingerprint, int(first), int(last))
    except ValueError as fault:
        raise Corrupt(f"{game} has a broken key") from fault


def _entry(game: str, version: int, item: Sequence[Any]) -> Entry:
    name, fields = item
    if name != b"%d-0" % version:
        raise Corrupt(f"{game} has {name.decode()} where version {version} should be")
    if fields[::2] != _FIELDS:
        raise Corrupt(f"{game} has a broken entry at version {version}")
    try:
        _, kind, _, schema, _, data, _, meta, _, hashed = fields
        return Entry(kind.decode(), int(schema), data, meta, hashed)
    except ValueError as fault:
        raise Corrupt(f"{game} has a broken entry at version {version}") from fault


def _milliseconds(time_: Sequence[Any]) -> int:
    seconds, micros = time_
    return int(seconds) * 1000 + int(micros) // 1000


def _announced(data: bytes) -> tuple[str, int] | None:
    game, _, version = data.decode(errors="replace").partition(" ")
    return (game, int(version)) if version.isdigit() else None
