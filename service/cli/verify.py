"""`bailli verify`: replays a record, draw by draw and command by command."""

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
    """Verify the record in FILE: its chance, every command, the result."""
    click.echo(verify_record(_read(file), None if source is None else _read(source)))


def _read(file: Path) -> Plain:
    with file.open("rb") as opened:
        data = opened.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise click.ClickException(f"{file} is not a record: it has more than {MAX_BYTES} bytes")
    try:
        record: Plain = orjson.loads(data)
    except orjson.JSONDecodeError as fault:
        raise click.ClickException(f"{file} is not a record: {fault}") from None
    return record


def verify_record(record: Plain, source: Plain = None) -> str:
    """Returns one line that says what was verified. Raises a click error where the record fails."""
    try:
        found = verification.verify_record(record, source)
    except Misshapen as fault:
        raise click.ClickException(f"this is not a record: {fault}") from None
    except verification.VerificationFailed as fault:
        raise click.ClickException(f"not verified: {fault}") from None
    summary = (
        f"Verified: {found.draws} draws follow from what was sealed, "
        f"{found.commands} commands and their result from the rules."
    )
    place = found.taken_over
    if place is None:
        return summary
    where = f"version {place.version} of game {place.game}"
    if found.past_verified:
        return f"{summary} The game continues {where}, which its own record verifies."
    return f"{summary} The game continues {where}; what led there was not verified."
