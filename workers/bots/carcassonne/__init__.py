"""Hints for Carcassonne: a turn is a tile and then a follower.

`turns` values whole turns by the position after them (`evaluation`).
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any, Final

from service.rules.carcassonne import RULESET
from service.rules.carcassonne.commands import SKIP
from service.rules.carcassonne.law import spots
from service.rules.carcassonne.state import FOLLOW, PLACE, SCORE, State
from service.rules.chance import NoChance
from service.rules.described import Command
from service.rules.ruleset import run
from workers.bots.hints import Option, Policy

from .evaluation import FIGURES, WEIGHTS, Prospect, Weights

TILE: Final = "place_tile"
NOTHING: Final = NoChance()

Valued = tuple[float, Command]


def ply_ends(state: Any, seat: int, command: Command) -> bool:
    """A ply is the whole turn (C-2.5): a placement is worth what the best follower makes of it."""
    return command.type != TILE


def evaluate(state: State) -> list[float]:
    """Returns the points each seat may hope for at the end."""
    return Prospect(state).seats()


def turns(
    state: State, seat: int, weights: Weights = WEIGHTS
) -> list[tuple[float, Command, Command | None]]:
    """Returns each placement with its best follower and the seat's lead after both."""
    now = Prospect(state, weights)
    now.seats()  # computes what a tile does not change
    found: list[tuple[float, Command, Command | None]] = []
    for placement in RULESET.legal(state, seat):
        after = state.clone()
        run(RULESET, after, seat, placement, NOTHING)
        prospect = now.after_tile(after)
        if after.step == FOLLOW:
            worth, follower = max(followers(prospect, seat), key=lambda valued: valued[0])
            found.append((worth, placement, follower))
        else:
            found.append((lead(prospect.seats(), seat), placement, None))
    return found


def followers(prospect: Prospect, seat: int) -> list[Valued]:
    """Returns the ways to end a turn, each with the seat's lead after it."""
    state = prospect.state
    hopes, free = prospect.hopes_and_followers()
    best_other = max(
        hopes[other] + prospect.worth_of_free(free[other])
        for other in range(state.seats)
        if other != seat
    )
    own_lead = hopes[seat] - best_other
    found: list[Valued] = []
    _, face, base, _ = state.tiles[-1]
    for command, part in spots(face).items():
        root = state.root(base + part)
        if state.men[root]:
            continue
        points, _ = prospect.of(root)
        worth = (
            own_lead + points + prospect.worth_of_free(free[seat] - 1 + prospect.return_share(root))
        )
        found.append((worth, command))
    found.append((own_lead + prospect.worth_of_free(free[seat]), SKIP))
    return found


def lead(points: list[float], seat: int) -> float:
    """Returns a seat's lead over the best other."""
    return points[seat] - max(points[:seat] + points[seat + 1 :])


def policy_by(weights: Weights) -> Policy:
    """Returns the policy that ends each turn with the best lead by these weights."""

    def line(state: State, seat: int, generator: random.Random) -> tuple[Command, ...]:
        if state.step == PLACE:
            _, placement, follower = max(turns(state, seat, weights), key=lambda turn: turn[0])
            return (placement,) if follower is None else (placement, follower)
        return (max(followers(Prospect(state, weights), seat), key=lambda valued: valued[0])[1],)

    return line


def tuned(figures: Mapping[str, float]) -> Policy:
    """Returns the policy under other weights than those of the data file."""
    return policy_by(Weights(**figures))


policy = policy_by(WEIGHTS)


def options(state: State, seat: int, generator: random.Random) -> list[Option]:
    """Returns the placements, or after one the followers, with the lead after the turn."""
    if state.step == PLACE:
        return [Option((placement,), worth) for worth, placement, _ in turns(state, seat)]
    return [Option((command,), worth) for worth, command in followers(Prospect(state), seat)]


def moment(state: State) -> int:
    """Returns how many turns are over."""
    return len(state.tiles) - (state.step in (FOLLOW, SCORE))


__all__ = ["FIGURES", "evaluate", "moment", "options", "ply_ends", "policy", "tuned"]
