"""How strong the levels of bots are: rounds of games with the same draws, the seats passed round.

python -m bench.strength RULESET LEVEL LEVEL [--pairs N] [--seats N] [--jobs N] [--seconds]
python -m bench.strength --write

Each game's result is a line of JSON in `bench/strength.jsonl`; what is there already is not played
again, so a run can be stopped and continued. `--write` writes the table of all results into
`bench/results.md`. Searches are bounded by their simulations alone, so that results do not depend
on the machine; with `--seconds` the levels' time counts as well.

`--pairs` are rounds: games with the same draws, in which the first level sits in each seat once.
See `workers/arena.py` for what is counted.
"""

from __future__ import annotations

import argparse
import itertools
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from service.bot_levels import LEVELS, SEARCH, levels
from service.rules.ruleset import rulesets
from workers.arena import Match, play_matches, schedule, summarize

from . import page

RESULTS = Path(__file__).with_name("strength.jsonl")
NOTES = Path(__file__).with_name("strength.md")
"""What was tried, in prose: the end of the section."""
HEADING = "Bots"


def setting(ruleset: str, level: str) -> str:
    """Returns the figures of a level, as text: games under other figures are other games."""
    figures = levels()[level].parameters_for(ruleset)
    return "" if figures is None else json.dumps([getattr(figures, n) for n in figures.__slots__])


def known() -> list[dict[str, Any]]:
    """Returns all results so far."""
    if not RESULTS.exists():
        return []
    return [json.loads(line) for line in RESULTS.read_text().splitlines()]


def key(result: dict[str, Any]) -> Match:
    """Returns the game that a result is of."""
    return Match(**{name: result[name] for name in Match._fields if name in result})


def line(results: list[dict[str, Any]]) -> str:
    """Returns a row of the table for results of one pairing."""
    first = key(results[0])
    found = summarize(results)
    bound = "seconds too" if first.timed else "simulations"
    return (
        f"| {first.ruleset} | {first.seats} | {first.one} | {first.other} | {found.games} "
        f"| {found.won:.1%} ({found.low:.1%} – {found.high:.1%}) "
        f"| {found.ranks[0]:.2f} : {found.ranks[1]:.2f} "
        f"| {found.totals[0]:.1f} : {found.totals[1]:.1f} "
        f"| {found.milliseconds[0]:.1f} | {found.longest[0]:.2f} | {bound} |"
    )


def table(results: Iterable[dict[str, Any]]) -> str:
    """Returns the table of all pairings under the levels' present figures."""

    def pairing(result: dict[str, Any]) -> tuple[Any, ...]:
        match = key(result)
        names = (match.one, match.other)
        return (match.ruleset, match.seats, *map(LEVELS.index, names), match.timed)

    present = [r for r in results if r["setting"] == settings(r["ruleset"], r["one"], r["other"])]
    rows = [
        line(list(group))
        for _, group in itertools.groupby(sorted(present, key=pairing), key=pairing)
    ]
    return "\n".join(
        (
            "| ruleset | seats | level | against | games | won | mean ranks | mean totals "
            "| ms of CPU per command | longest s | bounded by |",
            "|---|---:|---|---|---:|---|---|---|---:|---:|---|",
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
            told = (
                f"{ruleset} {level.parameters_for(ruleset).simulations}" for ruleset in rulesets()
            )  # type: ignore[union-attr]
            lines.append(f"`{name}`: simulations per command: {', '.join(told)}.")
    return "\n".join(lines)


def section(quick: bool) -> str:
    """Returns the section of the page of results, of the games played so far."""
    return (
        "`python -m bench.strength`: rounds of games with the same draws and rotating seats, with "
        "the parameters in\n`service/data/levels.json`. One seat has the level, all others have "
        "the other one. A shared win counts as a\nfraction; intervals are Wilson's, 95 %.\n\n"
        f"{table(known())}\n\n{figures()}\n\n{NOTES.read_text().strip()}"
    )


def matches(asked: argparse.Namespace) -> list[Match]:
    """Returns the games of a run, round after round."""
    text = settings(asked.ruleset, asked.level, asked.against)
    return [
        match._replace(timed=asked.seconds, setting=text)
        for match in schedule(asked.ruleset, asked.level, asked.against, asked.pairs, asked.seats)
    ]


def main() -> None:
    """Runs from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ruleset", nargs="?", choices=[*rulesets()])
    parser.add_argument("level", nargs="?", choices=LEVELS)
    parser.add_argument("against", nargs="?", choices=LEVELS)
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--seats", type=int, default=2)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seconds", action="store_true", help="levels' seconds count as well")
    parser.add_argument("--write", action="store_true", help="write the page of results")
    asked = parser.parse_args()
    if asked.against:
        wanted = matches(asked)
        done = [result for result in known() if key(result) in set(wanted)]
        missing = set(wanted) - set(map(key, done))
        left = [match for match in wanted if match in missing]
        for result in play_matches(left, asked.jobs):
            done.append(result)
            with RESULTS.open("a") as out:  # one write a line: several runs may go on at once
                out.write(json.dumps(result) + "\n")
            print(line(done), flush=True)
        if done and not left:
            print(line(done))
    if asked.write:
        page.write(HEADING, section(quick=False))


if __name__ == "__main__":
    main()
