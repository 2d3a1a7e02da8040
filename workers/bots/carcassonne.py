"""What bots know of Carcassonne: a turn is a tile and then a follower."""

from __future__ import annotations

from typing import Any, Final

from service.rules.plain import Command

TILE: Final = "place_tile"


def ply_ends(state: Any, seat: int, command: Command) -> bool:
    """A ply is the whole turn (C-2.5): a placement is worth what the best follower makes of it."""
    return command.type != TILE
