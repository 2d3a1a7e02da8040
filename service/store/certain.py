"""Appends whose outcome is certain, however the connection fails.

The hash of an append's first entry covers its random id, so an entry with that hash at the
expected place proves that the append has won.
"""

from __future__ import annotations

from .protocol import Append, Conflict, KeyTaken, OutcomeUnknown, Store, Won


def append_surely(store: Store, append: Append) -> Won | Conflict | KeyTaken:
    """Appends once, and finds out what became of it.

    Without an answer the stream is looked at; if the append is not there, the very same append is
    sent once more: at most one of the two can win. A conflict, or a key taken, is believed only
    after a look at the stream. Raises `OutcomeUnknown` when both went unanswered and the append
    is not to be seen (it may still land), and otherwise as the store does.
    """
    try:
        return _believed(store, append, store.append(append))
    except OutcomeUnknown:
        if _stands(store, append):
            return Won(append.version)
    try:
        return _believed(store, append, store.append(append))
    except OutcomeUnknown:
        if _stands(store, append):
            return Won(append.version)
        raise


def _believed(
    store: Store, append: Append, answer: Won | Conflict | KeyTaken
) -> Won | Conflict | KeyTaken:
    if not isinstance(answer, Won) and _stands(store, append):
        return Won(append.version)
    return answer


def _stands(store: Store, append: Append) -> bool:
    """Returns whether the append's first entry is in the stream, at its place."""
    entries = store.read(append.game, append.expected_version + 1).entries
    return bool(entries) and entries[0].hash == append.entries[0].hash
