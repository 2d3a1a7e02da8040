"""Catalogs of translations: gettext's .po files, read as they are, so that none can be stale.

The house's own stand in `service/translations`, a game's in its package, so that a new game brings
them along. English needs none: it stands in the code.
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
from flask_babel import Domain, get_locale

SERVICE: Final = Path(__file__).parents[2]
FOLDERS: Final = (SERVICE / "translations", *sorted(SERVICE.glob("rules/*/translations")))
FILE: Final = Path("LC_MESSAGES", "messages.po")


class TranslationCatalogs(Domain):
    """All catalogs of the request's language as one."""

    def get_translations(self) -> Translations:
        """Returns the translations for the language that Babel has chosen for the request."""
        return _merged_catalog(str(get_locale()))


def available_languages() -> tuple[str, ...]:
    """Returns the languages that the house has a catalog for."""
    return tuple(sorted(path.parents[1].name for path in FOLDERS[0].glob(f"*/{FILE}")))


@functools.cache
def _merged_catalog(language: str) -> Translations:
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
