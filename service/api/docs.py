"""Pages for people: the contract in Swagger UI, the guide, the rule books, the kinds of problems.

Everything comes from this server: no address of anybody else is asked.
"""

from __future__ import annotations

import functools
import html
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import flask_swagger_ui
from flask import Flask, Response, send_from_directory

from ..games import book
from ..rules.ruleset import rulesets
from . import guide, texts
from .contract import contract_yaml
from .problems import CODES, Problem

ASSETS: Final = frozenset(
    {"swagger-ui.css", "swagger-ui-bundle.js", "favicon-16x16.png", "favicon-32x32.png"}
)
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'"
)
START: Final = """\
window.onload = () => {
  SwaggerUIBundle({url: "/openapi.yaml", dom_id: "#ui", deepLinking: true, validatorUrl: null});
};
"""
CODE: Final = re.compile(r"`([^`]+)`")
EMPHASIS: Final = re.compile(r"\*([^*]+)\*")
PAGE: Final = """\
<!doctype html>
<html lang="{language}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
{body}
</html>
"""
UI: Final = """\
<p><a href="/docs/guide">Guide</a> · <a href="/docs/problems">Problems</a></p>
<link rel="stylesheet" href="/docs/swagger-ui.css">
<div id="ui"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>"""


def register(app: Flask) -> None:
    """Adds the pages to the application."""

    written = functools.cache(functools.partial(contract_yaml, app))

    @app.get("/openapi.yaml")
    def openapi_yaml() -> Response:
        return Response(written(), content_type="application/yaml; charset=utf-8")

    @app.get("/docs")
    def docs() -> Response:
        return _page("Bailli: the contract", UI, texts.FIRST)

    @app.get("/docs/start.js")
    def docs_start() -> Response:
        return _guarded(Response(START, content_type="text/javascript; charset=utf-8"))

    @app.get("/docs/<name>")
    def docs_asset(name: str) -> Response:
        if name == guide.STYLESHEET:
            return guide.stylesheet()
        if name not in ASSETS:
            return guide.answer(name)
        folder = Path(flask_swagger_ui.__file__).parent / "dist"
        return _guarded(send_from_directory(folder, name, max_age=86_400))

    @app.get("/docs/<any(examples, pictures):folder>/<name>")
    def docs_file(folder: str, name: str) -> Response:
        return guide.file(folder, name)

    @app.get("/docs/problems")
    def docs_problems() -> Response:
        entries = [
            (
                code,
                f"{code} ({known.status})",
                f"{texts.translated(known.title)}. {texts.translated(known.text)}",
            )
            for code, known in CODES.items()
        ]
        return _book(texts.translated("What can go wrong"), entries)

    @app.get("/docs/rules/<name>")
    def docs_rules(name: str) -> Response:
        ruleset = rulesets().get(name)
        if ruleset is None and name != "table":
            raise Problem("not_found")
        title = texts.translated("The table") if ruleset is None else ruleset.title
        rules = book.RULES if ruleset is None else ruleset.rules
        entries = [(rule.id, rule.id, texts.translated(rule.text)) for rule in rules]
        return _book(title, entries)


def _book(title: str, entries: Iterable[tuple[str, str, str]]) -> Response:
    """Returns a page of texts (anchor, heading, Markdown) in the request's language, with links

    to the others.
    """
    links = (f'<a href="?lang={each}" hreflang="{each}">{each}</a>' for each in texts.LANGUAGES)
    heading = f"<h1>{html.escape(title)}</h1>"
    choice = f'<nav aria-label="Language">{" · ".join(links)}</nav>'
    lines = [guide.STYLE, guide.navigation(), heading, choice]
    for anchor, name, text in entries:
        lines.append(f'<h2 id="{html.escape(anchor)}">{html.escape(name)}</h2>')
        lines.append(f"<p>{_marked_up(text)}</p>")
    return texts.marked(_page(f"Bailli: {title}", "\n".join(lines), texts.language()))


def _marked_up(text: str) -> str:
    """Returns Markdown of one paragraph with `code` and *emphasis* as HTML."""
    return EMPHASIS.sub(r"<em>\1</em>", CODE.sub(r"<code>\1</code>", html.escape(text)))


def _page(title: str, body: str, language: str) -> Response:
    written = PAGE.format(title=html.escape(title), body=body, language=language)
    return _guarded(Response(written, content_type="text/html; charset=utf-8"))


def _guarded(response: Response) -> Response:
    response.headers["Content-Security-Policy"] = POLICY
    return response
