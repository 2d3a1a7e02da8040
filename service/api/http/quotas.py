"""Quotas: how many unfinished games a token may host."""

from __future__ import annotations

from ...games import index_lists
from ...games.repository import UnknownGame
from ...games.tokens import Token
from ...rules.plain import Detail
from ...store import Gone
from .problems import Problem
from .services import services


def check_game_quota(caller: Token, game_id: str | None, count: int = 1) -> None:
    """Raises `Problem` "too_many_games" if the caller would host too many with `count` more games.

    `game_id` is the id that the new game would have: if it exists, the request is a repetition and
    is not refused. Concurrent requests may exceed the quota slightly.
    """
    limit = services().settings.games_per_token
    if not limit:
        return
    hosted = services().store.list_by_client(index_lists.hosted_by(caller.hash), limit)
    if len(hosted) + count > limit and not _exists(game_id):
        raise Problem(
            "too_many_games",
            Detail(
                "The token hosts {count} unfinished games and may host {limit}.",
                count=len(hosted),
                limit=limit,
            ),
        )


def _exists(game_id: str | None) -> bool:
    try:
        return game_id is not None and bool(services().repository.load(game_id))
    except (UnknownGame, Gone):
        return False
