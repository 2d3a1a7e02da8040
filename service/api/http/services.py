"""Services: settings, store, write path and caches, built once for an application."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, cast

from flask import current_app

from ...config import Settings
from ...games.bot_game_quota import BotGameQuota
from ...games.commands.handler import CommandHandler
from ...games.repository import Repository
from ...games.webhooks.service import WebhookService
from ...store import Store, rate_buckets
from .rate_limits import RateLimiter
from .representation_cache import RepresentationCache

EXTENSION: Final = "bailli"
CACHED_GAMES: Final = 500
CACHED_PICTURES: Final = 100


@dataclass(frozen=True, slots=True)
class Services:
    """Settings, store, and what is built on them."""

    settings: Settings
    store: Store
    repository: Repository
    command_handler: CommandHandler
    webhook_service: WebhookService
    rate_limiter: RateLimiter
    game_cache: RepresentationCache = field(
        default_factory=lambda: RepresentationCache(CACHED_GAMES)
    )
    picture_cache: RepresentationCache = field(
        default_factory=lambda: RepresentationCache(CACHED_PICTURES)
    )


def build_services(settings: Settings, store: Store) -> Services:
    """Returns the services of an application on a store."""
    repository = Repository(store, settings.cache, settings.archive)
    bot_game_quota = BotGameQuota(store, repository, settings.bots_client, settings.bots_all)
    command_handler = CommandHandler(
        store, repository, settings.lifetimes, settings.patience, bot_game_quota
    )
    webhook_service = WebhookService(store, repository)
    shared_buckets = None
    if settings.redis_url is not None:
        shared_buckets = rate_buckets.SharedBuckets(settings.resolve_queue_url(settings.redis_url))
    rate_limiter = RateLimiter(settings.rate_limit, shared=shared_buckets)
    return Services(settings, store, repository, command_handler, webhook_service, rate_limiter)


def services() -> Services:
    """Returns the services of the current application."""
    return cast(Services, current_app.extensions[EXTENSION])
