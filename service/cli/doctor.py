"""`bailli doctor`: whether a deployment is well, and what to do where it isn't."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict
from typing import Final

import click
from redis import Redis

from ..config import Settings
from ..store.redis_store import open_store
from . import configured, examining
from .examining import Finding

COLORS: Final = {"ok": "green", "warning": "yellow", "error": "red"}
TIMEOUT: Final = 5.0


@click.command()
@click.option("--url", help="The API's address, to look at that too.")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
@click.pass_context
def doctor(context: click.Context, url: str | None, as_json: bool) -> None:
    """Look at a deployment with its own settings, and say what to do.

    Store (persistence, eviction, version), queues and their lag, workers, overdue games, clocks,
    the archive, the API. Changes nothing. Ends with 1 where there is an error.
    """
    settings = configured.settings()
    found = list(examined(settings, _store_url(settings), url))
    wrong = any(each.level == "error" for each in found)
    if as_json:
        told = {"healthy": not wrong, "findings": [asdict(each) for each in found]}
        click.echo(json.dumps(told, indent=2, ensure_ascii=False))
    else:
        for each in found:
            level = click.style(f"{each.level:<8}", COLORS[each.level])
            click.echo(f"{level} {each.about:<9} {each.text}")
            if each.advice:
                click.echo(f"{'':<18} → {each.advice}")
    context.exit(int(wrong))


def examined(settings: Settings, redis_url: str, url: str | None) -> Iterator[Finding]:
    """Yields what is found, part by part."""
    yield from examining.store_and_queues(redis_url, settings)
    with closing(open_store(redis_url, timeout=TIMEOUT)) as store:
        yield from examining.clock(store)
        yield from examining.due(store)
    with Redis.from_url(
        settings.queues(redis_url), socket_timeout=TIMEOUT, socket_connect_timeout=TIMEOUT
    ) as queues:
        yield from examining.workers(queues)
    yield from examining.archive(settings)
    if url is not None:
        yield from examining.api(url.rstrip("/"))


def _store_url(settings: Settings) -> str:
    """Returns where the games are: where the settings say, or in the server of `bailli up`."""
    if settings.redis_url is not None:
        return settings.redis_url
    socket = settings.data.resolve() / "redis.sock"
    if not socket.is_socket():
        raise click.ClickException(f"{configured.UNSET}, which does not run under {settings.data}")
    return f"unix://{socket}"
