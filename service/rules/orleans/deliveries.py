"""Sending followers to deeds, from Town Hall and Gunpowder Tower."""

from __future__ import annotations

from ..described import Command, Event
from ..ruleset import RuleViolation
from .action_events import (
    CitizenTaken,
    FollowerDelivered,
)
from .commands import (
    COIN,
    POINT,
    Delivery,
    UsePlace,
    delivering,
    delivery,
)
from .options import Options
from .place_actions import Use
from .rewards import develop
from .state import Seat, State
from .tables import (
    DEED,
    DEED_COINS,
    DEED_POINTS,
    DEED_SLOTS,
    DEEDS,
    FIRST,
    KIND_DEEDS,
    KINDS,
    LAST_SPACE,
    MONK,
    PLACE_MASK,
    STARTING,
)


class Deliver(Use):
    """Sends followers to deeds (O-4.10, O-5.9)."""

    needs = frozenset({"deliveries"})
    spends = False

    def check_form(self, command: UsePlace, options: Options) -> None:
        super().check_form(command, options)
        spaces = [sent.space for sent in command.deliveries or ()]
        if spaces != sorted(set(spaces)):
            raise self.refusal("wrong_fields", "Deliveries go by space, each space once.")

    def active(self, me: Seat) -> bool:
        return bool(me.men & PLACE_MASK[self.place])

    def able(self, state: State, number: int) -> bool:
        return any(self._ways(state, number, space) for space in (0, 1))

    def commands(self, state: State, number: int) -> list[Command]:
        first, second = (self._ways(state, number, space) for space in (0, 1))
        listed: list[Command] = []
        for one in first:
            listed.append(delivering(self.place, (one,)))
            listed += [
                delivering(self.place, (one, other))
                for other in second
                if one.deed != other.deed or self._room_for_both(state, number, one)
            ]
        listed += [delivering(self.place, (other,)) for other in second]
        return listed

    def _kind(self, state: State, number: int, space: int) -> int:
        """Returns the kind of a follower that may be sent from a space, or -1."""
        code = state.seats[number].spaces[FIRST[self.place] + space]
        if not 0 <= code < STARTING or (code == MONK and not state.options.monks_on_deeds):
            return -1
        return code

    def _ways(self, state: State, number: int, space: int) -> list[Delivery]:
        kind = self._kind(state, number, space)
        if kind < 0:
            return []
        return [
            delivery(space, deed, reward)
            for deed in KIND_DEEDS[kind]
            if state.slots[deed][kind]
            for reward in ((COIN, POINT) if DEED_POINTS[deed] else (COIN,))
        ]

    def _room_for_both(self, state: State, number: int, one: Delivery) -> bool:
        first, second = (self._kind(state, number, space) for space in (0, 1))
        return first != second or state.slots[DEED[one.deed]][first] > 1

    def judge(self, state: State, number: int, command: UsePlace) -> list[Event]:
        events = [self.used(state, number)]
        at = state.seats[number].development
        sent: list[tuple[int, int]] = []
        for one in command.deliveries or ():
            kind = self._kind(state, number, one.space)
            if kind < 0:
                raise self.refusal("nobody_to_send", "No follower that may be sent stands there.")
            deed = DEED[one.deed]
            if not DEED_SLOTS[deed][kind]:
                raise RuleViolation("wrong_kind", "O-5.10", "That deed has no slot of that kind.")
            sent.append((deed, kind))
            if state.slots[deed][kind] < sent.count((deed, kind)):
                raise self.refusal("slots_taken", "That deed's slots of that kind are taken.")
            coins = DEED_COINS[deed]
            if one.reward == POINT:
                if not DEED_POINTS[deed]:
                    raise self.refusal("wrong_reward", "That deed leaves no choice of reward.")
                coins = 0
            events.append(
                FollowerDelivered(
                    number, self.name, one.space, KINDS[kind], one.deed, one.reward, coins
                )
            )
            if one.reward == POINT:
                events += develop(state, number, at, DEED_POINTS[deed])
                at = min(LAST_SPACE, at + DEED_POINTS[deed])
            if sum(state.slots[deed]) == sum(other == deed for other, _ in sent):
                events.append(CitizenTaken(number, DEEDS[deed]))
        return events
