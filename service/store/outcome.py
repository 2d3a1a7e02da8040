"""Appends whose outcome is certain, however the connection fails.

The hash of an append's first entry covers its random id, so an entry with that hash at the
expected place proves that the append has won. Whether it is also kept as surely as the store was
set to is then asked anew.
"""

from __future__ import annotations

from dataclasses import replace

from .protocol import Append, Appended, Conflict, KeyTaken, OutcomeUnknown, Store, Unavailable


def append_resolving(store: Store, append: Append) -> Appended | Conflict | KeyTaken:
    """Appends once, and finds out what became of it.

    Without an answer the stream is looked at; if the append is not there, the very same append is
    sent once more: at most one of the two can win. A conflict, or a key taken, is believed only
    after a look at the stream.

    Raises `Unavailable` only where nothing was written nor may still be; `OutcomeUnknown` where a
    sending went unanswered and nothing settled it since; otherwise as the store does.
    """
    try:
        return _checked(store, append, store.append(append))
    except OutcomeUnknown as unanswered:
        return _resolve(store, append, unanswered)


def _resolve(
    store: Store, append: Append, unanswered: OutcomeUnknown
) -> Appended | Conflict | KeyTaken:
    """Finds out what became of a sending without an answer.

    Until that is settled, a store that cannot be asked proves nothing: the first may still land.
    """
    try:
        if _is_in_stream(store, append):
            return _appended(store, append)
        try:
            # Not judged by time again: refused for that now, the first might still be taken later.
            return _checked(store, append, store.append(replace(append, judged=None)))
        except OutcomeUnknown:
            if _is_in_stream(store, append):
                return _appended(store, append)
            raise
    except Unavailable as fault:
        raise OutcomeUnknown(f"{unanswered}; then {fault}") from fault


def _checked(
    store: Store, append: Append, answer: Appended | Conflict | KeyTaken
) -> Appended | Conflict | KeyTaken:
    if not isinstance(answer, Appended) and _is_in_stream(store, append):
        return _appended(store, append)
    return answer


def _appended(store: Store, append: Append) -> Appended:
    return Appended(append.version, store.confirm(append.game))


def _is_in_stream(store: Store, append: Append) -> bool:
    """Returns whether the append's first entry is in the stream, at its place."""
    entries = store.read(append.game, append.expected_version + 1).entries
    return bool(entries) and entries[0].hash == append.entries[0].hash
