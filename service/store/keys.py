"""The keys in Redis, and the form of what is stored under them.

Every key of a game and of its partition has the partition's hash tag, so that all keys of a script
are in one slot of a cluster:

    {k}:<id>:events   stream      entry <version>-0 with fields t v d m h
    {k}:<id>:keys     hash        key name → fingerprint|first|last
    {k}:<id>:gone     hash        tombstone: why, fact
    {k}:<id>:hooks    hash        webhook id → cursor|data; no cursor: it is asleep
    {k}:<id>:sent     hash        <webhook id>:<number> → a delivery
    {k}:<id>:held     string      bytes kept for a limited time
    {k}:due           sorted set  <id>:<kind> → time (ms)
    {k}:leases        hash        <id>:<kind> → how often leased
    {k}:status:<s>    sorted set  <id> → since (ms), newest first
    {k}:client:<c>    sorted set  the same, by client
    {k}:asked         string      written to find out whether all before it is durable
    {a}:tallies       hash        counter → count
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from .values import (
    LISTENING,
    PARTITIONS,
    Corrupt,
    Entry,
    Gone,
    IndexChange,
    KeyTaken,
    KeyUse,
    StoredWebhook,
    partition,
)

CHANNEL: Final = "bailli:appended"
COUNTERS: Final = f"{{{PARTITIONS[0]}}}:tallies"

FIELDS: Final = [b"t", b"v", b"d", b"m", b"h"]


def game_keys(game: str) -> list[str]:
    """Returns stream, keys, gone, due, leases, webhooks, deliveries: the order of the scripts."""
    one = partition(game)
    own = f"{{{one}}}:{game}"
    names = [f"{own}:{name}" for name in ("events", "keys", "gone")]
    return [*names, *partition_keys(one), *webhook_keys(game)]


def webhook_keys(game: str) -> list[str]:
    """Returns the keys of a game's webhooks and of their deliveries."""
    own = f"{{{partition(game)}}}:{game}"
    return [f"{own}:hooks", f"{own}:sent"]


def temporary_key(game: str) -> str:
    """Returns the key of the bytes kept for a limited time."""
    return f"{{{partition(game)}}}:{game}:held"


def durability_key(game: str) -> str:
    """Returns the key that is written to find out whether all before it is durable."""
    return f"{{{partition(game)}}}:asked"


def partition_keys(one: str) -> list[str]:
    """Returns the keys of a partition's due times and of its leases."""
    return [f"{{{one}}}:due", f"{{{one}}}:leases"]


def index_keys(game: str, index: IndexChange | None) -> tuple[list[str], list[str]]:
    """Returns the keys of the lists that change, and for each "drop" or "add"."""
    if index is None:
        return [], []
    tag = f"{{{partition(game)}}}"
    dropped = [] if index.status_from is None else [f"status:{index.status_from}"]
    dropped += [f"client:{client}" for client in index.clients_drop]
    added = [] if index.status_to is None else [f"status:{index.status_to}"]
    added += [f"client:{client}" for client in index.clients_add]
    keys = [f"{tag}:{name}" for name in (*dropped, *added)]
    return keys, ["drop"] * len(dropped) + ["add"] * len(added)


def check_gone(game: str, response: Sequence[Any]) -> None:
    """Raises `Gone` where a script found a tombstone."""
    if response[0] == b"gone":
        raise Gone(game, response[1].decode(), response[2])


def parse_key_taken(response: Sequence[Any]) -> KeyTaken:
    """Returns what a script found out about a key that was used before."""
    return KeyTaken(KeyUse(response[1].decode(), response[2], response[3]))


def format_webhook(webhook: StoredWebhook | None) -> bytes:
    """Returns a webhook's stored form; b"" for none."""
    if webhook is None:
        return b""
    return (b"" if webhook.cursor is None else b"%d" % webhook.cursor) + b"|" + webhook.data


def parse_webhook(game: str, own: str, value: bytes) -> StoredWebhook:
    """Returns the webhook of id `own` from its stored form. Raises `Corrupt`."""
    cursor, bar, data = value.partition(b"|")
    if not bar or (cursor and not cursor.isdigit()):
        raise Corrupt(f"{game} has a broken webhook")
    return StoredWebhook(own, int(cursor) if cursor else None, data)


def parse_key_use(game: str, text: bytes) -> KeyUse:
    """Returns what a key was used for from its stored form. Raises `Corrupt`."""
    try:
        fingerprint, first, last = text.decode().rsplit("|", 2)
        return KeyUse(fingerprint, int(first), int(last))
    except ValueError as fault:
        raise Corrupt(f"{game} has a broken key") from fault


def parse_entry(game: str, version: int, item: Sequence[Any]) -> Entry:
    """Returns the entry that must be of this version. Raises `Corrupt`."""
    name, fields = item
    if name != b"%d-0" % version:
        raise Corrupt(f"{game} has {name.decode()} where version {version} should be")
    if fields[::2] != FIELDS:
        raise Corrupt(f"{game} has a broken entry at version {version}")
    try:
        _, kind, _, schema, _, data, _, meta, _, hashed = fields
        return Entry(kind.decode(), int(schema), data, meta, hashed)
    except ValueError as fault:
        raise Corrupt(f"{game} has a broken entry at version {version}") from fault


def parse_due_member(member: bytes) -> tuple[str, str]:
    """Returns the game and the kind of work of a member of the due list."""
    game, _, kind = member.decode().partition(":")
    return game, kind


def milliseconds(time_: Sequence[Any]) -> int:
    """Returns the response to TIME in ms."""
    seconds, micros = time_
    return int(seconds) * 1000 + int(micros) // 1000


def parse_announcement(message: Mapping[str, Any]) -> tuple[str, int] | None:
    """Returns `LISTENING`, or the game and version of an append; None for anything else."""
    if message["type"] == "subscribe":
        return LISTENING
    game, _, version = message["data"].decode(errors="replace").partition(" ")
    return (game, int(version)) if version.isdigit() else None
