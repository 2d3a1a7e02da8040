"""All that may be seen of a game: everything but the order of the pile."""

from __future__ import annotations

from ..plain import Plain
from .state import FOLLOW, PLACE, State
from .tiles import FEATURES, KINDS, unpack


def view(state: State) -> dict[str, Plain]:
    """Returns the table as plain data: tiles in the order placed, followers, pile, open cells."""
    return {
        "step": state.step if state.step in (PLACE, FOLLOW) else None,
        "seat": state.seat,
        "drawn": None if state.drawn < 0 else KINDS[state.drawn],
        "pile": {
            "size": sum(state.pile),
            "kinds": {KINDS[kind]: count for kind, count in enumerate(state.pile) if count},
        },
        "discarded": [KINDS[kind] for kind in state.discarded],
        "scores": list(state.scores),
        "reserves": list(state.reserves),
        "tiles": [
            {
                "x": x,
                "y": y,
                "kind": KINDS[face // 4],
                "rotation": face % 4,
                "seat": None if seat < 0 else seat,
            }
            for (x, y), face, seat in (
                (unpack(position), face, seat) for position, face, _, seat in state.tiles
            )
        ],
        "followers": [_follower(state, seat, tile, part) for seat, tile, part in state.followers],
        "open_cells": [list(unpack(position)) for position in sorted(state.frontier)],
    }


def _follower(state: State, seat: int, tile: int, part: int) -> dict[str, Plain]:
    x, y = unpack(state.tiles[tile][0])
    return {
        "seat": seat,
        "x": x,
        "y": y,
        "feature": FEATURES[state.feature[part]],
        "slot": state.slot_of(tile, part),
    }
