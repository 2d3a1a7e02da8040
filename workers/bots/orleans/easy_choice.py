"""How `easy` plays Orléans: its plans are made of whole places.

What a place would bring is asked of the rules: the ways to use it and the events of each. An
*outlook* (`worth`) tells what events are worth to a seat. A planning (`planning`) fills the places
that bring most together; an action is the way that is worth most, or passing if none is worth
anything.
"""

from __future__ import annotations

import random

from service.rules.described import Command
from service.rules.orleans import RULESET
from service.rules.orleans.commands import KEEP_SACRISTY, PASS, USE_SACRISTY, UsePlace
from service.rules.orleans.conditions import taxes
from service.rules.orleans.state import ACTIONS, FOLLOWERS, PLANNING, State
from service.rules.orleans.tables import HARVEST, TAXES

from .plans import bathing, drawing, planning
from .worth import Outlook

WORTH_A_MONK = 2.0
"""What an event must cost for the Sacristy's monk to go."""


def choose(state: State, seat: int, generator: random.Random) -> Command:
    """Returns one of the commands that are legal for the seat; leaves the state as it is."""
    if state.step == FOLLOWERS:
        return drawing(state, seat)
    if state.step == PLANNING:
        return planning(state, seat)
    if state.bath:
        return bathing(state, seat)
    listed = RULESET.legal(state, seat)
    if len(listed) == 1:
        return listed[0]
    outlook = Outlook(state, seat)
    if state.step == ACTIONS:
        return _action(outlook, listed)
    if listed[0] is USE_SACRISTY:
        return USE_SACRISTY if _cost(outlook) >= WORTH_A_MONK else KEEP_SACRISTY
    return min(listed, key=outlook.price)


def _action(outlook: Outlook, listed: list[Command]) -> Command:
    best: Command = PASS
    most = 0.0
    for command in listed:
        if isinstance(command, UsePlace):
            worth = outlook.of(command)
            if worth > most:
                best, most = command, worth
    return best


def _cost(outlook: Outlook) -> float:
    """Returns what the round's event will cost the seat."""
    state, me = outlook.state, outlook.me
    if state.event == HARVEST:
        return 1.0 if any(me.goods[:3]) else 5.0
    return taxes(me) if state.event == TAXES else outlook.left * 0.6
