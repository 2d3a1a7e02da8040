"""Requests generated from the contract, against the running service, with every check."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from service.games.tokens import new_token

HERE = Path(__file__).parent


def run(url: str, folder: Path, examples: int, *options: str) -> None:
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
    }
    done = subprocess.run(
        command, env=env, cwd=folder, capture_output=True, text=True, timeout=3000, check=False
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]


def test_generated_requests_find_no_fault(url: str, tmp_path: Path) -> None:
    run(url, tmp_path, 8, "--seed", "1")


@pytest.mark.long
def test_many_generated_requests_find_no_fault(url: str, tmp_path: Path) -> None:
    run(url, tmp_path, 300)
