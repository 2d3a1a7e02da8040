"""Guide: the Markdown files of `docs` as HTML pages, and the files that they link to.

In the repository pages link to each other by file name; when served, the links are rewritten to
URLs. HTML in Markdown is shown as text.
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
from ..http.problems import PROBLEMS_PATH, Problem

ROOT: Final = Path(__file__).parents[3]
FOLDER: Final = ROOT / "docs"
INDEX: Final = "guide"
STYLESHEET: Final = "pages.css"
STYLE: Final = f'<link rel="stylesheet" href="/docs/{STYLESHEET}">'
CONTENT_SECURITY_POLICY: Final = (
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
FILE_FOLDERS: Final = {"examples": ROOT / "examples", "pictures": FOLDER / "pictures"}
MEDIA_TYPES: Final = {".svg": "image/svg+xml", ".png": "image/png"}
"""Media types of files by suffix; all others are text."""
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
    """Returns a page (one of `page_names()`) as HTML."""
    path = FOLDER / ("README.md" if name == INDEX else f"{name}.md")
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = markdown.parse(path.read_text(encoding="utf-8"))
    title = name
    for token, following in itertools.pairwise(tokens):
        if token.type == "heading_open":
            token.attrSet("id", anchor(following.content))
            title = following.content if token.tag == "h1" else title
        _rewrite_links(token.children or ())
    body = markdown.renderer.render(tokens, markdown.options, {})
    return PAGE.format(title=html.escape(title), style=STYLE, navigation=navigation(), body=body)


@functools.cache
def navigation() -> str:
    """Returns the navigation between all documentation pages as HTML."""
    links = {"/docs/guide": "Guide", "/docs": "Contract", PROBLEMS_PATH: "Problems"}
    links["/docs/rules/table"] = "The table"
    links.update((f"/docs/rules/{each.id}", each.title) for each in rulesets().values())
    anchors = (f'<a href="{path}">{html.escape(text)}</a>' for path, text in links.items())
    return f'<nav aria-label="Documentation">{" ".join(anchors)}</nav>'


def anchor(heading: str) -> str:
    """Returns the fragment of a heading, as code hosts derive it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def resolve_link(target: str) -> str:
    """Returns the URL of a link target in a file of `docs`. Fragments of rules are their ids, as

    in problems.
    """
    path, mark, fragment = target.partition("#")
    if "://" in path or not path:
        return target
    resolved = posixpath.normpath(f"docs/{path}")
    if resolved == "docs/README.md":
        resolved = f"docs/{INDEX}"
    elif resolved.startswith("docs/rules/"):
        fragment = fragment.upper()
    elif resolved.startswith("examples/"):
        resolved = f"docs/{resolved}"
    return f"/{resolved.removesuffix('.md')}{mark}{fragment}"


def _rewrite_links(tokens: Iterable[Token]) -> None:
    for token in tokens:
        for name in ("href", "src"):
            if name in token.attrs:
                token.attrSet(name, resolve_link(str(token.attrs[name])))


def guide_response(name: str) -> Response:
    """Returns the response with a page. Raises `Problem` "not_found"."""
    if name not in page_names():
        raise Problem("not_found")
    return with_policy(Response(render_page(name), content_type="text/html; charset=utf-8"))


def stylesheet_response() -> Response:
    """Returns the response with the stylesheet of all pages."""
    return with_policy(send_from_directory(Path(__file__).parent, STYLESHEET, max_age=3600))


def file_response(folder: str, name: str) -> Response:
    """Returns the response with a file that a page links to. Raises `Problem` "not_found"."""
    files: dict[str, Any] = {path.name: path for path in FILE_FOLDERS[folder].glob("[!.]*.*")}
    if name not in files:
        raise Problem("not_found")
    media_type = MEDIA_TYPES.get(files[name].suffix, "text/plain; charset=utf-8")
    return with_policy(Response(files[name].read_bytes(), content_type=media_type))


def with_policy(response: Response) -> Response:
    """Returns the response with a Content-Security-Policy that allows styles and images only."""
    response.headers["Content-Security-Policy"] = CONTENT_SECURITY_POLICY
    return response
