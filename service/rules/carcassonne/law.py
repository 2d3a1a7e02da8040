"""Judging, going on, applying and listing: the rules of a turn."""

from __future__ import annotations

import functools
import random
from typing import Final

from ..chance import Chance
from ..described import Command, Event
from ..ruleset import PlayEnded, RuleViolation
from .commands import PLACEMENTS, SKIP, PlaceFollower, PlaceTile, on_feature
from .events import (
    FeatureScored,
    FollowerPlaced,
    FollowerSkipped,
    Returned,
    StartSeatDrawn,
    TileDiscarded,
    TileDrawn,
    TilePlaced,
    TurnPassed,
)
from .scoring import worth
from .state import DRAW, FOLLOW, OVER, PLACE, SCORE, SHARE, START_TURN, State
from .tiles import FACES, FEATURES, FITS, KINDS, NUMBERS, pack, unpack

SEAT_IDS: Final = tuple(str(seat) for seat in range(5))

# Events of which there are few different ones are made once: they are immutable.
_tile_drawn = functools.cache(TileDrawn)
_follower_skipped = functools.cache(FollowerSkipped)
_turn_passed = functools.cache(TurnPassed)


def decide(state: State, seat: int, command: Command) -> list[Event]:
    """Returns what the command states. Raises `RuleViolation` for all that `legal` leaves out."""
    if state.step == OVER:
        raise RuleViolation("game_over", "C-4.1", "The game is over.")
    if seat != state.seat or not (state.step == PLACE or _may_follow(state)):
        raise RuleViolation(
            "not_your_turn", "C-2.4", "It is the turn of seat {seat}.", seat=state.seat
        )
    if isinstance(command, PlaceTile) == (state.step == FOLLOW):
        raise RuleViolation("wrong_step", "C-2.5", "The turn's step is {step}.", step=state.step)
    if isinstance(command, PlaceTile):
        return [_placed(state, seat, command)]
    if isinstance(command, PlaceFollower):
        return [_follower(state, seat, command)]
    return [_follower_skipped(seat, False)]


def _placed(state: State, seat: int, command: PlaceTile) -> Event:
    position = pack(command.x, command.y)
    signature = state.frontier.get(position)
    if signature is None:  # C-2.1
        if position in state.board:
            raise RuleViolation("cell_taken", "C-2.1", "A tile lies there.")
        raise RuleViolation("not_adjacent", "C-2.1", "No tile lies beside that cell.")
    if command.rotation not in FITS[state.drawn][signature]:  # C-2.1
        raise RuleViolation("edges_differ", "C-2.1", "The edges do not go on there.")
    return TilePlaced(seat, KINDS[state.drawn], command.x, command.y, command.rotation)


def _follower(state: State, seat: int, command: PlaceFollower) -> Event:
    position, face_number, base, _ = state.tiles[-1]
    part = spots(face_number).get(command)
    if part is None:  # C-2.3
        raise RuleViolation("no_such_feature", "C-2.3", "The tile has no such feature there.")
    if state.men[state.root(base + part)]:  # C-2.3
        raise RuleViolation("feature_occupied", "C-2.3", "The feature holds a follower.")
    x, y = unpack(position)
    return FollowerPlaced(seat, x, y, command.feature, command.slot)


@functools.cache
def spots(face_number: int) -> dict[PlaceFollower, int]:
    """Returns the part of a face that each follower command names, in canonical order (C-2.3)."""
    parts = [
        (node.feature, -1 if node.slot is None else node.slot, number)
        for number, node in enumerate(FACES[face_number].nodes)
    ]
    return {
        on_feature(feature, None if slot < 0 else slot): number
        for feature, slot, number in sorted(parts)
    }


def to_act(state: State) -> tuple[int, ...]:
    """Returns the seat that may act, if one may."""
    return (state.seat,) if state.step == PLACE or _may_follow(state) else ()


def _may_follow(state: State) -> bool:
    return state.step == FOLLOW and _can_follow(state)


def _can_follow(state: State) -> bool:
    if not state.reserves[state.seat]:
        return False
    _, face_number, base, _ = state.tiles[-1]
    men, root = state.men, state.root
    for part in range(base, base + len(FACES[face_number].nodes)):  # noqa: SIM110 - quicker
        if not men[root(part)]:
            return True
    return False


def legal(state: State, seat: int) -> list[Command]:
    """Returns the commands that `decide` accepts, in canonical order."""
    if seat != state.seat:
        return []
    if state.step == PLACE:
        fits, frontier = FITS[state.drawn], state.frontier
        return [
            PLACEMENTS[position][rotation]
            for position in sorted(frontier)
            for rotation in fits[frontier[position]]
        ]
    if state.step == FOLLOW and state.reserves[seat]:
        _, face_number, base, _ = state.tiles[-1]
        men, root = state.men, state.root
        commands: list[Command] = [
            command for command, part in spots(face_number).items() if not men[root(base + part)]
        ]
        return [*commands, SKIP] if commands else []
    return []


def sample(state: State, seat: int, generator: random.Random) -> Command:
    """Returns some legal command of the seat that acts: a random cell, then a random rotation."""
    if state.step == PLACE:
        fits = FITS[state.drawn]
        cells = list(state.frontier.items())
        for _ in range(8):
            position, signature = cells[int(generator.random() * len(cells))]
            rotations = fits[signature]
            if rotations:
                rotation = rotations[int(generator.random() * len(rotations))]
                return PLACEMENTS[position][rotation]
    listed = legal(state, seat)
    return listed[int(generator.random() * len(listed))]


def proceed(state: State, chance: Chance) -> list[Event]:
    """Returns the next step that happens by itself; [] when a seat must act or all is over."""
    if state.step == SCORE:
        return _scored(state)
    if state.step == DRAW:
        return [_drawn(state, chance)]
    if state.step == FOLLOW and not _can_follow(state):
        return [_follower_skipped(state.seat, True)]  # C-2.5
    if state.step == START_TURN:
        return [StartSeatDrawn(chance.pick(SEAT_IDS[: state.seats], [1] * state.seats))]  # C-1.1
    return []


def _drawn(state: State, chance: Chance) -> Event:
    kind = chance.pick(KINDS, state.pile)
    fits = FITS[kind]
    for signature in state.frontier.values():
        if fits[signature]:
            return _tile_drawn(state.seat, KINDS[kind])  # C-2.1
    return TileDiscarded(state.seat, KINDS[kind])  # C-2.2


def _scored(state: State) -> list[Event]:
    """Scores what the tile completed (C-2.4, C-3), then passes the turn or ends play (C-4.1)."""
    events: list[Event] = [
        _feature_scored(state, root) for root in state.complete if state.men[root]
    ]
    if any(state.pile):
        events.append(_turn_passed((state.seat + 1) % state.seats))
    else:
        events.append(PlayEnded("C-4.1"))
    return events


def _feature_scored(state: State, root: int) -> FeatureScored:
    found = worth(state, root)
    tile, slot = state.place_of(root)
    x, y = unpack(state.tiles[tile][0])
    returned = tuple(
        Returned(seat, *unpack(state.tiles[index][0]))
        for seat, index, part in state.followers
        if state.root(part) == root
    )
    return FeatureScored(
        FEATURES[state.feature[root]],
        x,
        y,
        slot,
        found.tiles,
        found.shields,
        found.followers,
        found.owners,
        found.points,
        returned,
    )


def evolve(state: State, event: Event) -> None:
    """Applies an event in place. What comes in every turn is asked for first."""
    if isinstance(event, TileDrawn):
        state.drawn = NUMBERS[event.kind]
        state.pile[state.drawn] -= 1
        state.step = PLACE
    elif isinstance(event, TilePlaced):
        face_number = 4 * state.drawn + event.rotation
        state.lay(pack(event.x, event.y), face_number, event.seat)
        state.drawn = -1
        state.step = FOLLOW
    elif isinstance(event, FollowerSkipped):
        state.step = SCORE
    elif isinstance(event, TurnPassed):
        state.complete = []
        state.seat = event.seat
        state.step = DRAW
    elif isinstance(event, FollowerPlaced):
        _, face_number, base, _ = state.tiles[-1]
        part = base + spots(face_number)[PlaceFollower(event.feature, event.slot)]
        state.men[state.root(part)] += 1 << SHARE * event.seat
        state.followers.append((event.seat, len(state.tiles) - 1, part))
        state.reserves[event.seat] -= 1
        state.step = SCORE
    elif isinstance(event, FeatureScored):
        _return(state, event)
    elif isinstance(event, TileDiscarded):
        kind = NUMBERS[event.kind]
        state.pile[kind] -= 1
        state.discarded.append(kind)
        if not any(state.pile):
            state.step = SCORE
    elif isinstance(event, StartSeatDrawn):
        state.seat = event.seat
        state.step = DRAW
    else:  # play_ended
        state.complete = []
        state.step = OVER


def _return(state: State, event: FeatureScored) -> None:
    index = state.board[pack(event.x, event.y)]
    _, face_number, base, _ = state.tiles[index]
    part = base + spots(face_number)[PlaceFollower(event.feature, event.slot)]
    root = state.root(part)
    state.men[root] = 0
    state.followers = [one for one in state.followers if state.root(one[2]) != root]
    for follower in event.returned:
        state.reserves[follower.seat] += 1
    for owner in event.owners:
        state.scores[owner] += event.points
    state.scored.append(event)
