"""The arguments of the scripts, in the order in which each script's header lists them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .keys import CHANNEL, format_webhook
from .values import (
    MAX_AHEAD_MS,
    MAX_BEHIND_MS,
    MAX_DELIVERIES,
    Append,
    Entry,
    IdempotencyKey,
    IndexChange,
    WebhookChange,
)


def append_arguments(append: Append, operations: Sequence[str]) -> list[Any]:
    """Returns the arguments of `append`; `operations` are those on the index lists."""
    arguments: list[Any] = [
        append.game,
        append.expected_version,
        append.expected_hash,
        *_key_arguments(append.key),
        append.index.since if append.index else 0,
        CHANNEL,
        "" if append.decided_at is None else append.decided_at,
        MAX_AHEAD_MS,
        MAX_BEHIND_MS,
        len(append.entries),
        *_entry_arguments(append.entries),
        len(append.due_times),
    ]
    for kind, due_at in append.due_times.items():
        arguments += (kind, "" if due_at is None else due_at)
    return [*arguments, *operations]


def stream_arguments(
    game: str, entries: Sequence[Entry], index: IndexChange, operations: Sequence[str]
) -> list[Any]:
    """Returns the arguments of `import_stream` and `restore_stream`."""
    return [game, index.since, len(entries), *_entry_arguments(entries), *operations]


def webhook_arguments(change: WebhookChange) -> list[Any]:
    """Returns the arguments of `change_webhook`."""
    number, delivery = change.delivery or ("", "")
    return [
        change.game,
        change.id,
        format_webhook(change.before),
        format_webhook(change.after),
        "keep" if change.keep_due else "" if change.due_at is None else change.due_at,
        "" if change.expected_count is None else change.expected_count,
        *_key_arguments(change.key),
        number,
        delivery,
        MAX_DELIVERIES,
    ]


def _key_arguments(key: IdempotencyKey | None) -> tuple[str, str]:
    return (key.name, key.fingerprint) if key else ("", "")


def _entry_arguments(entries: Sequence[Entry]) -> list[Any]:
    arguments: list[Any] = []
    for entry in entries:
        arguments += (entry.type, entry.schema, entry.data, entry.meta, entry.hash)
    return arguments
