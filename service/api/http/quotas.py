"""How much a client may have at a time."""

from __future__ import annotations

from ...games import index_lists
from ...games.repository import UnknownGame
from ...games.tokens import Token
from ...rules.plain import Detail
from ...store import Gone
from .problems import Problem
from .services import services


def check_game_quota(caller: Token, laid: str | None, more: int = 1) -> None:
    """Raises `Problem` "too_many_games" where the caller would host too many with `more` games.

    `laid` is the id that a game would have under which it may have been laid before: a request
    that is repeated is not refused. What is laid at the same moment may go a little beyond.
    """
    most = services().settings.games_per_token
    if not most:
        return
    found = services().store.list_by_client(index_lists.hosted_by(caller.hash), most)
    if len(found) + more > most and not _exists(laid):
        raise Problem(
            "too_many_games",
            Detail(
                "The token hosts {count} games that are not over, and may host {most}.",
                count=len(found),
                most=most,
            ),
        )


def _exists(game_id: str | None) -> bool:
    try:
        return game_id is not None and bool(services().repository.load(game_id))
    except (UnknownGame, Gone):
        return False
