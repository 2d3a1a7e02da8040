"""`bailli openapi`: the OpenAPI contract, as the API serves it."""

from __future__ import annotations

import click

from ..api.docs.openapi import contract_yaml
from ..app import create_app
from ..config import Settings
from ..store import MemoryStore


@click.command()
def openapi() -> None:
    """Print the OpenAPI contract (YAML)."""
    click.echo(build_contract(), nl=False)


def build_contract() -> str:
    """Returns the contract of this version in YAML."""
    return contract_yaml(create_app(Settings(), MemoryStore()))
