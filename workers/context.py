"""What the jobs need to do their work: the write path, the bots' generator, the couriers."""

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
    """The write path and what goes with it. `generator` is the bots' own, from the system;

    `folder` is where archived games go, `courier` carries what webhooks are told; `local` lets it
    call loopback and private networks.
    """

    command_handler: CommandHandler
    life: Lifetimes
    generator: random.Random = field(default_factory=random.Random)
    folder: Path = Path("archive")
    delivery_pool: DeliveryPool = field(default_factory=DeliveryPool)
    local: bool = False


def build_context(store: Store, settings: Settings) -> WorkerContext:
    """Returns the house on a store, as the settings want it."""
    repository = Repository(store, settings.cache, settings.archive)
    command_handler = CommandHandler(store, repository, settings.lifetimes, settings.patience)
    return WorkerContext(
        command_handler, settings.lifetimes, folder=settings.archive, local=settings.hooks_local
    )
