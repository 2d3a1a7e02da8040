"""Draining: whether this process is about to end and should accept no more subscribers."""

from __future__ import annotations

from collections.abc import Callable


class _Draining:
    """The predicate that the server process sets."""

    def __init__(self) -> None:
        self.predicate: Callable[[], bool] = lambda: False


_draining = _Draining()


def drain_when(predicate: Callable[[], bool]) -> None:
    """Closes all subscriptions of the process, and refuses new ones, once `predicate()` is true."""
    _draining.predicate = predicate


def is_draining() -> bool:
    """Returns whether this process is about to end."""
    return _draining.predicate()
