"""The values that go into an event store and come out of it, and the errors it raises.

Errors, as a tree:

    StoreError
      Unavailable        refused or unreachable before anything was written
      OutcomeUnknown     sent without a response: it may have been written, or may still be
      Corrupt            a stream whose versions or hashes do not fit together
      Gone               the game was deleted or archived
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

PARTITIONS = "abcdefghijklmnopqrstuvwxyz234567"
"""The 32 partitions. They never change: a game's partition is the first character of its id."""

LISTENING = ("", 0)
"""What `Store.listen` yields when it begins to listen, at first and after each reconnection."""

MAX_ENTRIES = 1000
MAX_BYTES = 1_000_000
"""The bounds of one append."""

MAX_AHEAD_MS = 10
MAX_BEHIND_MS = 1_000
"""How far (ms) an append's `decided_at` may lie ahead of the store's time, or behind it."""

DEFAULT_LEASE_MS = 5_000
"""The lease of kinds of work for which none is named."""

WEBHOOK = "hook"
"""The kind of work that delivers to webhooks; each webhook has a kind of its own under it."""

MAX_DELIVERIES = 100
"""How many deliveries of a webhook are kept."""


class StoreError(Exception):
    """The store could not do what it was asked to do."""


class Unavailable(StoreError):
    """Nothing was written: no connection, out of memory, read-only, too few replicas."""


class OutcomeUnknown(StoreError):
    """The write was sent and no response came. For appends `append_and_resolve` finds out."""


class Corrupt(StoreError):
    """The stored stream's versions or hashes do not fit together."""


class Gone(StoreError):
    """The game's stream is no longer here: its `reason` is "deleted" or "archived".

    `tombstone` is what the caller left in the stream's place.
    """

    def __init__(self, game: str, reason: str, tombstone: bytes = b"") -> None:
        super().__init__(f"{game} was {reason}")
        self.game = game
        self.reason = reason
        self.tombstone = tombstone


@dataclass(frozen=True, slots=True)
class Entry:
    """One stored event: its type, schema version, data, metadata (b"" for none) and hash."""

    type: str
    schema: int
    data: bytes
    meta: bytes
    hash: bytes


@dataclass(frozen=True, slots=True)
class IdempotencyKey:
    """A client's idempotency key within a game.

    `name` is unique per client token and key; `fingerprint` is the hash of the request that the
    key came with.
    """

    name: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class KeyUse:
    """What a key was used for: the request's fingerprint and the append's version range."""

    fingerprint: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class IndexChange:
    """How an append changes the lists that a game is in.

    The game leaves the list of `status_from` and enters that of `status_to` (None: no list).
    `clients_add` and `clients_drop` are token hashes, or names of further lists of the caller's;
    `Store.list_by_client` reads either. `since` (ms) orders the lists, newest first, and stays the
    same for a game.
    """

    since: int
    status_from: str | None = None
    status_to: str | None = None
    clients_add: tuple[str, ...] = ()
    clients_drop: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StoredWebhook:
    """A webhook beside a game's stream.

    `cursor` is the version up to which it has been notified; None: it is asleep. `data` is
    whatever else its owner keeps, secrets included.
    """

    id: str
    cursor: int | None
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class WebhookChange:
    """A change of a webhook from `before` (None: it is new) to `after` (None: it is removed).

    Its work, of the kind `webhook_work_kind(id)`, is then due at `due_at` (ms). With a `due_at` of
    None it is due now if the stream goes beyond the cursor, and otherwise not due; with `keep_due`
    its due time stays as it is. A webhook that is asleep has no work. `expected_count`, unless
    None, is how many webhooks the game must have before. `key` is used up by the change.
    `delivery` is a number and the bytes to keep under it; the delivery `MAX_DELIVERIES` before it
    is dropped.
    """

    game: str
    id: str
    before: StoredWebhook | None
    after: StoredWebhook | None
    due_at: int | None = None
    keep_due: bool = False
    expected_count: int | None = None
    key: IdempotencyKey | None = None
    delivery: tuple[int, bytes] | None = None


@dataclass(frozen=True, slots=True)
class Append:
    """All that one append writes. Two appends with equal entries are the same append.

    The first entry's metadata holds a random append id, so the hash of the first entry identifies
    the append. `due_times` maps a kind of work to the time (ms) it is due from, or to None: it is
    no longer due; kinds not named stay as they are. An `index` of None changes no list. The work
    of the game's webhooks that are not asleep becomes due, unless it is due already. `decided_at`
    is the time (ms) by which the append was decided, where that was an estimate of the store's.
    """

    game: str
    expected_version: int
    expected_hash: bytes
    entries: tuple[Entry, ...]
    key: IdempotencyKey | None = None
    due_times: Mapping[str, int | None] = field(default_factory=dict)
    index: IndexChange | None = None
    decided_at: int | None = None

    @property
    def version(self) -> int:
        """The version after the append."""
        return self.expected_version + len(self.entries)


@dataclass(frozen=True, slots=True)
class Appended:
    """The append was written; the stream's version is now `version`.

    `durable` is False where the store was set to wait for acknowledgements and they did not come
    in time: the append stands, but may be lost together with the server that has it.
    """

    version: int
    durable: bool = True


@dataclass(frozen=True, slots=True)
class Acknowledgement:
    """What makes an append durable: it is in the append-only file of the server itself (`local` is

    1, else 0) and in those of so many replicas. A store waits up to `timeout_ms` for that.
    """

    local: int
    replicas: int
    timeout_ms: int


@dataclass(frozen=True, slots=True)
class Conflict:
    """The stream's version or hash was not as expected, or `decided_at` was too far from the

    store's time; nothing was written. `version` is the stream's actual version: the expected one
    where the time was the cause.
    """

    version: int


@dataclass(frozen=True, slots=True)
class KeyTaken:
    """The idempotency key was used before; nothing was written."""

    use: KeyUse


@dataclass(frozen=True, slots=True)
class StreamSlice:
    """A stream, or a part of it, read at one moment together with the time and a key.

    `first` is the version of `entries[0]`; `now` is the store's time (ms since 1970); `key_use` is
    what the given key was used for. An unknown game has no entries.
    """

    first: int
    entries: tuple[Entry, ...]
    now: int
    key_use: KeyUse | None


@dataclass(frozen=True, slots=True)
class DueWork:
    """A piece of work on the due list: since when it is due (ms), and how often it was leased."""

    game: str
    kind: str
    due_at: int
    attempts: int


@dataclass(frozen=True, slots=True)
class LeasedWork:
    """The work that was leased, and in how many ms the next work is due (None: there is none)."""

    work: tuple[DueWork, ...]
    next_due_in: int | None


@dataclass(frozen=True, slots=True)
class ListedGame:
    """A game in an index list, with the number that orders the list (ms)."""

    game: str
    since: int

    @property
    def order(self) -> tuple[int, str]:
        """The sort key of the lists, to be read backwards: newest first, then by id."""
        return self.since, self.game


def check_bounds(append: Append) -> None:
    """Raises ValueError for an append that is empty or larger than an append may be."""
    size = sum(len(entry.data) + len(entry.meta) for entry in append.entries)
    if not 1 <= len(append.entries) <= MAX_ENTRIES or size > MAX_BYTES:
        raise ValueError(f"an append has 1 to {MAX_ENTRIES} entries and at most {MAX_BYTES} bytes")


def webhook_work_kind(webhook: str) -> str:
    """Returns the kind of work that a webhook's deliveries are on the due list."""
    return f"{WEBHOOK}-{webhook}"


def partition(game: str) -> str:
    """Returns the partition of a game id."""
    return game[0]
