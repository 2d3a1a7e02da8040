"""What lies where in Redis, and in which form.

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
    {k}:asked         string      written to hear whether all before it is kept elsewhere too
    {a}:tallies       hash        counter → count
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from .protocol import (
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
    one = partition(game)
    own = f"{{{one}}}:{game}"
    names = [f"{own}:{name}" for name in ("events", "keys", "gone")]
    return [*names, *partition_keys(one), *webhook_keys(game)]


def webhook_keys(game: str) -> list[str]:
    own = f"{{{partition(game)}}}:{game}"
    return [f"{own}:hooks", f"{own}:sent"]


def partition_keys(one: str) -> list[str]:
    return [f"{{{one}}}:due", f"{{{one}}}:leases"]


def index_keys(game: str, index: IndexChange | None) -> tuple[list[str], list[str]]:
    if index is None:
        return [], []
    tag = f"{{{partition(game)}}}"
    dropped = [] if index.status_from is None else [f"status:{index.status_from}"]
    dropped += [f"client:{client}" for client in index.clients_drop]
    added = [] if index.status_to is None else [f"status:{index.status_to}"]
    added += [f"client:{client}" for client in index.clients_add]
    keys = [f"{tag}:{name}" for name in (*dropped, *added)]
    return keys, ["drop"] * len(dropped) + ["add"] * len(added)


def check_gone(game: str, answer: Sequence[Any]) -> None:
    if answer[0] == b"gone":
        raise Gone(game, answer[1].decode(), answer[2])


def key_taken(answer: Sequence[Any]) -> KeyTaken:
    return KeyTaken(KeyUse(answer[1].decode(), answer[2], answer[3]))


def webhook_value(hook: StoredWebhook | None) -> bytes:
    if hook is None:
        return b""
    return (b"" if hook.cursor is None else b"%d" % hook.cursor) + b"|" + hook.data


def parse_webhook(game: str, own: str, value: bytes) -> StoredWebhook:
    cursor, bar, data = value.partition(b"|")
    if not bar or (cursor and not cursor.isdigit()):
        raise Corrupt(f"{game} has a broken webhook")
    return StoredWebhook(own, int(cursor) if cursor else None, data)


def parse_key_use(game: str, text: bytes) -> KeyUse:
    try:
        fingerprint, first, last = text.decode().rsplit("|", 2)
        return KeyUse(fingerprint, int(first), int(last))
    except ValueError as fault:
        raise Corrupt(f"{game} has a broken key") from fault


def parse_entry(game: str, version: int, item: Sequence[Any]) -> Entry:
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
    game, _, kind = member.decode().partition(":")
    return game, kind


def milliseconds(time_: Sequence[Any]) -> int:
    seconds, micros = time_
    return int(seconds) * 1000 + int(micros) // 1000


def parse_announcement(message: Mapping[str, Any]) -> tuple[str, int] | None:
    if message["type"] == "subscribe":
        return LISTENING
    game, _, version = message["data"].decode(errors="replace").partition(" ")
    return (game, int(version)) if version.isdigit() else None
