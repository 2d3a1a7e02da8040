"""Translation catalogs: gettext .po files, read at run time so that none can be stale.

The service's catalogs are in `service/translations`, a ruleset's in its own package. English needs
none: its texts are in the code, as message ids.
"""

from __future__ import annotations

import functools
import io
from pathlib import Path
from typing import Final

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.support import Translations

SERVICE: Final = Path(__file__).parents[2]
FOLDERS: Final = (SERVICE / "translations", *sorted(SERVICE.glob("rules/*/translations")))
FILE: Final = Path("LC_MESSAGES", "messages.po")


def available_languages() -> tuple[str, ...]:
    """Returns the languages that the service has a catalog for."""
    return tuple(sorted(path.parents[1].name for path in FOLDERS[0].glob(f"*/{FILE}")))


@functools.cache
def load_translations(language: str) -> Translations:
    """Returns all catalogs of a language merged into one; an empty one for another language."""
    merged = Catalog(locale=language)
    for folder in FOLDERS:
        path = folder / language / FILE
        if path.is_file():
            with path.open("rb") as file:
                for message in read_po(file, locale=language):
                    if message.id:
                        merged[message.id] = message
    compiled = io.BytesIO()
    write_mo(compiled, merged)
    compiled.seek(0)
    return Translations(compiled)
