"""What the resources work with: built once for an application."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Final, cast

from flask import current_app

from ...config import Settings
from ...games.bot_game_quota import BotGameQuota
from ...games.commands.handler import CommandHandler
from ...games.game import Game
from ...games.repository import Repository
from ...games.webhooks.service import WebhookService
from ...store import Store, rate_buckets
from .rate_limits import RateLimiter

EXTENSION: Final = "bailli"
CACHED_VIEWS: Final = 500
CACHED_PICTURES: Final = 100


class VersionCache:
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


@dataclass(frozen=True, slots=True)
class Services:
    """Settings, store and all that stands on them."""

    settings: Settings
    store: Store
    repository: Repository
    command_handler: CommandHandler
    webhook_service: WebhookService
    limits: RateLimiter
    views: VersionCache = field(default_factory=lambda: VersionCache(CACHED_VIEWS))
    pictures: VersionCache = field(default_factory=lambda: VersionCache(CACHED_PICTURES))


def build_services(settings: Settings, store: Store) -> Services:
    """Returns the services on a store."""
    repository = Repository(store, settings.cache, settings.archive)
    bot_game_quota = BotGameQuota(store, repository, settings.bots_client, settings.bots_all)
    command_handler = CommandHandler(
        store, repository, settings.life, settings.patience, bot_game_quota
    )
    webhook_service = WebhookService(store, repository)
    shared = None
    if settings.redis_url is not None:
        shared = rate_buckets.SharedBuckets(settings.queues(settings.redis_url))
    limits = RateLimiter(settings.rate, shared=shared)
    return Services(settings, store, repository, command_handler, webhook_service, limits)


def services() -> Services:
    """Returns the services of the application that answers this request."""
    return cast(Services, current_app.extensions[EXTENSION])
