"""What the resources work with: built once for an application."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Final, cast

import orjson
from flask import current_app

from ..config import Settings
from ..games import reading
from ..games.crowds import Crowds
from ..games.game import Game
from ..games.handling import Handling
from ..games.hooking import Hooking
from ..games.repository import Repository
from ..store import rate
from ..store.protocol import Store
from .limits import Limits

NAME: Final = "bailli"
KEPT_VIEWS: Final = 500
KEPT_PICTURES: Final = 100


class Kept:
    """What was written of games at their versions, for as long as it is asked for often."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._kept: OrderedDict[tuple[str, int, bytes, Hashable], bytes] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, game: Game, write: Callable[[Game], bytes], kind: Hashable = None) -> bytes:
        """Returns what is written of a game's version, of a kind where there are several."""
        key = (game.id, game.version, game.hash, kind)
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
                return found
        written = write(game)
        with self._lock:
            self._kept[key] = written
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)
        return written


def view(game: Game) -> bytes:
    """Returns a game's view with its links as JSON bytes."""
    return orjson.dumps({**reading.view(game), "links": links(game.id)})


def links(game: str) -> dict[str, str]:
    """Returns where all that belongs to a game is found."""
    base = f"/v1/games/{game}"
    return {
        "self": base,
        "moves": f"{base}/moves",
        "commands": f"{base}/commands",
        "events": f"{base}/events",
        "score": f"{base}/score",
        "picture": f"{base}/board.svg",
        "record": f"{base}/record",
        "webhooks": f"{base}/webhooks",
        "analyses": f"{base}/analyses",
        "forks": f"{base}/forks",
        "rematch": f"{base}/rematch",
    }


@dataclass(frozen=True, slots=True)
class Services:
    """Settings, store and all that stands on them."""

    settings: Settings
    store: Store
    repository: Repository
    handling: Handling
    hooking: Hooking
    limits: Limits
    views: Kept = field(default_factory=lambda: Kept(KEPT_VIEWS))
    pictures: Kept = field(default_factory=lambda: Kept(KEPT_PICTURES))


def built(settings: Settings, store: Store) -> Services:
    """Returns the services on a store."""
    repository = Repository(store, settings.cache, settings.archive)
    crowds = Crowds(store, repository, settings.bots_client, settings.bots_all)
    handling = Handling(store, repository, settings.life, settings.patience, crowds)
    hooking = Hooking(store, repository)
    shared = None
    if settings.redis_url is not None:
        shared = rate.Shared(settings.queues(settings.redis_url))
    limits = Limits(settings.rate, shared=shared)
    return Services(settings, store, repository, handling, hooking, limits)


def services() -> Services:
    """Returns the services of the application that answers this request."""
    return cast(Services, current_app.extensions[NAME])
