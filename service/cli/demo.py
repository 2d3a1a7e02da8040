"""`bailli demo`: a game of bots over HTTP, on a temporary service."""

from __future__ import annotations

import tempfile
import threading
import time
from pathlib import Path
from typing import Final

import click

from .. import render
from ..bot_levels import LEVELS
from ..config import Settings
from ..games.table import state as table_state
from ..rules.plain import Plain
from ..rules.ruleset import rulesets
from ..store.embedded import free_port
from . import scores
from .client import RequestFailed, call_api
from .local_service import CannotStart, LocalService
from .progress import Progress
from .verify import verify_record

MAX_SECONDS: Final = 120.0
"""How long a game of bots may take."""


@click.command()
@click.argument("ruleset", required=False)
@click.option("--seats", type=int, help="How many seats (default: the smallest possible number).")
@click.option("--level", type=click.Choice(LEVELS), default="easy", help="The bots' level.")
def demo(ruleset: str | None, seats: int | None, level: str) -> None:
    """Play a game of bots of RULESET through the whole service, and verify its record."""
    law = rulesets().get(ruleset or next(iter(rulesets())))
    if law is None:
        raise click.BadParameter(f"must be one of: {', '.join(rulesets())}", param_hint="RULESET")
    with tempfile.TemporaryDirectory(prefix="bailli-", ignore_cleanup_errors=True) as folder:
        try:
            service = LocalService(Settings(port=free_port(), data=Path(folder), log="warning"))
        except CannotStart as fault:
            raise click.ClickException(str(fault)) from None
        try:
            service.start(threading.Event())
            play_and_show(service.url, law.id, seats or law.seats[0], level)
        except CannotStart as fault:
            raise click.ClickException(str(fault)) from None
        finally:
            service.close()


def play_and_show(url: str, ruleset: str, seats: int, level: str) -> None:
    """Plays a game at a service and prints all about it. Raises a click error where it fails."""
    wanted = [{"name": f"bot {seat}", "kind": "bot", "level": level} for seat in range(seats)]
    click.echo(f"POST {url}/v1/games")
    created = call_api(url, "/v1/games", {"ruleset": ruleset, "seats": wanted})
    path = f"/v1/games/{created['game']['id']}"
    began = time.monotonic()
    game = wait_until_finished(url, path)
    click.echo(f"GET {url}{path}: {game['version']} events in {time.monotonic() - began:.1f} s")
    click.echo()
    click.echo(render.text(ruleset, game["board"]))
    click.echo()
    names = [seat["name"] for seat in game["seats"]]
    click.echo("\n".join(scores.format_score(call_api(url, f"{path}/score"), names)))
    click.echo()
    click.echo(verify_record(call_api(url, f"{path}/record")))


def wait_until_finished(url: str, path: str) -> Plain:
    """Returns the game's view once it is over; shows its progress."""
    progress = Progress()
    limit = time.monotonic() + MAX_SECONDS
    while True:
        game = call_api(url, path)
        if game["status"] == table_state.FINISHED:
            progress.clear()
            return game
        if time.monotonic() > limit:
            raise RequestFailed(f"the game {path} does not end")
        progress.show(f"{game['status']}, {game['version']} events")
        time.sleep(0.05)
