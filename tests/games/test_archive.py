"""Games that are over move into files and back, byte for byte; changed files are noticed."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

import pytest

from service.cli.play import planned, played
from service.games import archive, owed
from service.games.access import new_token
from service.games.asked import Creation, Request
from service.games.game import Game
from service.games.handling import Handling
from service.games.owed import Life
from service.games.repository import Repository
from service.rules.ruleset import rulesets
from service.store.memory import MemoryStore
from service.store.protocol import Corrupt, Gone, Store
from workers import jobs
from workers.house import House

LAW = next(iter(rulesets().values()))


@pytest.fixture
def finished() -> tuple[Store, Game]:
    handling, game = played(LAW, planned(LAW.seats[0], ("random",)), "archive")
    return handling.store, game


def test_there_and_back(finished: tuple[Store, Game], tmp_path: Path) -> None:
    store, game = finished
    entries = store.read(game.id).entries
    path = archive.archive(store, game, tmp_path)
    assert path == archive.path_of(tmp_path, game.id)
    with pytest.raises(Gone, match="archived"):
        store.read(game.id)
    assert archive.read(tmp_path, game.id) == entries
    restored = archive.restore(store, game.id, tmp_path)
    assert restored.hash == game.hash
    assert store.read(game.id).entries == entries
    assert not archive.path_of(tmp_path, game.id).exists()
    assert [one.game for one in store.list_client(game.table.host, 5)] == [game.id]


def test_an_archived_game_is_still_read(finished: tuple[Store, Game], tmp_path: Path) -> None:
    store, game = finished
    archive.archive(store, game, tmp_path)
    repository = Repository(store, folder=tmp_path)
    assert repository.load(game.id).game.table == game.table
    assert repository.at(game.id, 5).version == 5
    assert len(repository.entries(game.id, 3, 9)) == 7
    with pytest.raises(Gone):
        Repository(store).load(game.id)
    with pytest.raises(Gone):
        Repository(store, folder=tmp_path / "elsewhere").load(game.id)


def test_only_what_is_over(tmp_path: Path) -> None:
    store = MemoryStore()
    handling, token = Handling(store, Repository(store)), new_token()
    creation = Creation(LAW, LAW.options(), planned(LAW.seats[0], ("random",)))
    game = handling.create(creation, token, Request(token)).game
    with pytest.raises(archive.NotOver):
        archive.archive(store, game, tmp_path)


def test_a_game_that_moved_on_stays(finished: tuple[Store, Game], tmp_path: Path) -> None:
    store, game = finished
    older = game.clone()
    older.version -= 1
    assert archive.archive(store, older, tmp_path) is None
    assert store.read(game.id).entries
    assert not list(tmp_path.rglob("*.gz"))


def test_a_game_that_moves_on_meanwhile_stays(
    finished: tuple[Store, Game], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, game = finished
    monkeypatch.setattr(store, "remove", lambda *_: False)
    assert archive.archive(store, game, tmp_path) is None
    assert not list(tmp_path.rglob("*.gz"))


@pytest.mark.parametrize("seed", range(30))
def test_a_changed_file_is_noticed(finished: tuple[Store, Game], tmp_path: Path, seed: int) -> None:
    store, game = finished
    path = archive.archive(store, game, tmp_path)
    assert path is not None
    generator = random.Random(seed)
    raw = bytearray(path.read_bytes() if seed % 2 else gzip.decompress(path.read_bytes()))
    if seed % 3:
        raw[generator.randrange(12, len(raw))] ^= 1 << generator.randrange(8)
    else:
        del raw[generator.randrange(12, len(raw)) :]
    path.write_bytes(bytes(raw) if seed % 2 else gzip.compress(bytes(raw)))
    with pytest.raises(Corrupt):
        archive.read(tmp_path, game.id)


def test_another_games_file_is_noticed(finished: tuple[Store, Game], tmp_path: Path) -> None:
    store, game = finished
    path = archive.archive(store, game, tmp_path)
    assert path is not None
    other = "a" * 26
    archive.path_of(tmp_path, other).parent.mkdir(exist_ok=True)
    path.rename(archive.path_of(tmp_path, other))
    with pytest.raises(Corrupt, match="changed"):
        archive.read(tmp_path, other)


def test_the_archive_is_a_job(finished: tuple[Store, Game], tmp_path: Path) -> None:
    store, game = finished
    life = Life(archive=1)
    handling = Handling(store, Repository(store, folder=tmp_path), life)
    store.set_due(game.id, owed.ARCHIVE, 1)
    house = House(handling, life, folder=tmp_path)
    assert isinstance(store, MemoryStore)
    store.clock = lambda: game.table.moved + 2
    assert jobs.answer(house, owed.ARCHIVE, game.id)
    assert archive.path_of(tmp_path, game.id).exists()
    assert store.due(game.id, owed.KINDS) == {}
    assert handling.repository.load(game.id).game.version == game.version
    assert not jobs.answer(house, owed.ARCHIVE, game.id)
