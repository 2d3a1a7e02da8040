"""What the jobs need to do their work: the write path and the bots' own generator."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from service.games.handling import Handling
from service.games.owed import Life


@dataclass(frozen=True, slots=True)
class House:
    """The write path and what goes with it. `generator` is the bots' own, from the system."""

    handling: Handling
    life: Life
    generator: random.Random = field(default_factory=random.Random)
