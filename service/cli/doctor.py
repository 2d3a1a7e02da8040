"""`bailli doctor`: checks a deployment and advises how to fix what is wrong."""

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
from . import doctor_checks
from .configuration import UNSET, load_settings
from .doctor_checks import Finding

COLORS: Final = {"ok": "green", "warning": "yellow", "error": "red"}
TIMEOUT: Final = 5.0


@click.command()
@click.option("--url", help="The API's URL, to check that too.")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
@click.pass_context
def doctor(context: click.Context, url: str | None, as_json: bool) -> None:
    """Check a deployment with its own settings, and say how to fix what is wrong.

    Checks the store (persistence, eviction, version), the queues and their lag, workers, overdue
    work, clocks, the archive, the API. Changes nothing. Exits with 1 if there is an error.
    """
    settings = load_settings()
    found = list(run_checks(settings, _store_url(settings), url))
    has_errors = any(each.level == "error" for each in found)
    if as_json:
        report = {"healthy": not has_errors, "findings": [asdict(each) for each in found]}
        click.echo(json.dumps(report, indent=2, ensure_ascii=False))
    else:
        for each in found:
            level = click.style(f"{each.level:<8}", COLORS[each.level])
            click.echo(f"{level} {each.about:<9} {each.text}")
            if each.advice:
                click.echo(f"{'':<18} → {each.advice}")
    context.exit(int(has_errors))


def run_checks(settings: Settings, redis_url: str, url: str | None) -> Iterator[Finding]:
    """Yields the findings, part by part."""
    yield from doctor_checks.check_store_and_queues(redis_url, settings)
    with closing(open_store(redis_url, timeout=TIMEOUT)) as store:
        yield from doctor_checks.check_clock(store)
        yield from doctor_checks.check_due_work(store)
    with Redis.from_url(
        settings.resolve_queue_url(redis_url),
        socket_timeout=TIMEOUT,
        socket_connect_timeout=TIMEOUT,
    ) as queues:
        yield from doctor_checks.check_workers(queues)
    yield from doctor_checks.check_archive(settings)
    if url is not None:
        yield from doctor_checks.check_api(url.rstrip("/"))


def _store_url(settings: Settings) -> str:
    """Returns the store's URL: that of the settings, or of the server that `bailli up` runs."""
    if settings.redis_url is not None:
        return settings.redis_url
    socket = settings.data.resolve() / "redis.sock"
    if not socket.is_socket():
        raise click.ClickException(f"{UNSET}, which does not run under {settings.data}")
    return f"unix://{socket}"
