"""What an event store promises, whatever stands behind it.

A game's stream is a list of entries with versions 1, 2, 3 … without gaps. The caller chains the
entries by hash; the store compares. An append is atomic: all its entries, its key, its dues and
its index changes, or nothing. Exactly one writer wins a version.

Errors, as a tree:

    StoreError
      Unavailable        refused or unreachable before anything was written
      OutcomeUnknown     sent, but no answer: it may have been written or may still be
      Corrupt            a stream whose ids or hashes do not fit; nothing is guessed
      Gone               the game was deleted or archived; says which
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

PARTITIONS = "abcdefghijklmnopqrstuvwxyz234567"
"""The 32 partitions, for ever: a game's is the first character of its id."""

LISTENING = ("", 0)
"""What `watch` yields when it begins to listen, at first and after each lost connection."""

MAX_ENTRIES = 1000
MAX_BYTES = 1_000_000
"""The bounds of one append."""

MAX_AHEAD_MS = 10
MAX_BEHIND_MS = 1_000
"""How far (ms) the time that an append was judged by may lie ahead of the store's, or behind it."""

WEBHOOK = "hook"
MAX_DELIVERIES = 100
"""So many deliveries of a webhook are kept."""


class StoreError(Exception):
    """The store could not do what was asked."""


class Unavailable(StoreError):
    """Nothing was written: no connection, out of memory, read-only, too few replicas."""


class OutcomeUnknown(StoreError):
    """The append was sent and no answer came. Settle it with `certain.append_surely`."""


class Corrupt(StoreError):
    """The stored stream's versions or hashes do not fit together."""


class Gone(StoreError):
    """The game's stream is no longer here. `why` is "deleted" or "archived"."""

    def __init__(self, game: str, why: str, fact: bytes = b"") -> None:
        super().__init__(f"{game} was {why}")
        self.game = game
        self.why = why
        self.fact = fact


@dataclass(frozen=True, slots=True)
class Entry:
    """One stored event: type, schema version, data and metadata (b"" where none) as bytes, hash."""

    type: str
    schema: int
    data: bytes
    meta: bytes
    hash: bytes


@dataclass(frozen=True, slots=True)
class Key:
    """A client's idempotency key within a game: `name` is unique per client token and key,

    `fingerprint` is the hash of the request that used it.
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
    """How a game's places in the indexes change with an append.

    `status_from`/`status_to` are the status lists it leaves and enters (None: not listed);
    `clients_add`/`clients_drop` are token hashes, or names of lists that the caller keeps besides;
    `list_client` reads either. `since` orders the lists (ms, newest first) and
    stays the same for a game.
    """

    since: int
    status_from: str | None = None
    status_to: str | None = None
    clients_add: tuple[str, ...] = ()
    clients_drop: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StoredWebhook:
    """A webhook beside a game's stream: its id, the version up to which it has been told, and

    whatever else its owner keeps, secrets included. A cursor of None: it sleeps.
    """

    id: str
    cursor: int | None
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class WebhookChange:
    """What becomes of a webhook: `before` as it must still be (None: there is none), `after` as it

    will be (None: removed).

    From then on work of the kind `hook_kind(id)` is owed from `due` (ms) on; with a `due` of None,
    at once if the stream goes beyond the cursor, else not; with `keep` that stays as it is. A
    sleeping hook owes nothing. `count` is how many hooks the game must have before, if that
    matters. `key` is used up with the change. `delivery` is a number and what is to be kept under
    it; the one `MAX_DELIVERIES` before it goes.
    """

    game: str
    id: str
    before: StoredWebhook | None
    after: StoredWebhook | None
    due: int | None = None
    keep: bool = False
    count: int | None = None
    key: Key | None = None
    delivery: tuple[int, bytes] | None = None


@dataclass(frozen=True, slots=True)
class Append:
    """All that one append writes. Two appends with equal entries are the same append.

    The first entry's metadata holds a random append id, so the hash of the first entry names the
    append. `due` maps a kind of work to the time it is owed from (ms), or to None: owed no more;
    kinds not named stay as they are. An `index` of None changes no index. The game's hooks that
    do not sleep are owed from then on, save those that are owed already. `judged` is the time (ms)
    that it was judged by where that was only thought to be the store's.
    """

    game: str
    expected_version: int
    expected_hash: bytes
    entries: tuple[Entry, ...]
    key: Key | None = None
    due: Mapping[str, int | None] = field(default_factory=dict)
    index: IndexChange | None = None
    judged: int | None = None

    @property
    def version(self) -> int:
        """The version after the append."""
        return self.expected_version + len(self.entries)


@dataclass(frozen=True, slots=True)
class Appended:
    """The append stands; the stream's version is now `version`.

    `durable` is False where the store was set to wait until the append is kept in more than one
    place, and did not hear so in time: it stands, and may yet be lost with the server that has it.
    """

    version: int
    durable: bool = True


@dataclass(frozen=True, slots=True)
class Acknowledgement:
    """What confirms an append: that it is in the append-only file of the server itself (`local` 1,

    else 0) and of so many replicas, heard within `wait` ms.
    """

    local: int
    replicas: int
    wait: int


@dataclass(frozen=True, slots=True)
class Conflict:
    """The stream's version or hash was not as expected, or the time not right; nothing was written.

    `version` is the stream's version then: the one expected, if it was the time.
    """

    version: int


@dataclass(frozen=True, slots=True)
class KeyTaken:
    """The key was used before; nothing was written."""

    use: KeyUse


@dataclass(frozen=True, slots=True)
class Tail:
    """A stream, or a part of it, seen at one moment together with the time and a key.

    `first` is the version of `entries[0]`; `now` is the store's time (ms since 1970); `use` what
    the asked key was used for. An unknown game has no entries.
    """

    first: int
    entries: tuple[Entry, ...]
    now: int
    use: KeyUse | None


@dataclass(frozen=True, slots=True)
class Lease:
    """A piece of work taken from the due list: since when it is due (ms), and how often taken."""

    game: str
    kind: str
    due: int
    count: int


@dataclass(frozen=True, slots=True)
class Leased:
    """What was taken, and in how many ms what is owed is due next (None: nothing is owed)."""

    work: tuple[Lease, ...]
    wait: int | None


@dataclass(frozen=True, slots=True)
class Listed:
    """A game in an index list, with the number that orders the list (ms)."""

    game: str
    since: int


class Store(Protocol):
    """An event store. All methods may raise `Unavailable`."""

    def read(
        self, game: str, first: int = 1, key: str | None = None, last: int | None = None
    ) -> Tail:
        """Returns the stream from version `first` (≥ 1) to `last` (None: its end), in one round

        trip; what lies beyond `last` is not looked at.
        Checks that versions run without gaps; hashes are the caller's to check. Raises `Corrupt`
        or `Gone`.
        """
        ...

    def append(self, append: Append) -> Appended | Conflict | KeyTaken:
        """Writes an append once, if it fits. Never retried by the store itself.

        Key first, then version and hash, and that a time it was judged by is between `BEHIND` and
        `AHEAD` of the store's; then everything or nothing. Raises `Unavailable`,
        `OutcomeUnknown`, `Corrupt` or `Gone`; ValueError for more than `MAX_ENTRIES` entries or
        `MAX_BYTES` bytes.
        """
        ...

    def estimated_now(self, game: str) -> int | None:
        """Returns without asking what the store's time (ms) should be by now for a game, a little

        less rather than more; None where it has told none lately.
        """
        ...

    def confirm(self, game: str) -> bool:
        """Returns whether all that stands in the game's stream is kept as surely as the store was

        set to keep it; True where it was not set. Never raises.
        """
        ...

    def remove(
        self,
        game: str,
        version: int,
        why: Literal["deleted", "archived"],
        fact: bytes,
        index: IndexChange,
        kinds: Sequence[str] = (),
    ) -> bool:
        """Removes a stream of exactly this version and all that belongs to it, hooks included;

        leaves a tombstone with `why` and `fact`, does the changes of `index`, and takes the kinds
        of work off the due list. Returns False when the version is another. Raises `Gone` if it
        is gone.
        """
        ...

    def restore(self, game: str, entries: Sequence[Entry], index: IndexChange) -> None:
        """Writes an archived stream back, byte-equal, in place of its tombstone, and does the

        changes of `index`. Raises ValueError when there is no "archived" tombstone.
        """
        ...

    def place(self, game: str, entries: Sequence[Entry], index: IndexChange) -> bool:
        """Writes the whole stream of a game that is over, at once and of any length, and does the

        changes of `index`. Returns False, writing nothing, where the game has a stream. Raises
        `Gone` where it had one.
        """
        ...

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
        """Keeps bytes under a game's id, whether there is such a game or not, for `ttl` ms in place

        of what was kept; at one moment with them sets or (None) clears the due time of a kind of
        work, if one is named. With `fresh` returns False, changing nothing, where bytes are kept.
        """
        ...

    def held(self, game: str) -> bytes | None:
        """Returns the bytes kept under a game's id, None where none are or their time is up."""
        ...

    def set_due(self, game: str, kind: str, due: int | None, only_if: int | None = None) -> None:
        """Sets or (None) clears one due time outside an append: for what does not follow from the

        game's state. With `only_if`, only while the present due time is exactly that.
        """
        ...

    def lease(self, partition: str, leases: Mapping[str, int], most: int = 100) -> Leased:
        """Takes what is due now in a partition: pushes each time on by the kind's lease (ms; kinds

        not named: 5,000) and counts the taking. Oldest first. A kind may be one of several of its
        sort, with a hyphen before its own name (`hook-abc`); the lease is the sort's.
        """
        ...

    def extend(self, game: str, kind: str, until: int) -> None:
        """Moves a lease's time (ms) on, if the work is still owed."""
        ...

    def due(self, game: str, kinds: Sequence[str]) -> dict[str, int]:
        """Returns what the game owes of these kinds of work: kind → time (ms)."""
        ...

    def list_due(self, partition: str, until: int, most: int = 100) -> list[Lease]:
        """Returns what is owed in a partition by a time (ms), oldest first, and how often each was

        taken since its time was set. Takes nothing.
        """
        ...

    def hooks(self, game: str) -> tuple[StoredWebhook, ...]:
        """Returns the game's webhooks, by id; none for a game that is gone or unknown."""
        ...

    def change_webhook(self, change: WebhookChange) -> bool | KeyTaken:
        """Adds, changes or removes a webhook. Returns False, and has done nothing, where the hook

        or the count is not as expected, or no game is. Raises `OutcomeUnknown`, `Corrupt` or
        `Gone`.
        """
        ...

    def deliveries(self, game: str, hook: str, first: int, last: int) -> dict[int, bytes]:
        """Returns what is kept of a hook's deliveries first … last: number → what was written."""
        ...

    def add_counts(self, counts: Mapping[str, int]) -> None:
        """Adds to counters that all who use the store share. May be lost, never doubled."""
        ...

    def counts(self) -> dict[str, int]:
        """Returns all those counters."""
        ...

    def list_status(self, status: str, most: int, before: Listed | None = None) -> list[Listed]:
        """Returns public games of a status, newest first (of one time the greatest id first),

        those after `before` in that order.
        """
        ...

    def list_client(self, client: str, most: int, before: Listed | None = None) -> list[Listed]:
        """Returns the games of a client (token hash), in the same order, those after `before`."""
        ...

    def now(self) -> int:
        """Returns the store's time (ms since 1970)."""
        ...

    def watch(self) -> Iterator[tuple[str, int] | None]:
        """Yields `LISTENING`, then (game, version) for each append; None when it was quiet for a

        second, and `LISTENING` again when a lost connection was replaced.
        For waking up early: a message may be lost, so whoever needs to be sure also asks.
        """
        ...


def check_bounds(append: Append) -> None:
    """Raises ValueError for an append that is empty or larger than an append may be."""
    size = sum(len(entry.data) + len(entry.meta) for entry in append.entries)
    if not 1 <= len(append.entries) <= MAX_ENTRIES or size > MAX_BYTES:
        raise ValueError(f"an append has 1 to {MAX_ENTRIES} entries and at most {MAX_BYTES} bytes")


def webhook_kind(hook: str) -> str:
    """Returns the kind of work that a webhook is on the due list."""
    return f"{WEBHOOK}-{hook}"


def partition(game: str) -> str:
    """Returns the partition of a game id."""
    return game[0]
