"""`bailli play`: a game of bots in the terminal, through the same write path as every game."""

from __future__ import annotations

import hashlib
import random
from pathlib import Path

import click
import orjson

from workers import bot_moves
from workers.context import WorkerContext

from .. import render
from ..bot_levels import LEVELS
from ..games.commands import verdicts
from ..games.commands.handler import CommandHandler
from ..games.commands.requests import Creation, RequestContext
from ..games.due_work import Lifetimes
from ..games.game import Game
from ..games.records import format as record_format
from ..games.repository import Repository
from ..games.table import state as table_state
from ..games.table.events import SeatPlan
from ..games.tokens import Token
from ..rules.ruleset import AnyRuleset, rulesets
from ..store import MemoryStore
from . import scores
from .progress import Progress


@click.command()
@click.argument("ruleset")
@click.option("--seats", type=int, help="How many seats (default: the smallest possible number).")
@click.option(
    "--level",
    "levels",
    multiple=True,
    type=click.Choice(LEVELS),
    help="The bots' level; given several times: seat by seat, repeating (default: easy).",
)
@click.option("--seed", help="Any text: the same text gives the same game.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The file to write the record to.",
)
def play(
    ruleset: str, seats: int | None, levels: tuple[str, ...], seed: str | None, out: Path | None
) -> None:
    """Let bots play a game of RULESET, show board and score, and write the record."""
    law = rulesets().get(ruleset)
    if law is None:
        raise click.BadParameter(f"must be one of: {', '.join(rulesets())}", param_hint="RULESET")
    seats = law.seats[0] if seats is None else seats
    if seats not in law.seats:
        possible = ", ".join(map(str, law.seats))
        raise click.BadParameter(f"must be one of: {possible}", param_hint="--seats")
    command_handler, game = play_game(law, plan_bots(seats, levels or ("easy",)), seed)
    out = out or Path(f"{ruleset}-{game.id}.json")
    record = record_format.record_of(command_handler.repository, game)
    out.write_bytes(orjson.dumps(record, option=orjson.OPT_INDENT_2) + b"\n")
    names = [str(seat.name) for seat in game.table.seats]
    click.echo(render.text(ruleset, game.ruleset.view(game.state)))
    click.echo()
    click.echo("\n".join(scores.format_score(verdicts.score_game(game).plain(), names)))
    click.echo()
    click.echo(f"The record is in {out}; verify it: bailli verify {out}")


def plan_bots(seats: int, levels: tuple[str, ...]) -> tuple[SeatPlan, ...]:
    """Returns a bot for each seat; the levels repeat."""
    chosen = [levels[seat % len(levels)] for seat in range(seats)]
    return tuple(
        SeatPlan("bot", f"seat {seat} ({level})", level) for seat, level in enumerate(chosen)
    )


def play_game(
    ruleset: AnyRuleset, seats: tuple[SeatPlan, ...], seed: str | None
) -> tuple[CommandHandler, Game]:
    """Plays a game of bots in a store of its own; returns its command handler and the game.

    The same seed gives the same game, its id and chance included; None: a new one.
    """
    generator = random.Random(seed)
    bits = generator.randbytes(32)
    store = MemoryStore()
    command_handler = CommandHandler(store, Repository(store))
    context = WorkerContext(command_handler, Lifetimes(), generator)
    token = Token("bl_" + hashlib.sha256(bits).hexdigest()[:43])
    creation = Creation(ruleset, ruleset.options(), seats, bits=hashlib.sha256(bits).digest())
    game = command_handler.create(creation, token, RequestContext(token, key="play")).game
    progress = Progress()
    moves = 0
    while game.table.status == table_state.PLAYING:
        seat = game.to_act()[0]
        game = bot_moves.play_move(context, game, seat).game
        moves += 1
        totals = " : ".join(str(line.total) for line in verdicts.score_game(game).seats)
        progress.show(f"{moves} moves, {totals}")
    progress.clear()
    return command_handler, command_handler.append_result(game, "bailli play").game
