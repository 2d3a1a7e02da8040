"""The event store on Redis (7.0 or later) or Valkey. One script a change, no locks.

`layout` tells which keys there are, `servers` where they lie: on one server, with replicas or not,
or on the masters of a cluster. What one script or one read needs is always on one server; a list is
merged from all partitions, and the time is a server's own.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal

import redis
from redis import exceptions
from redis.backoff import NoBackoff
from redis.retry import Retry

from . import keys as store_keys
from .calls import Script, refusal_error, script_call, transaction_call, translating_errors
from .memory import DEFAULT_LEASE, list_order
from .protocol import (
    MAX_AHEAD_MS,
    MAX_BEHIND_MS,
    MAX_DELIVERIES,
    PARTITIONS,
    Acknowledgement,
    Append,
    Appended,
    Conflict,
    Entry,
    Gone,
    IndexChange,
    KeyTaken,
    Lease,
    Leased,
    Listed,
    OutcomeUnknown,
    StoredWebhook,
    StoreError,
    Tail,
    Unavailable,
    WebhookChange,
    check_bounds,
    partition,
)
from .servers import Client, Servers, open_servers

TIMEOUT: Final = 5.0
CONNECTIONS: Final = 64
RECONNECT: Final = 0.2
FRESH: Final = 60.0
"""Seconds for which a server's time is known without asking again: clocks drift apart."""

HEARING: Final = 5.0
"""Seconds between two questions whether the server listened to still hears of everything."""

_APPEND: Final = Script("append")
_READ: Final = Script("read")
_REMOVE: Final = Script("remove")
_RESTORE: Final = Script("restore")
_PLACE: Final = Script("place")
_HOLD: Final = Script("hold")
_DUE: Final = Script("due")
_LEASE: Final = Script("lease")
_HOOK: Final = Script("hook")


def open_store(
    url: str,
    *,
    timeout: float = TIMEOUT,
    connections: int = CONNECTIONS,
    acks: Acknowledgement | None = None,
) -> RedisStore:
    """Returns the store at a URL (redis://, rediss://, unix://), or at several with commas between

    them: servers of one cluster, of which one must answer. Connects when first used.

    `timeout` (seconds) bounds connecting and each answer; beyond `connections` (to one server)
    callers wait. With `acks` each append waits to be confirmed so.
    """
    return RedisStore(url, timeout, connections, acks)


class RedisStore:
    """Keeps what `protocol.Store` promises. Safe to share between threads and greenlets.

    Nothing that writes is ever sent twice by this class.
    """

    def __init__(
        self, url: str, timeout: float, connections: int, acks: Acknowledgement | None = None
    ) -> None:
        self.url = url
        self.acks = acks
        self._timeout = timeout
        self._connections = connections
        self._opening = threading.Lock()
        self._opened: Servers | None = None
        # By partition, as each has its server: how far its time (ms) is ahead of this process's
        # own, and when (s) that was heard.
        self._clocks: dict[str, tuple[int, float]] = {}

    @property
    def _servers(self) -> Servers:
        """What lies at the URL. Raises `Unavailable`."""
        if self._opened is None:
            with self._opening:
                if self._opened is None:
                    self._opened = open_servers(self.url, self._timeout, self._connections)
        return self._opened

    @property
    def _client(self) -> Client:
        client: Client = self._servers.client
        return client

    def close(self) -> None:
        """Closes all connections."""
        with self._opening:
            if self._opened is not None:
                self._opened.close()
                self._opened = None

    def read(
        self, game: str, first: int = 1, key: str | None = None, last: int | None = None
    ) -> Tail:
        end = "+" if last is None else f"{last}-0"
        stream, keys, gone = names = store_keys.game_keys(game)[:3]
        commands = (
            ("HMGET", gone, "why", "fact"),
            ("TIME",),
            ("HGET", keys, key or ""),
            ("XRANGE", stream, f"{first}-0", end),
        )
        try:
            answers = self._servers.ask(stream, transaction_call(*commands))
        except Unavailable as fault:
            if not isinstance(fault.__cause__, exceptions.OutOfMemoryError):
                raise
            # A full server queues no commands, but runs a script that only reads.
            answers = self._run(_READ, names, [first, key or "", end], Unavailable)
        fact, now, use, raw = answers
        if fact[0] is not None:
            raise Gone(game, fact[0].decode(), fact[1])
        entries = tuple(
            store_keys.parse_entry(game, version, item)
            for version, item in enumerate(raw, start=first)
        )
        time_then = store_keys.milliseconds(now)
        self._heard(game, time_then)
        return Tail(first, entries, time_then, store_keys.parse_key_use(game, use) if use else None)

    def append(self, append: Append) -> Appended | Conflict | KeyTaken:
        check_bounds(append)
        index_keys, operations = store_keys.index_keys(append.game, append.index)
        key = append.key
        arguments: list[Any] = [
            append.game,
            append.expected_version,
            append.expected_hash,
            key.name if key else "",
            key.fingerprint if key else "",
            append.index.since if append.index else 0,
            store_keys.CHANNEL,
            "" if append.judged is None else append.judged,
            MAX_AHEAD_MS,
            MAX_BEHIND_MS,
            len(append.entries),
        ]
        for entry in append.entries:
            arguments += (entry.type, entry.schema, entry.data, entry.meta, entry.hash)
        arguments.append(len(append.due))
        for kind, due in append.due.items():
            arguments += (kind, "" if due is None else due)
        arguments += operations
        keys = [*store_keys.game_keys(append.game), *index_keys]
        write = script_call(_APPEND, keys, arguments)

        def question(connection: Any, asking: bool) -> Any:
            answer = write(connection, asking)
            if answer[0] != b"won":
                return answer, False
            self._heard(append.game, answer[2])
            return answer, self._confirmed(connection)

        answer, confirmed = self._servers.ask(keys[0], question, OutcomeUnknown)
        store_keys.check_gone(append.game, answer)
        if answer[0] == b"key":
            return store_keys.key_taken(answer)
        return Appended(answer[1], confirmed) if answer[0] == b"won" else Conflict(answer[1])

    def estimated_now(self, game: str) -> int | None:
        known, own = self._clocks.get(partition(game)), time.monotonic()
        if known is None or own - known[1] >= FRESH:
            return None
        return known[0] + int(1000 * own)

    def _heard(self, game: str, now: int) -> None:
        """Notes what time it was, at most as long ago as the answer took."""
        own = time.monotonic()
        self._clocks[partition(game)] = (now - math.ceil(1000 * own), own)

    def confirm(self, game: str) -> bool:
        if self.acks is None:
            return True
        key = f"{{{partition(game)}}}:asked"

        def question(connection: Any, asking: bool) -> bool:
            # Whoever has this write has all that the server wrote before it.
            write = transaction_call(("SET", key, "1"))
            write(connection, asking)
            return self._confirmed(connection)

        try:
            return bool(self._servers.ask(key, question))
        except StoreError:
            return False

    def remove(
        self,
        game: str,
        version: int,
        why: Literal["deleted", "archived"],
        fact: bytes,
        index: IndexChange,
        kinds: Sequence[str] = (),
    ) -> bool:
        index_keys, operations = store_keys.index_keys(game, index)
        keys = [*store_keys.game_keys(game), *index_keys]
        arguments = [game, version, index.since, why, fact, len(kinds), *kinds, *operations]
        answer = self._run(_REMOVE, keys, arguments)
        store_keys.check_gone(game, answer)
        return bool(answer[0] == b"won")

    def restore(self, game: str, entries: Sequence[Entry], index: IndexChange) -> None:
        if not self._whole(_RESTORE, game, entries, index):
            raise ValueError(f"{game} is not archived")

    def place(self, game: str, entries: Sequence[Entry], index: IndexChange) -> bool:
        answer = self._whole(_PLACE, game, entries, index)
        store_keys.check_gone(game, answer)
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
        keys = [f"{{{partition(game)}}}:{game}:held", *store_keys.partition_keys(partition(game))]
        member = f"{game}:{kind}" if kind else ""
        arguments = [data, ttl, "fresh" if fresh else "", member, "" if due is None else due]
        return bool(self._run(_HOLD, keys, arguments))

    def held(self, game: str) -> bytes | None:
        with translating_errors():
            found: Any = self._client.get(f"{{{partition(game)}}}:{game}:held")
        return None if found is None else bytes(found)

    def set_due(self, game: str, kind: str, due: int | None, only_if: int | None = None) -> None:
        self._put_due(game, kind, due, "" if only_if is None else only_if)

    def extend(self, game: str, kind: str, until: int) -> None:
        self._put_due(game, kind, until, "owed")

    def lease(self, partition_: str, leases: Mapping[str, int], most: int = 100) -> Leased:
        arguments: list[Any] = [most, DEFAULT_LEASE]
        for kind, lease in leases.items():
            arguments += (kind, lease)
        wait, *flat = self._run(_LEASE, store_keys.partition_keys(partition_), arguments)
        taken = []
        for member, due, count in zip(flat[::3], flat[1::3], flat[2::3], strict=True):
            taken.append(Lease(*store_keys.parse_due_member(member), int(float(due)), count))
        return Leased(tuple(taken), wait)

    def due(self, game: str, kinds: Sequence[str]) -> dict[str, int]:
        if not kinds:
            return {}
        with translating_errors():
            members = [f"{game}:{kind}" for kind in kinds]
            scores = self._client.zmscore(store_keys.partition_keys(partition(game))[0], members)
        return {
            kind: int(score) for kind, score in zip(kinds, scores, strict=True) if score is not None
        }

    def list_due(self, partition_: str, until: int, most: int = 100) -> list[Lease]:
        due, leases = store_keys.partition_keys(partition_)
        with translating_errors():
            owed: Any = self._client.zrange(
                due, "-inf", str(until), byscore=True, offset=0, num=most, withscores=True
            )
            members = [member for member, _ in owed]
            counts: Any = self._client.hmget(leases, members) if members else []
        return [
            Lease(*store_keys.parse_due_member(member), int(score), int(count or 0))
            for (member, score), count in zip(owed, counts, strict=True)
        ]

    def hooks(self, game: str) -> tuple[StoredWebhook, ...]:
        with translating_errors():
            kept: dict[Any, Any] = self._client.hgetall(store_keys.webhook_keys(game)[0])
        return tuple(
            store_keys.parse_webhook(game, name.decode(), kept[name]) for name in sorted(kept)
        )

    def change_webhook(self, change: WebhookChange) -> bool | KeyTaken:
        key, delivery = change.key, change.delivery
        arguments: list[Any] = [
            change.game,
            change.id,
            store_keys.webhook_value(change.before),
            store_keys.webhook_value(change.after),
            "keep" if change.keep else "" if change.due is None else change.due,
            "" if change.count is None else change.count,
            key.name if key else "",
            key.fingerprint if key else "",
            delivery[0] if delivery else "",
            delivery[1] if delivery else "",
            MAX_DELIVERIES,
        ]
        answer = self._run(_HOOK, store_keys.game_keys(change.game), arguments)
        store_keys.check_gone(change.game, answer)
        return store_keys.key_taken(answer) if answer[0] == b"key" else bool(answer[0] == b"won")

    def deliveries(self, game: str, hook: str, first: int, last: int) -> dict[int, bytes]:
        numbers = range(first, last + 1)
        if not numbers:
            return {}
        with translating_errors():
            kept: list[Any] = self._client.hmget(
                store_keys.webhook_keys(game)[1], [f"{hook}:{n}" for n in numbers]
            )
        return {n: line for n, line in zip(numbers, kept, strict=True) if line is not None}

    def add_counts(self, counts: Mapping[str, int]) -> None:
        if counts:
            commands = [
                ("HINCRBY", store_keys.COUNTERS, name, str(by)) for name, by in counts.items()
            ]
            self._servers.ask(store_keys.COUNTERS, transaction_call(*commands), OutcomeUnknown)

    def counts(self) -> dict[str, int]:
        with translating_errors():
            kept: dict[Any, Any] = self._client.hgetall(store_keys.COUNTERS)
        return {name.decode(): int(count) for name, count in kept.items()}

    def list_status(self, status: str, most: int, before: Listed | None = None) -> list[Listed]:
        return self._list(f"status:{status}", most, before)

    def list_client(self, client: str, most: int, before: Listed | None = None) -> list[Listed]:
        return self._list(f"client:{client}", most, before)

    def now(self) -> int:
        with translating_errors():
            return store_keys.milliseconds(self._client.time())

    def watch(self) -> Iterator[tuple[str, int] | None]:
        while True:
            try:
                yield from self._watched()
            except exceptions.ResponseError as fault:
                raise refusal_error(fault) from fault
            except (exceptions.RedisError, Unavailable, OSError):
                time.sleep(RECONNECT)
                yield None

    def _watched(self) -> Iterator[tuple[str, int] | None]:
        """Listens as long as one server does not go away, nor is cut off from the others."""
        # A client of its own: on one with a timeout a quiet second would be an error.
        with (
            redis.Redis.from_url(
                self._servers.address(),
                socket_timeout=None,
                socket_connect_timeout=self._timeout,
                retry=Retry(NoBackoff(), 0),
            ) as client,
            client.pubsub() as listener,
        ):
            listener.subscribe(store_keys.CHANNEL)
            asked = time.monotonic()
            while True:
                message = listener.get_message(timeout=1.0)
                yield None if message is None else store_keys.parse_announcement(message)
                if time.monotonic() - asked > HEARING:
                    if not self._servers.hears(client):
                        raise Unavailable("the server listened to is cut off from the others")
                    asked = time.monotonic()

    def _run(
        self,
        script: Script,
        keys: Sequence[str],
        arguments: Sequence[Any],
        broken: type[StoreError] = OutcomeUnknown,
    ) -> Any:
        return self._servers.ask(keys[0], script_call(script, keys, arguments), broken)

    def _confirmed(self, connection: Any) -> bool:
        """Returns whether all that the connection wrote is kept as `acks` says; waits for it.

        Whatever goes wrong here, it stands that it was written.
        """
        if self.acks is None:
            return True
        local, replicas = self.acks.local, self.acks.replicas
        try:
            connection.send_command("WAITAOF", local, replicas, self.acks.wait)
            kept = connection.read_response()
        except exceptions.ResponseError:
            return False
        except (exceptions.RedisError, OSError):
            connection.disconnect()
            return False
        return bool(kept[0] >= local and kept[1] >= replicas)

    def _whole(
        self, script: Script, game: str, entries: Sequence[Entry], index: IndexChange
    ) -> Any:
        index_keys, operations = store_keys.index_keys(game, index)
        stream, _, gone = store_keys.game_keys(game)[:3]
        arguments: list[Any] = [game, index.since, len(entries)]
        for entry in entries:
            arguments += (entry.type, entry.schema, entry.data, entry.meta, entry.hash)
        return self._run(script, [stream, gone, *index_keys], [*arguments, *operations])

    def _put_due(self, game: str, kind: str, due: int | None, condition: str | int) -> None:
        keys = store_keys.partition_keys(partition(game))
        arguments = [f"{game}:{kind}", "" if due is None else due, condition]
        self._run(_DUE, keys, arguments)

    def _list(self, name: str, most: int, before: Listed | None) -> list[Listed]:
        """Merges the partitions' lists, each as far as it could reach into this page."""
        pipeline = self._client.pipeline(transaction=False)
        for one in PARTITIONS:
            key = f"{{{one}}}:{name}"
            newest = "+inf" if before is None else f"({before.since}"
            pipeline.zrevrangebyscore(key, newest, "-inf", 0, most, withscores=True)
            if before is not None:
                pipeline.zrangebyscore(key, before.since, before.since, withscores=True)
        with translating_errors():
            answers = pipeline.execute()
        found = [Listed(game.decode(), int(since)) for answer in answers for game, since in answer]
        if before is not None:
            found = [one for one in found if list_order(one) < list_order(before)]
        return sorted(found, key=list_order, reverse=True)[:most]
