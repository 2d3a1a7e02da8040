"""Games by id: folded from their streams, kept in the process, at any version."""

from __future__ import annotations

import contextlib
import threading
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path

from ..store.protocol import Corrupt, Entry, Gone, KeyUse, Store, Tail
from .game import Game, NeedsFullStream, fold
from .records import archive as archives

CHECKPOINT = 128
"""Time travel keeps a copy of a game at every so many versions."""


class UnknownGame(LookupError):
    """There is no game with this id."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """The newest state of a game, the store's time then (ms), what an asked key was used for."""

    game: Game
    now: int
    use: KeyUse | None


class Repository:
    """Loads games. Keeps the newest state of at most `size` games and some earlier ones.

    Archived games are read from their files in `folder`, if one is given. Safe to share between
    threads. What it returns must not be changed.
    """

    def __init__(self, store: Store, size: int = 2_000, folder: Path | None = None) -> None:
        self._store = store
        self._size = size
        self._folder = folder
        self._newest: OrderedDict[str, Game] = OrderedDict()
        self._doubted: set[str] = set()
        self._earlier: OrderedDict[tuple[str, int], Game] = OrderedDict()
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
                game = self._continued(cached, tail.entries[1:])
                if game is not None:
                    return Loaded(game, tail.now, tail.use)
            self.forget(game_id)
        tail = self._read(game_id, 1, key)
        if not tail.entries:
            raise UnknownGame(game_id)
        game = fold(None, tail.entries)
        self.keep(game)
        return Loaded(game, tail.now, tail.use)

    def trusted(self, game_id: str) -> Game | None:
        """Returns the state that is kept, if it is likely to be the newest: None of a game that

        others have changed, until it was found unchanged again.
        """
        with self._lock:
            return None if game_id in self._doubted else self._newest.get(game_id)

    def doubt(self, game_id: str) -> None:
        """Notes that an append did not fit the state that is kept: others may have changed it."""
        with self._lock:
            if game_id in self._newest:
                self._doubted.add(game_id)

    def known(self, game_id: str) -> Game | None:
        """Returns the state that is kept, without asking the store whether it is the newest."""
        with self._lock:
            return self._newest.get(game_id)

    def at(self, game_id: str, version: int) -> Game:
        """Returns the state right after a version, as it was then.

        Raises `UnknownGame` where the game or the version (1 …) does not exist.
        """
        newest = self.load(game_id).game
        if version == newest.version:
            return newest
        if not 1 <= version < newest.version:
            raise UnknownGame(game_id)
        game = self._checkpoint(game_id, version)
        entries = self.entries(game_id, game.version if game else 0, version)
        if game is not None:
            if entries and entries[0].hash == game.hash:
                try:
                    return self._travelled(game, entries[1:])
                except NeedsFullStream:
                    pass
            entries = self.entries(game_id, 0, version)
        return self._travelled(None, entries)

    def entries(self, game_id: str, first: int, last: int) -> tuple[Entry, ...]:
        """Returns the stored entries of versions max(first, 1) … last, as far as there are any."""
        first = max(first, 1)
        return self._read(game_id, first, last=last).entries if last >= first else ()

    def bring_back(self, game_id: str) -> None:
        """Moves an archived game from its file back into the store.

        Raises `Gone` where there is no folder or file; does nothing if somebody else was faster.
        """
        if self._folder is None or not archives.path_of(self._folder, game_id).is_file():
            raise Gone(game_id, "archived")
        with contextlib.suppress(ValueError):
            archives.restore_archived(self._store, game_id, self._folder)

    def _read(
        self, game_id: str, first: int, key: str | None = None, last: int | None = None
    ) -> Tail:
        """Reads a stream where it is: in the store, or in the archive."""
        try:
            return self._store.read(game_id, first, key, last)
        except Gone as gone:
            if gone.why != "archived" or self._folder is None:
                raise
            try:
                entries = archives.read_archive(self._folder, game_id)
            except FileNotFoundError:
                raise gone from None
        return Tail(first, entries[first - 1 : last], self._store.now(), None)

    def keep(self, game: Game) -> None:
        """Keeps a state as the newest; an older one than is kept is not."""
        with self._lock:
            kept = self._newest.get(game.id)
            if kept is None or kept.version < game.version:
                self._newest[game.id] = game
            self._newest.move_to_end(game.id)
            while len(self._newest) > self._size:
                dropped, _ = self._newest.popitem(last=False)
                self._doubted.discard(dropped)

    def forget(self, game_id: str) -> None:
        """Drops all that is kept of a game."""
        with self._lock:
            self._newest.pop(game_id, None)
            self._doubted.discard(game_id)
            for known in [key for key in self._earlier if key[0] == game_id]:
                del self._earlier[known]

    def _continued(self, cached: Game, entries: tuple[Entry, ...]) -> Game | None:
        if not entries:
            with self._lock:
                self._doubted.discard(cached.id)
            return cached
        try:
            game = fold(cached, entries)
        except NeedsFullStream:
            return None
        self.keep(game)
        return game

    def _checkpoint(self, game_id: str, version: int) -> Game | None:
        with self._lock:
            for at in range(version // CHECKPOINT * CHECKPOINT, 0, -CHECKPOINT):
                found = self._earlier.get((game_id, at))
                if found is not None:
                    self._earlier.move_to_end((game_id, at))
                    return found
        return None

    def _travelled(self, base: Game | None, entries: tuple[Entry, ...]) -> Game:
        if base is not None and not entries:
            return base
        first = 0 if base is None else base.version
        last = first + len(entries)
        milestone = last // CHECKPOINT * CHECKPOINT
        if first < milestone < last:
            base = fold(base, entries[: milestone - first])
            self._keep_earlier(base)
            return self._travelled_on(base, entries, first)
        return fold(base, entries)

    def _travelled_on(self, base: Game, entries: tuple[Entry, ...], first: int) -> Game:
        try:
            return fold(base, entries[base.version - first :])
        except NeedsFullStream:
            if first:
                raise
            return fold(None, entries)

    def _keep_earlier(self, game: Game) -> None:
        with self._lock:
            self._earlier[game.id, game.version] = game
            while len(self._earlier) > self._size // 4 + 1:
                self._earlier.popitem(last=False)


__all__ = ["Corrupt", "Loaded", "Repository", "UnknownGame"]
