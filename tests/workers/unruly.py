"""Bots that do not behave, in a ruleset of their own."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from service.games import game as games
from service.rules.described import Command
from service.rules.ruleset import rulesets
from tests.rules.toy import Pebbles
from workers import bots


def loop(*_: Any) -> Command:
    """Never ends."""
    while True:
        pass


def sleep(*_: Any) -> Command:
    """Never ends, and needs no time of the machine's."""
    while True:
        time.sleep(60)


def stubborn(*_: Any) -> Command:
    """Never ends, and takes whatever interrupts it for a fault of its own."""
    while True:
        try:
            time.sleep(60)
        except Exception:
            time.sleep(0)


def wedge(*_: Any) -> Command:
    """Never comes back to the interpreter, so that nothing can interrupt it."""
    sum(range(1 << 62))
    raise AssertionError


def fail(*_: Any) -> Command:
    """Raises."""
    raise ZeroDivisionError


def die(*_: Any) -> Command:
    """Ends its process."""
    os._exit(3)


def eat(*_: Any) -> Command:
    """Takes more memory than there may be."""
    return bytearray(4 << 30)  # type: ignore[return-value]


def shout(*_: Any) -> Command:
    """Comes to something that is no command."""
    return "move!"  # type: ignore[return-value]


MISDEEDS: Final[Mapping[str, Callable[..., Command]]] = {
    deed.__name__: deed for deed in (loop, sleep, stubborn, wedge, fail, die, eat, shout)
}


class Unruly(Pebbles):
    """Pebbles whose bots do what `DEEDS` says, each by what its level alone asks for: `random`

    by `sample`, `easy` and the searches by the hints in `hints/unruly.py`.
    """

    id = "unruly"

    def sample(self, state: Any, seat: int, generator: random.Random) -> Command:
        """Returns a legal command, if it returns."""
        return acted("random") or generator.choice(self.legal(state, seat))


DEEDS: Final[dict[str, str]] = {}
"""Which of `MISDEEDS` "random", "easy" and "search" do; those not named behave."""


def acted(who: str) -> Command | None:
    """Does what somebody does of `MISDEEDS`; returns None where nothing of the kind."""
    return MISDEEDS[DEEDS[who]]() if who in DEEDS else None


def install(**deeds: str) -> Unruly:
    """Returns the ruleset, known to games and bots of this process; its bots do the deeds."""
    folder = str(Path(__file__).parent / "hints")
    if folder not in bots.__path__:
        bots.__path__.append(folder)
    DEEDS.clear()
    DEEDS.update(deeds)
    law = Unruly()
    known = {**rulesets(), Unruly.id: law}
    games.rulesets = lambda: known  # type: ignore[attr-defined]
    return law
