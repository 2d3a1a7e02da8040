"""`bailli up`: the whole service on this machine, until it is stopped."""

from __future__ import annotations

import click

from .. import logs
from .configuration import load_settings
from .local_service import CannotStart, LocalService
from .signals import stop_on_signals

STARTED = """\
Bailli listens at {url} (API documentation: {url}/docs). Ctrl-C stops it.
Try:  curl -s {url}/v1/rulesets
"""


@click.command()
def up() -> None:
    """Run the whole service: Redis server, API, relay and workers.

    It listens on HOST and PORT (127.0.0.1:8000) and keeps the games in the Redis at REDIS_URL
    (unset: a server of its own, with its data under ./var).
    """
    settings = load_settings()
    logs.configure(settings.log)
    stop = stop_on_signals()
    try:
        service = LocalService(settings)
    except CannotStart as fault:
        raise click.ClickException(str(fault)) from None
    try:
        for warning in service.warnings:
            click.echo(f"Warning: {warning}", err=True)
        service.start(stop)
        if not stop.is_set():
            click.echo(STARTED.format(url=service.url), nl=False)
        service.supervisor.run(stop)
    except CannotStart as fault:
        raise click.ClickException(str(fault)) from None
    finally:
        service.close()
