"""What the jobs need to do their work: the write path, the bots' generator, the couriers."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path

from service.config import Settings
from service.games.handling import Handling
from service.games.owed import Life
from service.games.repository import Repository
from service.store.protocol import Store

from .courier import Courier


@dataclass(frozen=True, slots=True)
class House:
    """The write path and what goes with it. `generator` is the bots' own, from the system;

    `folder` is where archived games go, `courier` carries what webhooks are told; `local` lets it
    call loopback and private networks.
    """

    handling: Handling
    life: Life
    generator: random.Random = field(default_factory=random.Random)
    folder: Path = Path("archive")
    courier: Courier = field(default_factory=Courier)
    local: bool = False


def built(store: Store, settings: Settings) -> House:
    """Returns the house on a store, as the settings want it."""
    repository = Repository(store, settings.cache, settings.archive)
    handling = Handling(store, repository, settings.life, settings.patience)
    return House(handling, settings.life, folder=settings.archive, local=settings.hooks_local)
