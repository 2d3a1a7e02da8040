"""`bailli verify`: a record is judged again, draw by draw and command by command."""

from __future__ import annotations

from pathlib import Path

import click
import orjson

from ..games import proof
from ..rules.plain import Misshapen, Plain

MOST_BYTES = 64_000_000


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, exists=True))
def verify(file: Path) -> None:
    """Prove the record in FILE: its chance, every command, the result."""
    with file.open("rb") as opened:
        data = opened.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise click.ClickException(f"{file} is no record: it has more than {MOST_BYTES} bytes")
    try:
        record = orjson.loads(data)
    except orjson.JSONDecodeError as fault:
        raise click.ClickException(f"{file} is no record: {fault}") from None
    click.echo(proved(record))


def proved(record: Plain) -> str:
    """Returns one line that says what a record proves. Raises a click error where it does not."""
    try:
        found = proof.verify(record)
    except Misshapen as fault:
        raise click.ClickException(f"this is no record: {fault}") from None
    except proof.NotProved as fault:
        raise click.ClickException(f"not proved: {fault}") from None
    return (
        f"Proved: {found.draws} draws follow from what was sealed, "
        f"{found.commands} commands and their result from the rules."
    )
