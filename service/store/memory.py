"""The store's promises kept in memory: for tests, and for games that need not last."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal

from .hash_chain import GENESIS_HASH
from .protocol import (
    LISTENING,
    MAX_AHEAD_MS,
    MAX_BEHIND_MS,
    MAX_DELIVERIES,
    Append,
    Appended,
    Conflict,
    Entry,
    Gone,
    IndexChange,
    KeyTaken,
    KeyUse,
    Lease,
    Leased,
    Listed,
    StoredWebhook,
    Tail,
    WebhookChange,
    check_bounds,
    partition,
    webhook_kind,
)

DEFAULT_LEASE = 5_000


def wall_clock() -> int:
    """Returns this machine's time (ms since 1970)."""
    return time.time_ns() // 1_000_000


class MemoryStore:
    """An event store in this process; keeps what `protocol.Store` promises.

    Safe to share between threads. `clock` returns ms since 1970 and may be replaced.
    """

    def __init__(self, clock: Callable[[], int] = wall_clock) -> None:
        self.clock = clock
        self._changed = threading.Condition()
        self._streams: dict[str, list[Entry]] = {}
        self._keys: dict[str, dict[str, KeyUse]] = {}
        self._gone: dict[str, tuple[str, bytes]] = {}
        self._due: dict[str, dict[str, int]] = {}
        self._held: dict[str, tuple[bytes, int]] = {}
        self._taken: dict[tuple[str, str], int] = {}
        self._statuses: dict[str, dict[str, int]] = {}
        self._clients: dict[str, dict[str, int]] = {}
        self._hooks: dict[str, dict[str, StoredWebhook]] = {}
        self._deliveries: dict[str, dict[tuple[str, int], bytes]] = {}
        self._tallies: dict[str, int] = {}
        self._watchers: list[list[tuple[str, int]]] = []

    def read(
        self, game: str, first: int = 1, key: str | None = None, last: int | None = None
    ) -> Tail:
        with self._changed:
            self._check_gone(game)
            entries = tuple(self._streams.get(game, ())[first - 1 : last])
            use = None if key is None else self._keys.get(game, {}).get(key)
            return Tail(first, entries, self.clock(), use)

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
            if append.judged is not None and not (
                -MAX_AHEAD_MS <= self.clock() - append.judged <= MAX_BEHIND_MS
            ):
                return Conflict(len(stream))
            self._streams.setdefault(append.game, []).extend(append.entries)
            if append.key is not None:
                use = KeyUse(append.key.fingerprint, append.expected_version + 1, append.version)
                self._keys.setdefault(append.game, {})[append.key.name] = use
            for kind, due in append.due.items():
                self._put_due(append.game, kind, due)
            if append.index is not None:
                self._reindex(append.game, append.index)
            for hook in self._hooks.get(append.game, {}).values():
                if hook.cursor is not None:
                    owed = self._due.setdefault(append.game, {})
                    owed.setdefault(webhook_kind(hook.id), self.clock())
            for told in self._watchers:
                told.append((append.game, append.version))
            self._changed.notify_all()
            return Appended(append.version)

    def estimated_now(self, game: str) -> int | None:
        return self.clock()

    def confirm(self, game: str) -> bool:
        return True

    def remove(
        self,
        game: str,
        version: int,
        why: Literal["deleted", "archived"],
        fact: bytes,
        index: IndexChange,
        kinds: Sequence[str] = (),
    ) -> bool:
        with self._changed:
            self._check_gone(game)
            if game not in self._streams or len(self._streams[game]) != version:
                return False
            del self._streams[game]
            self._keys.pop(game, None)
            hooks = self._hooks.pop(game, {})
            self._deliveries.pop(game, None)
            for kind in (*kinds, *map(webhook_kind, hooks)):
                self._put_due(game, kind, None)
            self._reindex(game, index)
            self._gone[game] = (why, fact)
            return True

    def restore(self, game: str, entries: Sequence[Entry], index: IndexChange) -> None:
        with self._changed:
            if self._gone.get(game, ("", b""))[0] != "archived":
                raise ValueError(f"{game} is not archived")
            del self._gone[game]
            self._streams[game] = list(entries)
            self._reindex(game, index)

    def place(self, game: str, entries: Sequence[Entry], index: IndexChange) -> bool:
        with self._changed:
            self._check_gone(game)
            if game in self._streams:
                return False
            self._streams[game] = list(entries)
            self._reindex(game, index)
            return True

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
        with self._changed:
            if fresh and self.held(game) is not None:
                return False
            self._held[game] = (data, self.clock() + ttl)
            if kind:
                self._put_due(game, kind, due)
            return True

    def held(self, game: str) -> bytes | None:
        data, until = self._held.get(game, (b"", 0))
        return data if until > self.clock() else None

    def set_due(self, game: str, kind: str, due: int | None, only_if: int | None = None) -> None:
        with self._changed:
            if only_if is None or self._due.get(game, {}).get(kind) == only_if:
                self._put_due(game, kind, due)

    def lease(self, partition_: str, leases: Mapping[str, int], most: int = 100) -> Leased:
        with self._changed:
            now = self.clock()
            owed = sorted(
                (due, game, kind)
                for game, kinds in self._due.items()
                if partition(game) == partition_
                for kind, due in kinds.items()
                if due <= now
            )
            taken = []
            for due, game, kind in owed[:most]:
                self._due[game][kind] = now + leases.get(kind.partition("-")[0], DEFAULT_LEASE)
                count = self._taken[game, kind] = self._taken.get((game, kind), 0) + 1
                taken.append(Lease(game, kind, due, count))
            left = [
                due
                for game, kinds in self._due.items()
                if partition(game) == partition_
                for due in kinds.values()
            ]
            return Leased(tuple(taken), max(0, min(left) - now) if left else None)

    def list_due(self, partition_: str, until: int, most: int = 100) -> list[Lease]:
        with self._changed:
            owed = sorted(
                (due, f"{game}:{kind}", game, kind)
                for game, kinds in self._due.items()
                if partition(game) == partition_
                for kind, due in kinds.items()
                if due <= until
            )
            return [
                Lease(game, kind, due, self._taken.get((game, kind), 0))
                for due, _, game, kind in owed[:most]
            ]

    def extend(self, game: str, kind: str, until: int) -> None:
        with self._changed:
            if kind in self._due.get(game, ()):
                self._due[game][kind] = until

    def due(self, game: str, kinds: Sequence[str]) -> dict[str, int]:
        with self._changed:
            owed = self._due.get(game, {})
            return {kind: owed[kind] for kind in kinds if kind in owed}

    def hooks(self, game: str) -> tuple[StoredWebhook, ...]:
        with self._changed:
            return tuple(hook for _, hook in sorted(self._hooks.get(game, {}).items()))

    def change_webhook(self, change: WebhookChange) -> bool | KeyTaken:
        game, own, after = change.game, change.id, change.after
        with self._changed:
            self._check_gone(game)
            keys = self._keys.get(game, {})
            if change.key is not None and change.key.name in keys:
                return KeyTaken(keys[change.key.name])
            hooks = self._hooks.get(game, {})
            fits = hooks.get(own) == change.before and change.count in (None, len(hooks))
            if game not in self._streams or not fits:
                return False
            if change.key is not None:
                use = KeyUse(change.key.fingerprint, 0, 0)
                self._keys.setdefault(game, {})[change.key.name] = use
            kept = self._deliveries.setdefault(game, {})
            if change.delivery is not None:
                kept[own, change.delivery[0]] = change.delivery[1]
                kept.pop((own, change.delivery[0] - MAX_DELIVERIES), None)
            if after is None:
                hooks.pop(own, None)
                self._deliveries[game] = {at: each for at, each in kept.items() if at[0] != own}
                self._put_due(game, webhook_kind(own), None)
                return True
            self._hooks.setdefault(game, {})[own] = after
            beyond = after.cursor is not None and len(self._streams[game]) > after.cursor
            due = change.due if change.due is not None else self.clock() if beyond else None
            if after.cursor is None or not change.keep:
                self._put_due(game, webhook_kind(own), None if after.cursor is None else due)
            return True

    def deliveries(self, game: str, hook: str, first: int, last: int) -> dict[int, bytes]:
        with self._changed:
            kept = self._deliveries.get(game, {})
            return {n: kept[hook, n] for n in range(first, last + 1) if (hook, n) in kept}

    def add_counts(self, counts: Mapping[str, int]) -> None:
        with self._changed:
            for name, count in counts.items():
                self._tallies[name] = self._tallies.get(name, 0) + count

    def counts(self) -> dict[str, int]:
        with self._changed:
            return dict(self._tallies)

    def list_status(self, status: str, most: int, before: Listed | None = None) -> list[Listed]:
        with self._changed:
            return _page(self._statuses.get(status, {}), most, before)

    def list_client(self, client: str, most: int, before: Listed | None = None) -> list[Listed]:
        with self._changed:
            return _page(self._clients.get(client, {}), most, before)

    def now(self) -> int:
        return self.clock()

    def watch(self) -> Iterator[tuple[str, int] | None]:
        told: list[tuple[str, int]] = []
        with self._changed:
            self._watchers.append(told)
        try:
            yield LISTENING
            while True:
                with self._changed:
                    if not told:
                        self._changed.wait(1)
                    fresh = told.copy()
                    told.clear()
                yield from fresh or (None,)
        finally:
            with self._changed:
                self._watchers = [one for one in self._watchers if one is not told]

    def _check_gone(self, game: str) -> None:
        if game in self._gone:
            raise Gone(game, *self._gone[game])

    def _put_due(self, game: str, kind: str, due: int | None) -> None:
        self._taken.pop((game, kind), None)
        if due is not None:
            self._due.setdefault(game, {})[kind] = due
        elif game in self._due:
            self._due[game].pop(kind, None)

    def _reindex(self, game: str, index: IndexChange) -> None:
        if index.status_from is not None:
            self._statuses.get(index.status_from, {}).pop(game, None)
        if index.status_to is not None:
            self._statuses.setdefault(index.status_to, {})[game] = index.since
        for client in index.clients_drop:
            self._clients.get(client, {}).pop(game, None)
        for client in index.clients_add:
            self._clients.setdefault(client, {})[game] = index.since


def list_order(listed: Listed) -> tuple[int, str]:
    """Returns the sort key of the index lists, to be read backwards: newest first, then by id."""
    return listed.since, listed.game


def _page(games: Mapping[str, int], most: int, before: Listed | None) -> list[Listed]:
    listed = [Listed(game, since) for game, since in games.items()]
    if before is not None:
        listed = [one for one in listed if list_order(one) < list_order(before)]
    return sorted(listed, key=list_order, reverse=True)[:most]
