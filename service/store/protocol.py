"""What an event store promises, whatever stands behind it.

A game's stream is a list of entries with versions 1, 2, 3 … without gaps. The caller chains the
entries by hash; the store compares. An append is atomic: all its entries, its key, its due times
and its index changes, or nothing. Exactly one writer wins a version.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, Protocol

from .values import (
    Append,
    Appended,
    Conflict,
    DueWork,
    Entry,
    IndexChange,
    KeyTaken,
    LeasedWork,
    ListedGame,
    StoredWebhook,
    StreamSlice,
    WebhookChange,
)


class Store(Protocol):
    """An event store. All methods may raise `Unavailable`; those that write, unless they say

    otherwise, `OutcomeUnknown` too.
    """

    def read(
        self, game: str, first: int = 1, key: str | None = None, last: int | None = None
    ) -> StreamSlice:
        """Returns the stream from version `first` (≥ 1) to `last` (None: its end), in one round

        trip. Checks that versions run without gaps as far as it reads; checking the hashes is up
        to the caller. Raises `Corrupt` or `Gone`.
        """
        ...

    def append(self, append: Append) -> Appended | Conflict | KeyTaken:
        """Writes an append once, if it fits. The store itself never retries.

        It checks the key first, then version and hash, then that `decided_at` is within
        `MAX_BEHIND_MS` and `MAX_AHEAD_MS` of the store's time; then it writes everything or
        nothing. Raises `Unavailable`, `OutcomeUnknown`, `Corrupt` or `Gone`; ValueError for more
        than `MAX_ENTRIES` entries or `MAX_BYTES` bytes.
        """
        ...

    def estimate_now(self, game: str) -> int | None:
        """Returns the store's time (ms) for a game as it can be known without a request, a little

        less rather than more; None where no response of late has stated it.
        """
        ...

    def confirm_durable(self, game: str) -> bool:
        """Returns whether all of the game's stream is acknowledged by as many copies as the store

        was set to wait for; True where it waits for none. Never raises.
        """
        ...

    def remove_stream(
        self,
        game: str,
        version: int,
        reason: Literal["deleted", "archived"],
        tombstone: bytes,
        index: IndexChange,
        kinds: Sequence[str] = (),
    ) -> bool:
        """Removes a stream of exactly this version with all that belongs to it, webhooks included.

        Leaves a tombstone with `reason` and the bytes given, applies `index`, and takes the kinds
        of work off the due list. Returns False when the version is another. Raises `Gone` if the
        stream was removed before.
        """
        ...

    def restore_stream(self, game: str, entries: Sequence[Entry], index: IndexChange) -> None:
        """Writes an archived stream back, byte for byte, in place of its tombstone, and applies

        `index`. Raises ValueError when there is no "archived" tombstone.
        """
        ...

    def import_stream(self, game: str, entries: Sequence[Entry], index: IndexChange) -> bool:
        """Writes the whole stream of a game that is over, at once and of any length, and applies

        `index`. Returns False, writing nothing, where the game has a stream. Raises `Gone` where
        it had one.
        """
        ...

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
        """Keeps bytes under a game's id, whether there is such a game or not, for `ttl` ms in place

        of those kept before. If a `kind` of work is named, its due time is set or (None) cleared
        in the same step. With `only_if_absent` returns False, changing nothing, where bytes are
        kept already.
        """
        ...

    def get_temporary(self, game: str) -> bytes | None:
        """Returns the bytes kept under a game's id; None where there are none or they expired."""
        ...

    def set_due(self, game: str, kind: str, due_at: int | None, only_if: int | None = None) -> None:
        """Sets or (None) clears one due time outside an append: for what does not follow from the

        game's state. With `only_if`, only while the present due time is exactly that.
        """
        ...

    def lease_due(self, partition: str, leases: Mapping[str, int], limit: int = 100) -> LeasedWork:
        """Leases what is due now in a partition, oldest first: it becomes due again after its

        kind's lease (ms; 5,000 for kinds not named), unless it is done by then. So work survives
        the crash of whoever took it. Counts the attempts. A kind may be one of several of a sort,
        with a hyphen before its own name (`hook-abc`); the lease is the sort's.
        """
        ...

    def extend_lease(self, game: str, kind: str, until: int) -> None:
        """Postpones the due time of leased work to `until` (ms), if it is still on the list."""
        ...

    def get_due(self, game: str, kinds: Sequence[str]) -> dict[str, int]:
        """Returns which of these kinds of work the game has on the due list: kind → time (ms)."""
        ...

    def list_due(self, partition: str, until: int, limit: int = 100) -> list[DueWork]:
        """Returns the work of a partition that is due by a time (ms), oldest first, and how often

        each was leased since its time was set. Leases nothing.
        """
        ...

    def list_webhooks(self, game: str) -> tuple[StoredWebhook, ...]:
        """Returns the game's webhooks, by id; none for a game that is gone or unknown."""
        ...

    def change_webhook(self, change: WebhookChange) -> bool | KeyTaken:
        """Adds, changes or removes a webhook. Returns False, having changed nothing, where the

        webhook or the count is not as expected, or there is no such game. Raises `OutcomeUnknown`,
        `Corrupt` or `Gone`.
        """
        ...

    def get_deliveries(self, game: str, webhook: str, first: int, last: int) -> dict[int, bytes]:
        """Returns what is kept of a webhook's deliveries first … last: number → bytes."""
        ...

    def add_counts(self, counts: Mapping[str, int]) -> None:
        """Adds to counters shared by all who use the store. May be lost, never doubled."""
        ...

    def get_counts(self) -> dict[str, int]:
        """Returns all those counters."""
        ...

    def list_by_status(
        self, status: str, limit: int, before: ListedGame | None = None
    ) -> list[ListedGame]:
        """Returns public games of a status, newest first (of one time the greatest id first),

        those after `before` in that order.
        """
        ...

    def list_by_client(
        self, client: str, limit: int, before: ListedGame | None = None
    ) -> list[ListedGame]:
        """Returns the games of a client (token hash), in the same order, those after `before`."""
        ...

    def now(self) -> int:
        """Returns the store's time (ms since 1970)."""
        ...

    def listen(self) -> Iterator[tuple[str, int] | None]:
        """Yields `LISTENING`, then (game, version) for each append; None after a second without

        one, and `LISTENING` again when a lost connection was replaced. Good for reacting early: a
        message may be lost, so whoever needs to be sure polls as well.
        """
        ...
