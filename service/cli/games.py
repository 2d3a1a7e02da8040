"""`bailli games` and `bailli show`: what a running service referees."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import click

from .. import render
from ..games.table.state import STATUSES
from ..rules.plain import Plain
from . import scores
from .client import call_api, default_url

_URL = click.option("--url", default=default_url, help="The URL of the service.")


@click.command()
@_URL
@click.option("--ruleset", help="Only games of this ruleset.")
@click.option("--status", type=click.Choice(STATUSES), help="Only games of this status.")
@click.option("--limit", type=click.IntRange(1, 100), default=20, help="How many at most.")
def games(url: str, ruleset: str | None, status: str | None, limit: int) -> None:
    """List public games, the newest first."""
    wanted = {"ruleset": ruleset, "status": status, "limit": limit}
    query = "&".join(f"{name}={value}" for name, value in wanted.items() if value is not None)
    for game in call_api(url, f"/v1/games?{query}")["games"]:
        click.echo(f"{game['id']}  {game['status']:<9}  {ruleset_id(game)}  {format_seats(game)}")


@click.command()
@_URL
@click.argument("game")
def show(url: str, game: str) -> None:
    """Show GAME: its board, its seats, its score so far."""
    view = call_api(url, f"/v1/games/{game}")
    names = [str(seat["name"]) for seat in view["seats"]]
    click.echo(f"{ruleset_id(view)}, {view['status']}, version {view['version']}")
    created = datetime.fromtimestamp(view["created_at"] / 1000, UTC)
    click.echo(f"created at {created:%Y-%m-%d %H:%M} UTC; {format_seats(view)}")
    if view["board"] is None:
        return
    click.echo()
    click.echo(render.text(view["ruleset"]["id"], view["board"]))
    click.echo()
    click.echo("\n".join(scores.format_score(call_api(url, f"/v1/games/{game}/score"), names)))


def ruleset_id(game: Plain) -> str:
    """Returns the id of a game's ruleset."""
    return str(game["ruleset"]["id"])


def format_seats(game: Plain) -> str:
    """Returns the seats in one line; an arrow marks those the game waits for."""
    return ", ".join(_seat(seat, seat["seat"] in game["to_act"]) for seat in game["seats"])


def _seat(seat: Any, acts: bool) -> str:
    name = seat["name"] or "(open)"
    return f"→ {name}" if acts else name
