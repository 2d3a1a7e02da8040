"""Pagination: opaque cursors and the Link header."""

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
"""How many games one page of a list looks at."""


def paginate(
    listing: Callable[[ListedGame | None], list[ListedGame]],
    cursor: str | None,
    limit: int,
    told: Callable[[Game], Any],
) -> tuple[list[Any], str | None]:
    """Returns a page of what `told` tells of the games listed (None: left out), and the next

    page's cursor. Looks at no more than `MAX_SEEN` games.
    """
    before = None if cursor is None else _parse_cursor(cursor)
    page: list[Any] = []
    for seen, (listed, game) in enumerate(_iterate_games(listing, before), start=1):
        found = None if game is None else told(game)
        if found is not None:
            page.append(found)
        if len(page) == limit or seen == MAX_GAMES_EXAMINED:
            return page, _format_cursor(listed)
    return page, None


def merge_newest(lists: list[list[ListedGame]]) -> list[ListedGame]:
    """Returns lists merged, newest first, as far as none of them is missing something."""
    merged = sorted(
        (each for found in lists for each in found), key=lambda each: (-each.since, each.game)
    )
    return merged[:MAX_PAGE_SIZE]


def _iterate_games(
    listing: Callable[[ListedGame | None], list[ListedGame]], before: ListedGame | None
) -> Iterator[tuple[ListedGame, Game | None]]:
    while found := listing(before):
        for listed in found:
            try:
                game: Game | None = services().repository.load(listed.game).game
            except (UnknownGame, Gone):  # removed since it was listed
                game = None
            yield listed, game
        before = found[-1]


def _format_cursor(listed: ListedGame) -> str:
    return f"{listed.since}-{listed.game}"


def _parse_cursor(cursor: str) -> ListedGame:
    since, _, game = cursor.partition("-")
    return ListedGame(game, int(since))


def next_link_header(following: str | None) -> dict[str, str]:
    """Returns the header that leads to the next page of what was asked."""
    if following is None:
        return {}
    asked = urlencode({**request.args, "cursor": following})
    return {"Link": f'<{request.path}?{asked}>; rel="next"'}
