"""The guide: the Markdown files in docs as pages, and the files that they lead to.

A page of docs links to its neighbours by file name, as they lie in the repository; served, the
links lead to addresses. HTML in Markdown is shown as text.
"""

from __future__ import annotations

import functools
import html
import itertools
import posixpath
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from flask import Response, send_from_directory
from markdown_it import MarkdownIt
from markdown_it.token import Token

from ...rules.ruleset import rulesets
from ..http.problems import DOCS, Problem

ROOT: Final = Path(__file__).parents[3]
FOLDER: Final = ROOT / "docs"
INDEX: Final = "guide"
STYLESHEET: Final = "pages.css"
STYLE: Final = f'<link rel="stylesheet" href="/docs/{STYLESHEET}">'
POLICY: Final = (
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
FILES: Final = {"examples": ROOT / "examples", "pictures": FOLDER / "pictures"}
KINDS: Final = {".svg": "image/svg+xml", ".png": "image/png"}
"""Media types of files; all others are text."""
PAGE: Final = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Bailli: {title}</title>
{style}
{navigation}
<main>
{body}</main>
</html>
"""


@functools.cache
def page_names() -> frozenset[str]:
    """Returns the names of all pages: `docs/live.md` is `live`, `docs/README.md` the index."""
    names = {path.stem for path in FOLDER.glob("*.md")}
    return frozenset(names - {"README"} | {INDEX})


@functools.cache
def render_page(name: str) -> str:
    """Returns a page (one of `pages`) as HTML."""
    path = FOLDER / ("README.md" if name == INDEX else f"{name}.md")
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = markdown.parse(path.read_text(encoding="utf-8"))
    title = name
    for token, following in itertools.pairwise(tokens):
        if token.type == "heading_open":
            token.attrSet("id", anchor(following.content))
            title = following.content if token.tag == "h1" else title
        _redirect(token.children or ())
    body = markdown.renderer.render(tokens, markdown.options, {})
    return PAGE.format(title=html.escape(title), style=STYLE, navigation=navigation(), body=body)


@functools.cache
def navigation() -> str:
    """Returns the links to all there is to read, as HTML."""
    places = {"/docs/guide": "Guide", "/docs": "Contract", DOCS: "Problems"}
    places["/docs/rules/table"] = "The table"
    places.update((f"/docs/rules/{each.id}", each.title) for each in rulesets().values())
    links = (f'<a href="{path}">{html.escape(text)}</a>' for path, text in places.items())
    return f'<nav aria-label="Documentation">{" ".join(links)}</nav>'


def anchor(heading: str) -> str:
    """Returns the fragment that leads to a heading, as code hosts name it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def resolve_link(target: str) -> str:
    """Returns where a link in a file of docs leads when it is served. Rules are named by their

    ids, as problems name them.
    """
    path, mark, fragment = target.partition("#")
    if "://" in path or not path:
        return target
    whole = posixpath.normpath(f"docs/{path}")
    if whole == "docs/README.md":
        whole = f"docs/{INDEX}"
    elif whole.startswith("docs/rules/"):
        fragment = fragment.upper()
    elif whole.startswith("examples/"):
        whole = f"docs/{whole}"
    return f"/{whole.removesuffix('.md')}{mark}{fragment}"


def _redirect(tokens: Iterable[Token]) -> None:
    for token in tokens:
        for name in ("href", "src"):
            if name in token.attrs:
                token.attrSet(name, resolve_link(str(token.attrs[name])))


def guide_response(name: str) -> Response:
    """Returns the answer that shows a page. Raises `Problem`."""
    if name not in page_names():
        raise Problem("not_found")
    return with_policy(Response(render_page(name), content_type="text/html; charset=utf-8"))


def stylesheet() -> Response:
    """Returns the answer that holds the style of all pages."""
    return with_policy(send_from_directory(Path(__file__).parent, STYLESHEET, max_age=3600))


def guide_file(folder: str, name: str) -> Response:
    """Returns the answer that holds a file which a page leads to. Raises `Problem`."""
    known: dict[str, Any] = {path.name: path for path in FILES[folder].glob("[!.]*.*")}
    if name not in known:
        raise Problem("not_found")
    kind = KINDS.get(known[name].suffix, "text/plain; charset=utf-8")
    return with_policy(Response(known[name].read_bytes(), content_type=kind))


def with_policy(response: Response) -> Response:
    """Returns the answer with a policy that lets it do nothing but look like something."""
    response.headers["Content-Security-Policy"] = POLICY
    return response
