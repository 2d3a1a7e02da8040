"""The context of jobs: the write path, the bots' generator, the delivery threads."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path

from service.config import Settings
from service.games.commands.handler import CommandHandler
from service.games.due_work import Lifetimes
from service.games.repository import Repository
from service.store import Store

from .webhooks.delivery_pool import DeliveryPool


@dataclass(frozen=True, slots=True)
class WorkerContext:
    """What every job gets. `generator` is the bots' own, seeded by the system; archived games go to

    `archive_folder`; `delivery_pool` has the threads that send webhook messages, and `local` lets
    them call loopback and private networks.
    """

    command_handler: CommandHandler
    life: Lifetimes
    generator: random.Random = field(default_factory=random.Random)
    archive_folder: Path = Path("archive")
    delivery_pool: DeliveryPool = field(default_factory=DeliveryPool)
    local: bool = False


def build_context(store: Store, settings: Settings) -> WorkerContext:
    """Returns the context for a store and settings."""
    repository = Repository(store, settings.cache, settings.archive)
    command_handler = CommandHandler(store, repository, settings.lifetimes, settings.patience)
    return WorkerContext(
        command_handler,
        settings.lifetimes,
        archive_folder=settings.archive,
        local=settings.hooks_local,
    )
