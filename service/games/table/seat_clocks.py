"""The clocks of a table's seats (T-8): they start, they stop, and one of them expires next."""

from __future__ import annotations

from collections.abc import Iterable

from . import clocks as table_clocks
from .clocks import Clock, Deadline
from .state import Table


def first_to_expire(table: Table) -> tuple[int, int] | None:
    """Returns when (ms) the next clock runs out, and whose it is; None while no clock runs."""
    running = [
        (clock.until, seat) for seat, clock in enumerate(table.clocks) if clock.until is not None
    ]
    return min(running, default=None)


def settle_clocks(table: Table, to_act: Iterable[int]) -> None:
    """Sets the clocks at an append's end, at the time `changed_at` (T-8): those of the people that

    the game waits for run, all others stand.
    """
    running = table.human_seats.intersection(to_act)
    table.clocks = tuple(
        table_clocks.clock_at_append_end(
            deadline_of(table), clock, table.changed_at, seat in running
        )
        for seat, clock in enumerate(table.clocks)
    )


def deadline_of(table: Table) -> Deadline:
    """Returns the deadline of a table that has clocks."""
    deadline = table.created.deadline
    assert deadline is not None  # noqa: S101 - there are clocks
    return deadline


def set_clock(table: Table, seat: int, clock: Clock) -> None:
    """Replaces one seat's clock in place."""
    table.clocks = (*table.clocks[:seat], clock, *table.clocks[seat + 1 :])


def stop_clock(table: Table, seat: int) -> int:
    """Stops the clock of a seat that moved. Returns the time (ms) it gained.

    That is 0 for a bot, and for a seat that the game did not wait for: its clock stood.
    """
    if table.seats[seat].bot or table.clocks[seat].until is None:
        return 0
    clock, gained = table_clocks.clock_after_move(
        deadline_of(table), table.clocks[seat], table.changed_at
    )
    set_clock(table, seat, clock)
    return gained
