"""`bailli games` and `bailli show`: what a running service referees."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import click

from .. import render
from ..games.table.state import STATUSES
from ..rules.plain import Plain
from . import scores
from .client import call, default_url

_URL = click.option("--url", default=default_url, help="Where the service is.")


@click.command()
@_URL
@click.option("--ruleset", help="Only games of this ruleset.")
@click.option("--status", type=click.Choice(STATUSES), help="Only games of this status.")
@click.option("--limit", type=click.IntRange(1, 100), default=20, help="How many at most.")
def games(url: str, ruleset: str | None, status: str | None, limit: int) -> None:
    """List public games, the newest first."""
    wanted = {"ruleset": ruleset, "status": status, "limit": limit}
    query = "&".join(f"{name}={value}" for name, value in wanted.items() if value is not None)
    for game in call(url, f"/v1/games?{query}")["games"]:
        click.echo(f"{game['id']}  {game['status']:<9}  {law(game)}  {seats(game)}")


@click.command()
@_URL
@click.argument("game")
def show(url: str, game: str) -> None:
    """Show GAME: its board, its seats, its score so far."""
    view = call(url, f"/v1/games/{game}")
    names = [str(seat["name"]) for seat in view["seats"]]
    click.echo(f"{law(view)}, {view['status']}, version {view['version']}")
    created = datetime.fromtimestamp(view["created_at"] / 1000, UTC)
    click.echo(f"laid at {created:%Y-%m-%d %H:%M} UTC; {seats(view)}")
    if view["board"] is None:
        return
    click.echo()
    click.echo(render.text(view["ruleset"]["id"], view["board"]))
    click.echo()
    click.echo("\n".join(scores.lines(call(url, f"/v1/games/{game}/score"), names)))


def law(game: Plain) -> str:
    """Returns the name of a game's ruleset."""
    return str(game["ruleset"]["id"])


def seats(game: Plain) -> str:
    """Returns the seats in one line; an arrow marks those the game waits for."""
    told = [_seat(seat, seat["seat"] in game["to_act"]) for seat in game["seats"]]
    return ", ".join(told)


def _seat(seat: Any, acts: bool) -> str:
    name = seat["name"] or "(open)"
    return f"→ {name}" if acts else name
