"""Documentation pages: the contract in Swagger UI, the guide, rule books and problem types.

All files are served from here: the pages load nothing from other hosts.
"""

from __future__ import annotations

import functools
import html
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import flask_swagger_ui
from flask import Flask, Response, send_from_directory

from ...games.table import rule_book as table_rule_book
from ...rules import described
from ...rules.ruleset import AnyRuleset, rulesets
from ..http import languages, translations
from ..http.descriptions import NOTHING
from ..http.problems import PROBLEM_TYPES, Problem
from . import guide
from .openapi import contract_yaml

ASSETS: Final = frozenset(
    {"swagger-ui.css", "swagger-ui-bundle.js", "favicon-16x16.png", "favicon-32x32.png"}
)
CONTENT_SECURITY_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'"
)
SWAGGER_UI_SCRIPT: Final = """\
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
SWAGGER_UI: Final = """\
<p><a href="/docs/guide">Guide</a> · <a href="/docs/problems">Problems</a></p>
<link rel="stylesheet" href="/docs/swagger-ui.css">
<div id="ui"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>"""


def register_pages(app: Flask) -> None:
    """Adds the routes of the pages to an application."""

    contract = functools.cache(functools.partial(contract_yaml, app))

    @app.get("/openapi.yaml")
    def openapi_yaml() -> Response:
        return Response(contract(), content_type="application/yaml; charset=utf-8")

    @app.get("/docs")
    def docs() -> Response:
        return _render_page("Bailli: the contract", SWAGGER_UI, languages.DEFAULT_LANGUAGE)

    @app.get("/docs/start.js")
    def docs_start() -> Response:
        return _with_policy(
            Response(SWAGGER_UI_SCRIPT, content_type="text/javascript; charset=utf-8")
        )

    @app.get("/docs/<name>")
    def docs_asset(name: str) -> Response:
        if name == guide.STYLESHEET:
            return guide.stylesheet_response()
        if name not in ASSETS:
            return guide.guide_response(name)
        folder = Path(flask_swagger_ui.__file__).parent / "dist"
        return _with_policy(send_from_directory(folder, name, max_age=86_400))

    @app.get("/docs/<any(examples, pictures):folder>/<name>")
    def docs_file(folder: str, name: str) -> Response:
        return guide.file_response(folder, name)

    @app.get("/docs/problems")
    def docs_problems() -> Response:
        entries = [
            (
                code,
                f"{code} ({problem_type.status})",
                ". ".join(map(translations.translate, (problem_type.title, problem_type.text))),
            )
            for code, problem_type in PROBLEM_TYPES.items()
        ]
        return _entries_page(translations.translate("Problem types"), entries)

    @app.get("/docs/rules/<name>")
    def docs_rules(name: str) -> Response:
        ruleset = rulesets().get(name)
        if ruleset is None and name != "table":
            raise Problem("not_found")
        title = translations.translate("The table") if ruleset is None else ruleset.title
        rules = table_rule_book.RULES if ruleset is None else ruleset.rules
        entries = [(rule.id, rule.id, translations.translate(rule.text)) for rule in rules]
        readings = () if ruleset is None else _readings_table(ruleset)
        return _entries_page(title, entries, readings)


def _readings_table(ruleset: AnyRuleset) -> list[str]:
    """Returns how a rule book reads its sources, as lines of HTML in the request's language."""
    if not ruleset.readings:
        return []
    translate = translations.translate
    followed = {
        "text": translate("the text"),
        "published": translate("the published game"),
        "both": translate("both"),
        "book": translate("this book"),
    }
    heads = [
        translate("rule"),
        followed["text"],
        followed["published"],
        translate("chosen by"),
        translate("default"),
    ]
    defaults = {field.name: field.default for field in described.fields(ruleset.options)}
    rows = ["".join(f"<th>{html.escape(head)}</th>" for head in heads)]
    for reading in ruleset.readings:
        default = followed[reading.follows]
        if reading.option is not None:
            value = json.dumps(defaults[reading.option]).strip('"')
            default = f"`{value}` ({default})"
        cells = (
            reading.rule,
            translate(reading.text),
            NOTHING if reading.published is None else translate(reading.published),
            NOTHING if reading.option is None else f"`{reading.option}`",
            default,
        )
        rows.append("".join(f"<td>{_render_paragraph(cell)}</td>" for cell in cells))
    heading = html.escape(translate("Readings"))
    table = "\n".join(f"<tr>{row}</tr>" for row in rows)
    return [f'<h2 id="readings">{heading}</h2>', f"<table>\n{table}\n</table>"]


def _entries_page(
    title: str, entries: Iterable[tuple[str, str, str]], further: Iterable[str] = ()
) -> Response:
    """Returns a page of entries (anchor, heading, Markdown) in the request's language, with links

    to the other languages, and further lines of HTML.
    """
    links = (f'<a href="?lang={each}" hreflang="{each}">{each}</a>' for each in languages.LANGUAGES)
    heading = f"<h1>{html.escape(title)}</h1>"
    language_links = f'<nav aria-label="Language">{" · ".join(links)}</nav>'
    lines = [guide.STYLE, guide.navigation(), heading, language_links]
    for anchor, name, text in entries:
        lines.append(f'<h2 id="{html.escape(anchor)}">{html.escape(name)}</h2>')
        lines.append(f"<p>{_render_paragraph(text)}</p>")
    lines += further
    return languages.with_content_language(
        _render_page(f"Bailli: {title}", "\n".join(lines), languages.request_language())
    )


def _render_paragraph(text: str) -> str:
    """Returns a Markdown paragraph as HTML; only `code` and *emphasis* are supported."""
    return EMPHASIS.sub(r"<em>\1</em>", CODE.sub(r"<code>\1</code>", html.escape(text)))


def _render_page(title: str, body: str, language: str) -> Response:
    content = PAGE.format(title=html.escape(title), body=body, language=language)
    return _with_policy(Response(content, content_type="text/html; charset=utf-8"))


def _with_policy(response: Response) -> Response:
    response.headers["Content-Security-Policy"] = CONTENT_SECURITY_POLICY
    return response
