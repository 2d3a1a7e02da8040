"""The repository: loads games by id at any version, from a cache, the store or the archive."""

from __future__ import annotations

import contextlib
import threading
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path

from ..store import Corrupt, Entry, Gone, KeyUse, Store, StreamSlice
from .game import Game, NeedsFullStream, fold
from .records import archive as archives

CHECKPOINT = 128
"""Games at earlier versions are cached at multiples of this version."""


class UnknownGame(LookupError):
    """There is no game with this id."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """The newest state of a game, the store's time then (ms since 1970), and what the requested

    idempotency key was used for, if it was.
    """

    game: Game
    now: int
    key_use: KeyUse | None


class Repository:
    """Loads games and caches the newest states of at most `size` of them, and some earlier ones.

    Archived games are read from their files in `folder`, if one is given. Safe to share between
    threads. What it returns must not be changed: clone it first.
    """

    def __init__(self, store: Store, size: int = 2_000, folder: Path | None = None) -> None:
        self._store = store
        self._size = size
        self._archive_folder = folder
        self._newest: OrderedDict[str, Game] = OrderedDict()
        self._maybe_stale: set[str] = set()
        self._checkpoints: OrderedDict[tuple[str, int], Game] = OrderedDict()
        self._lock = threading.Lock()

    def load(self, game_id: str, key: str | None = None) -> Loaded:
        """Returns the newest state, in one round trip where it is in the cache.

        Raises `UnknownGame`, `Gone`, `Corrupt` or `Unavailable`.
        """
        with self._lock:
            cached = self._newest.get(game_id)
        if cached is not None:
            tail = self._read(game_id, cached.version, key)
            if tail.entries and tail.entries[0].hash == cached.hash:
                game = self._continue_cached(cached, tail.entries[1:])
                if game is not None:
                    return Loaded(game, tail.now, tail.key_use)
            self.evict(game_id)
        tail = self._read(game_id, 1, key)
        if not tail.entries:
            raise UnknownGame(game_id)
        game = fold(None, tail.entries)
        self.cache(game)
        return Loaded(game, tail.now, tail.key_use)

    def cached_unless_stale(self, game_id: str) -> Game | None:
        """Returns the cached state if it is likely to be the newest; None for a game that others

        have changed, until it has been loaded again.
        """
        with self._lock:
            return None if game_id in self._maybe_stale else self._newest.get(game_id)

    def mark_maybe_stale(self, game_id: str) -> None:
        """Records that an append conflicted: the cached state may not be the newest."""
        with self._lock:
            if game_id in self._newest:
                self._maybe_stale.add(game_id)

    def cached(self, game_id: str) -> Game | None:
        """Returns the cached state, without asking the store whether it is the newest."""
        with self._lock:
            return self._newest.get(game_id)

    def load_version(self, game_id: str, version: int) -> Game:
        """Returns the state right after a version, as it was then.

        Raises `UnknownGame` where the game or the version (1 …) does not exist, and as `load` does.
        """
        newest = self.load(game_id).game
        if version == newest.version:
            return newest
        if not 1 <= version < newest.version:
            raise UnknownGame(game_id)
        game = self._checkpoint(game_id, version)
        entries = self.read_entries(game_id, game.version if game else 0, version)
        if game is not None:
            if entries and entries[0].hash == game.hash:
                try:
                    return self._fold_with_checkpoint(game, entries[1:])
                except NeedsFullStream:
                    pass
            entries = self.read_entries(game_id, 0, version)
        return self._fold_with_checkpoint(None, entries)

    def read_entries(self, game_id: str, first: int, last: int) -> tuple[Entry, ...]:
        """Returns the stored entries of versions max(first, 1) … last, as far as there are any."""
        first = max(first, 1)
        return self._read(game_id, first, last=last).entries if last >= first else ()

    def restore_archived(self, game_id: str) -> None:
        """Moves an archived game from its file back into the store.

        Raises `Gone` where there is no folder or file; does nothing if somebody else did it first.
        """
        if (
            self._archive_folder is None
            or not archives.path_of(self._archive_folder, game_id).is_file()
        ):
            raise Gone(game_id, "archived")
        with contextlib.suppress(ValueError):
            archives.restore_archived(self._store, game_id, self._archive_folder)

    def _read(
        self, game_id: str, first: int, key: str | None = None, last: int | None = None
    ) -> StreamSlice:
        """Returns a stream's tail from the store, or from the archive."""
        try:
            return self._store.read(game_id, first, key, last)
        except Gone as gone:
            if gone.reason != "archived" or self._archive_folder is None:
                raise
            try:
                entries = archives.read_archive(self._archive_folder, game_id)
            except FileNotFoundError:
                raise gone from None
        return StreamSlice(first, entries[first - 1 : last], self._store.now(), None)

    def cache(self, game: Game) -> None:
        """Caches a state as the newest, unless a newer one is cached."""
        with self._lock:
            cached = self._newest.get(game.id)
            if cached is None or cached.version < game.version:
                self._newest[game.id] = game
            self._newest.move_to_end(game.id)
            while len(self._newest) > self._size:
                dropped, _ = self._newest.popitem(last=False)
                self._maybe_stale.discard(dropped)

    def evict(self, game_id: str) -> None:
        """Drops everything that is cached of a game."""
        with self._lock:
            self._newest.pop(game_id, None)
            self._maybe_stale.discard(game_id)
            for key in [key for key in self._checkpoints if key[0] == game_id]:
                del self._checkpoints[key]

    def _continue_cached(self, cached: Game, entries: tuple[Entry, ...]) -> Game | None:
        """Returns the cached state with its new entries; None where the whole stream is needed."""
        if not entries:
            with self._lock:
                self._maybe_stale.discard(cached.id)
            return cached
        try:
            game = fold(cached, entries)
        except NeedsFullStream:
            return None
        self.cache(game)
        return game

    def _checkpoint(self, game_id: str, version: int) -> Game | None:
        with self._lock:
            for at in range(version // CHECKPOINT * CHECKPOINT, 0, -CHECKPOINT):
                found = self._checkpoints.get((game_id, at))
                if found is not None:
                    self._checkpoints.move_to_end((game_id, at))
                    return found
        return None

    def _fold_with_checkpoint(self, base: Game | None, entries: tuple[Entry, ...]) -> Game:
        if base is not None and not entries:
            return base
        first = 0 if base is None else base.version
        last = first + len(entries)
        checkpoint = last // CHECKPOINT * CHECKPOINT
        if first < checkpoint < last:
            base = fold(base, entries[: checkpoint - first])
            self._cache_checkpoint(base)
            return self._fold_from(base, entries, first)
        return fold(base, entries)

    def _fold_from(self, base: Game, entries: tuple[Entry, ...], first: int) -> Game:
        try:
            return fold(base, entries[base.version - first :])
        except NeedsFullStream:
            if first:
                raise
            return fold(None, entries)

    def _cache_checkpoint(self, game: Game) -> None:
        with self._lock:
            self._checkpoints[game.id, game.version] = game
            while len(self._checkpoints) > self._size // 4 + 1:
                self._checkpoints.popitem(last=False)


__all__ = ["Corrupt", "Loaded", "Repository", "UnknownGame"]
