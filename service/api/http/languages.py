"""Content negotiation of languages: `?lang=` and Accept-Language."""

from __future__ import annotations

from typing import Final

from flask import Response, g, request

from .catalogs import available_languages

DEFAULT_LANGUAGE: Final = "en"
LANGUAGES: Final = tuple(sorted({DEFAULT_LANGUAGE, *available_languages()}))


def request_language() -> str:
    """Returns the language of this request, one of `LANGUAGES`: the one that `?lang=` names, else

    the best of Accept-Language, else English.
    """
    language: str | None = g.get("language")
    if language is None:
        accepted = [name for name, quality in request.accept_languages if quality > 0]
        names = [request.args.get("lang", ""), *accepted]
        language = next(filter(None, map(_match_language, names)), DEFAULT_LANGUAGE)
        g.language = language
    return language


def _match_language(name: str) -> str | None:
    """Returns the available language of a tag such as pt-BR, None if there is none."""
    language = name.partition("-")[0].lower()
    return language if language in LANGUAGES else None


def with_content_language(response: Response) -> Response:
    """Returns a response with Content-Language and `Vary: Accept-Language` added."""
    response.headers["Content-Language"] = request_language()
    response.vary.add("Accept-Language")
    return response
