"""`bailli up`: the whole service, until it is told to stop."""

from __future__ import annotations

import click

from .. import logs
from .configured import settings
from .relay import stopped_by_signals
from .whole import CannotStart, Service

HELLO = """\
Bailli listens at {url} (the contract: {url}/docs). Ctrl-C stops it.
Try:  curl -s {url}/v1/rulesets
"""


@click.command()
def up() -> None:
    """Run the service: server, API, relay and workers, all in one.

    HOST and PORT say where it listens (127.0.0.1:8000), REDIS_URL which Redis keeps the games
    (unset: a server of its own, with its data under ./var).
    """
    chosen = settings()
    logs.configure(chosen.log)
    stop = stopped_by_signals()
    try:
        service = Service(chosen)
    except CannotStart as fault:
        raise click.ClickException(str(fault)) from None
    try:
        for warning in service.warnings:
            click.echo(f"Warning: {warning}", err=True)
        service.start(stop)
        if not stop.is_set():
            click.echo(HELLO.format(url=service.url), nl=False)
        service.supervisor.run(stop)
    except CannotStart as fault:
        raise click.ClickException(str(fault)) from None
    finally:
        service.close()
