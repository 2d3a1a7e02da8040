"""Games that are over move into files and back, byte for byte; changed files are noticed."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

import pytest

from service.cli.play import plan_bots, play_game
from service.games import due_work
from service.games.commands.handler import CommandHandler
from service.games.commands.requests import Creation, RequestContext
from service.games.due_work import Lifetimes
from service.games.game import Game
from service.games.records import archive as archives
from service.games.repository import Repository
from service.games.tokens import new_token
from service.rules.ruleset import rulesets
from service.store import Corrupt, Gone, MemoryStore, Store
from workers import jobs
from workers.context import WorkerContext

LAW = next(iter(rulesets().values()))


@pytest.fixture
def finished() -> tuple[Store, Game]:
    command_handler, game = play_game(LAW, plan_bots(LAW.seats[0], ("random",)), "archive")
    return command_handler.store, game


def test_there_and_back(finished: tuple[Store, Game], tmp_path: Path) -> None:
    store, game = finished
    entries = store.read(game.id).entries
    path = archives.archive_game(store, game, tmp_path)
    assert path == archives.path_of(tmp_path, game.id)
    with pytest.raises(Gone, match="archived"):
        store.read(game.id)
    assert archives.read_archive(tmp_path, game.id) == entries
    restored = archives.restore_archived(store, game.id, tmp_path)
    assert restored.hash == game.hash
    assert store.read(game.id).entries == entries
    assert not archives.path_of(tmp_path, game.id).exists()
    assert [one.game for one in store.list_by_client(game.table.host, 5)] == [game.id]


def test_an_archived_game_is_still_read(finished: tuple[Store, Game], tmp_path: Path) -> None:
    store, game = finished
    archives.archive_game(store, game, tmp_path)
    repository = Repository(store, folder=tmp_path)
    assert repository.load(game.id).game.table == game.table
    assert repository.load_version(game.id, 5).version == 5
    assert len(repository.read_entries(game.id, 3, 9)) == 7
    with pytest.raises(Gone):
        Repository(store).load(game.id)
    with pytest.raises(Gone):
        Repository(store, folder=tmp_path / "elsewhere").load(game.id)


def test_only_what_is_over(tmp_path: Path) -> None:
    store = MemoryStore()
    command_handler, token = CommandHandler(store, Repository(store)), new_token()
    creation = Creation(LAW, LAW.options(), plan_bots(LAW.seats[0], ("random",)))
    game = command_handler.create(creation, token, RequestContext(token)).game
    with pytest.raises(archives.NotOver):
        archives.archive_game(store, game, tmp_path)


def test_a_game_that_moved_on_stays(finished: tuple[Store, Game], tmp_path: Path) -> None:
    store, game = finished
    older = game.clone()
    older.version -= 1
    assert archives.archive_game(store, older, tmp_path) is None
    assert store.read(game.id).entries
    assert not list(tmp_path.rglob("*.gz"))


def test_a_game_that_moves_on_meanwhile_stays(
    finished: tuple[Store, Game], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, game = finished
    monkeypatch.setattr(store, "remove_stream", lambda *_: False)
    assert archives.archive_game(store, game, tmp_path) is None
    assert not list(tmp_path.rglob("*.gz"))


@pytest.mark.parametrize("seed", range(30))
def test_a_changed_file_is_noticed(finished: tuple[Store, Game], tmp_path: Path, seed: int) -> None:
    store, game = finished
    path = archives.archive_game(store, game, tmp_path)
    assert path is not None
    generator = random.Random(seed)
    raw = bytearray(path.read_bytes() if seed % 2 else gzip.decompress(path.read_bytes()))
    if seed % 3:
        raw[generator.randrange(12, len(raw))] ^= 1 << generator.randrange(8)
    else:
        del raw[generator.randrange(12, len(raw)) :]
    path.write_bytes(bytes(raw) if seed % 2 else gzip.compress(bytes(raw)))
    with pytest.raises(Corrupt):
        archives.read_archive(tmp_path, game.id)


def test_another_games_file_is_noticed(finished: tuple[Store, Game], tmp_path: Path) -> None:
    store, game = finished
    path = archives.archive_game(store, game, tmp_path)
    assert path is not None
    other = "a" * 26
    archives.path_of(tmp_path, other).parent.mkdir(exist_ok=True)
    path.rename(archives.path_of(tmp_path, other))
    with pytest.raises(Corrupt, match="changed"):
        archives.read_archive(tmp_path, other)


def test_the_archive_is_a_job(finished: tuple[Store, Game], tmp_path: Path) -> None:
    store, game = finished
    life = Lifetimes(archive=1)
    command_handler = CommandHandler(store, Repository(store, folder=tmp_path), life)
    store.set_due(game.id, due_work.ARCHIVE, 1)
    context = WorkerContext(command_handler, life, archive_folder=tmp_path)
    assert isinstance(store, MemoryStore)
    store.clock = lambda: game.table.changed_at + 2
    assert jobs.do_work(context, due_work.ARCHIVE, game.id)
    assert archives.path_of(tmp_path, game.id).exists()
    assert store.get_due(game.id, due_work.KINDS) == {}
    assert command_handler.repository.load(game.id).game.version == game.version
    assert not jobs.do_work(context, due_work.ARCHIVE, game.id)
