"""`bailli openapi`: the contract, as it is served."""

from __future__ import annotations

import click

from ..api.contract import contract_yaml


@click.command()
def openapi() -> None:
    """Print the OpenAPI contract (YAML)."""
    click.echo(contract_yaml(), nl=False)
