"""Requests generated from the contract, against the running service, with every check."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from service.games.tokens import new_token
from tests.live.api_server import served

from .running import running

HERE = Path(__file__).parent


def run(url: str, folder: Path, examples: int, every: int, *options: str) -> None:
    """Runs the generator; of the many bodies to one operation every so many-th is sent."""
    command = [
        *(str(Path(sys.executable).parent / "schemathesis"), "--config-file"),
        *(str(HERE / "schemathesis.toml"), "run", f"{url}/openapi.yaml", "--url", url),
        *("--phases", "examples,coverage,fuzzing,stateful", "--max-examples", str(examples)),
        *("--header", f"Authorization: Bearer {new_token().text}", "--no-color"),
        *options,
    ]
    env = {
        **os.environ,
        "SCHEMATHESIS_HOOKS": "tests.contract.hooks",
        "PYTHONPATH": str(HERE.parents[1]),
        "EVERY": str(every),
    }
    done = subprocess.run(
        command, env=env, cwd=folder, capture_output=True, text=True, timeout=3000, check=False
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]


def test_generated_requests_find_no_fault(redis_url: str, tmp_path: Path) -> None:
    """By the API alone: it would take workers long to play all the games that are left behind."""
    with served(redis_url, tmp_path) as api:
        run(f"http://127.0.0.1:{api.port}", tmp_path, 8, 6, "--seed", "1")


@pytest.mark.long
def test_many_generated_requests_find_no_fault(tmp_path: Path) -> None:
    with running(tmp_path) as url:
        run(url, tmp_path, 300, 1)
