"""A generator makes a typed client of the contract, without a warning, and it plays a game."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from service.rules.ruleset import rulesets

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
SCRIPT = Path(__file__).with_name("typed.py")
FIRST, *OTHERS = rulesets()


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the generated package lies in."""
    folder = tmp_path_factory.mktemp("generated")
    made = subprocess.run(
        [
            *(str(BIN / "openapi-python-client"), "generate", "--fail-on-warning"),
            *("--path", str(ROOT / "openapi.yaml"), "--meta", "none"),
            *("--config", str(ROOT / "examples" / "openapi-python-client.yaml")),
            *("--output-path", str(folder / "bailli_client")),
        ],
        env={**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert made.returncode == 0, made.stdout + made.stderr
    return folder


@pytest.mark.parametrize(
    "ruleset", [FIRST, *(pytest.param(other, marks=pytest.mark.long) for other in OTHERS)]
)
def test_a_game_is_played_with_the_typed_client(package: Path, url: str, ruleset: str) -> None:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), url, ruleset],
        env={**os.environ, "PYTHONPATH": str(package)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.strip() in ("scoring", "finished")
