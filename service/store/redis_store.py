"""The event store on Redis (7.0 or later) or Valkey. One script a change, no locks.

Every key of a game and of its partition has the partition's hash tag, so that a script's keys lie
in one slot of a cluster:

    {k}:<id>:events   stream      entry <version>-0 with fields t v d m h
    {k}:<id>:keys     hash        key name → fingerprint|first|last
    {k}:<id>:gone     hash        tombstone: why, fact
    {k}:<id>:hooks    hash        hook id → cursor|data, no cursor: it sleeps
    {k}:<id>:sent     hash        <hook id>:<number> → a delivery
    {k}:<id>:held     string      bytes kept for a while
    {k}:due           sorted set  <id>:<kind> → time (ms)
    {k}:leases        hash        <id>:<kind> → how often taken
    {k}:status:<s>    sorted set  <id> → since (ms), newest first
    {k}:client:<c>    sorted set  the same, by client
    {a}:tallies       hash        counter → count

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
    LISTENING,
    MOST_DELIVERIES,
    PARTITIONS,
    Append,
    Conflict,
    Corrupt,
    Entry,
    Gone,
    Hook,
    HookChange,
    IndexChange,
    KeyTaken,
    KeyUse,
    Lease,
    Listed,
    OutcomeUnknown,
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
_HOOK: Final = Script("hook")
_TALLIES: Final = f"{{{PARTITIONS[0]}}}:tallies"


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

    def read(
        self, game: str, first: int = 1, key: str | None = None, last: int | None = None
    ) -> Tail:
        end = "+" if last is None else f"{last}-0"
        stream, keys, gone = names = _game_keys(game)[:3]
        commands = (
            ("HMGET", gone, "why", "fact"),
            ("TIME",),
            ("HGET", keys, key or ""),
            ("XRANGE", stream, f"{first}-0", end),
        )
        try:
            answers = ask(self._pool, transaction(*commands))
        except Unavailable as fault:
            if not isinstance(fault.__cause__, exceptions.OutOfMemoryError):
                raise
            # A full server queues no commands, but runs a script that only reads.
            answers = run(self._pool, _READ, names, [first, key or "", end], Unavailable)
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
            return _taken(answer)
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

    def next_due(self, partition_: str) -> int | None:
        with answering():
            first: Any = self._client.zrange(_partition_keys(partition_)[0], 0, 0, withscores=True)
        return int(first[0][1]) if first else None

    def hooks(self, game: str) -> tuple[Hook, ...]:
        with answering():
            kept: dict[Any, Any] = self._client.hgetall(_hook_keys(game)[0])
        return tuple(_hook(game, name.decode(), kept[name]) for name in sorted(kept))

    def change_hook(self, change: HookChange) -> bool | KeyTaken:
        key, delivery = change.key, change.delivery
        arguments: list[Any] = [
            change.game,
            change.id,
            _hook_value(change.before),
            _hook_value(change.after),
            "keep" if change.keep else "" if change.due is None else change.due,
            "" if change.count is None else change.count,
            key.name if key else "",
            key.fingerprint if key else "",
            delivery[0] if delivery else "",
            delivery[1] if delivery else "",
            MOST_DELIVERIES,
        ]
        answer = run(self._pool, _HOOK, _game_keys(change.game), arguments)
        _check_gone(change.game, answer)
        return _taken(answer) if answer[0] == b"key" else bool(answer[0] == b"won")

    def deliveries(self, game: str, hook: str, first: int, last: int) -> dict[int, bytes]:
        numbers = range(first, last + 1)
        if not numbers:
            return {}
        with answering():
            kept: list[Any] = self._client.hmget(
                _hook_keys(game)[1], [f"{hook}:{n}" for n in numbers]
            )
        return {n: line for n, line in zip(numbers, kept, strict=True) if line is not None}

    def tally(self, counts: Mapping[str, int]) -> None:
        if counts:
            commands = [("HINCRBY", _TALLIES, name, str(by)) for name, by in counts.items()]
            ask(self._pool, transaction(*commands), OutcomeUnknown)

    def tallies(self) -> dict[str, int]:
        with answering():
            kept: dict[Any, Any] = self._client.hgetall(_TALLIES)
        return {name.decode(): int(count) for name, count in kept.items()}

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
                    with client.pubsub() as listener:
                        listener.subscribe(CHANNEL)
                        while True:
                            message = listener.get_message(timeout=1.0)
                            yield None if message is None else _announced(message)
                except exceptions.ResponseError as fault:
                    raise refusal(fault) from fault
                except (exceptions.RedisError, OSError):
                    time.sleep(RECONNECT)
                    yield None

    def _whole(
        self, script: Script, game: str, entries: Sequence[Entry], index: IndexChange
    ) -> Any:
        index_keys, operations = _index(game, index)
        stream, _, gone = _game_keys(game)[:3]
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
    names = [f"{own}:{name}" for name in ("events", "keys", "gone")]
    return [*names, *_partition_keys(one), *_hook_keys(game)]


def _hook_keys(game: str) -> list[str]:
    own = f"{{{partition(game)}}}:{game}"
    return [f"{own}:hooks", f"{own}:sent"]


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


def _taken(answer: Sequence[Any]) -> KeyTaken:
    return KeyTaken(KeyUse(answer[1].decode(), answer[2], answer[3]))


def _hook_value(hook: Hook | None) -> bytes:
    if hook is None:
        return b""
    return (b"" if hook.cursor is None else b"%d" % hook.cursor) + b"|" + hook.data


def _hook(game: str, own: str, value: bytes) -> Hook:
    cursor, bar, data = value.partition(b"|")
    if not bar or (cursor and not cursor.isdigit()):
        raise Corrupt(f"{game} has a broken webhook")
    return Hook(own, int(cursor) if cursor else None, data)


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


def _announced(message: Mapping[str, Any]) -> tuple[str, int] | None:
    if message["type"] == "subscribe":
        return LISTENING
    game, _, version = message["data"].decode(errors="replace").partition(" ")
    return (game, int(version)) if version.isdigit() else None
