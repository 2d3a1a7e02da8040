"""Tracing: the facts (`request`, `game`, `seat`, …) that log lines and appends of a request carry.

A request or a job begins with `traced`; code that learns more on the way (the game, the seat that
acts) adds it with `note`. Every line logged meanwhile in the same thread or greenlet has these
facts, and an append keeps `request` in its metadata: a job, which has no request of its own,
continues under the one whose append made its work due.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextvars import ContextVar
from typing import Final

Fact = str | int | None

_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
_SECRET: Final = re.compile(r"(b[lcw]|whsec)_", re.IGNORECASE)
_PARENT: Final = re.compile(r"(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-.*")

_NOTHING: Final[Mapping[str, Fact]] = {}
_present: ContextVar[Mapping[str, Fact]] = ContextVar("bailli-facts", default=_NOTHING)


def current_facts() -> Mapping[str, Fact]:
    """Returns the facts of the present work: `request`, `game`, `seat`, `kind`, …"""
    return _present.get()


def current_request() -> str | None:
    """Returns the id of the request that caused the present work; None where there is none."""
    found = _present.get().get("request")
    return found if isinstance(found, str) else None


class restored:
    """A context in which the given facts hold; the facts from before hold again after it."""

    def __init__(self, facts: Mapping[str, Fact]) -> None:
        self._facts = facts

    def __enter__(self) -> None:
        self._before = _present.set(self._facts)

    def __exit__(self, *fault: object) -> None:
        _present.reset(self._before)


def traced(**facts: Fact) -> restored:
    """Returns a context in which these facts hold."""
    return restored(facts)


def note(**facts: Fact) -> None:
    """Adds facts to the present work, if there is any; None adds nothing."""
    present = _present.get()
    if present:
        known = {name: value for name, value in facts.items() if value is not None}
        _present.set({**present, **known})


def request_id_from(request_id: str, parent: str) -> str | None:
    """Returns a request's id: the given one, or the trace id of a W3C `traceparent`; None where

    neither is well-formed. Text that looks like a token or a code is rejected, as ids are logged.
    """
    if _ID.fullmatch(request_id) and not _SECRET.search(request_id):
        return request_id
    match = _PARENT.fullmatch(parent)
    return None if match is None else match[1]
