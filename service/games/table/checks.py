"""Checks that the table's decisions share: is the game in play, may this actor do it?

Each raises `RuleViolation` with a rule of the table (T-…), and changes nothing.
"""

from __future__ import annotations

from ...rules.ruleset import RuleViolation
from .state import OPEN, PLAYING, Actor, Table


def check_playing(table: Table) -> None:
    """Raises `RuleViolation` before the start (T-1) and once play has ended (T-10)."""
    check_not_over(table)
    check_started(table, "T-1")


def check_not_over(table: Table) -> None:
    """Raises `RuleViolation` ("game_over", T-10) once play has ended."""
    if table.status not in (OPEN, PLAYING):  # T-10
        raise RuleViolation("game_over", "T-10", "The game is over.")


def check_started(table: Table, rule: str) -> None:
    """Raises `RuleViolation` ("not_started") by the given rule unless the game is in play."""
    if table.status != PLAYING:
        raise RuleViolation("not_started", rule, "The game has not started yet.")


def check_host(actor: Actor, rule: str) -> None:
    """Raises `RuleViolation` ("not_the_host") unless the host acts, for no seat."""
    if not actor.host or actor.seat is not None:
        raise RuleViolation("not_the_host", rule, "Only the host may do this, for no seat.")


def check_own_seat(table: Table, actor: Actor, rule: str) -> int:
    """Returns the seat that acts for itself. Raises `RuleViolation` for anybody else:

    "not_a_seat" by the given rule, "seat_resigned" (T-2), "played_by_bot" (T-4).
    """
    if actor.seat is None or actor.host:
        raise RuleViolation("not_a_seat", rule, "Only the seat itself may do this.")
    seat = table.seats[actor.seat]
    if seat.resigned:
        raise RuleViolation("seat_resigned", "T-2", "The seat has resigned.")
    if seat.bot:
        raise RuleViolation("played_by_bot", "T-4", "A bot plays this seat.")
    return actor.seat


def all_seats_filled(table: Table) -> bool:
    """Returns whether every seat has a person or a bot."""
    return all(seat.filled for seat in table.seats)
