"""Who may act, and everything that they may do."""

from __future__ import annotations

from collections.abc import Sequence

from ..described import Command
from . import torture
from .actions import uses
from .commands import (
    DRAW,
    END_PLANNING,
    KEEP_SACRISTY,
    PASS,
    PAY_HARVEST,
    PLACE_TECHNOLOGY,
    PUT,
    REOPEN_PLANNING,
    RETURN,
    TAKE_BACK,
    USE_SACRISTY,
    WITHDRAW,
)
from .conditions import (
    NO_QUESTION,
    SACRISTY_QUESTION,
    bath_spaces,
    food_kinds,
    most_draws,
    placeable,
    planner,
    question,
    reopen_bar,
    return_bar,
    takeable,
    technology_spaces,
    withdrawable,
)
from .options import IN_TURN
from .state import ACTIONS, COUNTED, EVENT, FOLLOWERS, NOBODY, PLANNING, Seat, State
from .tables import IN_ORDER


def to_act(state: State) -> tuple[int, ...]:
    """Returns the seats that the game waits for, ascending."""
    step = state.step
    if state.pending:
        return ()
    if step == PLANNING and state.options.planning == IN_TURN:
        number = planner(state)
        return () if number == NOBODY else (number,)
    if step in (PLANNING, FOLLOWERS):
        return tuple([number for number, seat in enumerate(state.seats) if not seat.done])
    if step == ACTIONS:
        return (state.seat,)
    if step in (COUNTED, EVENT):
        if state.debt:
            return (state.debtor,)
        if step == EVENT and question(state) != NO_QUESTION:
            return (state.seat,)
    return ()


def legal(state: State, seat: int) -> list[Command]:
    """Returns the commands that `decide` accepts, in canonical order."""
    if seat not in to_act(state):
        return _reopening(state, seat)
    me = state.seats[seat]
    if state.step == PLANNING:
        return _planning(me)
    if state.step == FOLLOWERS:
        listed = pick(TAKE_BACK, takeable(me))
        listed += DRAW[: most_draws(me) + 1]
        return listed
    if state.step == ACTIONS:
        return _bath(state, me) if state.bath else [*uses(state, seat), PASS]
    if state.debt:
        return torture.items(state)
    if question(state) == SACRISTY_QUESTION:
        return [USE_SACRISTY, KEEP_SACRISTY]
    return [PAY_HARVEST[good] for good in food_kinds(me)]


def pick(row: Sequence[Command], mask: int) -> list[Command]:
    """Returns the commands of a row of spaces whose bits are set."""
    listed = []
    while mask:
        low = mask & -mask
        listed.append(row[low.bit_length() - 1])
        mask ^= low
    return listed


def _reopening(state: State, seat: int) -> list[Command]:
    """Returns what a seat may do that the game does not wait for."""
    if state.step == PLANNING and 0 <= seat < len(state.seats):
        return [REOPEN_PLANNING] if reopen_bar(state, state.seats[seat]) is None else []
    return []


def _planning(me: Seat) -> list[Command]:
    listed: list[Command] = []
    for code in IN_ORDER:
        mask = placeable(me, code)
        if mask:
            listed += pick(PUT[code], mask)
    listed += pick(WITHDRAW, withdrawable(me))
    listed += pick(PLACE_TECHNOLOGY, technology_spaces(me))
    listed.append(END_PLANNING)
    return listed


def _bath(state: State, me: Seat) -> list[Command]:
    listed: list[Command] = []
    for code in IN_ORDER:
        mask = bath_spaces(state, me, code)
        if mask:
            listed += pick(PUT[code], mask)
    if return_bar(state) is None:
        listed.append(RETURN)
    return listed
