"""What a piece of work has to do with: the facts that its log lines and its appends carry.

A request or a job begins with `traced`; whoever learns more on the way (which game was laid, which
seat acts) notes it. Everything that is logged meanwhile in the same thread or greenlet has these
facts, and an append made meanwhile keeps `request` in its metadata: so a job, which has no request,
goes on under the one whose append made its work due.
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
    """Returns what is known of the present work: `request`, `game`, `seat`, `kind`, …"""
    return _present.get()


def current_request() -> str | None:
    """Returns the id of the request that the work goes back to, None where there is none."""
    found = _present.get().get("request")
    return found if isinstance(found, str) else None


class restored:
    """Has a piece of work done under what is known of it; then what was known before is again."""

    def __init__(self, known: Mapping[str, Fact]) -> None:
        self._known = known

    def __enter__(self) -> None:
        self._before = _present.set(self._known)

    def __exit__(self, *fault: object) -> None:
        _present.reset(self._before)


def traced(**known: Fact) -> restored:
    """Has a piece of work done under these facts."""
    return restored(known)


def note(**known: Fact) -> None:
    """Adds to what is known of the present work, if there is any; None is nothing known."""
    present = _present.get()
    if present:
        told = {name: value for name, value in known.items() if value is not None}
        _present.set({**present, **told})


def request_id_from(request_id: str, parent: str) -> str | None:
    """Returns the id that a request brings: its own, or the trace id of a W3C `traceparent`; None

    where neither is well-formed. What looks like a token or a code is none: ids are written down.
    """
    if _ID.fullmatch(request_id) and not _SECRET.search(request_id):
        return request_id
    match = _PARENT.fullmatch(parent)
    return None if match is None else match[1]
