"""The worst positions of Carcassonne: 300 tiles in one long row, all of which fit everywhere."""

from __future__ import annotations

import pytest

from service.rules.carcassonne import RULESET
from service.rules.carcassonne.options import MAX_TILES, Options
from service.rules.described import Command
from tests.rules.worst import Table

KINDS = ("X", "B")
"""Tiles that fit themselves on every side, however they lie: crossroads, and monasteries."""


def farthest(commands: list[Command]) -> Command:
    """The tile that lies farthest out in the first row; no follower stays in reserve."""
    return max(commands, key=lambda each: (getattr(each, "x", -1), -abs(getattr(each, "y", 0))))


@pytest.mark.parametrize("kind", KINDS)
def test_every_request_is_quick(kind: str) -> None:
    """C-2.3: at the end of the longest row most places are open; the whole game is asked for."""
    table = Table(RULESET, 5, Options(tiles=((kind, MAX_TILES),)))
    while sum(table.state.pile) > 1 or table.state.drawn < 0:
        (seat,) = RULESET.to_act(table.state)
        table.send(seat, farthest(RULESET.legal(table.state, seat)))
    (seat,) = RULESET.to_act(table.state)
    count = len(RULESET.legal(table.state, seat))
    version = table.repository.load(table.game).game.version
    table.ask_everything()
    for at in (version, version // 2):
        for path in ("", "/moves", "/board.svg"):
            table.ask("GET", f"{table.path}{path}{'&' if '?' in path else '?'}version={at}")
    table.ask("POST", f"{table.path}/forks", {"version": version})
    table.check(f"{count} choices, {version} versions")
