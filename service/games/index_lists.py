"""In which index lists a game stands: by status, client, host, and games of bots alone."""

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
    """Returns how the index lists change from one state to a later one, None if they do not."""
    old = None if before is None else _status_list(before)
    new = _status_list(after)
    was = frozenset() if before is None else _lists(before)
    now = _lists(after)
    if before is not None and old == new and was == now:
        return None
    return IndexChange(
        after.table.created_at,
        None if old == new else old,
        None if old == new else new,
        tuple(sorted(now - was)),
        tuple(sorted(was - now)),
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
    """Returns the hashes of the tokens that have to do with the game: host and seats."""
    seated = {seat.token for seat in game.table.seats if seat.token is not None}
    seated.discard(table_state.NO_HASH)  # whoever sat there in a game that was imported
    return frozenset(seated | {game.table.host})


def bot_game_lists(game: Game) -> frozenset[str]:
    """Returns the names of the lists that a game stands in if bots play it alone and it has not

    ended: its host's, and that of all such games but for those whose people gave their seats away,
    lest these take others' room.
    """
    table = game.table
    if table.status not in (table_state.OPEN, table_state.PLAYING) or not all_bots(table.seats):
        return frozenset()
    own = bot_games_of(table.host)
    return frozenset({own, BOT_GAMES} if all_bots(table.created.seats) else {own})


def bot_games_of(client: str) -> str:
    """Returns the name of the list of a client's games of bots alone."""
    return f"{BOT_GAMES}-{client}"


def all_bots(seats: Iterable[Seat | SeatPlan]) -> bool:
    """Returns whether bots play all these seats."""
    return all(seat.kind == "bot" for seat in seats)


def hosted_by(client: str) -> str:
    """Returns the name of the list, beside a client's own, of the games it hosts and that are not

    over.
    """
    return _HOSTING + client


def _lists(game: Game) -> frozenset[str]:
    """Returns the names of all lists, besides those of statuses, that the game stands in."""
    found = clients(game) | bot_game_lists(game)
    return found if game.table.over else found | {hosted_by(game.table.host)}


def _status_list(game: Game) -> str | None:
    return game.table.status if game.table.public else None
