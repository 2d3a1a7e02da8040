"""Appends with a known outcome, however the connection fails.

The hash of an append's first entry covers its random id, so an entry with that hash at the
expected version proves that the append was written. Whether it is durable is then asked again.
"""

from __future__ import annotations

from dataclasses import replace

from .protocol import Store
from .values import Append, Appended, Conflict, KeyTaken, OutcomeUnknown, Unavailable


def append_and_resolve(store: Store, append: Append) -> Appended | Conflict | KeyTaken:
    """Appends once and returns the actual outcome.

    If no response comes, the stream is read; if the append is not there, the very same append is
    sent once more: at most one of the two can be written. A conflict, or a key taken, is believed
    only after the stream was read.

    Raises `Unavailable` only where nothing was written or can still be; `OutcomeUnknown` where a
    request got no response and nothing has resolved it since; otherwise as the store does.
    """
    try:
        return _verify(store, append, store.append(append))
    except OutcomeUnknown as unanswered:
        return _resolve(store, append, unanswered)


def _resolve(
    store: Store, append: Append, unanswered: OutcomeUnknown
) -> Appended | Conflict | KeyTaken:
    """Returns the outcome of an append that got no response.

    Until that is resolved, a store that is unavailable proves nothing: the first may still arrive.
    """
    try:
        if _is_in_stream(store, append):
            return _appended(store, append)
        try:
            # Without its time: refused for that now, the first request might still be accepted.
            return _verify(store, append, store.append(replace(append, decided_at=None)))
        except OutcomeUnknown:
            if _is_in_stream(store, append):
                return _appended(store, append)
            raise
    except Unavailable as fault:
        raise OutcomeUnknown(f"{unanswered}; then {fault}") from fault


def _verify(
    store: Store, append: Append, outcome: Appended | Conflict | KeyTaken
) -> Appended | Conflict | KeyTaken:
    """Returns the outcome, corrected where a refused append turns out to be in the stream."""
    if not isinstance(outcome, Appended) and _is_in_stream(store, append):
        return _appended(store, append)
    return outcome


def _appended(store: Store, append: Append) -> Appended:
    return Appended(append.version, store.confirm_durable(append.game))


def _is_in_stream(store: Store, append: Append) -> bool:
    """Returns whether the append's first entry is in the stream at its version."""
    entries = store.read(append.game, append.expected_version + 1).entries
    return bool(entries) and entries[0].hash == append.entries[0].hash
