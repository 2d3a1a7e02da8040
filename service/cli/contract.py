"""`bailli openapi`: the contract, as it is served."""

from __future__ import annotations

import click

from ..api.docs.openapi import contract_yaml
from ..app import create_app
from ..config import Settings
from ..store import MemoryStore


@click.command()
def openapi() -> None:
    """Print the OpenAPI contract (YAML)."""
    click.echo(written(), nl=False)


def written() -> str:
    """Returns the contract of this version."""
    return contract_yaml(create_app(Settings(), MemoryStore()))
