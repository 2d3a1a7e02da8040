"""Pagination of lists of games: opaque cursors and the Link header."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final
from urllib.parse import urlencode

from flask import request

from ...games.game import Game
from ...games.repository import UnknownGame
from ...store import Gone, ListedGame
from .services import services

MAX_PAGE_SIZE: Final = 100
MAX_GAMES_EXAMINED: Final = 500
"""How many games are loaded for one page at most."""


def paginate(
    list_page: Callable[[ListedGame | None], list[ListedGame]],
    cursor: str | None,
    limit: int,
    represent: Callable[[Game], Any],
) -> tuple[list[Any], str | None]:
    """Returns a page of the listed games' representations (None: the game is left out) and the

    cursor of the next page, None for the last. Loads at most `MAX_GAMES_EXAMINED` games.
    """
    before = None if cursor is None else _parse_cursor(cursor)
    page: list[Any] = []
    for examined, (listed, game) in enumerate(_iterate_games(list_page, before), start=1):
        item = None if game is None else represent(game)
        if item is not None:
            page.append(item)
        if len(page) == limit or examined == MAX_GAMES_EXAMINED:
            return page, _format_cursor(listed)
    return page, None


def merge_newest(lists: list[list[ListedGame]]) -> list[ListedGame]:
    """Returns the newest `MAX_PAGE_SIZE` entries of several lists, newest first."""
    merged = sorted(
        (entry for entries in lists for entry in entries),
        key=lambda entry: (-entry.since, entry.game),
    )
    return merged[:MAX_PAGE_SIZE]


def _iterate_games(
    list_page: Callable[[ListedGame | None], list[ListedGame]], before: ListedGame | None
) -> Iterator[tuple[ListedGame, Game | None]]:
    while entries := list_page(before):
        for listed in entries:
            try:
                game: Game | None = services().repository.load(listed.game).game
            except (UnknownGame, Gone):  # removed since it was listed
                game = None
            yield listed, game
        before = entries[-1]


def _format_cursor(listed: ListedGame) -> str:
    return f"{listed.since}-{listed.game}"


def _parse_cursor(cursor: str) -> ListedGame:
    since, _, game = cursor.partition("-")
    return ListedGame(game, int(since))


def next_link_header(cursor: str | None) -> dict[str, str]:
    """Returns the Link header of the next page of this request, none without a cursor."""
    if cursor is None:
        return {}
    query = urlencode({**request.args, "cursor": cursor})
    return {"Link": f'<{request.path}?{query}>; rel="next"'}
