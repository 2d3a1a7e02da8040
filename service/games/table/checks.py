"""What decisions of the table check first: is the game on, may this actor do it?"""

from __future__ import annotations

from ...rules.ruleset import RuleViolation
from .state import OPEN, PLAYING, Actor, Table


def check_playing(table: Table) -> None:
    """Raises `RuleViolation` before the start (T-1) and once play has ended (T-10)."""
    check_not_over(table)
    check_started(table, "T-1")


def check_not_over(table: Table) -> None:
    if table.status not in (OPEN, PLAYING):  # T-10
        raise RuleViolation("game_over", "T-10", "The game is over.")


def all_seats_filled(table: Table) -> bool:
    return all(seat.filled for seat in table.seats)


def check_own_seat(table: Table, party: Actor, rule: str) -> int:
    if party.seat is None or party.host:
        raise RuleViolation("not_a_seat", rule, "Only the seat itself may do this.")
    seat = table.seats[party.seat]
    if seat.resigned:
        raise RuleViolation("seat_resigned", "T-2", "The seat has resigned.")
    if seat.bot:
        raise RuleViolation("played_by_bot", "T-4", "A bot plays this seat.")
    return party.seat


def check_started(table: Table, rule: str) -> None:
    if table.status != PLAYING:
        raise RuleViolation("not_started", rule, "The game has not started yet.")


def check_host(party: Actor, rule: str) -> None:
    if not party.host or party.seat is not None:
        raise RuleViolation("not_the_host", rule, "Only the host may do this, for no seat.")
