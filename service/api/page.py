"""The table in the browser: the files of `service/web`, as they are."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Final

from flask import Flask, Response, request, send_from_directory

from .problems import Problem

FOLDER: Final = Path(__file__).parents[1] / "web"
INDEX: Final = "index.html"
HTML: Final = "text/html"
TYPES: Final = {
    ".css": "text/css",
    ".html": HTML,
    ".js": "text/javascript",
    ".json": "application/json",
    ".svg": "image/svg+xml",
}
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def register(app: Flask) -> None:
    """Adds the page's files to the application."""

    @app.get("/web/<name>")
    def web_file(name: str) -> Response:
        return sent(name)


def wanted() -> bool:
    """Returns whether the caller would rather have the page than data: a browser, that is."""
    offered = ["application/json", HTML]
    return request.accept_mimetypes.best_match(offered) == HTML


def sent(name: str) -> Response:
    """Returns a file of the page. Raises `Problem` for any other name."""
    if name not in _files():
        raise Problem("not_found")
    response = send_from_directory(FOLDER, name, mimetype=TYPES[Path(name).suffix])
    response.headers["Content-Security-Policy"] = POLICY
    response.headers["Cross-Origin-Opener-Policy"] = "same-origin"
    return response


@functools.cache
def _files() -> frozenset[str]:
    return frozenset(each.name for each in FOLDER.iterdir() if each.suffix in TYPES)
