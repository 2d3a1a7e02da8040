"""Authorization: what a caller is at a table, what it may read and do, what stays sealed (T-9).

A caller is the hash of a token; None: no token. An actor is whom a command comes from: a seat or
the host.
"""

from __future__ import annotations

from dataclasses import replace

from ..rules.described import Event, dump
from ..rules.plain import Plain
from .table.events import TableEvent
from .table.state import Actor, Table
from .tokens import same_hash


def is_host(table: Table, caller: str | None) -> bool:
    """Returns whether the caller (a token's hash) is the table's host."""
    return same_hash(table.host, caller)


def seats_of(table: Table, caller: str | None) -> tuple[int, ...]:
    """Returns the seats that the caller holds, ascending."""
    return tuple(i for i, seat in enumerate(table.seats) if same_hash(seat.token, caller))


def may_read(table: Table, caller: str | None) -> bool:
    """Returns whether the caller may read the game (T-9)."""
    return (
        table.public
        or is_host(table, caller)
        or same_hash(table.watch, caller)
        or bool(seats_of(table, caller))
    )


def actors(table: Table, caller: str | None) -> tuple[Actor, ...]:
    """Returns whom the caller may send commands as: its own seats, then the host's actors."""
    own_seats = seats_of(table, caller)
    found = [Actor(seat) for seat in own_seats]
    if is_host(table, caller):
        found.append(Actor(None, host=True))
        found += [
            Actor(seat, host=True) for seat in range(len(table.seats)) if seat not in own_seats
        ]
    return tuple(found)


def actor_for(
    table: Table, caller: str | None, seat: int | None, *, hosting: bool = False
) -> Actor | None:
    """Returns whom the caller acts as when it names a seat (or none); None where it may not.

    Without a seat it is the only seat that the caller holds, else the host; `hosting` says that the
    command is one of the host's own, which is for no seat.
    """
    own_seats = seats_of(table, caller)
    host = is_host(table, caller)
    if seat is None and len(own_seats) == 1 and not (hosting and host):
        seat = own_seats[0]
    if seat is not None and seat in own_seats:
        return Actor(seat)
    return Actor(seat, host=True) if host else None


def public_data(event: Event) -> dict[str, Plain]:
    """Returns an event's data without its sealed fields."""
    data = dump(event)
    if isinstance(event, TableEvent):
        for name in event.sealed:
            del data[name]
    return data


def without_revelations(event: Event) -> Event:
    """Returns a dry run's event, which was never committed, without what it would reveal."""
    if isinstance(event, TableEvent) and event.reveals:
        return replace(event, **dict.fromkeys(event.reveals))
    return event
