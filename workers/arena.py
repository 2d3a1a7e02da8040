"""The arena: matches of bots, one level in one seat against another in all others.

Games of a round have the same draws, and the level that is measured sits in each seat once (two
seats: the pairs of games of a tournament). So luck and seat count for both sides alike. Nothing of
the service takes part: only rules, bots, a generator, and a clock where the levels' seconds count.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import Any, Final, NamedTuple

from service.rules.chance import FreeChance
from service.rules.ruleset import rulesets, run, start

from . import bots

Z: Final = 1.96
"""Standard errors on either side of an interval of 95 %."""


class Match(NamedTuple):
    """One game to be played: `one` sits in seat `seat`, `other` in all others.

    Matches with the same `pair` have the same draws. `timed`: the levels' seconds count besides
    their simulations, so that the machine's speed matters. `setting` says in the results what
    figures the levels had; it changes nothing.
    """

    ruleset: str
    one: str
    other: str
    pair: int
    seat: int
    timed: bool = False
    setting: str = ""
    seats: int = 2


class Summary(NamedTuple):
    """The results of one pairing in figures. `won` is the share of first places, ties in parts;

    `low` and `high` are its interval. Ranks are means; in a tie each has the mean of the places.
    """

    games: int
    won: float
    low: float
    high: float
    totals: tuple[float, float]
    ranks: tuple[float, float]
    milliseconds: tuple[float, float]
    longest: tuple[float, float]


def schedule(ruleset: str, one: str, other: str, rounds: int, seats: int = 2) -> Iterator[Match]:
    """Yields the games of so many rounds, round after round."""
    for number in range(rounds):
        for seat in range(seats):
            yield Match(ruleset, one, other, number, seat, seats=seats)


def play_match(match: Match) -> dict[str, Any]:
    """Plays a game and returns the match with its result, as plain data.

    `totals` and `ranks` name the level measured first, then the others by seat; `cpu_s` (seconds
    of thinking), `longest_s` (the longest that one search took) and `moves` have two numbers: of
    the level measured, and of all others together. Raises `KeyError` for an unknown ruleset and
    `UnknownLevel`; and as the rules do for a number of seats that does not fit.
    """
    ruleset = rulesets()[match.ruleset]
    names = [match.other] * match.seats
    names[match.seat] = match.one
    clock = time.monotonic if match.timed else bots.stopped_clock
    generators = [random.Random(f"{match.pair} {seat}") for seat in range(match.seats)]
    chance = FreeChance(random.Random(f"draws {match.pair}"))
    state, _ = start(ruleset, match.seats, ruleset.options(), chance)
    spent, longest, moves = [0.0, 0.0], [0.0, 0.0], [0, 0]
    while acting := ruleset.to_act(state):
        seat = acting[0]
        side = int(seat != match.seat)
        begun = time.process_time()
        line = bots.choose_line(ruleset, state, seat, names[seat], generators[seat], clock)
        took = time.process_time() - begun
        spent[side] += took
        longest[side] = max(longest[side], took)
        moves[side] += len(line)
        for command in line:
            run(ruleset, state, seat, command, chance)
    scores = ruleset.score(state).seats
    order = sorted(range(match.seats), key=lambda seat: (seat != match.seat, seat))
    return {
        **match._asdict(),
        "totals": [scores[seat].total for seat in order],
        "ranks": [scores[seat].rank for seat in order],
        "cpu_s": [round(seconds, 2) for seconds in spent],
        "longest_s": [round(seconds, 2) for seconds in longest],
        "moves": moves,
    }


def play_matches(matches: Sequence[Match], jobs: int = 1) -> Iterator[dict[str, Any]]:
    """Plays games in so many processes (`jobs`) and yields their results as they finish."""
    if jobs == 1:
        yield from map(play_match, matches)
        return
    with ProcessPoolExecutor(jobs) as pool:
        for future in as_completed([pool.submit(play_match, match) for match in matches]):
            yield future.result()


def wilson_interval(wins: float, games: int) -> tuple[float, float]:
    """Returns Wilson's interval (95 %) of a share."""
    share = wins / games
    middle = share + Z * Z / (2 * games)
    half = Z * (share * (1 - share) / games + Z * Z / (4 * games * games)) ** 0.5
    whole = 1 + Z * Z / games
    return (middle - half) / whole, (middle + half) / whole


def summarize(results: Sequence[dict[str, Any]]) -> Summary:
    """Returns the summary of results; at least one, all of one pairing."""
    games = len(results)
    others = len(results[0]["ranks"]) - 1
    wins = sum(1 / result["ranks"].count(1) for result in results if result["ranks"][0] == 1)
    rank = sum(_place(result["ranks"]) for result in results) / games
    # The places of all seats add up to the same sum whatever happens
    places = (others + 1) * (others + 2) / 2
    total = sum(result["totals"][0] for result in results) / games
    totals = sum(sum(result["totals"][1:]) for result in results) / (games * others)
    spent = [
        1000
        * sum(r["cpu_s"][side] for r in results)
        / max(1, sum(r["moves"][side] for r in results))
        for side in (0, 1)
    ]
    longest = [max(result["longest_s"][side] for result in results) for side in (0, 1)]
    return Summary(
        games,
        wins / games,
        *wilson_interval(wins, games),
        totals=(total, totals),
        ranks=(rank, (places - rank) / others),
        milliseconds=(spent[0], spent[1]),
        longest=(longest[0], longest[1]),
    )


def _place(ranks: Sequence[int]) -> float:
    """Returns the first seat's place, the mean of the places where it is shared."""
    return ranks[0] + (ranks.count(ranks[0]) - 1) / 2
