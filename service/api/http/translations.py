"""Translation lookup: English texts of the code in the request's language."""

from __future__ import annotations

from collections.abc import Mapping

from babel.support import Translations
from flask import Flask
from flask_babel import Babel, Domain, get_locale, gettext

from ...rules.plain import Detail
from . import catalogs
from .languages import DEFAULT_LANGUAGE, request_language


class MergedCatalogs(Domain):
    """The catalogs of the service and of all rulesets, as one gettext domain."""

    def get_translations(self) -> Translations:
        """Returns the translations for the language that Babel has selected for the request."""
        return catalogs.load_translations(str(get_locale()))


def register_translations(app: Flask) -> None:
    """Makes gettext use `request_language` and the merged catalogs in an application."""
    app.config["BABEL_DEFAULT_LOCALE"] = DEFAULT_LANGUAGE
    Babel(app, locale_selector=request_language).domain_instance = MergedCatalogs()


def translate(text: str) -> str:
    """Returns a text in the request's language; the text itself where it has no translation."""
    if request_language() == DEFAULT_LANGUAGE:
        return text
    translated: str = gettext(text)
    return translated


def translate_detail(detail: str) -> str:
    """Returns a sentence in the request's language; facts that are sentences are translated too."""
    if not isinstance(detail, Detail):
        return translate(detail)
    return fill_template(detail.template, detail.facts, {})


def fill_template(
    template: str, facts: Mapping[str, str | int], names: Mapping[str | int, str]
) -> str:
    """Returns the translated template with its facts; a fact that is a key of `names` is replaced

    by that name.
    """
    text = translate(template)
    if not facts:
        return text
    values = {
        name: fill_template(fact.template, fact.facts, names)
        if isinstance(fact, Detail)
        else names.get(fact, fact)
        for name, fact in facts.items()
    }
    return text.format(**values)
