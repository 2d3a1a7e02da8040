"""The clocks of a table's seats (T-8): start, stop, and what expires next."""

from __future__ import annotations

from collections.abc import Iterable

from . import clocks as table_clocks
from .clocks import Clock, Deadline
from .state import Table


def first_to_expire(table: Table) -> tuple[int, int] | None:
    """Returns the time that runs out next, and whose it is; None while no clock runs."""
    running = [
        (clock.until, seat) for seat, clock in enumerate(table.clocks) if clock.until is not None
    ]
    return min(running, default=None)


def settle_clocks(table: Table, waiting: Iterable[int]) -> None:
    """Sets the clocks at an append's end, at the time `moved`: those of the people that the game

    waits for run, all others stand (T-8).
    """
    running = table.people.intersection(waiting)
    table.clocks = tuple(
        table_clocks.at_append_end(deadline_of(table), clock, table.moved, seat in running)
        for seat, clock in enumerate(table.clocks)
    )


def deadline_of(table: Table) -> Deadline:
    deadline = table.created.deadline
    assert deadline is not None  # noqa: S101 - there are clocks
    return deadline


def set_clock(table: Table, seat: int, clock: Clock) -> None:
    table.clocks = (*table.clocks[:seat], clock, *table.clocks[seat + 1 :])


def stop_clock(table: Table, seat: int) -> int:
    """Lets the clock of a seat that moved stand; returns what the seat gained. Bots have none."""
    if table.seats[seat].bot:
        return 0
    clock, gained = table_clocks.after_move(deadline_of(table), table.clocks[seat], table.moved)
    set_clock(table, seat, clock)
    return gained
