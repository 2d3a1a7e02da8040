"""Clients in three languages play whole games, go on after a stop, and lose nothing on the way."""

from __future__ import annotations

import itertools
import os
import re
import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from service.games.records.verification import verify_record
from service.games.tokens import new_token
from service.rules.ruleset import rulesets

from .flaky import BUSY, LOST, flaky

EXAMPLES = Path(__file__).parents[2] / "examples"
PATIENCE = 300
CLIENTS = {"play.py": [sys.executable, "-S"], "play.mjs": ["node"], "play.sh": ["sh"]}
NEEDED = {"play.py": (), "play.mjs": ("node",), "play.sh": ("sh", "curl")}
PAIRS = list(itertools.product(CLIENTS, rulesets()))
FEW = list(zip(CLIENTS, itertools.cycle(reversed(rulesets())), strict=False))
SOME = [pair if pair in FEW else pytest.param(*pair, marks=pytest.mark.long) for pair in PAIRS]


def command(client: str, *arguments: str) -> list[str]:
    """The command line of a client; skips the test where what it needs is not there."""
    for program in NEEDED[client]:
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    return [*CLIENTS[client], str(EXAMPLES / client), *arguments]


def environment() -> dict[str, str]:
    """The environment with this Python as python3."""
    return {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}


def run(words: list[str]) -> str:
    """What a program prints."""
    done = subprocess.run(
        words, env=environment(), capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def games(url: str, file: Path) -> list[dict[str, Any]]:
    """All games of the token in a file."""
    headers = {"Authorization": f"Bearer {file.read_text().strip()}"}
    with httpx.Client(base_url=url, headers=headers) as client:
        found: list[dict[str, Any]] = client.get("/v1/games?mine=true").json()["games"]
    return found


def check_finished(url: str, file: Path, ruleset: str, printed: str) -> dict[str, Any]:
    """Asserts that the token's only game is over and proved; returns its record."""
    (game,) = games(url, file)
    seats = min(rulesets()[ruleset].seats)
    ranks = re.findall(r"^seat (\d): -?\d+ points, rank \d$", printed, re.M)
    assert ranks == [str(seat) for seat in range(seats)]
    assert game["ruleset"]["id"] == ruleset
    limit = time.monotonic() + 30
    path = f"{url}/v1/games/{game['id']}"
    while httpx.get(path).json()["status"] != "finished":
        assert time.monotonic() < limit
        time.sleep(0.1)
    record: dict[str, Any] = httpx.get(f"{path}/record").json()
    verify_record(record)
    return record


@pytest.mark.parametrize(("client", "ruleset"), SOME)
def test_a_client_that_was_stopped_plays_to_the_end(
    url: str, tmp_path: Path, client: str, ruleset: str
) -> None:
    file = tmp_path / "token"
    words = command(client, url, ruleset, str(file))
    with subprocess.Popen(words, env=environment(), stdout=subprocess.PIPE, text=True) as stopped:
        assert stopped.stdout is not None
        first = [stopped.stdout.readline() for _ in range(4)]
        stopped.kill()
    assert first[0].startswith(f"{url}/v1/games/")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    printed = run(words)
    assert printed.startswith(first[0])
    check_finished(url, file, ruleset, printed)


@pytest.mark.parametrize("client", CLIENTS)
def test_answers_that_get_lost_are_asked_for_again(url: str, tmp_path: Path, client: str) -> None:
    file = tmp_path / "token"
    ruleset = next(iter(rulesets()))
    with flaky(url) as address:
        printed = run(command(client, address, ruleset, str(file)))
    record = check_finished(url, file, ruleset, printed)
    made = [step for step in record["steps"] if step["seat"] == 0 and step["command"]]
    told = printed.splitlines()[1 : -min(rulesets()[ruleset].seats)]
    moves = [step for step in made if step["command"]["type"] in rulesets()[ruleset].commands]
    assert len(told) == len(moves)
    assert max(LOST | BUSY) < len(moves)


@pytest.mark.parametrize("client", CLIENTS)
def test_what_is_refused_is_said(url: str, tmp_path: Path, client: str) -> None:
    file = tmp_path / "token"
    file.write_text("bl_short\n")
    words = command(client, url, next(iter(rulesets())), str(file))
    done = subprocess.run(
        words, env=environment(), capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode != 0
    assert "token_malformed" in done.stderr


def test_bots_play_each_other(url: str) -> None:
    ruleset = next(iter(rulesets().values()))
    seats = min(ruleset.seats)
    asked = {"ruleset": ruleset.id, "seats": [{"kind": "human"}] * seats}
    made = httpx.post(f"{url}/v1/games", json=asked).json()
    game = made["game"]["id"]
    bots = []
    try:
        for each in made["claim_codes"]:
            env = {**os.environ, "BAILLI_TOKEN": new_token().text}
            place = [game, str(each["seat"]), each["claim_code"]]
            words = [sys.executable, "-S", str(EXAMPLES / "bot.py"), url, *place]
            bots.append(subprocess.Popen(words, env=env, stdout=subprocess.DEVNULL))
        limit = time.monotonic() + PATIENCE
        while httpx.get(f"{url}/v1/games/{game}").json()["status"] != "finished":
            assert time.monotonic() < limit
            assert all(bot.poll() is None for bot in bots)
            time.sleep(0.2)
    finally:
        for bot in bots:
            bot.kill()
            bot.wait()


def test_the_bot_is_as_short_as_it_is_said_to_be() -> None:
    assert len((EXAMPLES / "bot.py").read_text().splitlines()) <= 60
