"""Index lists: the store's lists of games by status, client and host, and of games of bots alone.

Which lists a game is in follows from its state alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from ..store import IndexChange
from .game import Game
from .table import state as table_state
from .table.events import SeatPlan
from .table.state import Seat

_HOSTING: Final = "hosting-"

BOT_GAMES: Final = "bots"
"""The list of games of bots alone that have not ended."""


def index_change(before: Game | None, after: Game) -> IndexChange | None:
    """Returns how the index lists change from one state to a later one; None if they do not."""
    old_status = None if before is None else _status_list(before)
    new_status = _status_list(after)
    old_lists = frozenset() if before is None else _lists(before)
    new_lists = _lists(after)
    if before is not None and old_status == new_status and old_lists == new_lists:
        return None
    return IndexChange(
        after.table.created_at,
        None if old_status == new_status else old_status,
        None if old_status == new_status else new_status,
        tuple(sorted(new_lists - old_lists)),
        tuple(sorted(old_lists - new_lists)),
    )


def removal(game: Game) -> IndexChange:
    """Returns the change that takes a game out of every list."""
    return IndexChange(
        game.table.created_at, _status_list(game), None, (), tuple(sorted(_lists(game)))
    )


def restoration(game: Game) -> IndexChange:
    """Returns the change that puts a game into its lists, as if it were new."""
    return IndexChange(
        game.table.created_at, None, _status_list(game), tuple(sorted(_lists(game))), ()
    )


def clients(game: Game) -> frozenset[str]:
    """Returns the hashes of the tokens of the game's host and seats."""
    seated = {seat.token for seat in game.table.seats if seat.token is not None}
    seated.discard(table_state.NO_HASH)  # a seat of an imported game belongs to nobody
    return frozenset(seated | {game.table.host})


def bot_game_lists(game: Game) -> frozenset[str]:
    """Returns the lists of running games of bots alone that the game is in: its host's, and the one

    of all such games. Where people gave their seats to bots only the host's list counts the game,
    so that it takes no room from others.
    """
    table = game.table
    if table.status not in (table_state.OPEN, table_state.PLAYING) or not all_bots(table.seats):
        return frozenset()
    host_list = bot_games_of(table.host)
    return frozenset({host_list, BOT_GAMES} if all_bots(table.created.seats) else {host_list})


def bot_games_of(client: str) -> str:
    """Returns the name of the list of a client's games of bots alone."""
    return f"{BOT_GAMES}-{client}"


def all_bots(seats: Iterable[Seat | SeatPlan]) -> bool:
    """Returns whether bots play all these seats."""
    return all(seat.kind == "bot" for seat in seats)


def hosted_by(client: str) -> str:
    """Returns the name of the list of the games that a client hosts and that are not over."""
    return _HOSTING + client


def _lists(game: Game) -> frozenset[str]:
    """Returns the names of all lists that the game is in, besides those of statuses."""
    found = clients(game) | bot_game_lists(game)
    return found if game.table.over else found | {hosted_by(game.table.host)}


def _status_list(game: Game) -> str | None:
    return game.table.status if game.table.public else None
