"""`bailli verify`: a record is judged again, draw by draw and command by command."""

from __future__ import annotations

from pathlib import Path

import click
import orjson

from ..games.records import verification
from ..rules.plain import Misshapen, Plain

MAX_BYTES = 64_000_000


_FILE = click.Path(path_type=Path, dir_okay=False, exists=True)


@click.command()
@click.argument("file", type=_FILE)
@click.option("--source", type=_FILE, help="The record of the game that FILE branches off from.")
def verify(file: Path, source: Path | None) -> None:
    """Prove the record in FILE: its chance, every command, the result."""
    click.echo(proved(_read(file), None if source is None else _read(source)))


def _read(file: Path) -> Plain:
    with file.open("rb") as opened:
        data = opened.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise click.ClickException(f"{file} is no record: it has more than {MAX_BYTES} bytes")
    try:
        record: Plain = orjson.loads(data)
    except orjson.JSONDecodeError as fault:
        raise click.ClickException(f"{file} is no record: {fault}") from None
    return record


def proved(record: Plain, source: Plain = None) -> str:
    """Returns one line that says what a record proves. Raises a click error where it does not."""
    try:
        found = verification.verify_record(record, source)
    except Misshapen as fault:
        raise click.ClickException(f"this is no record: {fault}") from None
    except verification.VerificationFailed as fault:
        raise click.ClickException(f"not proved: {fault}") from None
    said = (
        f"Proved: {found.draws} draws follow from what was sealed, "
        f"{found.commands} commands and their result from the rules."
    )
    place = found.taken_over
    if place is None:
        return said
    where = f"version {place.version} of game {place.game}"
    if found.past_proved:
        return f"{said} The game goes on from {where}, which is proved by its own record."
    return f"{said} The game goes on from {where}: what led there is taken as told."
