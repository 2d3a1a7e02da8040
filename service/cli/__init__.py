"""The `bailli` command: a module per sub-command, loaded when it is called.

It may import everything but the tests and benchmarks; nothing imports it.
"""

from __future__ import annotations

import importlib
from typing import Final

import click

COMMANDS: Final = {
    "up": "up",
    "play": "play",
    "verify": "verify",
    "demo": "demo",
    "arena": "arena",
    "games": "games",
    "show": "games",
    "worker": "worker",
    "relay": "relay",
    "doctor": "doctor",
    "slots": "cluster_slots",
    "openapi": "openapi",
}
"""The sub-commands in the order of the help, and their modules."""


class LazyGroup(click.Group):
    """A group that imports a sub-command's module only when it is needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        module = COMMANDS.get(cmd_name)
        if module is None:
            return None
        command = getattr(importlib.import_module(f"{__package__}.{module}"), cmd_name)
        assert isinstance(command, click.Command)  # noqa: S101
        return command


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="bailli", prog_name="bailli", message="%(prog)s %(version)s")
def main() -> None:
    """Bailli referees board games: it knows the rules, keeps the record, plays the empty seats."""
