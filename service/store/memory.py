"""An event store in memory: for tests, and for games that need not last."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal

from .hash_chain import GENESIS_HASH
from .values import (
    DEFAULT_LEASE_MS,
    LISTENING,
    MAX_AHEAD_MS,
    MAX_BEHIND_MS,
    MAX_DELIVERIES,
    Append,
    Appended,
    Conflict,
    DueWork,
    Entry,
    Gone,
    IndexChange,
    KeyTaken,
    KeyUse,
    LeasedWork,
    ListedGame,
    StoredWebhook,
    StreamSlice,
    WebhookChange,
    check_bounds,
    partition,
    webhook_work_kind,
)


def wall_clock() -> int:
    """Returns this machine's time (ms since 1970)."""
    return time.time_ns() // 1_000_000


class MemoryStore:
    """An event store in this process; does what `protocol.Store` promises.

    Safe to share between threads. `clock` returns ms since 1970 and may be replaced.
    """

    def __init__(self, clock: Callable[[], int] = wall_clock) -> None:
        self.clock = clock
        self._changed = threading.Condition()
        self._streams: dict[str, list[Entry]] = {}
        self._keys: dict[str, dict[str, KeyUse]] = {}
        self._gone: dict[str, tuple[str, bytes]] = {}
        self._due: dict[str, dict[str, int]] = {}
        self._temporary: dict[str, tuple[bytes, int]] = {}
        self._attempts: dict[tuple[str, str], int] = {}
        self._statuses: dict[str, dict[str, int]] = {}
        self._clients: dict[str, dict[str, int]] = {}
        self._webhooks: dict[str, dict[str, StoredWebhook]] = {}
        self._deliveries: dict[str, dict[tuple[str, int], bytes]] = {}
        self._counts: dict[str, int] = {}
        self._listeners: list[list[tuple[str, int]]] = []

    def read(
        self, game: str, first: int = 1, key: str | None = None, last: int | None = None
    ) -> StreamSlice:
        with self._changed:
            self._check_gone(game)
            entries = tuple(self._streams.get(game, ())[first - 1 : last])
            use = None if key is None else self._keys.get(game, {}).get(key)
            return StreamSlice(first, entries, self.clock(), use)

    def append(self, append: Append) -> Appended | Conflict | KeyTaken:
        check_bounds(append)
        with self._changed:
            self._check_gone(append.game)
            keys = self._keys.get(append.game, {})
            if append.key is not None and append.key.name in keys:
                return KeyTaken(keys[append.key.name])
            stream = self._streams.get(append.game, ())
            head = stream[-1].hash if stream else GENESIS_HASH
            if len(stream) != append.expected_version or head != append.expected_hash:
                return Conflict(len(stream))
            if append.decided_at is not None and not (
                -MAX_AHEAD_MS <= self.clock() - append.decided_at <= MAX_BEHIND_MS
            ):
                return Conflict(len(stream))
            self._streams.setdefault(append.game, []).extend(append.entries)
            if append.key is not None:
                use = KeyUse(append.key.fingerprint, append.expected_version + 1, append.version)
                self._keys.setdefault(append.game, {})[append.key.name] = use
            for kind, due_at in append.due_times.items():
                self._set_due(append.game, kind, due_at)
            if append.index is not None:
                self._update_lists(append.game, append.index)
            for webhook in self._webhooks.get(append.game, {}).values():
                if webhook.cursor is not None:
                    due = self._due.setdefault(append.game, {})
                    due.setdefault(webhook_work_kind(webhook.id), self.clock())
            for announcements in self._listeners:
                announcements.append((append.game, append.version))
            self._changed.notify_all()
            return Appended(append.version)

    def estimate_now(self, game: str) -> int | None:
        return self.clock()

    def confirm_durable(self, game: str) -> bool:
        return True

    def remove_stream(
        self,
        game: str,
        version: int,
        reason: Literal["deleted", "archived"],
        tombstone: bytes,
        index: IndexChange,
        kinds: Sequence[str] = (),
    ) -> bool:
        with self._changed:
            self._check_gone(game)
            if game not in self._streams or len(self._streams[game]) != version:
                return False
            del self._streams[game]
            self._keys.pop(game, None)
            webhooks = self._webhooks.pop(game, {})
            self._deliveries.pop(game, None)
            for kind in (*kinds, *map(webhook_work_kind, webhooks)):
                self._set_due(game, kind, None)
            self._update_lists(game, index)
            self._gone[game] = (reason, tombstone)
            return True

    def restore_stream(self, game: str, entries: Sequence[Entry], index: IndexChange) -> None:
        with self._changed:
            if self._gone.get(game, ("", b""))[0] != "archived":
                raise ValueError(f"{game} is not archived")
            del self._gone[game]
            self._streams[game] = list(entries)
            self._update_lists(game, index)

    def import_stream(self, game: str, entries: Sequence[Entry], index: IndexChange) -> bool:
        with self._changed:
            self._check_gone(game)
            if game in self._streams:
                return False
            self._streams[game] = list(entries)
            self._update_lists(game, index)
            return True

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
        with self._changed:
            if only_if_absent and self.get_temporary(game) is not None:
                return False
            self._temporary[game] = (data, self.clock() + ttl)
            if kind:
                self._set_due(game, kind, due_at)
            return True

    def get_temporary(self, game: str) -> bytes | None:
        data, until = self._temporary.get(game, (b"", 0))
        return data if until > self.clock() else None

    def set_due(self, game: str, kind: str, due_at: int | None, only_if: int | None = None) -> None:
        with self._changed:
            if only_if is None or self._due.get(game, {}).get(kind) == only_if:
                self._set_due(game, kind, due_at)

    def lease_due(self, partition_: str, leases: Mapping[str, int], limit: int = 100) -> LeasedWork:
        with self._changed:
            now = self.clock()
            due = sorted(
                (due_at, game, kind)
                for game, kinds in self._due.items()
                if partition(game) == partition_
                for kind, due_at in kinds.items()
                if due_at <= now
            )
            leased = []
            for due_at, game, kind in due[:limit]:
                self._due[game][kind] = now + leases.get(kind.partition("-")[0], DEFAULT_LEASE_MS)
                attempts = self._attempts[game, kind] = self._attempts.get((game, kind), 0) + 1
                leased.append(DueWork(game, kind, due_at, attempts))
            left = [
                due_at
                for game, kinds in self._due.items()
                if partition(game) == partition_
                for due_at in kinds.values()
            ]
            return LeasedWork(tuple(leased), max(0, min(left) - now) if left else None)

    def list_due(self, partition_: str, until: int, limit: int = 100) -> list[DueWork]:
        with self._changed:
            due = sorted(
                (due_at, f"{game}:{kind}", game, kind)
                for game, kinds in self._due.items()
                if partition(game) == partition_
                for kind, due_at in kinds.items()
                if due_at <= until
            )
            return [
                DueWork(game, kind, due_at, self._attempts.get((game, kind), 0))
                for due_at, _, game, kind in due[:limit]
            ]

    def extend_lease(self, game: str, kind: str, until: int) -> None:
        with self._changed:
            if kind in self._due.get(game, ()):
                self._due[game][kind] = until

    def get_due(self, game: str, kinds: Sequence[str]) -> dict[str, int]:
        with self._changed:
            due = self._due.get(game, {})
            return {kind: due[kind] for kind in kinds if kind in due}

    def list_webhooks(self, game: str) -> tuple[StoredWebhook, ...]:
        with self._changed:
            return tuple(webhook for _, webhook in sorted(self._webhooks.get(game, {}).items()))

    def change_webhook(self, change: WebhookChange) -> bool | KeyTaken:
        game, own, after = change.game, change.id, change.after
        with self._changed:
            self._check_gone(game)
            keys = self._keys.get(game, {})
            if change.key is not None and change.key.name in keys:
                return KeyTaken(keys[change.key.name])
            webhooks = self._webhooks.get(game, {})
            if (
                game not in self._streams
                or webhooks.get(own) != change.before
                or change.expected_count not in (None, len(webhooks))
            ):
                return False
            if change.key is not None:
                use = KeyUse(change.key.fingerprint, 0, 0)
                self._keys.setdefault(game, {})[change.key.name] = use
            kept = self._deliveries.setdefault(game, {})
            if change.delivery is not None:
                kept[own, change.delivery[0]] = change.delivery[1]
                kept.pop((own, change.delivery[0] - MAX_DELIVERIES), None)
            if after is None:
                webhooks.pop(own, None)
                self._deliveries[game] = {at: each for at, each in kept.items() if at[0] != own}
                self._set_due(game, webhook_work_kind(own), None)
                return True
            self._webhooks.setdefault(game, {})[own] = after
            beyond = after.cursor is not None and len(self._streams[game]) > after.cursor
            due_at = change.due_at
            if due_at is None and beyond:
                due_at = self.clock()
            if after.cursor is None or not change.keep_due:
                self._set_due(
                    game, webhook_work_kind(own), None if after.cursor is None else due_at
                )
            return True

    def get_deliveries(self, game: str, webhook: str, first: int, last: int) -> dict[int, bytes]:
        with self._changed:
            kept = self._deliveries.get(game, {})
            return {n: kept[webhook, n] for n in range(first, last + 1) if (webhook, n) in kept}

    def add_counts(self, counts: Mapping[str, int]) -> None:
        with self._changed:
            for name, count in counts.items():
                self._counts[name] = self._counts.get(name, 0) + count

    def get_counts(self) -> dict[str, int]:
        with self._changed:
            return dict(self._counts)

    def list_by_status(
        self, status: str, limit: int, before: ListedGame | None = None
    ) -> list[ListedGame]:
        with self._changed:
            return _page(self._statuses.get(status, {}), limit, before)

    def list_by_client(
        self, client: str, limit: int, before: ListedGame | None = None
    ) -> list[ListedGame]:
        with self._changed:
            return _page(self._clients.get(client, {}), limit, before)

    def now(self) -> int:
        return self.clock()

    def listen(self) -> Iterator[tuple[str, int] | None]:
        announcements: list[tuple[str, int]] = []
        with self._changed:
            self._listeners.append(announcements)
        try:
            yield LISTENING
            while True:
                with self._changed:
                    if not announcements:
                        self._changed.wait(1)
                    new = announcements.copy()
                    announcements.clear()
                yield from new or (None,)
        finally:
            with self._changed:
                self._listeners = [one for one in self._listeners if one is not announcements]

    def _check_gone(self, game: str) -> None:
        if game in self._gone:
            raise Gone(game, *self._gone[game])

    def _set_due(self, game: str, kind: str, due_at: int | None) -> None:
        self._attempts.pop((game, kind), None)
        if due_at is not None:
            self._due.setdefault(game, {})[kind] = due_at
        elif game in self._due:
            self._due[game].pop(kind, None)

    def _update_lists(self, game: str, index: IndexChange) -> None:
        if index.status_from is not None:
            self._statuses.get(index.status_from, {}).pop(game, None)
        if index.status_to is not None:
            self._statuses.setdefault(index.status_to, {})[game] = index.since
        for client in index.clients_drop:
            self._clients.get(client, {}).pop(game, None)
        for client in index.clients_add:
            self._clients.setdefault(client, {})[game] = index.since


def _page(games: Mapping[str, int], limit: int, before: ListedGame | None) -> list[ListedGame]:
    listed = [ListedGame(game, since) for game, since in games.items()]
    if before is not None:
        listed = [one for one in listed if one.order < before.order]
    return sorted(listed, key=lambda one: one.order, reverse=True)[:limit]
