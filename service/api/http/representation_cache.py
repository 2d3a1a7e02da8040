"""Cache of serialized representations (JSON, SVG) by game and version, bounded by number."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable

from ...games.game import Game


class RepresentationCache:
    """The `size` representations that were used last. Safe to share between threads."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._cached: OrderedDict[tuple[str, int, bytes, Hashable], bytes] = OrderedDict()
        self._lock = threading.Lock()

    def get(
        self, game: Game, serialize: Callable[[Game], bytes], variant: Hashable = None
    ) -> bytes:
        """Returns what `serialize` returns for a game's version; `variant` tells representations of

        one version apart.
        """
        key = (game.id, game.version, game.hash, variant)
        with self._lock:
            cached = self._cached.get(key)
            if cached is not None:
                self._cached.move_to_end(key)
                return cached
        content = serialize(game)
        with self._lock:
            self._cached[key] = content
            while len(self._cached) > self._size:
                self._cached.popitem(last=False)
        return content
