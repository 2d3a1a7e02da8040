"""The table in the browser: the files of `service/web`, as they are."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from flask import Flask, Response, request

from .http.problems import Problem

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
CONTENT_SECURITY_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class WebFile(NamedTuple):
    """A file of the page: its media type, its bytes and the hash of these."""

    kind: str
    written: bytes
    digest: str


def register(app: Flask) -> None:
    """Adds the page's files to the application."""

    @app.get("/web/<name>")
    def web_file(name: str) -> Response:
        return send_file(name)


def prefers_html() -> bool:
    """Returns whether the caller would rather have the page than data: a browser, that is."""
    offered = ["application/json", HTML]
    return request.accept_mimetypes.best_match(offered) == HTML


def send_file(name: str) -> Response:
    """Returns a file of the page. Raises `Problem` for any other name."""
    found = _load_files().get(name)
    if found is None:
        raise Problem("not_found")
    response = Response(found.written, mimetype=found.kind)
    response.headers["Content-Security-Policy"] = CONTENT_SECURITY_POLICY
    response.headers["Cross-Origin-Opener-Policy"] = "same-origin"
    response.set_etag(found.digest)
    response.make_conditional(request)
    return response


@functools.cache
def _load_files() -> Mapping[str, WebFile]:
    """Returns all files by their names; they are few and small, and are read once."""
    found = {}
    for path in sorted(FOLDER.iterdir()):
        if path.suffix in TYPES:
            written = path.read_bytes()
            digest = hashlib.sha256(written).hexdigest()[:16]
            found[path.name] = WebFile(TYPES[path.suffix], written, digest)
    return found
