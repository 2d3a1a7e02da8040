"""The event store on Redis (7.0 or later) or Valkey. One script per change, no locks.

`keys` says which keys there are, `servers` where they are: on one server, with replicas or not, or
on the masters of a cluster. All keys of one script or one read are on one server; a list is merged
from all partitions, and the time is each server's own.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal

from redis import exceptions

from . import keys as store_keys
from .announcements import listen_once
from .redis_calls import Script, refusal_error, script_call, transaction_call, translating_errors
from .script_arguments import append_arguments, stream_arguments, webhook_arguments
from .server_clocks import ServerClocks
from .servers import Servers, open_servers
from .values import (
    DEFAULT_LEASE_MS,
    PARTITIONS,
    Acknowledgement,
    Append,
    Appended,
    Conflict,
    DueWork,
    Entry,
    Gone,
    IndexChange,
    KeyTaken,
    LeasedWork,
    ListedGame,
    OutcomeUnknown,
    StoredWebhook,
    StoreError,
    StreamSlice,
    Unavailable,
    WebhookChange,
    check_bounds,
    partition,
)

TIMEOUT: Final = 5.0
CONNECTIONS: Final = 64
RECONNECT_PAUSE: Final = 0.2
"""Seconds before a listener connects again."""

_APPEND: Final = Script("append")
_READ: Final = Script("read")
_REMOVE_STREAM: Final = Script("remove_stream")
_RESTORE_STREAM: Final = Script("restore_stream")
_IMPORT_STREAM: Final = Script("import_stream")
_PUT_TEMPORARY: Final = Script("put_temporary")
_SET_DUE: Final = Script("set_due")
_LEASE_DUE: Final = Script("lease_due")
_CHANGE_WEBHOOK: Final = Script("change_webhook")


def open_store(
    url: str,
    *,
    timeout: float = TIMEOUT,
    connections: int = CONNECTIONS,
    acks: Acknowledgement | None = None,
) -> RedisStore:
    """Returns the store at a URL (redis://, rediss://, unix://), or at several separated by commas:

    servers of one cluster, at least one of which must respond. Connects when first used.

    `timeout` (seconds) bounds connecting and each response; beyond `connections` (to one server)
    callers wait. With `acks` each append waits to be acknowledged so.
    """
    return RedisStore(url, timeout, connections, acks)


class RedisStore:
    """Does what `protocol.Store` promises. Safe to share between threads and greenlets.

    This class never sends twice what writes.
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
        self._clocks = ServerClocks()

    @property
    def _servers(self) -> Servers:
        """The servers at the URL. Raises `Unavailable`."""
        if self._opened is None:
            with self._opening:
                if self._opened is None:
                    self._opened = open_servers(self.url, self._timeout, self._connections)
        return self._opened

    @property
    def _client(self) -> Any:
        """redis-py's client, for plain reads."""
        return self._servers.client

    def close(self) -> None:
        """Closes all connections."""
        with self._opening:
            if self._opened is not None:
                self._opened.close()
                self._opened = None

    def read(
        self, game: str, first: int = 1, key: str | None = None, last: int | None = None
    ) -> StreamSlice:
        end = "+" if last is None else f"{last}-0"
        stream, keys, gone = names = store_keys.game_keys(game)[:3]
        commands = (
            ("HMGET", gone, "why", "fact"),
            ("TIME",),
            ("HGET", keys, key or ""),
            ("XRANGE", stream, f"{first}-0", end),
        )
        try:
            responses = self._servers.execute(stream, transaction_call(*commands))
        except Unavailable as fault:
            if not isinstance(fault.__cause__, exceptions.OutOfMemoryError):
                raise
            # A full server queues no commands, but runs a script that only reads.
            responses = self._run(_READ, names, [first, key or "", end], Unavailable)
        tombstone, now, use, items = responses
        if tombstone[0] is not None:
            raise Gone(game, tombstone[0].decode(), tombstone[1])
        entries = tuple(
            store_keys.parse_entry(game, version, item)
            for version, item in enumerate(items, start=first)
        )
        server_time = store_keys.milliseconds(now)
        self._clocks.note(game, server_time)
        key_use = store_keys.parse_key_use(game, use) if use else None
        return StreamSlice(first, entries, server_time, key_use)

    def append(self, append: Append) -> Appended | Conflict | KeyTaken:
        check_bounds(append)
        index_keys, operations = store_keys.index_keys(append.game, append.index)
        keys = [*store_keys.game_keys(append.game), *index_keys]
        write = script_call(_APPEND, keys, append_arguments(append, operations))

        def write_and_wait(connection: Any, asking: bool) -> Any:
            response = write(connection, asking)
            if response[0] != b"won":
                return response, False
            self._clocks.note(append.game, response[2])
            return response, self._wait_until_durable(connection)

        response, durable = self._servers.execute(keys[0], write_and_wait, OutcomeUnknown)
        store_keys.check_gone(append.game, response)
        if response[0] == b"key":
            return store_keys.parse_key_taken(response)
        return Appended(response[1], durable) if response[0] == b"won" else Conflict(response[1])

    def estimate_now(self, game: str) -> int | None:
        return self._clocks.estimate(game)

    def confirm_durable(self, game: str) -> bool:
        if self.acks is None:
            return True
        key = store_keys.durability_key(game)

        def write_and_wait(connection: Any, asking: bool) -> bool:
            # A copy that has this write has all that the server wrote before it.
            write = transaction_call(("SET", key, "1"))
            write(connection, asking)
            return self._wait_until_durable(connection)

        try:
            return bool(self._servers.execute(key, write_and_wait))
        except StoreError:
            return False

    def remove_stream(
        self,
        game: str,
        version: int,
        reason: Literal["deleted", "archived"],
        tombstone: bytes,
        index: IndexChange,
        kinds: Sequence[str] = (),
    ) -> bool:
        index_keys, operations = store_keys.index_keys(game, index)
        keys = [*store_keys.game_keys(game), *index_keys]
        arguments = [game, version, index.since, reason, tombstone, len(kinds), *kinds, *operations]
        response = self._run(_REMOVE_STREAM, keys, arguments)
        store_keys.check_gone(game, response)
        return bool(response[0] == b"won")

    def restore_stream(self, game: str, entries: Sequence[Entry], index: IndexChange) -> None:
        if not self._write_stream(_RESTORE_STREAM, game, entries, index):
            raise ValueError(f"{game} is not archived")

    def import_stream(self, game: str, entries: Sequence[Entry], index: IndexChange) -> bool:
        response = self._write_stream(_IMPORT_STREAM, game, entries, index)
        store_keys.check_gone(game, response)
        return bool(response[0] == b"won")

    def put_temporary(
        self,
        game: str,
        data: bytes,
        ttl: int,
        *,
        only_if_absent: bool = False,
        kind: str = "",
        due_at: int | None = None,
    ) -> bool:
        keys = [store_keys.temporary_key(game), *store_keys.partition_keys(partition(game))]
        condition = "absent" if only_if_absent else ""
        member = f"{game}:{kind}" if kind else ""
        arguments = [data, ttl, condition, member, "" if due_at is None else due_at]
        return bool(self._run(_PUT_TEMPORARY, keys, arguments))

    def get_temporary(self, game: str) -> bytes | None:
        with translating_errors():
            found: Any = self._client.get(store_keys.temporary_key(game))
        return None if found is None else bytes(found)

    def set_due(self, game: str, kind: str, due_at: int | None, only_if: int | None = None) -> None:
        self._set_due(game, kind, due_at, "" if only_if is None else only_if)

    def extend_lease(self, game: str, kind: str, until: int) -> None:
        self._set_due(game, kind, until, "present")

    def lease_due(self, partition_: str, leases: Mapping[str, int], limit: int = 100) -> LeasedWork:
        arguments: list[Any] = [limit, DEFAULT_LEASE_MS]
        for kind, lease in leases.items():
            arguments += (kind, lease)
        next_due_in, *flat = self._run(_LEASE_DUE, store_keys.partition_keys(partition_), arguments)
        leased = []
        for member, due_at, attempts in zip(flat[::3], flat[1::3], flat[2::3], strict=True):
            game, kind = store_keys.parse_due_member(member)
            leased.append(DueWork(game, kind, int(float(due_at)), attempts))
        return LeasedWork(tuple(leased), next_due_in)

    def get_due(self, game: str, kinds: Sequence[str]) -> dict[str, int]:
        if not kinds:
            return {}
        with translating_errors():
            members = [f"{game}:{kind}" for kind in kinds]
            scores = self._client.zmscore(store_keys.partition_keys(partition(game))[0], members)
        return {
            kind: int(score) for kind, score in zip(kinds, scores, strict=True) if score is not None
        }

    def list_due(self, partition_: str, until: int, limit: int = 100) -> list[DueWork]:
        due, leases = store_keys.partition_keys(partition_)
        with translating_errors():
            found: Any = self._client.zrange(
                due, "-inf", str(until), byscore=True, offset=0, num=limit, withscores=True
            )
            members = [member for member, _ in found]
            counts: Any = self._client.hmget(leases, members) if members else []
        return [
            DueWork(*store_keys.parse_due_member(member), int(score), int(count or 0))
            for (member, score), count in zip(found, counts, strict=True)
        ]

    def list_webhooks(self, game: str) -> tuple[StoredWebhook, ...]:
        with translating_errors():
            kept: dict[Any, Any] = self._client.hgetall(store_keys.webhook_keys(game)[0])
        return tuple(
            store_keys.parse_webhook(game, name.decode(), kept[name]) for name in sorted(kept)
        )

    def change_webhook(self, change: WebhookChange) -> bool | KeyTaken:
        keys = store_keys.game_keys(change.game)
        response = self._run(_CHANGE_WEBHOOK, keys, webhook_arguments(change))
        store_keys.check_gone(change.game, response)
        if response[0] == b"key":
            return store_keys.parse_key_taken(response)
        return bool(response[0] == b"won")

    def get_deliveries(self, game: str, webhook: str, first: int, last: int) -> dict[int, bytes]:
        numbers = range(first, last + 1)
        if not numbers:
            return {}
        with translating_errors():
            kept: list[Any] = self._client.hmget(
                store_keys.webhook_keys(game)[1], [f"{webhook}:{number}" for number in numbers]
            )
        return {n: line for n, line in zip(numbers, kept, strict=True) if line is not None}

    def add_counts(self, counts: Mapping[str, int]) -> None:
        if counts:
            commands = [
                ("HINCRBY", store_keys.COUNTERS, name, str(by)) for name, by in counts.items()
            ]
            self._servers.execute(store_keys.COUNTERS, transaction_call(*commands), OutcomeUnknown)

    def get_counts(self) -> dict[str, int]:
        with translating_errors():
            kept: dict[Any, Any] = self._client.hgetall(store_keys.COUNTERS)
        return {name.decode(): int(count) for name, count in kept.items()}

    def list_by_status(
        self, status: str, limit: int, before: ListedGame | None = None
    ) -> list[ListedGame]:
        return self._list(f"status:{status}", limit, before)

    def list_by_client(
        self, client: str, limit: int, before: ListedGame | None = None
    ) -> list[ListedGame]:
        return self._list(f"client:{client}", limit, before)

    def now(self) -> int:
        with translating_errors():
            return store_keys.milliseconds(self._client.time())

    def listen(self) -> Iterator[tuple[str, int] | None]:
        while True:
            try:
                yield from listen_once(self._servers, self._timeout)
            except exceptions.ResponseError as fault:
                raise refusal_error(fault) from fault
            except (exceptions.RedisError, Unavailable, OSError):
                time.sleep(RECONNECT_PAUSE)
                yield None

    def _run(
        self,
        script: Script,
        keys: Sequence[str],
        arguments: Sequence[Any],
        broken: type[StoreError] = OutcomeUnknown,
    ) -> Any:
        return self._servers.execute(keys[0], script_call(script, keys, arguments), broken)

    def _wait_until_durable(self, connection: Any) -> bool:
        """Waits for the acknowledgements that `acks` asks for of all that the connection wrote.

        Returns whether they came. Never raises: whatever goes wrong here, it was written.
        """
        if self.acks is None:
            return True
        local, replicas = self.acks.local, self.acks.replicas
        try:
            connection.send_command("WAITAOF", local, replicas, self.acks.timeout_ms)
            copies = connection.read_response()
        except exceptions.ResponseError:
            return False
        except (exceptions.RedisError, OSError):
            connection.disconnect()
            return False
        return bool(copies[0] >= local and copies[1] >= replicas)

    def _write_stream(
        self, script: Script, game: str, entries: Sequence[Entry], index: IndexChange
    ) -> Any:
        index_keys, operations = store_keys.index_keys(game, index)
        stream, _, gone = store_keys.game_keys(game)[:3]
        arguments = stream_arguments(game, entries, index, operations)
        return self._run(script, [stream, gone, *index_keys], arguments)

    def _set_due(self, game: str, kind: str, due_at: int | None, condition: str | int) -> None:
        keys = store_keys.partition_keys(partition(game))
        arguments = [f"{game}:{kind}", "" if due_at is None else due_at, condition]
        self._run(_SET_DUE, keys, arguments)

    def _list(self, name: str, limit: int, before: ListedGame | None) -> list[ListedGame]:
        """Merges the partitions' lists, each as far as it could reach into this page."""
        pipeline = self._client.pipeline(transaction=False)
        for one in PARTITIONS:
            key = f"{{{one}}}:{name}"
            newest = "+inf" if before is None else f"({before.since}"
            pipeline.zrevrangebyscore(key, newest, "-inf", 0, limit, withscores=True)
            if before is not None:
                pipeline.zrangebyscore(key, before.since, before.since, withscores=True)
        with translating_errors():
            responses = pipeline.execute()
        found = [
            ListedGame(game.decode(), int(since))
            for response in responses
            for game, since in response
        ]
        if before is not None:
            found = [one for one in found if one.order < before.order]
        return sorted(found, key=lambda one: one.order, reverse=True)[:limit]
