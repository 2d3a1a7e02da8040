"""Advice: a search for the seat that asked, in its place and with luck of its own."""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Collection
from dataclasses import asdict
from typing import Any

from service.games import analyses, tracing
from service.games.analyses import Analysis, Choice
from service.games.game import Game
from service.games.repository import UnknownGame
from service.rules.described import Command, dump_command
from service.store import Gone

from . import bots, metrics, sandbox
from .bots import Advice
from .context import WorkerContext

log = logging.getLogger(__name__)


def run_analysis(context: WorkerContext, analysis_id: str) -> bool:
    """Thinks about a question that waits under an id and writes down what came of it.

    Returns whether anything waited. Raises what the store raises.
    """
    store = context.command_handler.store
    wanted = analyses.start_analysis(store, analysis_id)
    if wanted is None:
        return False
    tracing.note(request=wanted.request)
    told = _run_search(context, wanted)
    if told is None:
        found = analyses.fail_analysis(store, wanted)
    else:
        ranked = [Choice(**{**each, "points": tuple(each["points"])}) for each in told["ranked"]]
        found = analyses.complete_analysis(store, wanted, told["simulations"], ranked, told["line"])
    metrics.ANALYSED.labels(found.status).inc()
    return True


def _run_search(context: WorkerContext, wanted: Analysis) -> Any:
    """Returns what the level's search finds at the version asked about, as plain data; None where

    it can't. It is held to the bounds of bots' moves (see `thinking`).
    """
    try:
        game = context.command_handler.repository.load_version(wanted.game, wanted.version)
    except (Gone, UnknownGame):
        return None
    if game.hash.hex() != wanted.hash:  # the store has lost what was asked about
        return None
    try:
        return sandbox.run_in_child(
            lambda: _search(game, wanted), sandbox.time_allowed(game.ruleset, wanted.level)
        )
    except sandbox.BotFault as fault:
        log.error("the analysis %s of game %s %s: %s", wanted.id, game.id, fault.reason, fault)
        return None


def _search(game: Game, wanted: Analysis) -> Any:
    advice = bots.think(
        game.ruleset,
        game.state,
        wanted.seat,
        wanted.level,
        analysis_generator(wanted),
        time.monotonic,
    )
    choices = _ranked_choices(advice, game.ruleset.legal(game.state, wanted.seat))
    return {
        "simulations": advice.simulations,
        "ranked": [asdict(choice) for choice in choices],
        "line": [dump_command(command) for command in advice.line],
    }


def analysis_generator(wanted: Analysis) -> random.Random:
    """Returns the search's own generator. It follows from what was asked, never from the game's

    seed: a question that is asked or thought about again has the same answer.
    """
    return random.Random(f"{wanted.game} {wanted.version} {wanted.seat} {wanted.level}")


def _ranked_choices(advice: Advice, legal: Collection[Command]) -> list[Choice]:
    """Returns the commands looked at, best first, none twice.

    A plan is told by its first command that is legal at once and by which no better plan is told;
    one without any adds nothing.
    """
    found: dict[Command, Choice] = {}
    for each in advice.ranked:
        own = next((one for one in each.plan if one in legal and one not in found), None)
        if own is not None:
            found[own] = Choice(dump_command(own), each.points, each.win, each.visits)
    return list(found.values())
