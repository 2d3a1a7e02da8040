"""Long poll (Prefer: wait): requests held until there is something to return, or time is up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...games.tokens import Token
from ..http import game_access
from .subscriber import Subscriber, monotonic
from .subscriptions import OVER_STATUSES, new_subscriber, subscribed


def wait_for_event(game_id: str, caller: Token | None, after: int, seconds: int) -> None:
    """Waits until a game has events after a version, is over or gone, or the time is up.

    Raises as `game_access.load_readable` and `Broker.add` do.
    """
    subscriber = new_subscriber("wait", caller)
    with subscribed(subscriber, remove=True) as broker:
        broker.follow_game(game_id, subscriber)
        game = game_access.load_readable(game_id, caller).game
        if game.version <= after and game.table.status not in OVER_STATUSES:
            broker.published_version(game)
            _wait_until(subscriber, seconds, lambda version, last: version > after or last)


def wait_for_turns(caller: Token, known_state: str | None, seconds: int) -> tuple[list[Any], str]:
    """Returns a client's turns and the id of that state, once it differs from `known_state` or

    (if that is None) once there is a turn, or when the time is up. Raises as `Broker.add` does.
    """
    subscriber = new_subscriber("wait", caller)
    with subscribed(subscriber, remove=True) as broker:
        inbox = broker.follow_inbox(caller.hash, subscriber)

        def has_changed(version: int, last: bool) -> bool:
            nonlocal inbox
            inbox = broker.inbox_state(caller.hash)
            return inbox.state != known_state if known_state is not None else bool(inbox.turns)

        if not has_changed(0, False):
            _wait_until(subscriber, seconds, has_changed)
        return inbox.turns, inbox.state


def _wait_until(
    subscriber: Subscriber, seconds: int, is_enough: Callable[[int, bool], bool]
) -> None:
    """Receives messages until one is enough (by its version and whether it is the last)."""
    until = monotonic() + seconds
    while (left := until - monotonic()) > 0:
        messages = subscriber.receive(left)
        if messages is None or any(is_enough(each.version, each.last) for each in messages):
            return
