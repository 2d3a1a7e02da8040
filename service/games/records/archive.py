"""The archive: games that are over, in compressed files with a checksum instead of the store.

A file has JSON lines, gzipped: a head (format, game, version), a line for each entry as the store
had it, and the SHA-256 of all lines before it. The stream leaves the store only once its file is on
disk, and a tombstone there says so.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import os
import zlib
from pathlib import Path
from typing import Any, Final

import orjson

from ...store import GENESIS_HASH, Corrupt, Entry, Store, chain_entry, partition
from .. import due_work, index_lists
from ..game import Game, fold
from ..table import state as table_state

FORMAT: Final = 1


class NotOver(ValueError):
    """The game is not over, so it cannot be archived."""


def path_of(folder: Path, game_id: str) -> Path:
    """Returns where a game's file is, or would be."""
    return folder / partition(game_id) / f"{game_id}.jsonl.gz"


def archive_game(store: Store, game: Game, folder: Path) -> Path | None:
    """Moves a game from the store into its file; returns None if it has changed meanwhile.

    Raises `NotOver`, and as the store and the file system do; the game is then still in the store.
    """
    if game.table.status not in (table_state.FINISHED, table_state.ABANDONED):
        raise NotOver(game.id)
    entries = store.read(game.id).entries
    if len(entries) != game.version:
        return None
    path = path_of(folder, game.id)
    _write_file(path, _pack(game.id, entries))
    fact = orjson.dumps({"version": game.version, "hash": game.hash.hex()})
    unlisted = index_lists.removal(game)
    if not store.remove_stream(game.id, game.version, "archived", fact, unlisted, due_work.KINDS):
        path.unlink()
        return None
    return path


def restore_archived(store: Store, game_id: str, folder: Path) -> Game:
    """Moves a game from its file back into the store, byte for byte, and returns it.

    Raises FileNotFoundError, `Corrupt`, or ValueError where the store has no tombstone of it.
    """
    entries = read_archive(folder, game_id)
    game = fold(None, entries)
    store.restore_stream(game_id, entries, index_lists.restoration(game))
    path_of(folder, game_id).unlink()
    return game


def read_archive(folder: Path, game_id: str) -> tuple[Entry, ...]:
    """Returns the entries in a game's file.

    Raises FileNotFoundError, or `Corrupt` for a file that was changed, cut, or is another game's.
    """
    raw = path_of(folder, game_id).read_bytes()
    try:
        lines = gzip.decompress(raw).splitlines()
        head, checksum = orjson.loads(lines[0]), orjson.loads(lines[-1])
        entries = tuple(_parse_entry(orjson.loads(line)) for line in lines[1:-1])
        intact = checksum == {"sha256": _digest(lines[:-1])}
    except (OSError, EOFError, zlib.error, ValueError, LookupError, TypeError) as fault:
        raise Corrupt(f"the file of {game_id} cannot be read: {fault}") from fault
    expected = {"format": FORMAT, "game": game_id, "version": len(entries)}
    if not intact or head != expected:
        raise Corrupt(f"the file of {game_id} was changed")
    previous = GENESIS_HASH
    for entry in entries:
        if chain_entry(previous, entry.type, entry.schema, entry.data, entry.meta) != entry:
            raise Corrupt(f"the hashes in the file of {game_id} do not fit")
        previous = entry.hash
    return entries


def _pack(game_id: str, entries: tuple[Entry, ...]) -> bytes:
    lines = [orjson.dumps({"format": FORMAT, "game": game_id, "version": len(entries)})]
    lines += [
        orjson.dumps(
            {
                "t": entry.type,
                "v": entry.schema,
                "d": base64.b64encode(entry.data).decode(),
                "m": base64.b64encode(entry.meta).decode(),
                "h": entry.hash.hex(),
            }
        )
        for entry in entries
    ]
    lines.append(orjson.dumps({"sha256": _digest(lines)}))
    return gzip.compress(b"\n".join(lines) + b"\n", mtime=0)


def _parse_entry(line: dict[str, Any]) -> Entry:
    return Entry(
        line["t"],
        line["v"],
        base64.b64decode(line["d"], validate=True),
        base64.b64decode(line["m"], validate=True),
        bytes.fromhex(line["h"]),
    )


def _digest(lines: list[bytes]) -> str:
    return hashlib.sha256(b"\n".join(lines)).hexdigest()


def _write_file(path: Path, data: bytes) -> None:
    """Writes a file atomically and waits until it is on disk."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(".new")
    with fresh.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
