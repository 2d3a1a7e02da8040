"""The job of analyses: a search in a seat's place, with draws of its own."""

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

from . import bot_sandbox, bots, metrics
from .bots import Advice
from .context import WorkerContext

log = logging.getLogger(__name__)


def run_analysis(context: WorkerContext, analysis_id: str) -> bool:
    """Computes the analysis that waits under an id and stores its result.

    Returns whether anything waited. Raises as the store does.
    """
    store = context.command_handler.store
    wanted = analyses.start_analysis(store, analysis_id)
    if wanted is None:
        return False
    tracing.note(request=wanted.request)
    result = _run_search(context, wanted)
    if result is None:
        found = analyses.fail_analysis(store, wanted)
    else:
        ranked = [Choice(**{**each, "points": tuple(each["points"])}) for each in result["ranked"]]
        found = analyses.complete_analysis(
            store, wanted, result["simulations"], ranked, result["line"]
        )
    metrics.ANALYSES.labels(found.status).inc()
    return True


def _run_search(context: WorkerContext, wanted: Analysis) -> Any:
    """Returns the result of the level's search at the version in question, as plain data.

    None where it fails. It has the limits of bots' moves (see `bot_sandbox`).
    """
    try:
        game = context.command_handler.repository.load_version(wanted.game, wanted.version)
    except (Gone, UnknownGame):
        return None
    if game.hash.hex() != wanted.hash:  # the store has lost this version
        return None
    try:
        return bot_sandbox.run_in_child(
            lambda: _search(game, wanted), bot_sandbox.time_limit(game.ruleset, wanted.level)
        )
    except bot_sandbox.BotError as error:
        log.error("the analysis %s of game %s %s: %s", wanted.id, game.id, error.reason, error)
        return None


def _search(game: Game, wanted: Analysis) -> Any:
    advice = bots.search_advice(
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
    """Returns the search's own generator. It follows from the question, never from the game's seed:

    the same question has the same result whenever it is computed.
    """
    return random.Random(f"{wanted.game} {wanted.version} {wanted.seat} {wanted.level}")


def _ranked_choices(advice: Advice, legal: Collection[Command]) -> list[Choice]:
    """Returns the commands considered, best first, none twice.

    A plan is represented by its first command that is legal now and represents no better plan; a
    plan without any is left out.
    """
    found: dict[Command, Choice] = {}
    for each in advice.ranked:
        command = next((one for one in each.plan if one in legal and one not in found), None)
        if command is not None:
            found[command] = Choice(dump_command(command), each.points, each.win, each.visits)
    return list(found.values())
