"""Web app: serves the static files of `service/web`, the page to play on."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from flask import Flask, Response, request

from ..http.problems import Problem

FOLDER: Final = Path(__file__).parents[2] / "web"
INDEX: Final = "index.html"
HTML: Final = "text/html"
MEDIA_TYPES: Final = {
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
    """A file of the page: its media type, its content and the hash of that."""

    media_type: str
    content: bytes
    digest: str


def register_web_app(app: Flask) -> None:
    """Adds the route of the page's files to an application."""

    @app.get("/web/<name>")
    def web_file(name: str) -> Response:
        return send_file(name)


def prefers_html() -> bool:
    """Returns whether the Accept header prefers HTML to JSON, as a browser's does."""
    offered = ["application/json", HTML]
    return request.accept_mimetypes.best_match(offered) == HTML


def send_file(name: str) -> Response:
    """Returns a file of the page. Raises `Problem` for any other name."""
    file = _load_files().get(name)
    if file is None:
        raise Problem("not_found")
    response = Response(file.content, mimetype=file.media_type)
    response.headers["Content-Security-Policy"] = CONTENT_SECURITY_POLICY
    response.headers["Cross-Origin-Opener-Policy"] = "same-origin"
    response.set_etag(file.digest)
    response.make_conditional(request)
    return response


@functools.cache
def _load_files() -> Mapping[str, WebFile]:
    """Returns all files by name; they are few and small, and are read once."""
    files = {}
    for path in sorted(FOLDER.iterdir()):
        if path.suffix in MEDIA_TYPES:
            content = path.read_bytes()
            digest = hashlib.sha256(content).hexdigest()[:16]
            files[path.name] = WebFile(MEDIA_TYPES[path.suffix], content, digest)
    return files
