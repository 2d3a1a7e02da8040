"""Judging a command. The first rule broken is told, in this order: form, end, phase, turn, place,

space, content, special rule.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ..described import Command, Event
from ..ruleset import RuleViolation
from . import torture
from .action_events import FollowersReturned, SeatPassed
from .actions import ACTIONS
from .commands import (
    DrawFollowers,
    EndPlanning,
    Give,
    KeepSacristy,
    Pass,
    PayHarvest,
    PlaceFollower,
    PlaceTechnology,
    ReopenPlanning,
    ReturnFollowers,
    TakeBack,
    UsePlace,
    UseSacristy,
    WithdrawFollower,
)
from .conditions import (
    FOOD_QUESTION,
    SACRISTY_QUESTION,
    bath_spaces,
    draws_left,
    food_kinds,
    most_draws,
    on_tower,
    placeable,
    planner,
    question,
    refuse,
    reopen_bar,
    return_bar,
    takeable,
    technology_spaces,
    withdrawable,
)
from .event_kinds import DRAWN, MARKET, ON_TOWER
from .events import (
    DrawChosen,
    FollowerPlaced,
    FollowerTakenBack,
    FollowerWithdrawn,
    HarvestPaid,
    PlanningEnded,
    PlanningReopened,
    SacristyKept,
    SacristyUsed,
    TechnologyPlaced,
)
from .options import IN_TURN
from .rewards import TILE_OF
from .state import ACTIONS as ACTING
from .state import COUNTED, EMPTY, EVENT, FOLLOWERS, OVER, PHASE_NAMES, PLANNING, Seat, State
from .tables import (
    BATHHOUSE,
    CODES,
    FIRST,
    GOOD,
    KIND_OF,
    KINDS,
    MARKET_SPACES,
    PLACE,
    PLACE_OF,
    SIZE,
    STARTING,
    TOWER,
    TOWER_MASK,
    TOWN_HALL,
    bits,
)

PHASES: Final[dict[int, tuple[type[Command], ...]]] = {
    COUNTED: (Give,),
    FOLLOWERS: (TakeBack, DrawFollowers),
    PLANNING: (PlaceFollower, WithdrawFollower, PlaceTechnology, EndPlanning, ReopenPlanning),
    ACTING: (UsePlace, ReturnFollowers, Pass),
    EVENT: (PayHarvest, UseSacristy, KeepSacristy, Give),
}
"""Which commands belong to each step."""
DONE_RULES: Final = {FOLLOWERS: "O-2.3", PLANNING: "O-2.4"}
CODE_OF: Final = {(KINDS[KIND_OF[code]], code >= STARTING): code for code in range(CODES)}


def decide(state: State, seat: int, command: Command) -> list[Event]:
    """Returns what the command states. Raises `RuleViolation` for all that `legal` leaves out."""
    if isinstance(command, UsePlace):
        action = ACTIONS[PLACE[command.place]]
        if action is not None:
            action.check_form(command, state.options)
    elif isinstance(command, Give):
        torture.check_form(command)
    if state.step == OVER:
        raise RuleViolation("game_over", "O-8.1", "The game is over.")
    _check_phase(state, command)
    _check_turn(state, seat, command)
    return _JUDGES[type(command)](state, seat, state.seats[seat], command)


def _check_phase(state: State, command: Command) -> None:
    """O-2: each command belongs to a phase; while a draw is due, none does."""
    if state.pending:
        raise RuleViolation("draw_due", "O-2", "A draw is due first.")
    if not isinstance(command, PHASES.get(state.step, ())) and not (
        isinstance(command, PlaceFollower) and state.bath
    ):
        phase = PHASE_NAMES[state.step]
        raise RuleViolation("wrong_phase", "O-2", "This is the phase: {phase}.", phase=phase)


def _check_turn(state: State, number: int, command: Command) -> None:
    if state.debt:
        if number != state.debtor:  # O-7.1
            raise RuleViolation(
                "not_your_turn", "O-7.1", "Seat {seat} has to give.", seat=state.debtor
            )
        if not isinstance(command, Give):
            raise RuleViolation("torture_first", "O-7.1", "Something must be given first.")
    elif state.step in DONE_RULES:
        known = 0 <= number < len(state.seats)
        if known and isinstance(command, ReopenPlanning):
            return
        if not known or state.seats[number].done:
            raise RuleViolation("already_done", DONE_RULES[state.step], "The seat is done.")
        if state.step == PLANNING and state.options.planning == IN_TURN:
            _check_planner(state, number)
    elif number != state.seat:  # O-2.5, O-2.6
        rule = "O-2.6" if state.step == EVENT else "O-2.5"
        raise RuleViolation("not_your_turn", rule, "It is seat {seat}'s turn.", seat=state.seat)


def _check_planner(state: State, number: int) -> None:
    """O-2.4, where seats plan in turn."""
    turn = planner(state)
    if number != turn:
        raise RuleViolation("not_your_turn", "O-2.4", "It is seat {seat}'s turn.", seat=turn)


def _space(me: Seat, command: Any, rule: str) -> int:
    """Returns the number of the space that a command names, of a place that the seat has."""
    place = PLACE[command.place]
    if not me.places >> place & 1:
        raise RuleViolation("not_your_place", rule, "The seat does not have that place.")
    if command.space >= SIZE[place]:
        raise RuleViolation("no_such_space", rule, "That place has no such space.")
    return FIRST[place] + int(command.space)


def _take_back(state: State, number: int, me: Seat, command: TakeBack) -> list[Event]:
    space = _space(me, command, "O-2.3")
    if not takeable(me) >> space & 1:
        if TOWER_MASK >> space & 1:
            raise RuleViolation("market_space", "O-2.3", "The tower's are market spaces.")
        if not me.men >> space & 1:
            raise RuleViolation("nobody_there", "O-2.3", "No follower stands there.")
        if draws_left(me) <= 0:
            raise RuleViolation("no_draw_left", "O-2.3", "No draw is left to decline.")
        raise RuleViolation("market_full", "O-2.3", "No market space is free.")
    tile = TILE_OF[me.spaces[space]]
    return [
        FollowerTakenBack(
            number, tile.follower, tile.starting, command.place, command.space, goes_to(me)
        )
    ]


def goes_to(me: Seat) -> str:
    """Returns where a follower goes that comes to the market: there first, else to the tower."""
    return MARKET if me.market_size < MARKET_SPACES else ON_TOWER


def _draw(state: State, number: int, me: Seat, command: DrawFollowers) -> list[Event]:
    most = most_draws(me)
    if command.count > most:
        raise RuleViolation("too_many", "O-2.3", "At most {most} can be drawn.", most=most)
    return [DrawChosen(number, command.count, False)]


def _place_follower(state: State, number: int, me: Seat, command: PlaceFollower) -> list[Event]:
    rule = "O-5.6" if state.bath else "O-2.4"
    space = _space(me, command, rule)
    if not me.empty >> space & 1:
        raise RuleViolation("space_taken", rule, "The space is taken.")
    code = CODE_OF.get((command.follower, command.starting), EMPTY)
    source = _source(state, me, code)
    mask = bath_spaces(state, me, code) if state.bath else placeable(me, code)
    if not mask >> space & 1:
        if state.bath and me.fits[code] >> space & 1:
            raise RuleViolation("leaves_no_space", "O-5.6", "A second one must find a space.")
        if PLACE_OF[space] == TOWER:
            raise RuleViolation("not_from_market", "O-5.9", "It is not in the market.")
        if PLACE_OF[space] == TOWN_HALL:
            raise RuleViolation("not_for_deeds", "O-4.10", "It may not go to the Town Hall.")
        raise RuleViolation("wrong_kind", "O-3.1", "It may not stand on that space.")
    return [
        FollowerPlaced(
            number, command.follower, command.starting, source, command.place, command.space
        )
    ]


def _source(state: State, me: Seat, code: int) -> str:
    """Returns where a follower to be placed comes from (O-2.4, O-5.6)."""
    if state.bath:
        if code == EMPTY or not state.bathing[code]:
            raise RuleViolation("not_drawn", "O-5.6", "No such follower was drawn.")
        return DRAWN
    if code != EMPTY:
        if me.market[code]:
            return MARKET
        if on_tower(me, code) != EMPTY:
            return ON_TOWER
    raise RuleViolation("no_such_follower", "O-2.4", "The market holds no such follower.")


def _withdraw(state: State, number: int, me: Seat, command: WithdrawFollower) -> list[Event]:
    space = _space(me, command, "O-2.4")
    if not withdrawable(me) >> space & 1:
        if not me.fresh >> space & 1:
            raise RuleViolation("not_fresh", "O-2.4", "Nobody was put there in this planning.")
        raise RuleViolation("market_full", "O-2.4", "No market space is free.")
    tile = TILE_OF[me.spaces[space]]
    return [
        FollowerWithdrawn(
            number, tile.follower, tile.starting, command.place, command.space, goes_to(me)
        )
    ]


def _place_technology(state: State, number: int, me: Seat, command: PlaceTechnology) -> list[Event]:
    space = _space(me, command, "O-3.3")
    if not technology_spaces(me) >> space & 1:
        if TOWER_MASK >> space & 1:
            raise RuleViolation("market_space", "O-3.3", "The tower's are no action spaces.")
        if not me.empty >> space & 1:
            raise RuleViolation("space_taken", "O-3.3", "The space is taken.")
        if not me.technology:
            raise RuleViolation("no_technology", "O-3.3", "The seat has no technology to place.")
        raise _technology_barred(me, space)
    return [TechnologyPlaced(number, command.place, command.space)]


def _technology_barred(me: Seat, space: int) -> RuleViolation:
    """Returns why a technology tile may not replace a follower there (O-3.4)."""
    place = PLACE_OF[space]
    if place == TOWN_HALL:
        return RuleViolation("town_hall", "O-3.4", "Never in the Town Hall.")
    if SIZE[place] == 1:
        return RuleViolation("single_space", "O-3.4", "Never on a place with a single space.")
    if any(PLACE_OF[other] == place for other in bits(me.technology_spaces)):
        return RuleViolation("one_per_place", "O-3.4", "The place has a technology tile.")
    if me.technology_placed:
        return RuleViolation("monk_space", "O-3.4", "Never instead of a monk.")
    return RuleViolation("farmer_first", "O-3.4", "The first must replace a farmer.")


def _end_planning(state: State, number: int, me: Seat, command: Command) -> list[Event]:
    return [PlanningEnded(number)]


def _reopen_planning(state: State, number: int, me: Seat, command: Command) -> list[Event]:
    bar = reopen_bar(state, me)
    if bar is not None:
        raise refuse(bar)
    return [PlanningReopened(number)]


def _use_place(state: State, number: int, me: Seat, command: UsePlace) -> list[Event]:
    _check_no_bath(state)
    place = PLACE[command.place]
    action = ACTIONS[place]
    if not me.places >> place & 1:
        raise RuleViolation("not_your_place", "O-2.5", "The seat does not have that place.")
    if action is None:
        raise RuleViolation("never_used", "O-2.5", "That place has no action.")
    if not action.active(me):
        rule = "O-2.5" if action.spends or place == BATHHOUSE else action.rule
        raise RuleViolation("not_activated", rule, "The place is not activated.")
    return action.judge(state, number, command)


def _check_no_bath(state: State) -> None:
    if state.bath:
        raise RuleViolation("bathhouse_first", "O-5.6", "The followers drawn come first.")


def _pass(state: State, number: int, me: Seat, command: Command) -> list[Event]:
    _check_no_bath(state)
    return [SeatPassed(number, False)]


def _return_followers(state: State, number: int, me: Seat, command: Command) -> list[Event]:
    if not state.bath:
        raise RuleViolation("nobody_drawn", "O-5.6", "The Bathhouse drew no followers.")
    bar = return_bar(state)
    if bar is not None:
        raise refuse(bar)
    return [bath_ended(state, False)]


def bath_ended(state: State, forced: bool) -> Event:
    """Returns the end of a Bathhouse's use (O-5.6)."""
    drawn = [code for code, count in enumerate(state.bathing) for _ in range(count)]
    back = [*drawn, *state.seats[state.seat].men_on(BATHHOUSE)]
    return FollowersReturned(state.seat, tuple([TILE_OF[code] for code in back]), forced)


def _pay_harvest(state: State, number: int, me: Seat, command: PayHarvest) -> list[Event]:
    asked = question(state)
    if asked == SACRISTY_QUESTION:
        raise RuleViolation("sacristy_first", "O-5.7", "The Sacristy is asked first.")
    if asked != FOOD_QUESTION:
        raise RuleViolation("no_harvest", "O-6.4", "No food is to be given now.")
    if GOOD[command.good] not in food_kinds(me):
        raise RuleViolation("no_such_food", "O-6.4", "The seat has no such food.")
    return [HarvestPaid(number, command.good, False)]


def _use_sacristy(state: State, number: int, me: Seat, command: Command) -> list[Event]:
    _check_sacristy(state)
    return [SacristyUsed(number)]


def _keep_sacristy(state: State, number: int, me: Seat, command: Command) -> list[Event]:
    _check_sacristy(state)
    return [SacristyKept(number)]


def _check_sacristy(state: State) -> None:
    if question(state) != SACRISTY_QUESTION:
        raise RuleViolation("not_asked", "O-5.7", "The Sacristy is not asked now.")


def _give(state: State, number: int, me: Seat, command: Give) -> list[Event]:
    if not state.debt:
        raise RuleViolation("nothing_owed", "O-7.1", "No coin is missing.")
    return torture.judge(state, number, command)


_JUDGES: Final[dict[type[Command], Callable[[State, int, Seat, Any], list[Event]]]] = {
    TakeBack: _take_back,
    DrawFollowers: _draw,
    PlaceFollower: _place_follower,
    WithdrawFollower: _withdraw,
    PlaceTechnology: _place_technology,
    EndPlanning: _end_planning,
    ReopenPlanning: _reopen_planning,
    UsePlace: _use_place,
    ReturnFollowers: _return_followers,
    Pass: _pass,
    PayHarvest: _pay_harvest,
    UseSacristy: _use_sacristy,
    KeepSacristy: _keep_sacristy,
    Give: _give,
}
