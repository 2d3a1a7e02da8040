"""Advice: a search for the seat that asked, in its place and with luck of its own."""

from __future__ import annotations

import logging
import random
import time

from service.games import analyses
from service.games.analyses import Analysis, Choice
from service.games.repository import UnknownGame
from service.rules.plain import Command, dump_command
from service.store.protocol import Gone

from . import bots, metrics
from .bots import Advice
from .house import House

log = logging.getLogger(__name__)


def think(house: House, analysis_id: str) -> bool:
    """Thinks about a question that waits under an id and writes down what came of it.

    Returns whether anything waited. Raises what the store raises.
    """
    store = house.handling.store
    wanted = analyses.begin(store, analysis_id)
    if wanted is None:
        return False
    advice = _advice(house, wanted)
    if advice is None:
        found = analyses.fail(store, wanted)
    else:
        line = [dump_command(command) for command in advice.line]
        found = analyses.answer(store, wanted, advice.simulations, _choices(advice), line)
    metrics.ANALYSED.labels(found.status).inc()
    return True


def _advice(house: House, wanted: Analysis) -> Advice | None:
    """Returns what the level's search finds at the version asked about; None where it can't."""
    try:
        game = house.handling.repository.at(wanted.game, wanted.version)
    except (Gone, UnknownGame):
        return None
    if game.hash.hex() != wanted.hash:  # the store has lost what was asked about
        return None
    try:
        return bots.think(
            game.ruleset, game.law, wanted.seat, wanted.level, luck(wanted), time.monotonic
        )
    except Exception:  # whatever a bot does wrong, the question is answered
        log.exception("the analysis %s of game %s failed", wanted.id, wanted.game)
        return None


def luck(wanted: Analysis) -> random.Random:
    """Returns the search's own generator. It follows from what was asked, never from the game's

    seed: a question that is asked or thought about again has the same answer.
    """
    return random.Random(f"{wanted.game} {wanted.version} {wanted.seat} {wanted.level}")


def _choices(advice: Advice) -> list[Choice]:
    """Returns the commands looked at, best first. Of several plans that begin with a command it has

    the figures of the best.
    """
    found: dict[Command, Choice] = {}
    for each in advice.ranked:
        choice = Choice(dump_command(each.command), each.points, each.win, each.visits)
        found.setdefault(each.command, choice)
    return list(found.values())
