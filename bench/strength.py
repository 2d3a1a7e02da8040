"""How strong the levels of bots are: pairs of games with the same draws and the seats swapped.

python -m bench.strength RULESET LEVEL LEVEL [--pairs N] [--jobs N] [--seconds]
python -m bench.strength --write

Each game's result is a line of JSON in `bench/strength.jsonl`; what is there already is not played
again, so a run can be stopped and continued. `--write` writes the table of all results into
`bench/results.md`. Searches are bounded by their simulations alone, so that results do not depend
on the machine; with `--seconds` the levels' time counts as well.

Games are of two seats. A shared win counts half. Intervals are Wilson's, at 95 %.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any, NamedTuple

from service.levels import LEVELS, SEARCH, levels
from service.rules.chance import FreeChance
from service.rules.ruleset import rulesets, run, start
from workers import bots

RESULTS = Path(__file__).with_name("strength.jsonl")
PAGE = Path(__file__).with_name("results.md")
HEADING = "## Bots"
Z = 1.96


class Match(NamedTuple):
    """One game to be played: `one` sits in seat `seat`, `other` in the other."""

    ruleset: str
    one: str
    other: str
    pair: int
    seat: int
    timed: bool
    setting: str


def setting(ruleset: str, level: str) -> str:
    """Returns the figures of a level, as text: games under other figures are other games."""
    figures = levels()[level].of(ruleset)
    return "" if figures is None else json.dumps([getattr(figures, n) for n in figures.__slots__])


def play(match: Match) -> dict[str, Any]:
    """Plays a game and returns its result: totals and ranks of both, thinking time of each."""
    ruleset = rulesets()[match.ruleset]
    names = (match.one, match.other) if match.seat == 0 else (match.other, match.one)
    clock = time.monotonic if match.timed else bots.timeless
    generators = [random.Random(f"{match.pair} {seat}") for seat in range(2)]
    chance = FreeChance(random.Random(f"draws {match.pair}"))
    state, _ = start(ruleset, 2, ruleset.options(), chance)
    spent, longest, moves = [0.0, 0.0], [0.0, 0.0], [0, 0]
    while acting := ruleset.to_act(state):
        seat = acting[0]
        begun = time.process_time()
        found = bots.line(ruleset, state, seat, names[seat], generators[seat], clock)
        took = time.process_time() - begun
        spent[seat] += took
        longest[seat] = max(longest[seat], took)
        moves[seat] += len(found)
        for command in found:
            run(ruleset, state, seat, command, chance)
    scores = ruleset.score(state).seats
    order = (match.seat, 1 - match.seat)
    return {
        **match._asdict(),
        "totals": [scores[seat].total for seat in order],
        "ranks": [scores[seat].rank for seat in order],
        "cpu_s": [round(spent[seat], 2) for seat in order],
        "longest_s": [round(longest[seat], 2) for seat in order],
        "moves": [moves[seat] for seat in order],
    }


def interval(wins: float, games: int) -> tuple[float, float]:
    """Returns Wilson's interval (95 %) of a share."""
    share = wins / games
    middle = share + Z * Z / (2 * games)
    half = Z * (share * (1 - share) / games + Z * Z / (4 * games * games)) ** 0.5
    whole = 1 + Z * Z / games
    return (middle - half) / whole, (middle + half) / whole


def known() -> list[dict[str, Any]]:
    """Returns all results so far."""
    if not RESULTS.exists():
        return []
    return [json.loads(line) for line in RESULTS.read_text().splitlines()]


def key(result: dict[str, Any]) -> Match:
    """Returns the game that a result is of."""
    return Match(**{name: result[name] for name in Match._fields})


def line(results: list[dict[str, Any]]) -> str:
    """Returns a row of the table for results of one pairing."""
    first = results[0]
    games = len(results)
    wins = sum(
        1.0 if one < other else 0.5 if one == other else 0.0
        for one, other in (result["ranks"] for result in results)
    )
    low, high = interval(wins, games)
    own, others = (sum(r["totals"][side] for r in results) / games for side in (0, 1))
    a_move = sum(r["cpu_s"][0] for r in results) / max(1, sum(r["moves"][0] for r in results))
    bound = "seconds too" if first["timed"] else "simulations"
    return (
        f"| {first['ruleset']} | {first['one']} | {first['other']} | {games} "
        f"| {wins / games:.1%} ({low:.1%} – {high:.1%}) | {own:.1f} : {others:.1f} "
        f"| {1000 * a_move:.1f} | {bound} |"
    )


def table(results: Iterable[dict[str, Any]]) -> str:
    """Returns the table of all pairings under the levels' present figures."""

    def pairing(result: dict[str, Any]) -> tuple[Any, ...]:
        names = [result["one"], result["other"]]
        return (result["ruleset"], *map(LEVELS.index, names), result["timed"])

    present = [r for r in results if r["setting"] == settings(r["ruleset"], r["one"], r["other"])]
    rows = [
        line(list(group))
        for _, group in itertools.groupby(sorted(present, key=pairing), key=pairing)
    ]
    return "\n".join(
        (
            "| ruleset | level | against | games | won | mean totals | ms of CPU a command "
            "| bounded by |",
            "|---|---|---|---:|---|---|---:|---|",
            *rows,
        )
    )


def settings(ruleset: str, one: str, other: str) -> str:
    """Returns the figures of both levels, as text."""
    return f"{setting(ruleset, one)} {setting(ruleset, other)}".strip()


def figures() -> str:
    """Returns what the levels that search are bounded by, as text."""
    lines = []
    for name, level in levels().items():
        if level.method == SEARCH:
            told = (f"{ruleset} {level.of(ruleset).simulations}" for ruleset in rulesets())  # type: ignore[union-attr]
            lines.append(f"`{name}`: simulations a command: {', '.join(told)}.")
    return "\n".join(lines)


def write() -> None:
    """Writes the section on bots of the page of results; the rest of the page stays."""
    text = PAGE.read_text() if PAGE.exists() else "# Results\n"
    before, _, rest = text.partition(f"{HEADING}\n")
    after = rest[rest.index("\n## ") + 1 :] if "\n## " in rest else ""
    section = (
        f"{HEADING}\n`python -m bench.strength`: pairs of games with the same draws and the seats "
        "swapped, two seats, by the\nfigures of `service/data/levels.json`. A shared win counts "
        f"half; intervals are Wilson's, 95 %.\n\n{table(known())}\n\n{figures()}\n"
    )
    PAGE.write_text("\n".join(filter(None, (before.rstrip("\n") + "\n", section, after))))


def matches(asked: argparse.Namespace) -> Iterator[Match]:
    """Yields the games of a run, pair after pair."""
    text = settings(asked.ruleset, asked.level, asked.against)
    for pair in range(asked.pairs):
        for seat in (0, 1):
            yield Match(asked.ruleset, asked.level, asked.against, pair, seat, asked.seconds, text)


def played(left: list[Match], jobs: int) -> Iterator[dict[str, Any]]:
    """Plays games in so many processes and yields their results as they come."""
    if jobs == 1:
        yield from map(play, left)
        return
    with ProcessPoolExecutor(jobs) as pool:
        for future in as_completed([pool.submit(play, match) for match in left]):
            yield future.result()


def main() -> None:
    """Runs from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ruleset", nargs="?", choices=[*rulesets()])
    parser.add_argument("level", nargs="?", choices=LEVELS)
    parser.add_argument("against", nargs="?", choices=LEVELS)
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seconds", action="store_true", help="levels' seconds count as well")
    parser.add_argument("--write", action="store_true", help="write the page of results")
    asked = parser.parse_args()
    if asked.against:
        wanted = list(matches(asked))
        done = [result for result in known() if key(result) in set(wanted)]
        missing = set(wanted) - set(map(key, done))
        left = [match for match in wanted if match in missing]
        for result in played(left, asked.jobs):
            done.append(result)
            with RESULTS.open("a") as out:  # one write a line: several runs may go on at once
                out.write(json.dumps(result) + "\n")
            print(line(done), flush=True)
        if done and not left:
            print(line(done))
    if asked.write:
        write()


if __name__ == "__main__":
    main()
