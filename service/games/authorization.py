"""Authorization: who a caller is at a table, what they may read, what stays sealed (T-9)."""

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
    """Returns the parties that the caller may send commands as: own seats, then the host's."""
    own = seats_of(table, caller)
    found = [Actor(seat) for seat in own]
    if is_host(table, caller):
        found.append(Actor(None, host=True))
        found += [Actor(seat, host=True) for seat in range(len(table.seats)) if seat not in own]
    return tuple(found)


def actor_for(
    table: Table, caller: str | None, seat: int | None, *, hosting: bool = False
) -> Actor | None:
    """Returns the party that the caller speaks for when it names a seat (or none).

    Without a seat it is the only seat the caller holds, else the host; `hosting` says that the
    host's own command is sent, which is for no seat. None: it has no right to.
    """
    own = seats_of(table, caller)
    host = is_host(table, caller)
    if seat is None and len(own) == 1 and not (hosting and host):
        seat = own[0]
    if seat is not None and seat in own:
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
    """Returns an event that does not stand (a dry run's) without what it would reveal."""
    if isinstance(event, TableEvent) and event.reveals:
        return replace(event, **dict.fromkeys(event.reveals))
    return event
