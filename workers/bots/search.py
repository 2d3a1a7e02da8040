"""Monte Carlo tree search for any ruleset, on its rules themselves.

The tree's nodes are positions in which a seat must choose, and its edges choices: one command, or
several that a ruleset's hints put together (see `hints`). Different draws after a choice lead to
different nodes, so that each outcome has a subtree of its own. A simulation goes down the tree,
leaves it at a new position, lets the ruleset's policy play on for some turns, and evaluates the
position then; ended games are valued by their result.

Choices are tried by their promise first (the first impression of the hints), and then by upper
confidence bounds on the lead of the seat that chooses. A first impression counts for some
simulations (`trust`): with few of them a search is never much worse than no search.

The n-th simulation of each choice at the root meets the same draws, of the bot's own generator:
choices are compared in the same luck. The game's seed is not known here: only a state is.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from service.bot_levels import SearchParameters
from service.rules.chance import Draw, FreeChance
from service.rules.described import Command
from service.rules.ruleset import AnyRuleset, run

from .hints import Option
from .knowledge import Knowledge

WELL_KNOWN = 5
"""A position is well known if at least one in so many simulations goes through it."""

Clock = Callable[[], float]
"""Returns seconds since some fixed moment."""

Results = tuple[list[float], list[float]]
"""Points and share of the win, by seat."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """One command of an advice.

    `points` are what each seat may expect at the end after it, `win` the chance (0 … 1) that the
    seat which asks wins (ties count in parts), `visits` the simulations behind this, and `value`
    what commands are ranked by: the expected lead, with a share of the first impression. `plan` is
    the choice that was tried: the command and those put together with it.
    """

    command: Command
    visits: int
    points: tuple[float, ...]
    win: float
    value: float
    plan: tuple[Command, ...]


@dataclass(frozen=True, slots=True)
class Advice:
    """A search's result: the commands considered, best first; never empty.

    `line` is the best command with those that go together with it, in order: each is legal after
    those before it, and all but the last draw nothing.
    """

    ranked: tuple[Ranked, ...]
    simulations: int
    line: tuple[Command, ...]


class _Edge:
    """A choice in a node, with its results so far; sums are by seat."""

    __slots__ = ("after", "option", "points", "value", "visits", "wins")

    def __init__(self, option: Option, seats: int) -> None:
        self.option = option
        self.visits = 0
        self.value = 0.0
        self.points = [0.0] * seats
        self.wins = [0.0] * seats
        self.after: dict[tuple[Draw, ...], _Node] = {}


class _Node:
    """A position in which a seat must choose; its edges are made at its second visit."""

    __slots__ = ("edges", "impressions", "seat", "value", "visits")

    def __init__(self, seat: int) -> None:
        self.seat = seat
        self.visits = 0
        self.value = 0.0
        self.impressions = 0.0
        self.edges: list[_Edge] | None = None


class Search:
    """A search for one seat's choice: `run` it, or `simulate` as often as wanted for `advice`."""

    def __init__(
        self,
        ruleset: AnyRuleset,
        knowledge: Knowledge,
        figures: SearchParameters,
        state: Any,
        seat: int,
        generator: random.Random,
    ) -> None:
        self._ruleset, self._knowledge, self._figures = ruleset, knowledge, figures
        self._state, self._seat = state, seat
        self._seats = len(knowledge.evaluate(state))
        self._luck = generator.getrandbits(64)
        self._generator = random.Random(generator.getrandbits(64))
        self._until = knowledge.moment(state) + figures.ahead
        self._root = _Node(seat)
        self._root.edges = self._edges(state, seat)
        self.simulations = 0

    @property
    def only_choice(self) -> tuple[Command, ...]:
        """The commands of the only choice; empty where there are more."""
        edges = self._root.edges or []
        return edges[0].option.commands if len(edges) == 1 else ()

    def run(self, clock: Clock) -> Advice:
        """Simulates within the figures' limits, at least once; just once for an only choice."""
        figures, end = self._figures, clock() + self._figures.seconds
        self.simulate()
        while not self.only_choice and self.simulations < figures.simulations and clock() < end:
            self.simulate()
        return self.advice()

    def simulate(self) -> None:
        """Makes one simulation."""
        ruleset = self._ruleset
        state = ruleset.clone(self._state)
        edge = self._select(self._root)
        # The n-th visit of each choice meets the same luck
        luck = random.Random(self._luck + edge.visits)
        chance = FreeChance(luck)
        node, path = self._root, []
        while True:
            path.append((node, edge))
            draws = self._follow(state, node.seat, edge.option.commands, chance)
            if ruleset.over(state) or self._knowledge.moment(state) >= self._until:
                break
            seat = ruleset.to_act(state)[0]
            found = edge.after.get(draws)
            if found is None or len(path) == self._figures.depth:
                edge.after.setdefault(draws, _Node(seat))
                self._play_on(state, chance)
                break
            node = found
            if node.edges is None:
                node.edges = self._edges(state, seat)
            edge = self._select(node)
        self._record(path, self._results(state))
        self.simulations += 1

    def advice(self) -> Advice:
        """Returns the commands considered, best first. Needs at least one simulation."""
        root, seat = self._root, self._seat
        ordered = self._ordered(root)
        return Advice(
            tuple(self._ranked(edge, seat) for edge in ordered),
            self.simulations,
            self._line(ordered[0]),
        )

    def _ordered(self, node: _Node) -> list[_Edge]:
        return sorted(node.edges or (), key=lambda edge: -self._mean(node, edge))

    def _line(self, edge: _Edge) -> tuple[Command, ...]:
        """Returns a choice's commands with the seat's next ones, as long as nothing is drawn and

        the tree knows the positions well.
        """
        commands = edge.option.commands
        while True:
            node = edge.after.get(())
            if (
                node is None
                or node.seat != self._seat
                or node.visits * WELL_KNOWN < self.simulations
            ):
                return commands
            edge = self._ordered(node)[0]
            commands += edge.option.commands

    def _ranked(self, edge: _Edge, seat: int) -> Ranked:
        if edge.visits:
            points = tuple(total / edge.visits for total in edge.points)
            win = edge.wins[seat] / edge.visits
        else:  # never simulated: as the position right after it looks
            state = self._ruleset.clone(self._state)
            chance = FreeChance(random.Random(self._luck))
            self._follow(state, seat, edge.option.commands, chance)
            expected, wins = self._results(state)
            points, win = tuple(expected), wins[seat]
        plan = edge.option.commands
        return Ranked(plan[0], edge.visits, points, win, self._mean(self._root, edge), plan)

    def _edges(self, state: Any, seat: int) -> list[_Edge]:
        figures = self._figures
        options = self._knowledge.options(state, seat, self._generator)
        options.sort(key=lambda option: -option.promise)
        threshold = options[0].promise - figures.drop
        return [
            _Edge(option, self._seats)
            for option in options[: figures.width]
            if option.promise >= threshold
        ]

    def _select(self, node: _Node) -> _Edge:
        edges = node.edges or []
        if len(edges) == 1:
            return edges[0]
        spread = math.log(node.visits + 1)
        explore = self._figures.explore
        best, highest = edges[0], -math.inf
        for edge in edges:
            bound = self._mean(node, edge) + explore * math.sqrt(spread / (edge.visits + 1))
            if bound > highest:
                best, highest = edge, bound
        return best

    def _mean(self, node: _Node, edge: _Edge) -> float:
        """Returns a choice's mean value, its first impression counted in.

        Impressions and values may differ in level; what counts is how a choice's impression differs
        from the mean impression of those that were simulated.
        """
        trust = self._figures.trust
        promise = edge.option.promise
        if not node.visits:
            return promise
        guess = node.value / node.visits + promise - node.impressions / node.visits
        return (trust * guess + edge.value) / (trust + edge.visits)

    def _follow(
        self, state: Any, seat: int, commands: tuple[Command, ...], chance: FreeChance
    ) -> tuple[Draw, ...]:
        """Carries out commands and returns their draws."""
        first = len(chance.draws)
        for command in commands:
            run(self._ruleset, state, seat, command, chance)
        return tuple(chance.draws[first:])

    def _play_on(self, state: Any, chance: FreeChance) -> None:
        """Lets the policy play for all seats until the horizon."""
        ruleset, knowledge = self._ruleset, self._knowledge
        while not ruleset.over(state) and knowledge.moment(state) < self._until:
            seat = ruleset.to_act(state)[0]
            for command in knowledge.policy(state, seat, self._generator):
                run(ruleset, state, seat, command, chance)

    def _results(self, state: Any) -> Results:
        points = self._knowledge.evaluate(state)
        if self._ruleset.over(state):
            ranks = [line.rank for line in self._ruleset.score(state).seats]
            first = ranks.count(1)
            return points, [1 / first if rank == 1 else 0.0 for rank in ranks]
        hopes = [
            math.exp((own - max(points)) * math.log(3) / self._figures.spread) for own in points
        ]
        return points, [hope / sum(hopes) for hope in hopes]

    def _record(self, path: list[tuple[_Node, _Edge]], results: Results) -> None:
        points, wins = results
        for node, edge in path:
            seat = node.seat
            lead = points[seat] - max(points[:seat] + points[seat + 1 :])
            value = lead + self._figures.win * wins[seat]
            node.visits += 1
            node.value += value
            node.impressions += edge.option.promise
            edge.visits += 1
            edge.value += value
            for number in range(self._seats):
                edge.points[number] += points[number]
                edge.wins[number] += wins[number]


def search(
    ruleset: AnyRuleset,
    knowledge: Knowledge,
    figures: SearchParameters,
    state: Any,
    seat: int,
    generator: random.Random,
    clock: Clock,
) -> Advice:
    """Returns the result of a search within the figures' limits, for a seat that may act.

    Leaves the state as it is. The same state, figures and generator give the same advice unless
    the clock ends the search.
    """
    return Search(ruleset, knowledge, figures, state, seat, generator).run(clock)
