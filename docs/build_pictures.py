"""Draws the pictures in docs/pictures: a half-played game of bots for each ruleset.

python docs/build_pictures.py
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from service import render
from service.render.look import Look
from service.rules import described
from service.rules.chance import FreeChance
from service.rules.ruleset import AnyRuleset, rulesets, run, start
from workers.bots import choose

FOLDER = Path(__file__).parent / "pictures"
NAMES = ("Ana", "Benoît", "Clara", "Denis")


def half(ruleset: AnyRuleset, seats: int) -> tuple[Any, Any]:
    """Returns the view in the middle of a game of bots, and the last move before it."""
    generator = random.Random(2)
    chance = FreeChance(random.Random(1))
    state, _ = start(ruleset, seats, ruleset.options(), chance)
    views = []
    last = None
    while acting := ruleset.to_act(state):
        views.append((ruleset.view(state), last))
        command = choose(ruleset, state, acting[0], "easy", generator)
        run(ruleset, state, acting[0], command, chance)
        last = {"seat": acting[0], "command": described.dump_command(command)}
    return views[len(views) // 2]


def main() -> None:
    """Writes the files."""
    FOLDER.mkdir(exist_ok=True)
    for name, ruleset in rulesets().items():
        seats = min(3, ruleset.seats[-1])
        view, last = half(ruleset, seats)
        drawn = render.svg(name, view, Look(NAMES[:seats], last=last))
        (FOLDER / f"{name}.svg").write_text(drawn, encoding="utf-8")


if __name__ == "__main__":
    main()
