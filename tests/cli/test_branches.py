"""A branch's record: `bailli verify` and the standalone verifier say what it does not prove."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import orjson
import pytest
from click.testing import CliRunner

from service.cli import main
from service.games.commands.branching import ForkRequest, create_fork
from service.games.commands.requests import RequestContext
from service.games.game import Game
from service.games.records import format as record_format
from service.games.table.commands import Abandon
from service.rules.ruleset import rulesets
from service.store import MemoryStore
from tests.games.play import HOST, House

LAW = next(iter(rulesets().values()))
SCRIPT = Path(__file__).resolve().parents[2] / "examples" / "verify_record.py"


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """The records of a branch and of the game that it branches off from."""
    context = House(MemoryStore())
    game = context.seated(*[None] * LAW.seats[0], ruleset=LAW)
    for _ in range(5):
        game = context.step(game, random.Random(1), 0)
    laid = create_fork(
        context.command_handler, game.id, ForkRequest(), HOST, RequestContext(HOST)
    ).game
    for each in (laid, game):
        context.send(each, None, Abandon())
    return written(context, laid, tmp_path), written(context, game, tmp_path)


def written(context: House, game: Game, folder: Path) -> Path:
    path = folder / f"{game.id}.json"
    path.write_bytes(
        orjson.dumps(record_format.record_of(context.repository, context.newest(game)))
    )
    return path


def test_what_led_there_is_taken_as_told(files: tuple[Path, Path]) -> None:
    branch, source = files
    alone = CliRunner().invoke(main, ["verify", str(branch)])
    assert alone.exit_code == 0
    assert f"of game {source.stem}; what led there was not verified." in alone.output


def test_the_other_record_proves_it(files: tuple[Path, Path]) -> None:
    branch, source = files
    both = CliRunner().invoke(main, ["verify", str(branch), "--source", str(source)])
    assert both.exit_code == 0
    assert f"of game {source.stem}, which its own record verifies." in both.output
    wrong = CliRunner().invoke(main, ["verify", str(source), "--source", str(branch)])
    assert wrong.exit_code == 1
    assert "is no branch" in wrong.output


def test_the_standalone_verifier_says_what_it_leaves_out(files: tuple[Path, Path]) -> None:
    branch, source = files
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(branch)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert f"of game {source.stem} on (draws before that not checked)" in done.stdout
