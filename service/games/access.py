"""The gate: who a caller is at a table, what they may read, and what stays sealed.

A client's token never enters the house: its SHA-256 does.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass, field, replace

from ..rules.plain import Event, Plain, dump
from .events import TableEvent
from .table import Party, Table

_TOKEN = re.compile(r"bl_[A-Za-z0-9_-]{43}")
_CODE = re.compile(r"b[cw]_[A-Za-z0-9_-]{43}")


@dataclass(frozen=True, slots=True)
class Token:
    """A client's token, or a watch code sent in its place. `text` must not be logged or stored;

    `hash` is its hexadecimal SHA-256.
    """

    text: str
    hash: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "hash", hashed(self.text))

    def __repr__(self) -> str:
        return "Token(…)"


def hashed(secret: str) -> str:
    """Returns the hexadecimal SHA-256 of a token or code."""
    return hashlib.sha256(secret.encode()).hexdigest()


def new_token() -> Token:
    """Returns a fresh client token of 256 random bits."""
    return Token("bl_" + secrets.token_urlsafe(32))


def is_token(text: str) -> bool:
    """Returns whether the text has a client token's form."""
    return _TOKEN.fullmatch(text) is not None


def is_code(text: str) -> bool:
    """Returns whether the text has a claim or watch code's form."""
    return _CODE.fullmatch(text) is not None


def claim_code(token: Token, game: str, seat: int, number: int) -> str:
    """Returns the code that opens a seat; the same whenever its maker asks again.

    `number` is 0 for the code made at creation, then the table's count of hand-overs.
    """
    return "bc_" + _derived(token, f"claim\0{game}\0{seat}\0{number}")


def watch_code(token: Token, game: str) -> str:
    """Returns the code with which a private game may be read."""
    return "bw_" + _derived(token, f"watch\0{game}")


def _derived(token: Token, purpose: str) -> str:
    mac = hmac.digest(token.text.encode(), purpose.encode(), "sha256")
    return base64.urlsafe_b64encode(mac).decode().rstrip("=")


def same(known: str | None, given: str | None) -> bool:
    """Returns whether two hashes are the same, in constant time; None is like nothing."""
    return known is not None and given is not None and hmac.compare_digest(known, given)


def is_host(table: Table, caller: str | None) -> bool:
    """Returns whether the caller (a token's hash) is the table's host."""
    return same(table.host, caller)


def seats_of(table: Table, caller: str | None) -> tuple[int, ...]:
    """Returns the seats that the caller holds, ascending."""
    return tuple(i for i, seat in enumerate(table.seats) if same(seat.token, caller))


def may_read(table: Table, caller: str | None) -> bool:
    """Returns whether the caller may read the game (T-9)."""
    return (
        table.public
        or is_host(table, caller)
        or same(table.watch, caller)
        or bool(seats_of(table, caller))
    )


def parties(table: Table, caller: str | None) -> tuple[Party, ...]:
    """Returns the parties that the caller may send commands as: own seats, then the host's."""
    own = seats_of(table, caller)
    found = [Party(seat) for seat in own]
    if is_host(table, caller):
        found.append(Party(None, host=True))
        found += [Party(seat, host=True) for seat in range(len(table.seats)) if seat not in own]
    return tuple(found)


def party(
    table: Table, caller: str | None, seat: int | None, *, hosting: bool = False
) -> Party | None:
    """Returns the party that the caller speaks for when it names a seat (or none).

    Without a seat it is the only seat the caller holds, else the host; `hosting` says that the
    host's own command is sent, which is for no seat. None: it has no right to.
    """
    own = seats_of(table, caller)
    host = is_host(table, caller)
    if seat is None and len(own) == 1 and not (hosting and host):
        seat = own[0]
    if seat is not None and seat in own:
        return Party(seat)
    return Party(seat, host=True) if host else None


def public(event: Event) -> dict[str, Plain]:
    """Returns an event's data without its sealed fields."""
    data = dump(event)
    if isinstance(event, TableEvent):
        for name in event.sealed:
            del data[name]
    return data


def unrevealed(event: Event) -> Event:
    """Returns an event that does not stand (a dry run's) without what it would reveal."""
    if isinstance(event, TableEvent) and event.reveals:
        return replace(event, **dict.fromkeys(event.reveals))
    return event
