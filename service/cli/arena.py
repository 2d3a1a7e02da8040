"""`bailli arena`: matches of bots, level against level."""

from __future__ import annotations

import os
from typing import Any

import click

from workers import arena as matches

from ..bot_levels import LEVELS
from ..rules.ruleset import rulesets

HEADINGS = ("level", "won", "95 %", "mean total", "mean rank", "ms a command", "longest s")


@click.command()
@click.argument("ruleset", type=click.Choice(list(rulesets())))
@click.argument("level", type=click.Choice(LEVELS))
@click.argument("against", type=click.Choice(LEVELS))
@click.option("--games", default=20, type=click.IntRange(1), help="How many games (default: 20).")
@click.option("--seats", type=int, help="How many seats (default: the smallest possible number).")
@click.option(
    "--jobs", type=click.IntRange(1), help="How many games at a time (default: one per core)."
)
@click.option(
    "--seconds", is_flag=True, help="Apply the levels' time limits too, not only their simulations."
)
def arena(
    ruleset: str,
    level: str,
    against: str,
    games: int,
    seats: int | None,
    jobs: int | None,
    seconds: bool,
) -> None:
    """Let bots play: one of LEVEL against bots of the level AGAINST.

    Games are played in rounds of one per seat: with the same draws, LEVEL in each seat once. A
    round that has begun is played to its end.
    """
    possible = rulesets()[ruleset].seats
    seats = possible[0] if seats is None else seats
    if seats not in possible or seats < 2:
        counts = ", ".join(str(number) for number in possible if number > 1)
        raise click.BadParameter(f"must be one of: {counts}", param_hint="--seats")
    rounds = -(-games // seats)
    planned = [
        match._replace(timed=seconds)
        for match in matches.schedule(ruleset, level, against, rounds, seats)
    ]
    results: list[dict[str, Any]] = []
    with click.progressbar(
        matches.play_matches(planned, jobs or os.cpu_count() or 1),
        length=len(planned),
        label=f"{ruleset}, {seats} seats",
    ) as bar:
        results.extend(bar)
    click.echo("\n".join(format_table(matches.summarize(results), level, against)))


def format_table(found: matches.Summary, level: str, against: str) -> list[str]:
    """Returns the lines of a table of both levels; figures of the second are means per seat."""
    won = (f"{found.won:.1%}", f"{found.low:.1%} – {found.high:.1%}")
    rows = [
        HEADINGS,
        (level, *won, *_figures(found, 0)),
        (against, "", "", *_figures(found, 1)),
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def _figures(found: matches.Summary, side: int) -> tuple[str, ...]:
    return (
        f"{found.totals[side]:.1f}",
        f"{found.ranks[side]:.2f}",
        f"{found.milliseconds[side]:.1f}",
        f"{found.longest[side]:.2f}",
    )
